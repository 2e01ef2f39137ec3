"""One emulated link in front of a command."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windward import _engine
from windward.transfer._describe import describe


def link(
    command: Sequence[str],
    *,
    profile: str | Path | None = None,
    rate: str | None = None,
    delay: str | None = None,
    loss: str | None = None,
    buffer: str | None = None,
    queue: str | None = None,
    jitter: str | None = None,
    reorder: str | None = None,
    trace: str | Path | None = None,
    wifi: str | None = None,
    cell: str | None = None,
    changes: Sequence[str] = (),
    servers: Sequence[str] = (),
    congestion: str | None = None,
    isolate: bool = False,
    seed: int = 1,
) -> dict[str, Any]:
    """Runs a command behind an emulated link, in a network namespace of its own.

    No root is needed. The other end of the link is $WINDWARD_SERVER (100.64.0.1). A link is no sandbox: the command
    can use your files, this machine's services and every address that this machine reaches. A value that differs
    between the directions is written "DOWN,UP": towards the command, and away from it.

    Parameters
    ----------
    command
        The program and its arguments.
    profile
        Name of a network that the package has, such as "lte" or "train", or a scenario file whose first node is the
        far end and whose second node is the command. All other parameters then replace those of its first link.
    rate
        Such as "10mbit" or "2.5 Mbit/s"; this, `trace`, `wifi`, `cell` or `profile`. "10mbps" is refused: tc(8)
        means megabytes by it, others megabits.
    delay
        One-way propagation delay. Default: 0.
    loss
        Random loss, such as "1%"; "gilbert-elliott:good_to_bad=1%:bad_to_good=30%" for bursts. Default: 0.
    buffer
        Queue limit: packets, or an amount with its unit, such as "125kB" or "100ms". Default: 1000 packets.
    queue
        Discipline of the queue (default: drop-tail), with parameters behind colons: "fq-codel",
        "codel:target=10 ms:ecn=true".
    jitter
        Additional delay, uniform up to this; packets stay in order.
    reorder
        Share of the packets that others overtake, and how much longer they take: "1%:8ms"; "0" for none.
    trace
        A mahimahi trace in place of the rate.
    wifi
        Wi-Fi between an access point and the command: the standard, then KEY=VALUE, such as
        "802.11ac,width=80MHz,snr=25dB". `width`, `band`, `streams` and `guard-interval` are as in scenarios. `mcs`
        fixes the rate; else `rate-control` is "ideal" (default) or "minstrel-ht". `snr` or `distance` (default 5 m)
        sets the signal. `stations` is the number of other stations that always send. `queue`, `airtime-fairness` and
        `hardware` are as in the `txq` of scenarios. All other parameters are those of a wire between the access point
        and the other end.
    cell
        Cell of LTE or 5G NR whose station is the command: the carrier, then KEY=VALUE, such as
        "n78-40mhz,snr=18dB,users=4". `snr` (default 20 dB), `uplink-snr` and `speed` are those of all stations;
        `users` is the number of stations, of which all but the command always download. `layers`, `scheduler`,
        `buffer`, `queue` and `drx` are as in scenarios, `rlc` is "am" or "um", and `sr-period` the period of scheduling
        requests. All other parameters are those of a wire between the cell and the other end.
    changes
        Changes while the command runs: "TIME NAME=VALUE …", such as "30s rate=2mbit delay=80ms", "30s down", "35s up".
        Names: rate, delay, loss, buffer, jitter, reorder, trace.
    servers
        Shell commands to run at the other end while the command runs.
    congestion
        Congestion control at the other end. Default: the machine's.
    isolate
        Make nothing reachable but the servers.
    seed
        Random seed for loss, jitter and reordering. A run with the same seed loses the same packets: give each
        repetition its own.

    Returns
    -------
    dict
        `code` (the command's exit code), `seconds`, `down`, `up` and `quality`. `down` and `up` are the totals of each
        direction; means without packets are None. With `wifi` or `cell` they are those of the radio, and `wire` has
        `down` and `up` of the wire behind the access point, if there is one. `quality` is the timing of the emulation;
        its `problem` is None if it was in time.

    Raises
    ------
    windward.EmulationError
        If links cannot be emulated here.
    OSError
        If the command cannot be started: FileNotFoundError where there is none of this name.
    windward.errors.OptionError
        For an invalid argument; a ValueError.
    """
    described = describe(
        profile=profile,
        rate=rate,
        delay=delay,
        loss=loss,
        buffer=buffer,
        queue=queue,
        jitter=jitter,
        reorder=reorder,
        trace=trace,
        wifi=wifi,
        cell=cell,
        changes=changes,
        seed=seed,
    )
    found = _engine.emulate_link(described.links, seed, [*command], [*servers], congestion, isolate)
    return report(found, has_radio=described.has_radio)


def report(found: dict[str, Any], *, has_radio: bool) -> dict[str, Any]:
    """Report of a link: for each direction the link next to the command, and behind it the wire."""
    down, up = found["down"], found["up"]
    report = found | {"down": _known(down[-1]), "up": _known(up[0]), "quality": _known(found["quality"])}
    if has_radio and len(down) > 1:
        report["wire"] = {"down": _known(down[0]), "up": _known(up[-1])}
    return report


def _known(figures: dict[str, Any]) -> dict[str, Any]:
    """None for a mean, or a largest, of nothing."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
