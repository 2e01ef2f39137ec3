"""Patterns: events that change links or send pulses of traffic in the course of a run, and receivers that cheat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from windward._search import space
from windward._search.generators import Generator, plain_value, three, written
from windward._search.genetic import Layout
from windward._search.samplers import Vector

#: Events at most, and the numbers of each: whether, of which bound, when, for how long, how often, how strong.
SLOTS, WIDTH = 6, 6

#: From these shares on, an event lasts to the end, and happens once.
_FOR_EVER, _ONCE = 0.9, 0.6


@dataclass(frozen=True, kw_only=True)
class Event:
    """A value that a field has for a while, once or again and again."""

    #: Index of its bound.
    of: int
    at_ms: float
    #: 0: to the end of the run.
    on_ms: float
    #: Time at rest between two of them; 0: once.
    off_ms: float
    #: In the base unit of the field.
    value: float

    def spans(self, end_ms: float) -> Iterable[tuple[float, float]]:
        """Beginning and end of each, until a time."""
        at = self.at_ms
        while at < end_ms:
            until = at + self.on_ms if self.on_ms else end_ms
            yield at, min(until, end_ms)
            if not self.on_ms or not self.off_ms:
                return
            at = until + self.off_ms


@dataclass(frozen=True, kw_only=True)
class Patterns:
    """All bounds that allow events, and the time within which these happen."""

    generators: Sequence[Generator]
    #: Events happen before it.
    end_ms: float
    #: Whether everything is at rest from then on.
    is_quiet: bool

    def layout(self, numbers: int) -> Layout:
        """Layout of the genomes."""
        return Layout(numbers=numbers, slots=SLOTS, width=WIDTH)

    def events(self, genes: Vector) -> list[Event]:
        """The events of the slots of a genome."""
        found = []
        for slot in genes.reshape(-1, WIDTH):
            if slot[0] >= 0.5:
                found.append(self._event([float(share) for share in slot[1:]]))
        return found

    def _event(self, shares: Sequence[float]) -> Event:
        which, when, on, off, strength = shares
        at = min(int(which * len(self.generators)), len(self.generators) - 1)
        own = self.generators[at]
        least = own.every_ms
        value = own.rounded(float(own.range.at(strength)))
        if own.flow:
            # A receiver cheats all the time.
            return Event(of=at, at_ms=0.0, on_ms=0.0, off_ms=0.0, value=value)
        long = round(_log(least, self.end_ms, on / _FOR_EVER)) if on < _FOR_EVER else 0
        apart = round(_log(least, self.end_ms, off / _ONCE)) if off < _ONCE and long else 0
        if own.key == "up":
            long, value = max(round(1e3 * value), 1), 0.0
            apart = round(_log(least, self.end_ms, off / _ONCE)) if off < _ONCE else 0
        return Event(of=at, at_ms=round(when * (self.end_ms - 1)), on_ms=long, off_ms=apart, value=value)

    def genes(self, events: Sequence[Event]) -> Vector:
        """Slots that mean these events, as nearly as slots can."""
        found = np.zeros((SLOTS, WIDTH))
        for slot, event in zip(found, events, strict=False):
            own = self.generators[event.of]
            least = own.every_ms
            # A share of the whole would mean for ever, and once.
            on = min(_share(least, self.end_ms, event.on_ms), 0.9999) * _FOR_EVER if event.on_ms else 1.0
            off = min(_share(least, self.end_ms, event.off_ms), 0.9999) * _ONCE if event.off_ms else 1.0
            strength = own.share(1e-3 * event.on_ms if own.key == "up" else event.value)
            slot[:] = [1.0, (event.of + 0.5) / len(self.generators), event.at_ms / self.end_ms, on, off, strength]
        return np.clip(found, 0.0, 1.0).ravel()

    def templates(self) -> list[list[Event]]:
        """Events of known attacks, of each bound: steps, bursts, dips, pulses at the pace of timeouts."""
        found: list[list[Event]] = []
        for at, own in enumerate(self.generators):
            values = [own.strongest]
            if own.flow:
                found.append(
                    [self._event([(at + 0.5) / len(self.generators), 0.0, 0.0, 0.0, own.share(own.strongest)])]
                )
                continue
            if own.key == "rate" and own.link:
                values = [own.range.start, own.range.stop]
            for value in values:
                for start, on, off in _TEMPLATES:
                    on, off = (max(span, own.every_ms) if span else 0.0 for span in (on, off))
                    if own.key == "up":
                        on, value = 1e3 * own.range.stop, 0.0
                    event = Event(of=at, at_ms=start, on_ms=on, off_ms=off, value=three(value))
                    if start < self.end_ms and event not in [own[0] for own in found]:
                        found.append([event])
        return [*found, *self._worse_paths()]

    def _worse_paths(self) -> Iterable[list[Event]]:
        """Links that get worse in every way for ever: a longer route, with loss and jitter."""
        start = _TEMPLATES[0][0]
        for link in dict.fromkeys(own.link for own in self.generators if own.link):
            events = [
                Event(of=at, at_ms=start, on_ms=0.0, off_ms=0.0, value=three(own.range.stop))
                for at, own in enumerate(self.generators)
                if own.link == link and own.key in _WORSE
            ]
            if 1 < len(events) <= SLOTS and start < self.end_ms:
                yield events

    def applied(self, plain: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        """The scenario with these events."""
        found: dict[str, Any] = dict(plain)
        by_link: dict[str, list[Event]] = {}
        sources: list[dict[str, Any]] = []
        cheats: dict[int, dict[str, Any]] = {}
        for event in events:
            own = self.generators[event.of]
            if own.flow:
                # One way at a time: the last one counts.
                cheats[own.number] = self._value(own, event.value)
            elif own.link:
                by_link.setdefault(own.link, []).append(event)
            else:
                sources.append(self._source(own, event, len(sources) + 1))
        changes = [change for link, own in by_link.items() if (change := self._change(link, own)) is not None]
        if changes:
            found["change"] = [*plain.get("change", []), *changes]
        if sources:
            found["background"] = [*plain.get("background", []), *sources]
        if cheats:
            found["flow"] = [{**flow, **cheats.get(number, {})} for number, flow in enumerate(plain["flow"])]
        return found

    def neutral(self, events: Sequence[Event]) -> dict[str, Any]:
        """The fields of flows that these events change, by their paths, with their values at rest."""
        changed = [self.generators[event.of] for event in events]
        return {space.of_flows([own.flow], own.key)[0]: own.neutral for own in changed if own.flow}

    def _source(self, own: Generator, event: Event, number: int) -> dict[str, Any]:
        rate = f"{self._affordable(own, event) / 1e6:.12g} Mbit/s"
        found: dict[str, Any] = {"name": f"pulses-{number}", "from": own.ends[0], "to": own.ends[1]}
        if event.off_ms:
            # The first pulse follows a pause.
            pattern = {
                "kind": "on-off",
                "rate": rate,
                "on": _ms(event.on_ms),
                "off": _ms(event.off_ms),
                "on_spread": "fixed",
                "off_spread": "fixed",
            }
            start, stop = max(event.at_ms - event.off_ms, 0.0), self.end_ms if self.is_quiet else 0.0
        else:
            pattern = {"kind": "cbr", "rate": rate}
            start, stop = event.at_ms, min(event.at_ms + event.on_ms, self.end_ms) if event.on_ms else 0.0
            if not stop and self.is_quiet:
                stop = self.end_ms
        found |= {"pattern": pattern, "start": _ms(start)}
        return found | ({"stop": _ms(stop)} if stop else {})

    def _affordable(self, own: Generator, event: Event) -> float:
        """Rate of traffic within the mean load that is allowed."""
        if not own.load:
            return event.value
        if event.on_ms and event.off_ms:
            share = event.on_ms / (event.on_ms + event.off_ms)
        elif event.on_ms:
            share = min(event.on_ms / self.end_ms, 1.0)
        else:
            share = 1.0 - event.at_ms / self.end_ms
        return three(min(event.value, own.load / max(share, 1e-9)))

    def _change(self, link: str, events: Sequence[Event]) -> dict[str, Any] | None:
        """A table of changes of a link."""
        if len(events) == 1:
            event = events[0]
            own = self.generators[event.of]
            if event.off_ms and event.on_ms:
                value = self._near_rest(own, event)
                steps = [
                    {"at": _ms(event.at_ms), **self._value(own, value)},
                    {"at": _ms(event.at_ms + event.on_ms), **self._rest(own)},
                ]
                change: dict[str, Any] = {"link": link, "every": _ms(event.on_ms + event.off_ms), "steps": steps}
                if self.is_quiet:
                    # The last repetition ends before the quiet time.
                    change["until"] = _ms(max(self.end_ms - event.on_ms, 0.0))
                if steps_end(event) < self.end_ms:
                    return change
        steps = self._flat(events)
        if not steps:
            return None
        if len(steps) == 1:
            return {"link": link, **steps[0]}
        return {"link": link, "steps": steps}

    def _near_rest(self, own: Generator, event: Event) -> float:
        """Value of a repeated event that its token bucket can pay for."""
        value = own.limited(event.value)
        if not own.bucket or own.key == "up":
            return value
        # There and back in each period.
        most = own.bucket * (event.on_ms + event.off_ms) / 2e3
        return own.rest + min(max(value - own.rest, -most), most)

    def _flat(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Steps of several events of a link one by one; of events of a field at one time the last one counts."""
        times: dict[float, dict[str, Any]] = {}
        for at, own in enumerate(self.generators):
            mine = [event for event in events if event.of == at]
            if not mine:
                continue
            edges: set[float] = set()
            spans = [(event, list(event.spans(self.end_ms))) for event in mine]
            for _, pairs in spans:
                edges.update(edge for pair in pairs for edge in pair)
            value, tokens, before = own.rest, own.range.stop - own.range.start, -math.inf
            for edge in sorted(edges):
                # The run ends there; only a quiet window needs the return to rest.
                if edge >= self.end_ms and not self.is_quiet:
                    continue
                aim, is_on = own.rest, False
                for event, pairs in spans:
                    if any(start <= edge < end for start, end in pairs):
                        aim, is_on = own.limited(event.value), True
                if own.key == "up":
                    times.setdefault(edge, {})["up"] = not is_on
                    continue
                # The bucket is full before the first step.
                if own.bucket and before > -math.inf:
                    tokens = min(tokens + own.bucket * (edge - before) / 1e3, own.range.stop - own.range.start)
                if own.bucket and is_on:
                    aim = value + min(max(aim - value, -tokens), tokens)
                if aim == value:
                    continue
                tokens, before, value = tokens - abs(aim - value), edge, aim
                times.setdefault(edge, {}).update(self._value(own, aim) if is_on else self._rest(own))
        return [{"at": _ms(edge), **times[edge]} for edge in sorted(times)]

    def _value(self, own: Generator, value: float) -> dict[str, Any]:
        return {own.key: written(own, value)}

    def _rest(self, own: Generator) -> dict[str, Any]:
        if own.key == "up":
            return {"up": True}
        if own.key == "jitter":
            return {"jitter": {"model": "uniform", "max": own.neutral}}
        return {own.key: own.neutral}

    def describe(self, event: Event) -> str:
        """An event in words."""
        own = self.generators[event.of]
        if own.flow:
            return f"{own.flow} {own.key} {plain_value(own, event.value)}"
        what = own.link or "->".join(own.ends)
        there = event.value if own.link else self._affordable(own, event)
        value = "down" if own.key == "up" else f"{own.key} {plain_value(own, there)}"
        long = f" for {_ms(event.on_ms)}" if event.on_ms else ""
        often = f", again after {_ms(event.off_ms)}" if event.off_ms else ""
        return f"{what} {value} from {_ms(event.at_ms)}{long}{often}"

    def cell(self, events: Sequence[Event]) -> str:
        """Events as a short text, for a column."""
        return "; ".join(self.describe(event) for event in events)


