"""Answers what the page asks: the engines over a scenario, the quick ones first; a new question ends the last one."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from windward import _engine
from windward._answers.compare import Comparison, Piece
from windward._answers.run import Run
from windward._engines.compare import ignored_by_optimum
from windward._engines.fluid import run as follow
from windward._engines.optimum import pieces, solve
from windward._engines.simulate import count_threads
from windward._explore.fields import groups
from windward._explore.parts import Part, split, together
from windward._format.own import finders
from windward.results._applications import APPLICATIONS
from windward.results._summary import about
from windward.results._tables import EMPTY, Named, Tables, build
from windward.show.digest._run import digests
from windward.show.digest._table import Digest
from windward.show.page._engines import engines, scale_of
from windward.show.page._figures import of_packets
from windward.show.page._html import chart_of, items, table_of

if TYPE_CHECKING:
    from windward._answers.fluid import Fluid
    from windward._answers.optimum import Optimum
    from windward.show.page._chart import Chart

#: Parts whose answers are kept, the last ones that were asked for.
_KEPT = 64

#: How often what is there so far is shown, in seconds.
_SHOWN_S = 0.15

#: How often a run looks whether it is still wanted, in seconds.
_POLL_S = 0.02

#: Most seeds that a page may ask for.
MOST_SEEDS = 20

#: Most questions of a page: whole numbers of a browser end there.
_MOST_QUESTIONS = 1 << 53

#: Most characters of a utility, and of a page's name.
_LONGEST = 64

#: Largest scale of the rates, in bits a second; no link is faster.
_MOST_RATE = 1e20

#: Most pieces of a network that changes whose optimum is asked for: of more it is that of the end.
_PIECES = 24

#: What the optimum is of, unless the page asks for another.
_FIRST = "proportional"

Emit = Callable[[Mapping[str, Any]], None]


class Turn(NamedTuple):
    """Place of a question among those of its page, by the page's own count.

    Requests of a page arrive on connections of their own, each read by a thread: not in the order in which they left.
    """

    page: str
    number: int


#: The turn of what is answered before a page asks.
_UNASKED = Turn("", 0)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Request of the page."""

    #: The scenario, as plain values.
    scenario: Mapping[str, Any]
    seeds: int
    #: Which figures are in sight.
    figures: Sequence[str]
    utility: str
    #: Where the scale of the rates ends at least, in bits a second: that of what it is laid beside.
    scale: float = 0.0
    #: Which page asks, and its count of questions.
    turn: Turn


class Superseded(Exception):  # noqa: N818
    """The page has asked something else meanwhile."""


