"""The network as a picture: nodes along the flows' ways, or where they stand; links as wide as they are busy."""

from __future__ import annotations

import html
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windward._engine import Scenario, ScenarioError
from windward.results import _names
from windward.results._ways import bend, ways
from windward.results.stats import mean_and_interval
from windward.show.digest._numbers import quantity

if TYPE_CHECKING:
    from windward.results._shapes import Packets

#: Networks with more nodes are no picture, but where the nodes have places.
_MOST = 48

#: Up to so many links have their rate and delay written at them.
_WRITTEN = 24

_WIDTH, _ROW, _EDGE, _NAMES = 760.0, 34.0, 60.0, 150.0

#: Width for each hop of the nodes without a place beside those that have one.
_BESIDE = 170.0


@dataclass(frozen=True, kw_only=True)
class _Link:
    """A link one way."""

    name: str
    ends: tuple[str, str]
    rate_bps: float
    delay_s: float
    #: Share of the time that it sends; NaN where no packets were sent.
    use: float


@dataclass(frozen=True, kw_only=True)
class _Network:
    links: Sequence[_Link]
    #: Group, source and sink of each flow.
    flows: Sequence[tuple[str, str, str]]
    places: Mapping[str, tuple[float, float]]
    #: The turns of stations that move, in metres.
    ways: Mapping[str, Sequence[tuple[float, float]]]


def network(run: Packets | None, scenario: str) -> str:
    """The network's picture as an SVG element; empty where there is none to draw.

    Parameters
    ----------
    run
        A packet run, whose links' use is shown.
    scenario
        The scenario in TOML: what is drawn without one.
    """
    found = _of_run(run) if run is not None else _of_scenario(scenario)
    if found is None or not found.links:
        return ""
    nodes = list(dict.fromkeys(node for link in found.links for node in link.ends))
    paths: list[list[tuple[float, float]]] = []
    if found.places:
        beside = _beside(found, nodes)
        at, paths = _scaled(found.places, found.ways, _BESIDE * max(beside.values(), default=0))
        _place_beside(found, beside, at)
    elif len(nodes) <= _MOST:
        at = _layered(found, nodes)
    else:
        return ""
    return _picture(found, at, paths)


def _of_run(run: Packets) -> _Network:
    links, flows, stations = run.draws("links"), run.draws("flows"), run.draws("wifi_stations")
    kinds = ("from", "to", "rate_bps", "delay_s")
    rows = zip(links.names, *(links.attribute(kind) for kind in kinds), strict=True)
    places: dict[str, tuple[float, float]] = {}
    if stations.names:
        at = zip(stations.attribute("x_m"), stations.attribute("y_m"), strict=True)
        places = dict(zip(stations.names, at, strict=True))
    return _Network(
        links=[
            _Link(
                name=name,
                ends=(a, b),
                rate_bps=rate,
                delay_s=delay,
                use=mean_and_interval(links.values("utilization", number))[0],
            )
            for number, (name, a, b, rate, delay) in enumerate(rows)
        ],
        flows=[*zip(flows.attribute("group"), flows.attribute("from"), flows.attribute("to"), strict=True)],
        places=places,
        ways=ways(run.scenario) if places else {},
    )


def _of_scenario(text: str) -> _Network | None:
    try:
        tables = Scenario.from_toml(text, "scenario", Path()).entities()
    except ScenarioError:
        # It names a recording that is not here.
        return None
    columns = (tables["links"][name] for name in ("link", "from", "to", "rate_bps", "delay_s"))
    flows = tables["flows"]
    return _Network(
        links=[
            _Link(name=name, ends=(a, b), rate_bps=rate, delay_s=delay, use=math.nan)
            for name, a, b, rate, delay in zip(*columns, strict=True)
        ],
        flows=[*zip(flows["group"], flows["from"], flows["to"], strict=True)],
        places={},
        ways={},
    )


def _beside(network: _Network, nodes: Sequence[str]) -> dict[str, int]:
    """Hops from the nearest node with a place to those without one: servers, routers, gateways."""
    near = _neighbours(network, nodes)
    hops: dict[str, int] = dict.fromkeys((node for node in nodes if node in network.places), 0)
    waiting = deque(hops)
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in hops:
                hops[other] = hops[node] + 1
                waiting.append(other)
    return {node: hop for node, hop in hops.items() if hop}


