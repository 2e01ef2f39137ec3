"""A result as one HTML page that needs nothing else: all engines side by side, then what each has to say."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward.errors import ResultError
from windward.results._applications import APPLICATIONS
from windward.results._files import replace_text
from windward.results._summary import versions
from windward.results._values import NothingToDrawError
from windward.show import _attack as _attack_words
from windward.show._page import Page, describe
from windward.show._tables import compare_app_digest
from windward.show.page import _html, _playground
from windward.show.page._engines import engines
from windward.show.page._figures import of_packets, of_windows
from windward.show.page._html import Section, chart_of, items, plain_text, table_of
from windward.show.page._map import network

if TYPE_CHECKING:
    from windward.results._shapes import Compared, Packets, Result
    from windward.show.page._chart import Chart


def write(result: Result, path: Path) -> Path:
    """Writes the page and returns its path.

    Raises
    ------
    ResultError
        If it cannot be written.
    """
    text = page(result)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise ResultError(f"{path} cannot be written: {error.strerror}") from error
    return path


def page(result: Result) -> str:
    """The page's HTML."""
    return _PAGES[result.engine](result)


def _comparison(compared: Compared) -> str:
    """All engines: side by side, on the map, one after the other."""
    said = describe(compared)
    beside = engines(compared.rows) if compared.rows else ""
    if compared.app_rows:
        beside += table_of(compare_app_digest(compared.app_rows))
    parts = [Section("engines", "Engines side by side", said.how, beside + _left_out(compared))]
    parts += _map(compared.packets, compared.scenario)
    charts: list[Chart] = []
    packets, fluid, best = compared.packets, compared.fluid, compared.optimum
    if packets is not None:
        parts.append(_packets(packets, charts, beside=(fluid, best, compared.pieces)))
    if compared.kernel is not None:
        parts.append(_packets(compared.kernel, charts, key="kernels", title="Kernels"))
    if compared.ideal is not None:
        parts.append(_packets(compared.ideal, charts, key="ideal", title="Packets over ideal CSMA"))
    if fluid is not None:
        parts.append(_fluid(fluid, charts))
    if best is not None:
        parts.append(_optimum(best))
    parts.append(_file(said))
    facts = list(describe(packets).facts) if packets is not None else said.facts
    how = _span(describe(packets)) if packets is not None else said.how
    return _whole(said, parts, charts, facts, how)


def _left_out(compared: Compared) -> str:
    rows: list[tuple[str, str, bool]] = [("note:", note, False) for note in compared.notes]
    rows += [(f"{engine} skipped:", reason, False) for engine, reason in compared.left_out.items()]
    if compared.kernel is not None:
        rows += [("kernels NOT TRUSTWORTHY:", problem, True) for problem in compared.kernel.problems]
        rows += [("the kernel differs:", note, False) for note in compared.kernel.notes]
    return items(rows)


def _map(run: Packets | None, scenario: str) -> list[Section]:
    picture = network(run, scenario)
    how = "" if run is None else "Links are as wide as they are busy; per cent: of the busier way."
    how += " Dotted: the ways of stations that move, which stand where they end." if 'class="way"' in picture else ""
    return [Section("network", "Network", how, f'<div class="wide">{picture}</div>')] if picture else []


def _packets(
    run: Packets, charts: list[Chart], *, key: str = "packets", title: str = "Packets", beside: Any = (None, None, ())
) -> Section:
    said = describe(run)
    fluid, best, pieces = beside
    drawn = of_packets(run, fluid=fluid, best=best, pieces=pieces)
    if key != "packets":
        drawn = [_renamed(chart, f"{key}-{chart.key}") for chart in drawn]
    charts += drawn
    body = "".join(map(table_of, said.tables)) + "".join(map(chart_of, drawn))
    body += "".join(_special(run, key))
    return Section(key, title, f"{_span(said)} · {said.how}", body)


def _renamed(chart: Chart, key: str) -> Chart:
    from dataclasses import replace

    return replace(chart, key=key)


def _run(run: Packets) -> str:
    said = describe(run)
    charts: list[Chart] = []
    parts = [*_map(run, run.scenario), _packets(run, charts), _file(said)]
    return _whole(said, parts, charts)


