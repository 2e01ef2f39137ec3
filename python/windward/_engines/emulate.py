"""Emulation: the scenario in real time, between real kernels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windward import _engine
from windward._engines.collect import Collector, check_pcap, choose
from windward.results._folder import ResultFolder
from windward.results._place import Place
from windward.results._shapes import Pcap, Progress

if TYPE_CHECKING:
    from windward._answers.run import Run


def emulate(
    scenario: _engine.Scenario,
    *,
    seeds: int | Sequence[int] | None = None,
    place: Place | None = None,
    progress: Callable[[Progress], None] | None = None,
    pcap: Pcap = False,
    qlog: bool = False,
    even_if_slow: bool = False,
    sysctl: Mapping[str, str | int] | None = None,
    congestion: Mapping[str, str] | None = None,
) -> Run:
    """Emulates one seed after the other; `Scenario.emulate` says what the arguments mean."""
    if reason := why_not():
        raise _engine.EmulationError(reason)
    chosen = choose(seeds, scenario.seeds[:1])
    check_pcap(pcap, place, qlog)
    settings = [(name, str(value)) for name, value in (sysctl or {}).items()]
    others = dict(congestion or {})
    job = _engine.EmulationJob(
        scenario, seeds=chosen, even_if_slow=even_if_slow, settings=settings, congestion=list(others.items())
    )
    target = ResultFolder(place) if place is not None else None
    try:
        collector = Collector(scenario, chosen, target, progress, engine="emulate")
        for kind, column in (("flows", "flow"), ("apps", "app")):
            named = collector.entities[kind]
            named["law"] = [
                others.get(name, others.get(group, law))
                for name, group, law in zip(named[column], named["group"], named["law"], strict=True)
            ]
        return collector.collect(job, pcap, qlog)
    finally:
        if target is not None:
            target.close()


def why_not() -> str | None:
    """Why nothing can be emulated on this machine; None where it can."""
    if not hasattr(_engine, "EmulationJob"):
        return "emulation needs Linux"
    if os.geteuid() != 0:
        return "emulation needs root: it creates network namespaces and loads laws into the kernel"
    if not Path("/dev/net/tun").exists():
        return "emulation needs /dev/net/tun, which this machine does not have; try `modprobe tun`"
    return None
