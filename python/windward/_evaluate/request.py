"""An evaluation as it was asked for: the law, the sections, the thresholds."""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windward import _engine
from windward._evaluate.measure import Measure
from windward._evaluate.measures import measures
from windward._evaluate.networks import LAW, fits_quic, name_of, over_quic
from windward._evaluate.sections import SECTIONS, Section
from windward._evaluate.suites import Suite
from windward._format.own import find_class
from windward._search.space import OWN, find
from windward.errors import OptionError, nearest

#: Laws that thresholds are relative to.
REFERENCES = ("cubic", "reno")

#: Laws of the other flows of §5.2.1.
AGAINST = ("cubic", "reno")

#: Seeds of a quick and of a full evaluation.
QUICK_SEEDS, FULL_SEEDS = 10, 20

#: Transports that are QUIC under a controller of the stack's own.
_STACKS = ("quinn", "noq")

#: Transports of the law's flows.
TRANSPORTS = ("tcp", "quic", *_STACKS)

#: What a file of thresholds may set of a measure.
_KEYS = ("margin", "slack", "absolute")


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """An evaluation as it was asked for."""

    #: The law as a scenario names it, and as people do.
    law: Any
    text: str
    #: Laws of the flows that the law is beside.
    against: Sequence[str] = AGAINST
    references: Sequence[str] = REFERENCES
    is_full: bool = False
    #: Sections to be judged; all if there are none.
    only: Sequence[str] = ()
    seeds: Sequence[int] = ()
    #: Searches the smallest network of each section that is not met.
    smallest: bool = True
    #: Repeats these networks between kernels.
    emulates: bool = False
    #: Transport of the law's flows: one of `TRANSPORTS`.
    transport: str = "tcp"
    #: Thresholds that replace the defaults, by section or by measure.
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    #: Cases of a specification in place of RFC 9743's sections.
    suite: Suite | None = None
    #: Where the file of a law in Python lies.
    folder: Path = field(default_factory=Path)
    #: The law if it is a Python object, by the name under which networks know it.
    laws: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def measures(self) -> list[Measure]:
        """The measures of the sections that were asked for, with their thresholds."""
        every = self._every()
        chosen = [own for own in every if not self.only or {own.section, own.name} & set(self.only)]
        missing = [name for name in self.only if "/" in name and name not in {own.name for own in every}]
        if missing:
            section = missing[0].partition("/")[0]
            has = ", ".join(own.name for own in every if own.section == section)
            raise OptionError(("only", missing[0], f"no measure of this evaluation; measures: {has}"))
        unknown = set(self.thresholds) - {own.name for own in chosen} - {own.key for own in self.sections}
        if unknown:
            name = sorted(unknown)[0]
            hint = nearest(name, [own.name for own in chosen])
            raise OptionError(("thresholds", name, f"no section, and no measure of this evaluation{hint}"))
        return [
            replace(own, **self._given(own), source="a file of thresholds") if self._given(own) else own
            for own in chosen
        ]

    def _every(self) -> list[Measure]:
        found = measures(self.against, is_full=self.is_full) if self.suite is None else self.suite.measures()
        if self.transport == "tcp":
            return found
        return [
            replace(own, template=over_quic(own.template, _stack(self.transport)))
            for own in found
            if fits_quic(own.template)
        ]

    @property
    def sections(self) -> Sequence[Section]:
        """Sections of RFC 9743, or the cases of the suite."""
        return SECTIONS if self.suite is None else self.suite.cases

    @property
    def series(self) -> tuple[str, ...]:
        """Series that figures are taken from."""
        return () if self.suite is None else tuple(self.suite.series)

    @property
    def title(self) -> str:
        """Title of the answer."""
        by = "the criteria of RFC 9743" if self.suite is None else self.suite.title
        over = {"tcp": "", "quic": " over QUIC"}.get(self.transport, f" of {self.transport}")
        return f"Evidence for {self.text}{over} by {by}"

    def _given(self, own: Measure) -> dict[str, Any]:
        return {**self.thresholds.get(own.section, {}), **self.thresholds.get(own.name, {})}

    @property
    def files(self) -> list[str]:
        """Files of the law."""
        spec = self.law.get("class", "") if isinstance(self.law, Mapping) else ""
        return [spec.rpartition(":")[0]] if ".py:" in spec else []

    @property
    def code(self) -> str:
        """Source of a law that is a Python object, as far as it is to be had."""
        found = []
        for law in self.laws.values():
            try:
                found.append(inspect.getsource(law if hasattr(law, "__qualname__") else type(law)))
            except (OSError, TypeError):
                found.append(repr(law))
        return "\n".join(found)

    @property
    def has_python(self) -> bool:
        """True for a law in Python."""
        return name_of(self.law) == OWN


def read_law(text: str) -> tuple[Any, Path]:
    """A law of the command line, and the folder of its file: NAME, NAME,KEY=VALUE,… or FILE.py:CLASS,KEY=VALUE,….

    Raises
    ------
    OptionError
        For a law or a parameter that does not exist.
    windward.ScenarioError
        For a file or a class that does not exist.
    """
    name, parameters = _parts(text)
    folder = Path()
    if ":" in name:
        source, _, spec = name.rpartition(":")
        if source.endswith(".py"):
            folder, source = Path(source).parent, Path(source).name
        find_class(f"{source}:{spec}", folder, "law")
        law: Any = {"name": OWN, "class": f"{source}:{spec}", **parameters}
    else:
        find(name, "LAW", text)
        if name == OWN:
            raise OptionError(("LAW", text, "a law in Python is given as FILE.py:CLASS"))
        law = {"name": name, **parameters} if parameters else name
    check_law(law, folder, text)
    return law, folder