def _fluid(run: Any, charts: list[Chart]) -> Section:
    said = describe(run)
    drawn = of_windows(run)
    charts += drawn
    facts = _html.facts_of(said.facts)
    body = facts + "".join(map(chart_of, drawn)) + "".join(map(table_of, said.tables))
    if "lyapunov" in run.tables:
        body += figure_of(run, "lyapunov", "fluid-lyapunov")
    return Section("fluid", "Fluid", f"{said.span} · {said.how}", body)


def _of_fluid(run: Any) -> str:
    charts: list[Chart] = []
    parts = [_fluid(run, charts), *_map(None, run.scenario), _file(describe(run))]
    return _whole(describe(run), parts, charts, facts=[])


def _optimum(best: Any) -> Section:
    said = describe(best)
    body = _html.facts_of(said.facts) + "".join(map(table_of, said.tables))
    if "paths" in best.tables:
        body += figure_of(best, "paths", "optimum-paths")
    certificate = "".join(f'<p class="note">{html.escape(name)}: {html.escape(text)}</p>' for name, text in said.footer)
    return Section("optimum", "Optimum", f"{said.span} · {said.how}", body + certificate)


def _of_optimum(best: Any) -> str:
    said = describe(best)
    return _whole(said, [_optimum(best), *_map(None, best.scenario), _file(said)], [], facts=[])


def _sweep(sweep: Any) -> str:
    from windward.show.page._sweep import charts_of, heats_of

    said = describe(sweep)
    charts = charts_of(sweep)
    parts = []
    # What has no numbers along its axis is drawn by matplotlib.
    pairs = f'<div class="pairs">{"".join(map(chart_of, charts))}</div>'
    drawn = pairs if charts else "".join(figure_of(sweep, name, name) for name in sweep.figures)
    parts.append(Section("figures", "Figures", said.how, drawn))
    if heats := heats_of(sweep):
        parts.append(Section("maps", "Two fields", f"{sweep.axes[0].path} across, {sweep.axes[1].path} down", heats))
    parts.append(Section("tables", "Points", said.span, "".join(map(table_of, said.tables))))
    return _whole(said, [*parts, _file(said)], charts)


def _tune(found: Any) -> str:
    said = describe(found)
    parts = [
        Section("tuned", "What was found", said.how, "".join(map(table_of, said.tables))),
        Section("landscape", "Landscape", said.span, figure_of(found, "landscape", "landscape")),
        _file(said),
    ]
    return _whole(said, parts, [])


def _attack(attack: Any) -> str:
    said = describe(attack)
    tables = [*said.tables, *([kernels] if (kernels := _attack_words.of_kernels(attack)) is not None else [])]
    parts = [Section("found", "What was found", said.how, "".join(map(table_of, tables)))]
    charts: list[Chart] = []
    if attack.is_found:
        rows = [(f"{name}:", text, False) for name, text in _attack_words.explanation(attack)]
        flow = _attack_words.of_flow(attack)
        table = table_of(flow) if flow is not None else ""
        parts.append(Section("why", "Why", "", items(rows) + table + _side_by_side(attack, charts)))
        parts.append(Section("lines", "What each part is needed for", "", table_of(_attack_words.lines(attack))))
        parts.append(_packets(attack.run, charts, key="find", title="The find"))
    return _whole(said, [*parts, _file(said)], charts)


def _evaluation(found: Any) -> str:
    """Sections of an evaluation: those not met first and open, then the undecided, then those met, folded."""
    from windward.show import _evaluate as judged
    from windward.show.page._evaluate import KEY, section_of

    said = describe(found)
    rows = found.rows("sections")
    groups = (
        ("not-met", "Not met", ("does not",), True),
        ("open", "Cannot be told", ("cannot tell",), False),
        ("met", "Met", ("meets",), False),
        ("out", "Not judged", ("not applicable", "not modelled"), False),
    )
    parts = []
    for key, title, kinds, is_open in groups:
        inside = [row for row in rows if row["verdict"] in kinds]
        body = "".join(section_of(found, row, is_open=is_open) for row in inside)
        has_strips = key == next((k for k, _, kinds, _ in groups if any(row["verdict"] in kinds for row in rows)), "")
        parts.append(Section(key, f"{title}: {len(inside)}", "", f"{KEY if has_strips else ''}{body}" if body else ""))
    facts = [(word, str(count)) for word, count in found.summary.get("counts", {}).items() if count]
    about = found.summary
    how = (
        f"{said.subtitle}. {judged.CAVEAT[0].upper()}{judged.CAVEAT[1:]}. At most {100 * about['alpha']:g} % of whole "
        f"evaluations of a law that meets every threshold have a false "
        f"“does not” (Holm, {about['comparisons']} measures)."
    )
    return _whole(said, parts, [], facts=facts, how=how)


