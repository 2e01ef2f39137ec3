"""Remarks on settings that contradict each other, and on shares that depend on phase."""

from pathlib import Path

import pytest
from conftest import Cli

PAIR = """
name = "pair"
duration = "1 s"
node = [{ name = "a" }, { name = "b" }, { name = "m" }, { name = "z" }]
link = [
  { from = "a", to = "m", rate = "1 Gbit/s", delay = "1 ms" },
  { from = "b", to = "m", rate = "1 Gbit/s", delay = "9 ms" },
  { name = "core", from = "m", to = "z", rate = "10 Mbit/s", delay = "19 ms", buffer = "33 packets", queue = "QUEUE" },
]
flow = [{ name = "A", from = "a", to = "z", FIRST }, { name = "B", from = "b", to = "z", law = "reno" }]
"""
PHASE = (
    "note: equal packets of 2 flows meet drop-tail at `core`: their shares may depend on phase, "
    "which seeds do not show; "
    'compare with `host_jitter = "1.2 ms"`, and with other round trips'
)


@pytest.mark.parametrize(
    ("first", "queue", "notes"),
    [
        (
            'law = "prague", ecn = "off"',
            "dualpi2",
            ['flow `A`: with `ecn = "off"` `prague` gets no marks and answers losses alone'],
        ),
        (
            'law = "dctcp"',
            "pie",
            ["flow `A`: no queue on its way marks packets, so `dctcp` gets no marks and answers losses alone"],
        ),
        (
            'law = "cubic", ecn = "classic"',
            "pie",
            ["flow `A`: no queue on its way marks packets, so its `ecn` has no effect"],
        ),
        ('law = "prague"', "dualpi2", []),
        ('law = "cubic", ecn = "classic"', "fq-codel", []),
        ('law = "reno"', "drop-tail", [PHASE]),
        ('law = "reno", host_jitter = "1 ms"', "drop-tail", []),
        ('law = "reno", segment = "1000 B"', "drop-tail", []),
        ('law = "vegas"', "drop-tail", []),
    ],
)
def test_contradictions_and_phases_are_noted(
    cli: Cli, tmp_path: Path, first: str, queue: str, notes: list[str]
) -> None:
    (tmp_path / "pair.toml").write_text(PAIR.replace("FIRST", first).replace("QUEUE", queue), encoding="utf-8")
    done = cli("check", "pair.toml")
    said = done.stderr.splitlines()
    assert done.returncode == 0
    assert len(said) == len(notes)
    assert all(note in line for note, line in zip(notes, said, strict=True))


def test_runs_and_sweeps_say_it_too(cli: Cli, tmp_path: Path) -> None:
    text = PAIR.replace("FIRST", 'law = "reno"').replace("QUEUE", "drop-tail")
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    for command in (["simulate", "-q"], ["sweep", "-q", "--set", "link.core.delay=10 ms,20 ms"]):
        done = cli(*command[:1], "pair.toml", *command[1:])
        assert done.returncode == 0, done.stderr
        assert PHASE in done.stderr.splitlines()


def test_ecn_of_an_application(cli: Cli, tmp_path: Path) -> None:
    text = (
        PAIR.partition("flow = ")[0].replace("QUEUE", "pie")
        + """
[[app]]
kind = "page"
name = "page"
from = "z"
to = "a"
law = { name = "prague" }
visits = 1
"""
    )
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    done = cli("check", "pair.toml")
    assert done.returncode == 0, done.stderr
    assert "app `page`: no queue on its way marks packets, so `prague` gets no marks" in done.stderr