def read_control(text: str, controls: Sequence[str]) -> tuple[Any, Path]:
    """A law of calls: NAME or NAME,KEY=VALUE,….

    Raises
    ------
    OptionError
        For a law or a parameter that does not exist.
    """
    name, parameters = _parts(text)
    if name not in controls:
        hint = nearest(name, controls)
        raise OptionError(("LAW", text, f"no law of calls; the suite judges {', '.join(controls)}{hint}"))
    law = {"control": name, **parameters} if parameters or name == "constant" else name
    call = {"kind": "call", "from": "a", "to": "b", "video": law if parameters else {"control": name}}
    _try({"app": [call]}, Path(), text, "app[0].video")
    return law, Path()


def _parts(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a law on the command line."""
    name, *pairs = [part.strip() for part in _outside_brackets(text)]
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise OptionError(("LAW", text, f"`{pair}` is no parameter; write it as in quic-tcp,backlog=20"))
        parameters[key.strip()] = _value(value.strip())
    return name, parameters


def _outside_brackets(text: str) -> list[str]:
    """The parts between commas, but those within brackets, as in `step=min(acked, 1)`."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def check_law(law: Any, folder: Path, text: str) -> None:
    """Refuses parameters that the law does not have, and formulas that are none.

    Raises
    ------
    OptionError
        With the reason.
    """
    _try({"flow": [{"from": "a", "to": "b", "law": law}]}, folder, text, "flow[0].law")


def check_transport(law: Any, transport: str, folder: Path, text: str) -> None:
    """Refuses a transport that does not exist, cannot carry the law, or is not in this engine.

    Raises
    ------
    OptionError
    """
    if transport not in TRANSPORTS:
        raise OptionError(("transport", transport, f"no transport; transports: {', '.join(TRANSPORTS)}"))
    if transport != "tcp":
        (flow,) = over_quic({"flow": [{"from": "a", "to": "b", "law": LAW}]}, _stack(transport))["flow"]
        scenario = _try({"flow": [{**flow, "law": law}]}, folder, text, "flow[0].law")
        try:
            scenario.check_stacks()
        except ValueError as error:
            _, _, hint = str(error).partition("\n")
            raise OptionError(("transport", transport, f"this engine lacks {transport}\n{hint}")) from None


def _stack(transport: str) -> str | None:
    """Stack whose own controllers a transport has."""
    return transport if transport in _STACKS else None


def _try(traffic: Mapping[str, Any], folder: Path, text: str, place: str) -> _engine.Scenario:
    """Refuses traffic with a law that cannot be. Returns a scenario with it."""
    network = {
        "name": "law",
        "duration": "1 s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms"}],
        **traffic,
    }
    try:
        return _engine.Scenario.from_json(json.dumps(network), "LAW", folder)
    except _engine.ScenarioError as error:
        said = str(error).splitlines()[0].partition(place)[2].lstrip(".: ") or str(error)
        raise OptionError(("LAW", text, said)) from None


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def read_only(only: Sequence[str], sections: Sequence[Section] = SECTIONS) -> tuple[str, ...]:
    """Sections by their numbers, `5.1` for all of them, and measures such as `5.1.3/flows-4-buffer-1`.

    Raises
    ------
    OptionError
        For a section that RFC 9743 does not have, or that asks nothing.
    """
    found: dict[str, None] = {}
    keys = [section.key for section in sections]
    for text in only:
        number, slash, measure = text.strip().removeprefix("§").partition("/")
        if slash and number in keys:
            found[f"{number}/{measure}"] = None
            continue
        inside = [key for key in keys if key == number or key.startswith(f"{number}.")]
        if not inside:
            raise OptionError(("only", text, f"no section with a question; sections: {', '.join(keys)}"))
        found |= dict.fromkeys(inside)
    return tuple(sorted(found, key=lambda name: (keys.index(name.partition("/")[0]), name)))


def read_against(against: Sequence[str]) -> tuple[str, ...]:
    """Laws that exist.

    Raises
    ------
    OptionError
        For one that does not, or none.
    """
    names = tuple(dict.fromkeys(name.strip() for name in against if name.strip()))
    if not names:
        raise OptionError(("against", "", "at least one law is needed"))
    for name in names:
        find(name, "against", ",".join(names))
    return names


def read_thresholds(path: Path) -> tuple[dict[str, dict[str, float]], tuple[str, ...]]:
    """Thresholds of a TOML file, by section or measure, and the laws that they are relative to.

    Raises
    ------
    OptionError
        For what is no threshold.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise OptionError(("thresholds", str(path), f"no TOML: {error}")) from None
    references = read_against(content.pop("references", list(REFERENCES)))
    found: dict[str, dict[str, float]] = {}
    for name, own in content.items():
        if not isinstance(own, Mapping):
            raise OptionError(("thresholds", name, f"a table is expected, with any of {', '.join(_KEYS)}"))
        for key, value in own.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if key not in _KEYS or not is_number or value < 0 or (key == "margin" and value < 1):
                said = f"{key} = {value}: allowed are margin from 1, slack and absolute from 0"
                raise OptionError(("thresholds", name, said))
            found.setdefault(name, {})[key] = float(value)
    return found, references