def _place_beside(network: _Network, beside: Mapping[str, int], at: dict[str, tuple[float, float]]) -> None:
    """Places nodes without a place to the left of the others, each near its neighbours."""
    near = _neighbours(network, [*network.places, *beside])
    most = max(beside.values(), default=0)
    for hop in range(1, most + 1):
        x = _EDGE / 2 + (most - hop) * _BESIDE
        wanted = []
        for node in (node for node, own in beside.items() if own == hop):
            rows = [at[other][1] for other in near[node] if other in at]
            wanted.append((sum(rows) / len(rows), node))
        least = 40.0
        for row, node in sorted(wanted):
            at[node] = (x, max(row, least))
            least = at[node][1] + _ROW


def _neighbours(network: _Network, nodes: Iterable[str]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for link in network.links:
        for a, b in (link.ends, link.ends[::-1]):
            if b not in near.setdefault(a, []):
                near[a].append(b)
    return near


def _scaled(
    places: Mapping[str, tuple[float, float]],
    moving: Mapping[str, Sequence[tuple[float, float]]],
    begin: float,
) -> tuple[dict[str, tuple[float, float]], list[list[tuple[float, float]]]]:
    """Places and ways in metres on the picture, right of `begin`."""
    xs, ys = zip(*places.values(), *(place for way in moving.values() for place in way), strict=True)
    wide, tall = max(xs) - min(xs) or 1.0, max(ys) - min(ys)
    factor = min((_WIDTH - 2 * _EDGE - begin) / wide, 420.0 / tall if tall else math.inf)
    left = begin + (_WIDTH - begin - wide * factor) / 2

    def on_picture(place: tuple[float, float]) -> tuple[float, float]:
        return left + (place[0] - min(xs)) * factor, 40.0 + (max(ys) - place[1]) * factor

    at = {node: on_picture(place) for node, place in places.items()}
    return at, [[on_picture(place) for place in way] for way in moving.values()]


def _layered(network: _Network, nodes: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Nodes from left to right by their hops from the first source, each part of the network below the one before."""
    near = _neighbours(network, nodes)
    sources, sinks = {flow[1] for flow in network.flows}, {flow[2] for flow in network.flows}
    depth: dict[str, int] = {}
    parts: list[list[str]] = []
    for begin in (*(flow[1] for flow in network.flows), *nodes):
        if begin in depth or begin not in near:
            continue
        depth[begin], part, waiting = 0, [begin], deque([begin])
        while waiting:
            node = waiting.popleft()
            for other in near[node]:
                if other not in depth:
                    depth[other] = depth[node] + 1
                    part.append(other)
                    waiting.append(other)
        for node in part:
            # Who only sends stands before the node that it hangs on.
            if len(near[node]) == 1 and node in sources - sinks and node != begin:
                depth[node] = depth[near[node][0]] - 1
        parts.append(part)
    most = max(depth.values()) - min(depth.values()) or 1
    gap = (_WIDTH - 2 * _EDGE - _NAMES) / most
    at: dict[str, tuple[float, float]] = {}
    top = 26.0
    for part in parts:
        layers: dict[int, list[str]] = {}
        for node in part:
            layers.setdefault(depth[node], []).append(node)
        tall = max(map(len, layers.values()))
        for layer, members in layers.items():
            for number, node in enumerate(members):
                x = _EDGE + (layer - min(depth.values())) * gap
                at[node] = (x, top + (number + 0.5 + (tall - len(members)) / 2) * _ROW)
        top += tall * _ROW
    return at


def _picture(
    network: _Network, at: Mapping[str, tuple[float, float]], paths: Sequence[Sequence[tuple[float, float]]]
) -> str:
    both: dict[tuple[str, str], list[_Link]] = {}
    for link in network.links:
        a, b = link.ends
        if a in at and b in at:
            both.setdefault((a, b) if (b, a) not in both else (b, a), []).append(link)
    parts: list[str] = []
    texts: list[str] = []
    for path in paths:
        drawn = "L".join(f"{x:.1f} {y:.1f}" for x, y in path)
        (x, y) = path[0]
        parts.append(f'<path class="way" d="M{drawn}"/><circle class="way" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
    written: set[tuple[float, float, str]] = set()
    top = 0.0
    is_placed = bool(network.places)
    # Stations that share the air are never busy all the time: there the busiest is as wide as can be.
    uses = [link.use for link in network.links if math.isfinite(link.use) and _is_air(network, link)]
    most = max(uses, default=1.0) or 1.0
    for pair in both.values():
        # The busier way: the other one carries the acknowledgements.
        link = max(pair, key=lambda way: (way.use if math.isfinite(way.use) else 0.0, way.rate_bps))
        (x, y), (u, v) = at[link.ends[0]], at[link.ends[1]]
        is_air = is_placed and _is_air(network, link)
        use = link.use / (most if is_air else 1.0) if math.isfinite(link.use) else 0.0
        said = f"{quantity(link.rate_bps, 'bit/s')}, {quantity(link.delay_s, 's')}"
        title = f"{link.name}: {said}" + (f", busy {100 * link.use:.0f} %" if math.isfinite(link.use) else "")
        course, least = _to(at, link.ends) if is_air else (f"L{u:.1f} {v:.1f}", 0.0)
        top = min(top, least - 10)
        parts.append(
            f'<g><title>{html.escape(title)}</title><path class="link{" busy" if use >= 0.2 else ""}" '
            f'stroke-width="{1.2 + 4.8 * min(use, 1):.1f}" d="M{x:.1f} {y:.1f}{course}"/></g>'
        )
        if is_air or len(both) > _WRITTEN:
            continue
        busy = f"{100 * link.use:.0f} %" if use >= 0.01 else ""
        # The same in one column is written once, above the first.
        if (round(x), round(u), said) not in written:
            written.add((round(x), round(u), said))
            texts.append(_text((x + u) / 2, (y + v) / 2 - 8, said.replace(", ", " · "), "middle", "faint"))
        if busy and is_placed:
            texts.append(_text((x + u) / 2, (y + v) / 2 + 16, busy, "middle", "use"))
        elif busy and abs(u - x) > 40:
            texts.append(_text(x + 0.82 * (u - x), y + 0.82 * (v - y) - 5, busy, "middle", "use"))
    ends = _by_sink(network.flows)
    for node, (x, y) in at.items():
        is_end = node in ends
        parts.append(f'<circle class="node{" end" if is_end else ""}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        if is_end and not is_placed:
            texts.append(_text(x + 9, y + 4, _names.one(node, 16), "start", "name", f" ← {_names.one(ends[node], 30)}"))
        else:
            texts.append(_text(x, y + 17, _names.one(node, 16), "middle", "name"))
    height = max(y for places in (at.values(), *paths) for _, y in places) + 30
    count = len(network.flows)
    label = f"{len(at)} nodes, {len(both)} links, {count} flow{'s' if count != 1 else ''}"
    return (
        f'<svg class="map" viewBox="0 {top:.0f} {_WIDTH:g} {height - top:.0f}" role="img" aria-label="{label}">'
        f"{''.join(parts)}{''.join(texts)}</svg>"
    )


def _is_air(network: _Network, link: _Link) -> bool:
    return all(end in network.places for end in link.ends)


def _to(at: Mapping[str, tuple[float, float]], ends: tuple[str, str]) -> tuple[str, float]:
    """The way of a link to its end, around stations that are between, and its highest point."""
    (u, v), others = at[ends[1]], [place for node, place in at.items() if node not in ends]
    middle = bend(at[ends[0]], at[ends[1]], others)
    if middle is None:
        return f"L{u:.1f} {v:.1f}", v
    # The curve goes half as far as what it is drawn to.
    (x, y) = at[ends[0]]
    course = f"Q{2 * middle[0] - (x + u) / 2:.1f} {2 * middle[1] - (y + v) / 2:.1f} {u:.1f} {v:.1f}"
    return course, min(middle[1], v)


def _by_sink(flows: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Arrivals at each sink: groups of flows with their numbers."""
    counts: dict[str, dict[str, int]] = {}
    for group, _, sink in flows:
        groups = counts.setdefault(sink, {})
        groups[group] = groups.get(group, 0) + 1
    return {
        sink: ", ".join(f"{count} × {group}" if count > 1 else group for group, count in groups.items())
        for sink, groups in counts.items()
    }


def _text(x: float, y: float, text: str, anchor: str, kind: str, more: str = "") -> str:
    rest = f'<tspan class="faint">{html.escape(more)}</tspan>' if more else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}{rest}</text>'