class Session:
    """A scenario that is being explored."""

    def __init__(self, scenario: _engine.Scenario, written: Mapping[str, Any], folder: Path) -> None:
        self.start = scenario
        self.written = written
        self.folder = folder
        #: The last question of each page.
        self._newest: dict[str, int] = {}
        self._lock = threading.Lock()
        threads = count_threads(None)
        self._packets = ThreadPoolExecutor(threads, "packets")
        self._fluid = ThreadPoolExecutor(threads, "fluid")
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        #: Whose each run is that goes on, and what ends it.
        self._running: dict[int, tuple[Turn, Callable[[], None]]] = {}

    def close(self) -> None:
        """Ends what runs."""
        with self._lock:
            self._newest.clear()
        self._end_superseded()
        for pool in (self._packets, self._fluid):
            pool.shutdown(wait=False, cancel_futures=True)

    def warm(self) -> None:
        """Answers the first question before it is asked, beside what else goes on."""
        first = Asked(
            scenario=json.loads(self.start.to_json()),
            seeds=1,
            figures=("windows", "rates"),
            utility=_FIRST,
            turn=_UNASKED,
        )

        def answer() -> None:
            # Whatever is wrong with it the page will be told.
            with suppress(Superseded, ValueError, _engine.LawError):
                self.answer(first, lambda _: None)

        threading.Thread(target=answer, daemon=True).start()

    def to_toml(self, scenario: Mapping[str, Any]) -> str:
        """A scenario as a file.

        Raises
        ------
        windward.ScenarioError
            If it is none.
        """
        return self._read(scenario).to_toml()

    def opening(self) -> dict[str, Any]:
        """Initial data of the page."""
        return self._described(json.loads(self.start.to_json()))

    def _described(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        return {"scenario": scenario, "groups": groups(scenario, self.written)}

    def _read(self, scenario: Mapping[str, Any]) -> _engine.Scenario:
        read = _engine.Scenario.from_json(json.dumps(scenario), "scenario", self.folder)
        if set(read.python_classes) - set(self.start.python_classes):
            raise _engine.ScenarioError("a page cannot choose Python code to be run; name it in the file")
        return read

    def answer(self, asked: Asked, emit: Emit) -> None:
        """Tells what the engines answer, as soon as each does; ends, told or not, when the page asks another question.

        Raises
        ------
        windward.ScenarioError
            If the scenario cannot be.
        Superseded
            When the page has asked something else.
        """
        turn = asked.turn
        self._supersede(turn)
        began = time.monotonic()
        whole = self._read(asked.scenario)
        resolved = json.loads(whole.to_json())
        emit(self._described(resolved))
        answers = _Answers(asked=asked, whole=whole, began=began)
        answers.partial, answers.notes = ignored_by_optimum(whole)
        try:
            answers.best = solve(whole, asked.utility)
            answers.pieces = pieces(whole, asked.utility, _PIECES)
        except _engine.NoAnswerError as error:
            answers.left_out["optimum"] = str(error).splitlines()[0]
        parts = split(resolved, whole)
        waiting = self._begin(parts, asked, whole, turn, answers)
        shown, pause = 0.0, _SHOWN_S
        while waiting:
            done, waiting = wait(waiting, timeout=_POLL_S, return_when=FIRST_COMPLETED)
            self._check(turn)
            for future in done:
                future.result()
            now = time.monotonic()
            has_news = bool(done) and (not waiting or answers.has_all_packets(len(parts)))
            if has_news and (now - shown >= _SHOWN_S or not waiting or not shown):
                emit(answers.so_far(is_done=not waiting))
                shown = now
            elif now - max(shown, began) >= pause and not answers.has_all_packets(len(parts)):
                emit(answers.so_far(is_done=False))
                shown = time.monotonic()
                # What takes long to draw is drawn the less often: the engines need the time.
                pause = max(_SHOWN_S, 4 * (shown - now))
        if not shown:
            emit(answers.so_far(is_done=True))

    def _begin(
        self, parts: Sequence[Part], asked: Asked, whole: _engine.Scenario, turn: Turn, answers: _Answers
    ) -> set[Future[None]]:
        """Sets all to work: packets first."""
        waiting: set[Future[None]] = set()
        if whole.has_region:
            answers.left_out["packets"] = "a region says which rates are possible, not how packets get them"
            answers.parts = {}
        else:
            answers.parts = dict(enumerate(parts))
            for at, part in enumerate(parts):
                waiting.add(self._packets.submit(self._simulate, at, part, asked.seeds, turn, answers))
        for at, part in enumerate(parts):
            waiting.add(self._fluid.submit(self._follow, at, part, turn, answers))
        answers.count = len(parts)
        return waiting

    def _simulate(self, at: int, part: Part, seeds: int, turn: Turn, answers: _Answers) -> None:
        """The packets of a part, from what is kept if they are."""
        outputs = {seed: self._known(("packets", part.text, seed)) for seed in range(1, seeds + 1)}
        missing = [seed for seed, output in outputs.items() if output is None]
        self._check(turn)
        if missing:
            scenario = _engine.Scenario.from_json(part.text, "scenario", self.folder)
            threads = count_threads(None) if len(answers.parts) == 1 else 1
            job = _engine.Job(scenario, seeds=missing, threads=threads, **finders({}, self.folder))
            self._running[id(job)] = turn, job.cancel
            answers.jobs[at] = job
            try:
                job.start()
                while not job.is_done:
                    self._check(turn)
                    for output in job.wait(_POLL_S):
                        seed = int(output["seed"])
                        outputs[seed] = output
                        self._keep(("packets", part.text, seed), output)
            finally:
                job.cancel()
                self._running.pop(id(job), None)
                answers.jobs.pop(at, None)
        for seed, output in outputs.items():
            answers.packets.setdefault(seed, {})[at] = output

    def _follow(self, at: int, part: Part, turn: Turn, answers: _Answers) -> None:
        """The windows' equations of a part, from what is kept if they are."""
        self._check(turn)
        known = self._known(("fluid", part.text))
        if known is None:
            stop = _engine.Stop()
            self._running[id(stop)] = turn, stop.set
            try:
                # Who was superseded before it could be told so.
                self._check(turn)
                known = follow(_engine.Scenario.from_json(part.text, "scenario", self.folder), stop=stop)
            except _engine.NoAnswerError as error:
                known = str(error).splitlines()[0]
            finally:
                self._running.pop(id(stop), None)
            self._check(turn)
            self._keep(("fluid", part.text), known)
        if isinstance(known, str):
            answers.left_out["fluid"] = known
        else:
            answers.fluid[at] = known

    def _supersede(self, turn: Turn) -> None:
        """Ends what the page asked before, and what nothing has asked for yet; raises if it has asked since."""
        with self._lock:
            if turn.number < self._newest.get(turn.page, turn.number):
                raise Superseded
            self._newest.pop(_UNASKED.page, None)
            self._newest[turn.page] = turn.number
        self._end_superseded()

    def _end_superseded(self) -> None:
        for turn, end in list(self._running.values()):
            if not self._is_newest(turn):
                end()

    def _is_newest(self, turn: Turn) -> bool:
        return self._newest.get(turn.page) == turn.number

    def _check(self, turn: Turn) -> None:
        if not self._is_newest(turn):
            raise Superseded

    def _known(self, key: Any) -> Any:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: Any, answer: Any) -> None:
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


