"""Entrance to evaluations: `windward.evaluate` and the command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windward._answers.evaluation import Evaluation
from windward._engines.collect import choose
from windward._evaluate.request import (
    AGAINST,
    FULL_SEEDS,
    QUICK_SEEDS,
    REFERENCES,
    EvaluationRequest,
    check_transport,
    read_against,
    read_control,
    read_law,
    read_only,
    read_thresholds,
)
from windward._evaluate.run import evaluate as run
from windward._evaluate.suites import read_suite
from windward._evaluate.verdict import LEAST_SEEDS
from windward._format.convert import to_plain
from windward.errors import OptionError
from windward.results._files import replace_text
from windward.results._shapes import Progress
from windward.show._evaluate import latex, markdown


def evaluate(
    law: Any,
    *,
    output: str | Path,
    against: Sequence[str] = AGAINST,
    full: bool = False,
    only: Sequence[str] = (),
    seeds: int | Sequence[int] | None = None,
    thresholds: str | Path | None = None,
    suite: str | None = None,
    smallest: bool = True,
    emulate: bool = False,
    transport: str = "tcp",
    threads: int | None = None,
    on: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Evaluates a law by the criteria of RFC 9743 and writes the answer.

    Each section has measures: figures on networks. A figure is compared, seed by seed, with the worse of CUBIC and Reno
    on the same networks. The folder gets `evaluation.html`, `evaluation.json`, `evaluation.md`, `evaluation.tex`,
    `thresholds.toml`, the runs, and a short scenario for each section that is not met.

    Parameters
    ----------
    law
        A law's name, an object such as `windward.QuicTcp(backlog=20)`, a class in Python, or a text as on the command
        line: "quic-tcp,backlog=20", "my_law.py:MyLaw".
    output
        Folder for the answer. An interrupted evaluation in it is resumed.
    against
        Laws of the other flows of §5.2.1.
    full
        More networks and 20 seeds, in place of 10.
    only
        Sections, such as "5.1.3" or "7".
    seeds
        Number of seeds, at least 3, or a list of seeds.
    thresholds
        TOML file of thresholds; `thresholds.toml` of an evaluation is one.
    suite
        Cases of a specification in place of RFC 9743: "bbr-draft", "cubic", or "rmcat" for laws of calls.
    smallest
        Search the smallest network of each section that is not met.
    emulate
        Repeat these networks between this machine's kernels, in real time and as root, under the law and the reference.
    transport
        Transport of the law's flows, and of those of the references: "tcp"; "quic"; or "quinn" or "noq", which are
        QUIC under that stack's own controller of the name.
    threads
        Number of runs at once. Default: the number of cores; one for a law in Python.
    on
        "ray" or "ray://HOST:PORT": run on a Ray cluster.
    progress
        Called about ten times a second; its seeds are runs.

    Raises
    ------
    ValueError
        For a law, a section or a threshold that does not exist.
    windward.ResultError
        If `output` holds anything else, or cannot be written.
    windward.RunInterrupted
        On Ctrl-C; the same call goes on.

    Examples
    --------
    >>> import windward as ww
    >>> found = ww.evaluate("bbr", output="evaluated-bbr", only=["5.1.3"], seeds=3)
    >>> found.verdicts
    {'5.1.3': 'does not'}
    """
    laws: dict[str, Callable[..., Any]] = {}
    folder = Path()
    if emulate and not smallest:
        raise OptionError(("emulate", "", "the smallest networks are emulated; search them"))
    cases = None if suite is None else read_suite(suite)
    if isinstance(law, str):
        text = law
        law, folder = read_control(law, cases.controls) if cases and cases.controls else read_law(law)
        # A title has the file's name, wherever the file lies.
        text = text.removeprefix(f"{folder}/")
    else:
        law, text = as_plain(law, laws)
    check_transport(law, transport, folder, text)
    given, references = ({}, REFERENCES) if thresholds is None else read_thresholds(Path(thresholds))
    chosen = choose(seeds, list(range(1, (FULL_SEEDS if full else QUICK_SEEDS) + 1)))
    if len(chosen) < LEAST_SEEDS:
        raise OptionError(("seeds", str(len(chosen)), f"no verdict of fewer than {LEAST_SEEDS} seeds"))
    asked = EvaluationRequest(
        law=law,
        text=text,
        against=read_against(against),
        references=references if cases is None else cases.references,
        suite=cases,
        is_full=full,
        only=read_only(only) if cases is None else read_only(only, cases.cases),
        seeds=chosen,
        smallest=smallest,
        emulates=emulate,
        transport=transport,
        thresholds=given,
        folder=folder,
        laws=laws,
    )
    found = run(asked, output=Path(output), threads=threads, on=on, progress=progress)
    replace_text(found.path / "evaluation.md", markdown(found))
    replace_text(found.path / "evaluation.tex", latex(found))
    replace_text(found.path / "thresholds.toml", _thresholds(found))
    found.report(found.path / "evaluation.html")
    return found


def as_plain(law: Any, laws: dict[str, Callable[..., Any]]) -> tuple[Any, str]:
    """A law that is an object, as a scenario names it, and as people do."""

    def name_class(own: Callable[..., Any]) -> str:
        kind = own if hasattr(own, "__qualname__") else type(own)
        name = f"{kind.__module__}:{kind.__qualname__.rpartition('.')[2]}"
        laws[name] = own
        return name

    plain = to_plain(law, name_class)
    if not isinstance(plain, dict):
        raise OptionError(("law", repr(law), "a law's name, an object such as Reno(), or a class is expected"))
    shown = {key: value for key, value in plain.items() if key != "name"}
    name = str(shown.pop("class")).rpartition(":")[2] if "class" in shown else str(plain["name"])
    return plain, ",".join([name, *(f"{key}={value}" for key, value in shown.items())])


def _thresholds(found: Evaluation) -> str:
    """The thresholds of an evaluation, as a file that may be changed and given to another."""
    names = ", ".join(f'"{law}"' for law in found.summary["references"])
    lines = [
        "# Thresholds of an evaluation: change them and give the file as --thresholds.",
        "# Allowed: the worse reference times `margin` plus `slack` where less is better, divided by `margin` minus",
        "# `slack` where more is; `absolute` replaces both. Slack and absolute are in s, bit/s or shares.",
        f"references = [{names}]",
    ]
    for own in found.rows("measures"):
        lines += ["", f'["{own["measure"]}"]  # {own["figure"]}: {own["network"]}']
        if own["absolute"] is not None:
            lines.append(f"absolute = {own['absolute']}")
        else:
            lines += [f"margin = {own['margin']}", f"slack = {own['slack']}"]
    return "\n".join(lines) + "\n"
