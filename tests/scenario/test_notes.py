"""Remarks on settings without effect or that contradict each other, and on shares that depend on phase."""

from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward import _engine

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
        ('law = "cubic", known_base_rtt = "path"', "pie", ["flow `A`: `cubic` does not read the base round trip, so"]),
        (
            'law = "bbr", ack_counting = true',
            "pie",
            ["flow `A`: `bbr` does not grow in the way of Reno, so `ack_counting`"],
        ),
        (
            'law = { name = "formula", mark = "w / 4" }',
            "pie",
            ["flow `A`: `formula` gets no marks without `ecn`, so `mark` has no effect"],
        ),
        ('law = "reno"', "l4span", ["`l4span` at link `core` passes all packets: none over it has `ecn`"]),
        ('law = "reno"', "policer", ["`policer` at link `core` has no `rate`, and drops nothing"]),
        ('law = "prague"', "l4span", []),
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


def test_queues_and_sources_without_work_are_noted(cli: Cli, tmp_path: Path) -> None:
    marking = PAIR.replace('"QUEUE"', '{ discipline = "codel", ecn = true }').replace("FIRST", 'law = "reno"')
    (tmp_path / "pair.toml").write_text(marking, encoding="utf-8")
    assert "note: `codel` at link `core` marks nothing: no packet over it has `ecn`" in cli("check", "pair.toml").stderr
    source = """
[[background]]
name = "u"
from = "a"
to = "z"
ecn = "classic"
pattern = { kind = "cbr", rate = "1 Mbit/s" }
"""
    (tmp_path / "pair.toml").write_text(marking + source, encoding="utf-8")
    assert cli("check", "pair.toml").stderr == ""
    plain = PAIR.replace("QUEUE", "pie").replace("FIRST", 'law = "reno"') + source
    (tmp_path / "pair.toml").write_text(plain, encoding="utf-8")
    assert (
        "note: `u`: no queue on its way marks packets, so its `ecn` has no effect" in cli("check", "pair.toml").stderr
    )


LAWS = """
name = "l"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "RATE Mbit/s", delay = "20 ms", buffer = "BUFFER", loss = LOSS }]
flow = [{ name = "f", from = "a", to = "b", law = "LAW", KEY }]
"""


@pytest.mark.parametrize("law", [law["name"] for law in _engine.laws() if law["name"] != "formula"])
@pytest.mark.parametrize("key", ['known_base_rtt = "30 ms"', "ack_counting = true"])
def test_keys_that_a_law_does_not_read_are_noted(tmp_path: Path, cli: Cli, law: str, key: str) -> None:
    file = tmp_path / "l.toml"

    def flows(given: str, rate: str, buffer: str, loss: str) -> str:
        text = LAWS.replace("LAW", law).replace("BUFFER", buffer).replace("LOSS", loss).replace("KEY", given)
        text = text.replace("RATE", rate)
        file.write_text(text, encoding="utf-8")
        return str(ww.load(file).simulate(seeds=1).flows.to_json())

    networks = [("10", "40 packets", "0.01"), ("10", "200 packets", "0.0"), ("50", "300 packets", "0.001")]
    acts = any(flows(key, *network) != flows("", *network) for network in networks)
    flows(key, *networks[0])
    assert (f"so `{key.split()[0]}` has no effect" in cli("check", "l.toml").stderr) != acts