class _Answers:
    """Answers of the engines to one question."""

    def __init__(self, *, asked: Asked, whole: _engine.Scenario, began: float) -> None:
        self.asked, self.whole, self.began = asked, whole, began
        self.entities = whole.entities()
        self.best: Optimum | None = None
        self.left_out: dict[str, str] = {}
        self.parts: dict[int, Part] = {}
        self.count = 0
        self.pieces: list[Piece] = []
        self.notes: list[str] = []
        self.partial: list[str] = []
        #: By seed and part; by part.
        self.packets: dict[int, dict[int, Any]] = {}
        self.fluid: dict[int, Fluid] = {}
        self.jobs: dict[int, _engine.Job] = {}

    def has_all_packets(self, count: int) -> bool:
        """Returns true if the packets of every part have arrived."""
        seeds = range(1, self.asked.seeds + 1)
        return not self.parts or all(len(self.packets.get(seed, {})) == count for seed in seeds)

    def so_far(self, *, is_done: bool) -> dict[str, Any]:
        """Current content of the page."""
        run, until_s = self._run()
        fluid = _whole_fluid(self.whole, self.fluid) if len(self.fluid) == self.count else None
        charts: list[Chart] = []
        if run is not None:
            charts = of_packets(
                run, self.asked.figures, fluid=fluid, best=self.best, pieces=self.pieces, until_s=until_s
            )
        table, scale = "", 0.0
        if self.best is not None:
            packets = run if until_s is None else None
            compared = Comparison(
                scenario="",
                optimum=self.best,
                fluid=fluid,
                ideal=None,
                packets=packets,
                kernel=None,
                left_out=self.left_out,
                pieces=self.pieces,
                partial=self.partial,
                span_s=(self.whole.warmup_s, self.whole.duration_s),
            )
            scale = scale_of(compared.rows)
            table = engines(compared.rows, self.asked.scale)
        remarks = [("note:", note, False) for note in self.notes]
        remarks += [(f"{engine} skipped:", reason, False) for engine, reason in self.left_out.items()]
        return {
            "charts": [chart.data() for chart in charts],
            "frames": [chart_of(chart, is_still=False) for chart in charts],
            "engines": table + items(remarks),
            "tables": "" if run is None or until_s is not None else _details(run),
            "scale": scale,
            "drawn": max(scale, self.asked.scale),
            "done": is_done,
            "until": until_s,
            "ms": round(1e3 * (time.monotonic() - self.began)),
        }

    def _run(self) -> tuple[Run | None, float | None]:
        """The packets so far as a run; how far they are where some go on."""
        if not self.parts:
            return None, None
        whole = [seed for seed in range(1, self.asked.seeds + 1) if len(self.packets.get(seed, {})) == len(self.parts)]
        tables: dict[int, Tables] = {}
        until_s = None
        for seed in whole:
            answers = [(self.parts[at], output) for at, output in sorted(self.packets[seed].items())]
            tables[seed] = build(together(answers), self.entities)
        if not whole:
            tables, until_s = self._glimpse()
            if not tables:
                return None, None
        finished = sorted(tables)
        description = about(
            name=self.whole.name,
            title=self.whole.title,
            duration_s=self.whole.duration_s,
            warmup_s=self.whole.warmup_s,
            seeds=finished,
            finished=finished,
            engine="simulate",
        )
        return Run(about=description, scenario="", load=lambda kind, seed: tables[seed][kind]), until_s

    def _glimpse(self) -> tuple[dict[int, Tables], float | None]:
        """The samples so far of the first seed."""
        shown: list[tuple[Part, Mapping[str, Any]]] = []
        for at, part in self.parts.items():
            if at in self.packets.get(1, {}):
                shown.append((part, self.packets[1][at]))
            elif (job := self.jobs.get(at)) is not None:
                shown += [(part, series) for series in job.peek() if series["seed"] == 1]
        if not shown:
            return {}, None
        series = ("flow_series", "link_series")
        merged = together([(part, {kind: output[kind] for kind in series}) for part, output in shown])
        times = [output["link_series"]["time_s"] for _, output in shown]
        until_s = min((float(column[len(column) - 1]) for column in times if len(column)), default=0.0)
        names = {"flow_series": "flow", "link_series": "link"}
        tables: dict[str, Any] = {
            **EMPTY,
            "flows": self.entities["flows"],
            "links": self.entities["links"],
            "background": {"source": []},
        }
        for kind, entity in names.items():
            named = Named(list(self.entities[f"{entity}s"][entity]), merged[kind][entity])
            tables[kind] = {**merged[kind], entity: named}
        return {1: tables}, until_s


