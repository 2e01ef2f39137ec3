"""Networks on which a law fails: the attack, the same network without it, and what a closed form says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import windward as ww
from windward.theory.laws import ratio_under_delay

HERE = Path(__file__).parent

#: Packets of 1500 bytes per second on 12 Mbit/s.
CAPACITY = 1000.0


@dataclass(frozen=True, kw_only=True)
class Case:
    """A network on which a law fails."""

    #: A scenario of this folder.
    file: str
    law: str
    #: What is done to the network, in words.
    attack: str
    #: Figure in which the law fails, with its unit.
    figure: str
    measure: Callable[[ww.Run], list[float]]
    #: Makes the network without the attack.
    clean: Callable[[ww.Scenario], ww.Scenario]
    #: Changes of the file: another law or another strength.
    vary: Callable[[ww.Scenario], ww.Scenario] = lambda scenario: scenario
    #: Value by a closed form, and where it stands.
    expected: float | None = None
    source: str = ""

    def attacked(self) -> ww.Scenario:
        """The network with the attack."""
        return self.vary(ww.load(HERE / f"{self.file}.toml"))


def goodputs(run: ww.Run) -> Any:
    """Goodput by seed and flow, in Mbit/s."""
    return run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps") / 1e6


def ratio(run: ww.Run) -> list[float]:
    """Goodput of the last flow over that of the first, by seed."""
    table = run.flows.pivot_table(index="seed", columns="flow", values="goodput_bps", sort=False)
    return list(table.iloc[:, -1] / table.iloc[:, 0])


def goodput(run: ww.Run) -> list[float]:
    """Goodput of all flows by seed, in Mbit/s."""
    return list(run.flows.groupby("seed")["goodput_bps"].sum() / 1e6)


def cut(run: ww.Run) -> list[float]:
    """Least window, in packets, that a loss has found after the warm-up, by seed."""
    found = []
    for _, rows in run.flow_series.groupby("seed"):
        windows = rows.loc[rows["time_s"] >= run.warmup_s, "cwnd"].to_numpy()
        # A cut by less is none, and one to a packet or so is that of a timeout.
        is_cut = (windows[1:] < 0.8 * windows[:-1]) & (windows[1:] > 10)
        found.append(float(windows[:-1][is_cut].min()))
    return found


def law(*laws: Any) -> Callable[[ww.Scenario], ww.Scenario]:
    """Gives the flows these laws in turn."""
    return lambda scenario: replace(
        scenario, flow=[replace(flow, law=own) for flow, own in zip(scenario.flow, laws, strict=True)]
    )


def together(scenario: ww.Scenario) -> ww.Scenario:
    """All flows begin at once and know the propagation delay."""
    return replace(
        scenario, change=[], flow=[replace(flow, start="0 s", known_base_rtt="path") for flow in scenario.flow]
    )


def steady(scenario: ww.Scenario) -> ww.Scenario:
    """No link changes."""
    return replace(scenario, change=[])


def quiet(scenario: ww.Scenario) -> ww.Scenario:
    """No background traffic."""
    return replace(scenario, background=[])


def calm(scenario: ww.Scenario) -> ww.Scenario:
    """No jitter."""
    return replace(scenario, link=[replace(link, jitter=None) for link in scenario.link])


def unheld(scenario: ww.Scenario) -> ww.Scenario:
    """No ACK is held back."""
    return replace(scenario, link=[replace(link, reverse=None) for link in scenario.link])


def alike(scenario: ww.Scenario) -> ww.Scenario:
    """Both access links have the delay of the first."""
    first = scenario.link[0]
    return replace(
        scenario,
        link=[replace(link, delay=first.delay) if link.name == "access-far" else link for link in scenario.link],
    )


def period(seconds: float) -> Callable[[ww.Scenario], ww.Scenario]:
    """Another time between pulses."""

    def vary(scenario: ww.Scenario) -> ww.Scenario:
        (pulses,) = scenario.background
        pattern = replace(pulses.pattern, off=f"{round(1000 * seconds) - 100} ms")
        return replace(scenario, background=[replace(pulses, pattern=pattern)])

    return vary


def after_timeout(seconds: float) -> float:
    """Share of the link that pulses every `seconds` leave to a sender whose timeout is 1 s: Eq. 3 of the page."""
    times = -(-1.0 // seconds) * seconds
    return (times - 1.0) / times


STEP = Case(
    file="step",
    law="quic-tcp",
    attack="a path is 40 ms longer after 5 s, and flow B began a second after A",
    figure="B : A",
    measure=ratio,
    clean=together,
)
JITTER = Case(
    file="jitter",
    law="tcp-fit",
    attack="uniform jitter of at most 5 ms on the access link",
    figure="Mbit/s",
    measure=goodput,
    clean=calm,
)
DIPS = Case(
    file="dips",
    law="bbr",
    attack="a path of 220 ms is 20 ms long for 0.3 s in every 5 s",
    figure="Mbit/s",
    measure=goodput,
    clean=steady,
)
DISTANCES = Case(
    file="distances",
    law="bbr",
    attack="one flow has a round trip of 40 ms, the other of 80 ms",
    figure="far : near",
    measure=ratio,
    clean=alike,
)
CASES = [
    # 40 ms at 1000 packets/s over 20 packets is 2; the late start is 1.
    replace(STEP, expected=ratio_under_delay(0.06, CAPACITY, 20), source="Eq. 2, a = 3"),
    replace(
        STEP,
        law="fast",
        vary=law(*[ww.Fast(alpha=20)] * 2),
        expected=ratio_under_delay(0.06, CAPACITY, 20),
        source="Eq. 2, a = 3",
    ),
    Case(
        file="starts",
        law="quic-tcp",
        attack="flow B begins 200 ms after A, at the peak of A's slow start",
        figure="B : A",
        measure=ratio,
        clean=together,
    ),
    JITTER,
    replace(JITTER, law="copa", vary=law(ww.Copa())),
    replace(JITTER, law="westwood", vary=law(ww.Westwood())),
    DIPS,
    replace(DIPS, law="bbr3", vary=law(ww.Bbr3())),
    DISTANCES,
    replace(DISTANCES, law="bbr3", vary=law(*[ww.Bbr3()] * 2)),
    replace(STEP, law="vegas", vary=law(*[ww.Vegas()] * 2)),
    replace(STEP, law="exp-delay", vary=law(*[ww.ExpDelay()] * 2)),
    Case(
        file="holds",
        law="reno",
        attack="ACKs are held back for 260 ms and arrive together",
        figure="window at a loss, BDP",
        measure=lambda run: [own / 100 for own in cut(run)],
        clean=unheld,
        expected=2.0,
        source="Eq. 4",
    ),
    Case(
        file="route",
        law="emultcp",
        attack="the path of a download by `emultcp-fast` is 40 ms longer after 10 s",
        figure="Mbit/s",
        measure=goodput,
        clean=steady,
    ),
    *(
        Case(
            file="shrew",
            law="reno",
            attack=f"pulses of 100 ms every {seconds:g} s, minimum timeout 1 s",
            figure="share of the link",
            measure=lambda run: [own / 9.65 for own in goodput(run)],
            clean=quiet,
            vary=period(seconds),
            expected=after_timeout(seconds),
            source="Eq. 3",
        )
        for seconds in (0.5, 0.7, 1.0, 1.5)
    ),
]
