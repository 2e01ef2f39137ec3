"""Questions whose answer is known: what a search must find again from its bounds alone, and what it must not find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cases import CAPACITY, alike, calm, law, quiet, steady, together

import windward as ww
from windward.theory.laws import ratio_under_delay

HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """A question with a known answer."""

    #: What it shows, in words.
    name: str
    #: A scenario of this folder, without its attack.
    file: str
    clean: Callable[[ww.Scenario], ww.Scenario]
    until: str
    within: tuple[str, ...]
    is_found: bool = True
    trials: int = 120
    seeds: int = 3
    reference: str | None = None
    #: The value that the find must have, from the change that it makes; None: none is known.
    expected: Callable[[ww.Attack], tuple[float, float]] | None = None
    #: Whether it is one of the tests that run every time.
    is_short: bool = False

    def attack(self, output: Path, **more: Any) -> ww.Attack:
        """Searches the answer."""
        scenario = self.clean(ww.load(HERE / f"{self.file}.toml"))
        return scenario.attack(
            self.until,
            within=self.within,
            trials=self.trials,
            seeds=self.seeds,
            reference=self.reference,
            output=output,
            **more,
        )

    def wrong(self, attack: ww.Attack) -> str | None:
        """Describes the difference between an answer and the known one; None if there is none."""
        if attack.is_found != self.is_found:
            return f"{'found' if attack.is_found else 'not found'}: {attack.summary['closest']}"
        if self.expected is not None:
            least, most = self.expected(attack)
            value = attack.summary["found"]["value"]
            if not least <= value <= most:
                return f"{value:.3g} is not between {least:.3g} and {most:.3g}"
        return None


def by_formula(attack: ww.Attack) -> tuple[float, float]:
    """Within 8 % of Eq. 2 for the step that was found, of a path that had 5 ms; p = 20 at 1000 packets/s."""
    (change,) = attack.rows("changes")
    step = float(change["attack"].removesuffix(" ms")) - 5
    ratio = ratio_under_delay(step / 1e3, CAPACITY, 20)
    # The find holds with a tenth to spare, and is rounded by at most as much again.
    asked = float(str(attack.summary["until"]).partition(":")[2])
    return 0.92 * ratio, min(1.08 * ratio, 1.35 * asked)


def of_law(*laws: Any) -> Callable[[ww.Scenario], ww.Scenario]:
    """Both flows at once with a known base, under these laws."""
    return lambda scenario: law(*laws)(together(scenario))


def at_once(scenario: ww.Scenario) -> ww.Scenario:
    """Both flows at once, which find out their base themselves."""
    return replace(scenario, change=[], flow=[replace(flow, start="0 s") for flow in scenario.flow])


def fast_copa(scenario: ww.Scenario) -> ww.Scenario:
    """Two flows of Copa without its competitive mode, on 120 Mbit/s."""
    links = [replace(link, rate="120 Mbit/s") if link.name == "core" else link for link in scenario.link]
    return replace(
        law(*[ww.Copa(competitive=False)] * 2)(at_once(scenario)), link=links, duration="40 s", warmup="20 s"
    )


def copa_alone(scenario: ww.Scenario) -> ww.Scenario:
    """Copa without loss or jitter."""
    links = [replace(link, loss=0) if link.name == "core" else link for link in calm(scenario).link]
    return replace(law(ww.Copa())(scenario), link=links, duration="40 s")


def cubics(scenario: ww.Scenario) -> ww.Scenario:
    """Two flows of CUBIC and a buffer of a bandwidth-delay product."""
    links = [replace(link, buffer="50 packets") if link.name == "core" else link for link in scenario.link]
    return replace(law(ww.Cubic(), ww.Cubic())(at_once(scenario)), link=links)


def counting(is_by_bytes: bool) -> Callable[[ww.Scenario], ww.Scenario]:
    """Two flows of Reno that count acknowledged packets or ACKs, and a buffer of a bandwidth-delay product."""
    return lambda scenario: law(*[ww.Reno(byte_counting=is_by_bytes)] * 2)(cubics(scenario))


def modern(scenario: ww.Scenario) -> ww.Scenario:
    """CUBIC with Linux's timers, which has no timeouts of a second."""
    return replace(
        quiet(scenario), flow=[ww.Flow(name="A", from_="a", to="z", law=ww.Cubic(), stack="linux")], duration="30 s"
    )


#: From the bound of two links with an error of both bases: Eq. 2 with a = 2Δc/p, and the late start's 1 more.
BOTH = ratio_under_delay(0.04, CAPACITY, 20)