def steps_end(event: Event) -> float:
    """End of the first time that an event happens."""
    return event.at_ms + event.on_ms


#: Fields of a link that make it worse the larger they are.
_WORSE = ("delay", "jitter", "loss")

#: Start, length and pause of known attacks, in ms; 0: for ever, and once.
_TEMPLATES = (
    # A route that gets longer (QUIC-TCP, FAST).
    (2000.0, 0.0, 0.0),
    # A path that is fast now and then (BBR), and dips that renew a base of 10 s (Copa).
    (2000.0, 4700.0, 300.0),
    (2000.0, 3800.0, 200.0),
    # Pulses at the pace of timeouts of 1 s and 200 ms (the shrew).
    (1000.0, 100.0, 900.0),
    (1000.0, 100.0, 400.0),
    (1000.0, 100.0, 100.0),
    # A single burst, and one at the beginning.
    (5000.0, 200.0, 0.0),
    (100.0, 200.0, 0.0),
    # Slots.
    (1000.0, 500.0, 500.0),
)


def _log(least: float, most: float, share: float) -> float:
    return float(least * (max(most, least) / least) ** min(max(share, 0.0), 1.0))


def _share(least: float, most: float, value: float) -> float:
    return math.log(max(value, least) / least) / math.log(max(most, 2 * least) / least)


def _ms(value: float) -> str:
    return f"{value / 1e3:.12g} s" if value % 100 == 0 else f"{value:.12g} ms"
