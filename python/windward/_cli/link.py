"""The command line's `link`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from windward import _engine, transfer
from windward._cli import completion, words
from windward._cli.options import MOST_SEED
from windward.results._files import replace_text
from windward.transfer._cell import KEYS as CELL_KEYS, PRESETS
from windward.transfer._wifi import KEYS, STANDARDS

#: The disciplines that scenarios have.
_QUEUES = ", ".join(one["properties"]["discipline"]["const"] for one in _engine.schema()["$defs"]["Queue"]["oneOf"])


def link(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND …", help="Command to run behind the link.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Network by name (--list-profiles), or a scenario file whose first node is the far end and whose "
            "second node is the command. The other options of the link replace those of its first link. "
            "Default: none.",
            rich_help_panel="Link",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(metavar="RATE", help='Such as 10mbit, 800kB/s or "2.5 Mbit/s".', rich_help_panel="Link"),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="One-way propagation delay. Default: 0 ms.", rich_help_panel="Link"),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Random loss, such as 1%, or a model of bursts: "
            "gilbert-elliott:good_to_bad=1%:bad_to_good=30%:loss_bad=50%. Default: 0.",
            rich_help_panel="Link",
        ),
    ] = None,
    buffer: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="Queue limit: packets, or an amount with its unit, such as 125kB or 100ms. Default: 1000.",
            rich_help_panel="Link",
        ),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option(
            metavar="DISCIPLINE",
            help=f"{_QUEUES}, with parameters: codel:target=10ms:ecn=true. Default: drop-tail.",
            rich_help_panel="Link",
        ),
    ] = None,
    jitter: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Additional delay, uniform up to TIME; packets stay in order.", rich_help_panel="Link"
        ),
    ] = None,
    reorder: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE:TIME",
            help="Share of the packets that take TIME longer and are overtaken, such as 1%:8ms.",
            rich_help_panel="Link",
        ),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="mahimahi trace in place of the rate.", rich_help_panel="Link"),
    ] = None,
    wifi: Annotated[
        str | None,
        typer.Option(
            metavar="STANDARD[,KEY=VALUE…]",
            help="Wi-Fi between an access point and the command, such as 802.11ac,width=80MHz,snr=25dB. Standards: "
            f"{', '.join(STANDARDS)}. Keys: {', '.join(KEYS)}. The other options of the link then set a wire behind "
            "the access point. Default: no Wi-Fi.",
            autocompletion=completion.wifi,
            rich_help_panel="Link",
        ),
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option(
            metavar="CARRIER[,KEY=VALUE…]",
            help="Cell of LTE or 5G NR whose station is the command, such as n78-40mhz,snr=18dB,users=4. Carriers: "
            f"{', '.join(PRESETS)}. Keys: {', '.join(CELL_KEYS)}. The other options of the link then set a wire "
            "behind the cell. Default: no cell.",
            autocompletion=completion.cell,
            rich_help_panel="Link",
        ),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANGE",
            help='Change the link at a time: "30s rate=2mbit delay=80ms", "40s down", "45s up". Repeatable.',
            rich_help_panel="Link",
        ),
    ] = None,
    server: Annotated[
        list[str] | None,
        typer.Option(metavar="COMMAND", help="Run COMMAND at the other end while the command runs. Repeatable."),
    ] = None,
    congestion: Annotated[
        str | None, typer.Option(metavar="LAW", help="Congestion control at the other end. Default: the machine's.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Make nothing reachable but the servers of --server.")
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST_SEED,
            help="Random seed for loss, jitter and reordering. A run with the same seed loses the same packets: "
            "give each repetition its own.",
        ),
    ] = 1,
    publish: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[HOST:]PORT:PORT",
            help="Listen on a port of this machine (HOST: 127.0.0.1; 0: any free port), TCP and UDP, and pass what "
            "comes across the link to the second port of this machine. Repeatable. Without a command until Ctrl-C.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Take orders while the link runs: `windward link ctl NAME down 3s`, `… up`, `… change loss=2% "
            "rate=1mbit`, `… report`. Default: no orders.",
        ),
    ] = None,
    list_profiles: Annotated[
        bool, typer.Option("--list-profiles", help="List the profiles, each with its source, and exit.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write statistics of the link to FILE, as JSON.")
    ] = None,
) -> None:
    """Run a command behind an emulated link.

    The command runs in a network namespace whose only way out is the link. The other end of the link is
    $WINDWARD_SERVER (100.64.0.1), where --server starts servers; its other ports are those of this machine's loopback.
    All other addresses are reached as from this machine, across the link. No root is needed, and nothing on the machine
    is changed. A link is no sandbox: the command can use your files, this machine's services and every address that
    this machine reaches. A value that differs between the directions is written DOWN,UP: towards the command, and away
    from it. The exit code is the command's; 127 if there is no such command, 126 if it cannot be started.

    windward link --rate 10mbit --delay 50ms --loss 1%,0 --server "iperf3 -s" -- iperf3 -c 100.64.0.1 -R
    """
    if list_profiles:
        _list_profiles()
        return
    options: dict[str, Any] = {
        "profile": profile,
        "rate": rate,
        "delay": delay,
        "loss": loss,
        "buffer": buffer,
        "queue": queue,
        "jitter": jitter,
        "reorder": reorder,
        "trace": trace,
        "wifi": wifi,
        "cell": cell,
        "changes": change or [],
        "servers": server or [],
        "congestion": congestion,
        "isolate": isolate,
        "seed": seed,
    }
    if publish or name is not None:
        from windward._cli.controlled import run

        result = run(command or [], publish or [], name, options)
    elif not command:
        raise typer.BadParameter("give a command after --, --publish, or --name", param_hint="COMMAND")
    else:
        result = _run(command, options)
    if report is not None:
        replace_text(report, json.dumps(result, indent=2, allow_nan=False, default=str) + "\n")
    if problem := result["quality"]["problem"]:
        print(f"windward link: not trustworthy: {problem}", file=sys.stderr)
    raise typer.Exit(result["code"])


def _run(command: list[str], options: dict[str, Any]) -> dict[str, Any]:
    try:
        return transfer.link(command, **options)
    except OSError as error:
        if error.filename is None or os.fspath(error.filename) != command[0]:
            raise
        raise typer.Exit(words.cannot_start(command[0], error)) from None


def _list_profiles() -> None:
    from windward.transfer._profile import about, names

    for name in names():
        profile = about(name)
        print(f"{name}\n    {profile['title']}\n    Source: {profile['source']}")
