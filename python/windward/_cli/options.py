"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from windward._cli.completion import folders, scenario_files
from windward._cli.places import remark
from windward._engine import Scenario, ScenarioError
from windward._format.parse import parse

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Scenario file: TOML, or JSON if it ends in .json.", autocompletion=scenario_files
    ),
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Result folder.", autocompletion=folders)]
Utility = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="proportional, max-min, alpha=NUMBER, or law: what each flow's own law maximises.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Seeds = Annotated[
    str | None,
    typer.Option(metavar="N|N,N,…", help="Number of seeds, or a list of seeds. Default: the scenario's own."),
]
#: Largest values of options, where the engine has a bound.
MOST_THREADS, MOST_SEED, MOST_RUNS = 65_536, 2**63 - 1, 1_000_000

Threads = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=MOST_THREADS, help="Runs in parallel. Default: one per core."),
]
On = Annotated[
    str | None,
    typer.Option(metavar="WHERE", help="Run on a Ray cluster: ray, or ray://HOST:PORT. Default: this machine."),
]
Pcap = Annotated[bool, typer.Option("--pcap", help="Also write the packets of every seed, as pcapng.")]
PcapInterfaces = Annotated[
    bool,
    typer.Option(
        "--pcap-interfaces",
        help="As --pcap, with one file per interface: Wireshark takes no hop of a path for a retransmission.",
    ),
]
Qlog = Annotated[
    bool, typer.Option("--qlog", help="Also write the events of connections over QUIC, as qlog (JSON-SEQ).")
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME,…", help="Columns of the tables, such as goodput,load-p95 of a sweep. Default: all."
    ),
]
NoPython = Annotated[
    bool, typer.Option("--no-python", help="Refuse a scenario with laws or schedulers in Python, whose code would run.")
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors, and a result's folder if it is not the usual one."),
]


def parse_file(path: Path, *, no_python: bool) -> Scenario:
    """The scenario of a file that is to be run; with `no_python` one that runs no code of its own.

    Raises
    ------
    windward.ScenarioError
        If something in it is wrong, or it has code that is not allowed.
    """
    scenario = parse(path)
    tell_notes(scenario)
    if no_python and (classes := scenario.python_classes):
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(classes))
        raise ScenarioError(f"{path}: running it runs Python code, which --no-python refuses: class = {names}")
    return scenario


def tell_notes(scenario: Scenario) -> None:
    """Prints the remarks on a scenario: recordings, contradictions, phases."""
    for note in scenario.notes:
        remark(f"note: {note}")


def parse_columns(text: str | None) -> list[str] | None:
    """Names of columns, separated by commas; None: the important ones."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()] or None


def parse_seeds(text: str | None) -> int | list[int] | None:
    """`5` means the seeds 1 to 5, `3,7` or `3,` these; None the scenario's own."""
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 0 or ("," not in text and numbers[0] == 0):
        raise ValueError(f'--seeds {text}: give a number of seeds, such as 5, or a list of seeds, such as "3,7,9"')
    return numbers if "," in text else numbers[0]


def parse_pairs(option: str, texts: list[str] | None, what: str) -> dict[str, str]:
    """Parses the NAME=VALUE arguments of an option; `what` describes the expected form."""
    pairs = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ValueError(f"{option} {text}: give {what}")
        pairs[name.strip()] = value.strip()
    return pairs


def parse_delay(text: str | None) -> float | Literal["rtt"] | None:
    """Seconds, or "rtt"."""
    if text is None:
        return None
    if text == "rtt":
        return "rtt"
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'--feedback-delay {text}: give a number of seconds, or "rtt"') from None