#: What is told of flows, links, applications and sources beside their rates, by the tables of a run.
_TOLD = {
    "Flows": ("flow", "mean RTT", "p95 RTT", "loss", "timeouts", "completed after", "not completed", "marked"),
    "Flows by group": ("group", "flows", "mean RTT", "loss", "timeouts", "completed after", "not completed"),
    "Links": ("link", "utilization", "mean wait", "p95 wait", "loss", "marked"),
    **{one.title: (one.one, *(column.title for column in one.columns if column.is_told)) for one in APPLICATIONS},
}


def _details(run: Run) -> str:
    """Round trips, waits and losses as HTML tables."""
    parts = []
    for table in digests(run):
        kept = [table.columns.index(name) for name in _TOLD.get(table.title, ()) if name in table.columns]
        if len(kept) > 1:
            rows = [[row[at] for at in kept] for row in table.rows]
            columns = [table.columns[at] for at in kept]
            parts.append(table_of(Digest(title=table.title, columns=columns, words=1, rows=rows, note=table.note)))
    return "".join(f"<div>{part}</div>" for part in parts)


def _whole_fluid(whole: _engine.Scenario, parts: Mapping[int, Fluid]) -> Fluid | None:
    """The fluid runs of the parts as one: each flow's own."""
    if not parts:
        return None
    if len(parts) == 1:
        return parts[next(iter(parts))]
    import numpy as np

    names = list(whole.entities()["flows"]["flow"])
    rows = {row["flow"]: row for part in parts.values() for row in part.rows("flows")}
    first = next(iter(parts.values()))
    flows: dict[str, Any] = {}
    for key in rows[names[0]]:
        values = [rows[name][key] for name in names]
        flows[key] = values if isinstance(values[0], str) else np.array(values)
    size, columns = len(names), {}
    times = np.asarray(first.tables["flow_series"]["time_s"]).reshape(-1, len(first.rows("flows")))[:, 0]
    for column in ("cwnd", "rate_bps", "goodput_bps", "queue_delay_ms"):
        table = np.empty((len(times), size))
        for part in parts.values():
            own = [names.index(row["flow"]) for row in part.rows("flows")]
            table[:, own] = np.asarray(part.tables["flow_series"][column]).reshape(-1, len(own))
        columns[column] = table.ravel()
    series = {
        "time_s": np.repeat(times, size),
        "flow": Named(names, np.tile(np.arange(size, dtype=np.uint32), len(times))),
        **columns,
    }
    settled = [part.settled_s for part in parts.values()]
    known = [each for each in settled if each is not None]
    return replace(
        first,
        tables={"flows": flows, "flow_series": series},
        settled_s=max(known) if len(known) == len(settled) else None,
    )


def read(body: bytes) -> Asked:
    """Reads a page's request from JSON.

    Raises
    ------
    ValueError
        If it is something else.
    """
    try:
        asked = json.loads(body)
        # Halves of surrogate pairs are in no answer.
        json.dumps(asked, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("the question has half a surrogate pair in a text") from None
    except RecursionError:
        raise ValueError("the question is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the question is not JSON: {str(error).partition('; use ')[0]}") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("scenario"), dict):
        raise ValueError("no scenario")
    figures = asked.get("figures", [])
    if not isinstance(figures, list):
        raise ValueError(f"figures: a list is expected, not {_short(figures)}")
    known = ("windows", "rates", "delays", "queues", "rtt", "fairness")
    return Asked(
        scenario=asked["scenario"],
        seeds=_whole(asked, "seeds", 1, 1, MOST_SEEDS),
        figures=[figure for figure in known if figure in figures],
        utility=_text(asked, "utility", _FIRST),
        scale=_scale(asked.get("scale", 0.0)),
        turn=Turn(_text(asked, "page", ""), _whole(asked, "number", 0, 0, _MOST_QUESTIONS)),
    )


def _whole(asked: Mapping[str, Any], key: str, usual: int, least: int, most: int) -> int:
    value = asked.get(key, usual)
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{key}: a whole number from {least} to {most} is expected, not {_short(value)}")
    return value


def _text(asked: Mapping[str, Any], key: str, usual: str) -> str:
    value = asked.get(key, usual)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise ValueError(f"{key}: a text of at most {_LONGEST} characters is expected, not {_short(value)}")
    return value


def _scale(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= _MOST_RATE:
        raise ValueError(f"scale: a rate from 0 to {_MOST_RATE:g} bit/s is expected, not {_short(value)}")
    return float(value)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text}`"