def _side_by_side(attack: Any, charts: list[Chart]) -> str:
    """Charts of the clean network and of the find, in pairs with the same axes."""
    from dataclasses import replace

    if attack.clean is None:
        return ""
    pairs = []
    drawn = [{chart.key: chart for chart in of_packets(run, _SIDES)} for run in (attack.clean, attack.run)]
    for kind in _SIDES:
        both = [side[kind] for side in drawn if kind in side]
        if len(both) < 2:
            continue
        most = max(_most(chart) for chart in both)
        for name, chart in zip(("without the attack", "with it"), both, strict=True):
            own = replace(
                chart, key=f"{name.split()[0]}-{kind}", title=f"{chart.title} {name}", y_most=chart.y_most or most
            )
            charts.append(own)
            pairs.append(chart_of(own))
    return f'<div class="pairs">{"".join(pairs)}</div>'


#: Figures that are drawn for both networks.
_SIDES = ("rates", "windows", "rtt", "queues")


def _most(chart: Chart) -> float:
    import numpy as np

    lines = [line.values for panel in chart.panels for line in panel.lines]
    return 1.02 * max((float(np.nanmax(own)) for own in lines if len(own) and not np.isnan(own).all()), default=1.0)


def _file(said: Page) -> Section:
    """The scenario, and the way to change it in the playground where its address is known."""
    text = plain_text("As resolved, defaults written out", said.scenario)
    base = _playground.address()
    if base is None or not said.scenario:
        return Section("scenario", "Scenario", "", text)
    to = html.escape(base.partition("#")[0] + _playground.fragment(said.scenario), quote=True)
    return Section(
        "scenario", "Scenario", "", f'<p><a class="button" id="change" href="{to}">Change this</a></p>{text}'
    )


def _span(said: Page) -> str:
    return said.span + (f", the first {said.warmup_s:g} s not counted" if said.warmup_s else "")


def _whole(said: Page, parts: list[Section], charts: list[Chart], facts: Any = None, how: str = "") -> str:
    return _html.page(
        name=said.name,
        title=said.title,
        how=how or " · ".join(filter(None, (_span(said), said.how))),
        facts=said.facts if facts is None else facts,
        sections=[part for part in parts if part.body],
        charts=charts,
        versions={**versions(), **said.versions},
    )


#: By the engine whose result it is.
_PAGES: Mapping[str, Callable[[Any], str]] = {
    "compare": _comparison,
    "simulate": _run,
    "emulate": _run,
    "fluid": _of_fluid,
    "optimum": _of_optimum,
    "sweep": _sweep,
    "tune": _tune,
    "attack": _attack,
    "evaluate": _evaluation,
}


#: Figures of applications, by the table that has a row for each. A source of datagrams has a row in other tables too.
_OF_APPLICATIONS = {
    one.table: (*(figure.name for figure in one.distributions), *one.drawn)
    for one in APPLICATIONS
    if one.table != "background"
}


def _special(run: Packets, key: str) -> list[str]:
    """Figures of what only some networks have, drawn by matplotlib: it is imported where there are some."""
    kinds = [what for table, figures in _OF_APPLICATIONS.items() if run.draws(table).names for what in figures]
    if run.draws("stations").names:
        kinds.append("stations")
    if run.draws("ran_links").names:
        kinds += ["causes", "sites", "resources"]
    if run.draws("wifi_stations").names:
        kinds += ["map", "airtime", "air"]
    if run.draws("edca_links").names:
        kinds.append("aggregates")
    if len(run.totals("backlogs").attribute("node")):
        kinds += ["shares", "backlogs", "trapped"]
    if len(run.totals("coding").attribute("flow")):
        kinds.append("blocks")
    if len(run.totals("internals").attribute("time_s")):
        kinds.append("internals")
    return [figure_of(run, kind, f"{key}-{kind}") for kind in kinds]


def figure_of(result: Result, what: str, key: str) -> str:
    """A figure as SVG within the page; empty if there is nothing to draw."""
    from windward.show.plot import FIGURES, draw
    from windward.show.plot.style import as_svg

    try:
        figure = draw(result, what)
    except NothingToDrawError:
        return ""
    return _html.drawn_of(as_svg(figure), key, FIGURES[result.engine][what].title)