ORACLES = [
    *(
        Oracle(
            name=f"{name}: the least step for a ratio of {ratio} is that of Eq. 2",
            file="step",
            clean=of_law(*laws),
            until=f"starves:{ratio}",
            within=(f"link.access-a.delay=+0..{round(40 * (ratio - 1 / ratio))} ms",),
            expected=by_formula,
            seeds=1,
            trials=60,
            is_short=name == "FAST" and ratio == 2,
        )
        for name, laws in (
            ("QUIC-TCP", [ww.QuicTcp(backlog=20)] * 2),
            ("FAST", [ww.Fast(alpha=20)] * 2),
        )
        for ratio in (2, 5, 10)
    ),
    Oracle(
        name="QUIC-TCP with unknown bases: both paths within 20 ms reach more than one step can",
        file="step",
        clean=at_once,
        until=f"starves:{BOTH:.3g}",
        within=(
            "link.access-a.delay=pattern +0..20 ms",
            "link.access-b.delay=pattern +0..20 ms",
            "flow.B.start=0..5 s",
        ),
        expected=lambda attack: (BOTH, 1.05 * ratio_under_delay(0.06, CAPACITY, 20)),
        seeds=1,
        trials=240,
    ),
    Oracle(
        name="QUIC-TCP: start times alone, within the first half second",
        file="starts",
        clean=together,
        until="starves:2.1",
        within=("flow.B.start=0..0.5 s",),
        is_found=False,
        seeds=1,
        trials=40,
    ),
    Oracle(
        name="QUIC-TCP: the same with bases that flows find out themselves",
        file="starts",
        clean=at_once,
        until="starves:2.1",
        within=("flow.B.start=0..0.5 s",),
        seeds=1,
        trials=40,
        is_short=True,
    ),
    Oracle(
        name="Copa without its competitive mode: dips of at most 5 ms",
        file="step",
        clean=fast_copa,
        until="starves:10",
        within=("link.access-a.delay=pattern +0..5 ms",),
        seeds=1,
        trials=120,
    ),
    Oracle(
        name="BBR: two round trips",
        file="distances",
        clean=alike,
        until="starves:3",
        within=("link.access-far.delay=10..30 ms",),
        seeds=2,
        trials=30,
    ),
    Oracle(
        name="BBR: D ≥ R + 0.1 s takes nine tenths (CCAC)",
        file="dips",
        clean=steady,
        until="slows:10%",
        within=("link.access.delay=pattern +0..250 ms",),
        reference="cubic",
        seeds=1,
        trials=150,
        is_short=True,
    ),
    Oracle(
        # R is 25 ms: the threshold of R + 0.1 s is not sharp.
        name="BBR: D = 90 ms takes more than half",
        file="dips",
        clean=steady,
        until="slows:50%",
        within=("link.access.delay=pattern +0..90 ms",),
        reference="cubic",
        seeds=1,
        trials=72,
    ),
    Oracle(
        name="Copa: jitter within 20 ms (CCAC)",
        file="jitter",
        clean=copa_alone,
        until="slows:10%",
        within=("link.access.jitter=0..20 ms",),
        reference="cubic",
        seeds=1,
        trials=30,
    ),
    Oracle(
        name="Reno with timeouts of 1 s: pulses take everything (the shrew)",
        file="shrew",
        clean=quiet,
        until="slows:1%",
        within=("traffic.m->z=pattern 1..20 Mbit/s, load 2 Mbit/s",),
        seeds=1,
        trials=96,
        is_short=True,
    ),
    Oracle(
        name="CUBIC with Linux's timers keeps what pulses leave",
        file="shrew",
        clean=modern,
        until="slows:2%",
        within=("traffic.m->z=pattern 1..20 Mbit/s, every 100 ms, load 2 Mbit/s",),
        reference="reno",
        is_found=False,
        seeds=1,
        trials=48,
    ),
    Oracle(
        name="BBR, loss and outages: little for ten seconds after the attack (CC-Fuzz)",
        file="dips",
        clean=steady,
        until="stalls:20%",
        within=("link.core.up=pattern 0.05..2 s", "link.core.loss=pattern 1..100 %"),
        reference="cubic",
        seeds=1,
        trials=240,
    ),
    Oracle(
        name="Reno that counts ACKs: one receiver divides its ACKs (Savage et al.)",
        file="step",
        clean=counting(is_by_bytes=False),
        until="starves:2",
        within=("flow.A.ack_division=1..20",),
        reference="cubic",
        seeds=2,
        trials=30,
        is_short=True,
    ),
    Oracle(
        name="Reno that counts ACKs: which of both receivers cheats, and how, is left open",
        file="step",
        clean=counting(is_by_bytes=False),
        until="starves:2",
        within=("receiver.*=cheats",),
        reference="cubic",
        seeds=2,
        trials=48,
    ),
    Oracle(
        name="CUBIC: optimistic ACKs take the link from an honest receiver's flow",
        file="step",
        clean=cubics,
        until="unfair:10",
        within=("receiver.*=optimistic_acks 0..50 ms",),
        seeds=2,
        trials=48,
    ),
    Oracle(
        name="Reno that counts bytes gains nothing from divided ACKs",
        file="step",
        clean=counting(is_by_bytes=True),
        until="starves:2",
        within=("flow.A.ack_division=1..20",),
        is_found=False,
        seeds=2,
        trials=30,
    ),
    Oracle(
        name="a pair of CUBICs does not starve under jitter of 50 ms",
        file="step",
        clean=cubics,
        until="starves:10",
        within=("link.access-a.jitter=0..50 ms", "link.access-b.jitter=0..50 ms"),
        is_found=False,
        seeds=2,
        trials=60,
    ),
    Oracle(
        name="QUIC-TCP with known bases stays below r(Dc/p) for delays within 20 ms",
        file="step",
        clean=together,
        until=f"starves:{1.08 * ratio_under_delay(0.02, CAPACITY, 20):.3g}",
        within=("link.access-a.delay=pattern +0..20 ms",),
        is_found=False,
        seeds=2,
        trials=96,
    ),
]
