"""The question of a search: figures to be made large or small, and bounds on others."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windward._format.vary import worth
from windward._search.fair import Fair, goodputs_of
from windward._search.twin import PREFIX
from windward.errors import OptionError, nearest
from windward.results._figures import FIGURES, FORMULAS, is_large
from windward.results._tables import Named
from windward.results.stats import mean_and_interval

#: Other words for figures.
_WORDS = {"fair": "fairness", "p95": "wait-p95", "lost": "loss"}

#: A flow that gets nothing has the ratio of one that gets a millionth.
_MOST_RATIO = 1e6

#: Most objectives of a search.
_MOST = 2

_BOUND = re.compile(r"(.+?)\s*(<=|>=|≤|≥|<|>)\s*(.+)")
_PERCENTILE = re.compile(r"p(\d+)\s+(\w+)|(\w+)\s+p(\d+)")


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A figure to be made as large, or as small, as can be."""

    name: str
    is_large: bool

    @property
    def sign(self) -> int:
        """1 if larger is better, −1 otherwise."""
        return 1 if self.is_large else -1


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A figure that must not pass a limit."""

    name: str
    is_most: bool
    #: In base units.
    limit: float
    text: str

    def excess(self, value: float) -> float:
        """Excess of a value over the limit, as a share of it; 0 within, infinite if nothing was measured."""
        if math.isnan(value):
            return math.inf
        over = value - self.limit if self.is_most else self.limit - value
        return max(0.0, over) / (abs(self.limit) or 1.0)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Judgement of a trial: each goal over the seeds, and how far its bounds are passed."""

    goals: tuple[float, ...]
    #: Sum of the bounds' excesses; infinite where a run failed or measured nothing.
    violation: float

    @property
    def is_feasible(self) -> bool:
        """Returns true if every run has finished and no bound is passed."""
        return self.violation == 0.0


@dataclass(frozen=True, kw_only=True)
class Objective:
    """One goal or two, with any number of bounds."""

    text: str
    goals: tuple[Goal, ...]
    bounds: tuple[Limit, ...]
    #: Whether goals are judged by their worst seed rather than by the mean.
    is_worst: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that are looked at, goals first, each once."""
        return tuple(dict.fromkeys([*(goal.name for goal in self.goals), *(bound.name for bound in self.bounds)]))

    def refuse_unmeasured(self, plain: Mapping[str, Any]) -> None:
        """Refuses figures that no simulation of a scenario measures.

        Raises
        ------
        OptionError
            With what the figure is one of.
        """
        has = {str(own["kind"]) for own in plain.get("app", [])}
        has |= {kind for kind in ("background", "flow") if plain.get(kind)}
        for name in self.names:
            figure = FIGURES.get(name)
            if figure is not None and not figure.is_of_packets:
                raise OptionError(("objective", self.text, f"`{name}` is a figure of other engines than `simulate`"))
            of = ("flow",) if figure is None or figure.flow or name == "fairness" else figure.of
            if of and not has.intersection(of):
                said = f"`{name}` is a figure of {' or '.join(of)}, and the scenario has none"
                raise OptionError(("objective", self.text, said))

    def judge(self, runs: Sequence[Mapping[str, float]]) -> Judged:
        """Judges the runs of a trial, one for each seed."""
        goals = tuple((_least_of(runs, goal) if self.is_worst else mean_of(runs, goal.name)) for goal in self.goals)
        excess = math.fsum(bound.excess(mean_of(runs, bound.name)) for bound in self.bounds)
        is_whole = bool(runs) and all(math.isfinite(value) for value in (*goals, excess))
        return Judged(goals=goals, violation=excess if is_whole else math.inf)

    def key(self, judged: Judged) -> tuple[float, float]:
        """Sort key of trials of one goal, the best first: within the bounds before outside of them."""
        if not judged.is_feasible:
            return (judged.violation, 0.0)
        return (0.0, -self.goals[0].sign * judged.goals[0])


def _least_of(runs: Sequence[Mapping[str, float]], goal: Goal) -> float:
    """The value of a goal on the seed where it is farthest from being reached; NaN where a run has none."""
    values = [run.get(goal.name, math.nan) for run in runs]
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    return min(values) if goal.is_large else max(values)


def mean_of(runs: Sequence[Mapping[str, float]], name: str) -> float:
    """Mean of a figure over runs; NaN where a run has none."""
    values = [run.get(name, math.nan) for run in runs]
    return math.nan if any(math.isnan(value) for value in values) else mean_and_interval(values)[0]


def read_objective(text: str) -> Objective:
    """Reads an objective such as `goodput, p95 wait ≤ 50 ms`: figures to optimise, and bounds as comparisons.

    Raises
    ------
    OptionError
        For a figure or a limit that does not exist, no goal, or more than two.
    """
    goals, bounds = [], []
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _BOUND.fullmatch(part)
        if found is None:
            name = _name(part, text)
            goals.append(Goal(name=name, is_large=is_large(name)))
        else:
            figure, sign, limit = found.groups()
            bounds.append(_bound(figure, sign, limit, text))
    if not goals or len(goals) > _MOST:
        problem = f"{len(goals) or 'no'} figures to optimise; one or two are needed, as in `goodput, p95 wait ≤ 50 ms`"
        raise OptionError(("objective", text, problem))
    if repeated := next((goal.name for at, goal in enumerate(goals) if goal in goals[:at]), None):
        raise OptionError(("objective", text, f"`{repeated}` is given twice"))
    return Objective(text=text, goals=tuple(goals), bounds=tuple(bounds))


def _name(written: str, text: str) -> str:
    name = " ".join(written.lower().split())
    if found := _PERCENTILE.fullmatch(name):
        percent, first, second, other = found.groups()
        name = f"{first or second}-p{percent or other}"
    name = _WORDS.get(name, name)
    known = [*FIGURES, *FORMULAS]
    if name not in known:
        said = f"unknown figure `{written}`; figures: {', '.join(known)}{nearest(name, known)}"
        raise OptionError(("objective", text, said))
    return name


def _bound(figure: str, sign: str, limit: str, text: str) -> Limit:
    name = _name(figure, text)
    if name in FORMULAS:
        raise OptionError(("objective", text, f"`{name}` has no unit to bound it in; bound its parts instead"))
    value, base, _, _ = worth(limit if not _is_plain(limit) else float(limit))
    unit = FIGURES[name].unit
    expected = "" if unit in ("%", "packets") else unit
    if value is None or not math.isfinite(value) or base not in (expected, unit):
        example = {"s": "50 ms", "bit/s": "5 Mbit/s", "%": "1%"}.get(unit, "10")
        raise OptionError(("objective", text, f"`{limit}` is no limit for `{name}`; write it as in {example}"))
    least, most = FIGURES[name].least, FIGURES[name].most
    if not least <= value <= most:
        said = f"`{limit}` is beyond what `{name}` can be: {_range(least, most, unit)}"
        raise OptionError(("objective", text, said))
    is_most = sign in ("<", "<=", "≤")
    return Limit(name=name, is_most=is_most, limit=value, text=f"{name} {'≤' if is_most else '≥'} {limit}")


def _range(least: float, most: float, unit: str) -> str:
    """Range of a figure, as limits are written."""
    scale, sign = (100.0, "%") if unit == "%" else (1.0, "")
    ends = [f"{end * scale:g}{sign}" for end in (least, most)]
    return f"{ends[0]} to {ends[1]}" if math.isfinite(most) else f"from {ends[0]}"


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


#: Window of a search in which nothing happens to the network any more.
QUIET = "quiet"


def measured(
    runs: Mapping[str, float],
    flows: Sequence[Mapping[str, Any]],
    chosen: Sequence[str] | None,
    windows: Sequence[Mapping[str, Any]] = (),
    fair: Fair | None = None,
) -> dict[str, float]:
    """Figures of a run by name, with `power`.

    Parameters
    ----------
    runs
        Its row of `runs`.
    flows
        Its rows of `flows`.
    chosen
        The flows or groups that figures of flows are of: the sum of their goodputs, the mean of everything else.
        Waits and other figures of links stay those of the run. None: all flows.
    windows
        Its rows of `flow_windows`.
    fair
        Fair shares of its flows; None: the figure that compares with them is left out.
    """
    values = {name: runs[figure.column] for name, figure in FIGURES.items() if figure.column in runs}
    if chosen is not None:
        own = [flow for flow in flows if flow.get("flow") in chosen or flow.get("group") in chosen]
        for name, figure in FIGURES.items():
            if figure.flow and flows and figure.flow in flows[0]:
                column = [float(flow[figure.flow]) for flow in own]
                whole = math.fsum if name == "goodput" else lambda column: mean_and_interval(column)[0]
                # A figure of other flows would answer another question.
                values[name] = whole(column) if column else math.nan
    goodput, rtt = values.get("goodput", math.nan), values.get("rtt", math.nan)
    if goodput > 0 and rtt > 0:
        values["power"] = math.log(goodput) - 0.5 * math.log(rtt)
    twins = [flow for flow in flows if str(flow["group"]).startswith(PREFIX)]
    if twins:
        other = math.fsum(float(flow["goodput_bps"]) for flow in twins)
        here = math.fsum(float(flow["goodput_bps"]) for flow in flows) - other
        values["gain"] = min(other / here, _MOST_RATIO) if here > 0 else _MOST_RATIO
    rates = [float(flow["goodput_bps"]) for flow in flows]
    if len(rates) > 1 and max(rates) > 0:
        # Bounded, so that trials with starved flows can still be compared.
        values["ratio"] = max(rates) / max(min(rates), max(rates) / _MOST_RATIO)
    if fair is not None:
        values["shortfall"] = fair.shortfall(goodputs_of(flows))
    quiet = [row for row in windows if row["window"] == QUIET]
    if quiet:
        values["gap"] = max(float(row["longest_gap_s"]) for row in quiet)
        values["rest"] = min(float(row["goodput_bps"]) for row in quiet)
    return values


def of_tables(
    tables: Mapping[str, Mapping[str, Any]], chosen: Sequence[str] | None, fair: Fair | None = None
) -> dict[str, float]:
    """Figures of a run by name, from its tables as columns; see `measured`."""
    row = {name: float(column[0]) for name, column in tables.get("runs", {}).items()}
    return measured(row, rows_of(tables.get("flows", {})), chosen, rows_of(tables.get("flow_windows", {})), fair)


def rows_of(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of a table given as columns."""
    columns = {
        name: [column.names[at] for at in column.indices] if isinstance(column, Named) else list(column)
        for name, column in table.items()
    }
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
