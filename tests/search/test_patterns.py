"""Patterns: events as genes, natural schedules, presets, and what a search over them finds, shrinks and refuses."""

import json
import math
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import _engine
from windward._search.generators import read_generators
from windward._search.genetic import Genetic, Layout
from windward._search.patterns import Event, Patterns
from windward._search.presets import PRESETS, bounds_like
from windward._search.questions import read_question
from windward._search.shrink import entries, fewer_lines, keys, without
from windward.theory.laws import ratio_under_delay

BENCHES = REPOSITORY / "evidence" / "benches" / "attacks"

LINK = {
    "name": "n",
    "duration": "20 s",
    "node": [{"name": "a"}, {"name": "b"}],
    "link": [{"name": "air", "from": "a", "to": "b", "rate": "10 Mbit/s", "delay": "20 ms"}],
    "flow": [{"name": "A", "from": "a", "to": "b", "law": "reno"}],
}


def patterns(*bounds: str, end_ms: float = 20_000.0, is_quiet: bool = False) -> Patterns:
    plain = json.loads(_engine.Scenario.from_json(json.dumps(LINK), "test", Path()).to_json())
    generators = tuple(own for bound in bounds for own in read_generators(plain, bound))
    return Patterns(generators=generators, end_ms=end_ms, is_quiet=is_quiet)


def changes(own: Patterns, *events: Event) -> list[dict]:
    found = own.applied(LINK, events)
    # Every schedule is a scenario.
    _engine.Scenario.from_json(json.dumps(found), "test", Path())
    return found.get("change", [])


DELAY = "link.air.delay=pattern +0..40 ms"


def test_events_become_steps_that_people_would_write():
    own = patterns(DELAY)
    assert changes(own, Event(of=0, at_ms=2000, on_ms=0, off_ms=0, value=0.05)) == [
        {"link": "air", "at": "2 s", "delay": "50 ms"}
    ]
    assert changes(own, Event(of=0, at_ms=2000, on_ms=500, off_ms=0, value=0.05)) == [
        {"link": "air", "steps": [{"at": "2 s", "delay": "50 ms"}, {"at": "2.5 s", "delay": "20 ms"}]}
    ]
    assert changes(own, Event(of=0, at_ms=2000, on_ms=500, off_ms=1500, value=0.05)) == [
        {"link": "air", "every": "2 s", "steps": [{"at": "2 s", "delay": "50 ms"}, {"at": "2.5 s", "delay": "20 ms"}]}
    ]
    # Two at once: the later one counts while both last, and everything ends at rest before a quiet end.
    quiet = patterns(DELAY, end_ms=10_000, is_quiet=True)
    (change,) = changes(
        quiet,
        Event(of=0, at_ms=2000, on_ms=0, off_ms=0, value=0.03),
        Event(of=0, at_ms=3000, on_ms=1000, off_ms=0, value=0.06),
    )
    assert change["steps"] == [
        {"at": "2 s", "delay": "30 ms"},
        {"at": "3 s", "delay": "60 ms"},
        {"at": "4 s", "delay": "30 ms"},
        {"at": "10 s", "delay": "20 ms"},
    ]


def test_an_outage_has_a_length_and_traffic_pauses_first():
    own = patterns("link.air.up=pattern 10..500 ms", "traffic.a->b=pattern 1..20 Mbit/s")
    assert changes(own, Event(of=0, at_ms=1000, on_ms=200, off_ms=0, value=0)) == [
        {"link": "air", "steps": [{"at": "1 s", "up": False}, {"at": "1.2 s", "up": True}]}
    ]
    (source,) = own.applied(LINK, [Event(of=1, at_ms=1000, on_ms=100, off_ms=900, value=20e6)])["background"]
    # On-off sources begin with a pause: the first pulse is at 1 s.
    assert (source["start"], source["pattern"]["on"], source["pattern"]["off"]) == ("0.1 s", "0.1 s", "0.9 s")
    bounded = patterns("traffic.a->b=pattern 1..20 Mbit/s, load 1 Mbit/s")
    # A tenth of the time at 10 Mbit/s is 1 Mbit/s.
    (source,) = bounded.applied(LINK, [Event(of=0, at_ms=1000, on_ms=100, off_ms=900, value=20e6)])["background"]
    assert source["pattern"]["rate"] == "10 Mbit/s"
    (once,) = own.applied(LINK, [Event(of=1, at_ms=1000, on_ms=100, off_ms=0, value=20e6)])["background"]
    assert (once["start"], once["stop"], once["pattern"]["kind"]) == ("1 s", "1.1 s", "cbr")


def test_a_token_bucket_bounds_what_a_delay_varies():
    # 40 ms at once, 20 ms per second afterwards: a swing of 2 × 10 ms fits into a period of 1 s.
    own = patterns(DELAY + ", bucket 20 ms")
    (change,) = changes(own, Event(of=0, at_ms=2000, on_ms=500, off_ms=500, value=0.06))
    assert change["steps"][0]["delay"] == "30 ms"
    # Two events: 40 ms up and 40 ms down take the 40 ms of the bucket, 20 ms that 1 s has brought, and 20 ms more. The
    # next 1.5 s bring 30 ms: 10 ms are left.
    (change,) = changes(
        own,
        Event(of=0, at_ms=2000, on_ms=1000, off_ms=0, value=0.06),
        Event(of=0, at_ms=4500, on_ms=1000, off_ms=0, value=0.06),
    )
    assert [(step["at"], step["delay"]) for step in change["steps"]] == [
        ("2 s", "60 ms"),
        ("3 s", "20 ms"),
        ("4.5 s", "30 ms"),
        ("5.5 s", "20 ms"),
    ]


def test_rates_change_by_no_more_than_their_factor():
    own = patterns("link.air.rate=pattern 1..10 Mbit/s, every 1 s, factor 2")
    (change,) = changes(own, Event(of=0, at_ms=2000, on_ms=1000, off_ms=1000, value=1e6))
    assert change["steps"][0]["rate"] == "5 Mbit/s"
    genes = np.ones((6, 6))
    genes[:, 3] = 0.0
    genes[:, 4] = 0.0
    assert all(event.on_ms >= 1000 and event.off_ms >= 1000 for event in own.events(genes.ravel()))


@pytest.mark.parametrize("kind", PRESETS)
def test_presets_allow_what_they_say(kind: str):
    plain = json.loads(_engine.Scenario.from_json(json.dumps(LINK), "test", Path()).to_json())
    own = patterns(*bounds_like(kind, plain))
    for template in own.templates():
        changes(own, *template)
        # Genes mean their event again, as nearly as times are whole milliseconds.
        for again, event in zip(own.events(own.genes(template)), template, strict=True):
            assert again.of == event.of
            assert again.at_ms == pytest.approx(event.at_ms, abs=1)
            assert again.value == pytest.approx(event.value, rel=0.02)
            assert again.on_ms == pytest.approx(event.on_ms, abs=1)
            assert again.off_ms == pytest.approx(event.off_ms, abs=1)


def test_the_genetic_search_finds_two_events_by_their_times():
    layout = Layout(numbers=1, slots=4, width=3)

    def badness(genome: np.ndarray) -> float:
        slots = [genome[layout.slot(at)] for at in range(4)]
        there = [own for own in slots if own[0] >= 0.5]
        near = [min([1.0, *(abs(own[1] - aim) + abs(own[2] - 0.8) for own in there)]) for aim in (0.2, 0.7)]
        return sum(near) + abs(float(genome[0]) - 0.4)

    for seed in (1, 2, 3):
        search = Genetic([np.zeros(layout.length)], seed, layout)
        best = math.inf
        for _ in range(100):
            points = search.ask()
            values = [badness(point) for point in points]
            search.tell(points, [[value] for value in values], [0.0] * len(points))
            best = min(best, *values)
        assert best < 0.15, seed


@pytest.mark.long
def test_bbr_is_slow_on_a_path_that_is_fast_now_and_then(tmp_path: Path):
    # D > R + 0.1 s with R = 25 ms: the window that BBR allows itself is too small for the usual delay.
    text = (BENCHES / "dips.toml").read_text(encoding="utf-8").partition("[[change]]")[0]
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    scenario = ww.load(tmp_path / "s.toml")
    first = scenario.link[0].name
    attack = scenario.attack(
        "slows:30%", within=[f"link.{first}.delay=pattern +0..200 ms"], seeds=1, trials=60, output=tmp_path / "t"
    )
    assert attack.is_found
    written = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))
    assert len(attack.scenario_file.read_text(encoding="utf-8").splitlines()) <= 18
    assert len(written["change"]) == 1
    # CUBIC does well there, and without the change the law does too.
    assert attack.summary["found"]["reference"] > 3 * attack.summary["found"]["value"]
    (change,) = attack.rows("changes")
    assert change["without"] > 3 * attack.summary["found"]["value"]
    # Leaving out any line that a network can be without ends it, or says nothing.
    lines = [row for row in attack.rows("lines") if row["line"].startswith("change")]
    assert lines
    assert not any(row["holds"] for row in lines if row["line"] == "change.1")


def test_a_find_is_the_same_on_any_number_of_threads(tmp_path: Path):
    (tmp_path / "s.toml").write_text(json.dumps(LINK), encoding="utf-8")
    (tmp_path / "s.json").write_text(json.dumps(LINK), encoding="utf-8")
    scenario = ww.load(tmp_path / "s.json")
    found = [
        scenario.attack(
            "slows:40%",
            within=["link.air.loss=pattern 0..20 %", "flow.A.start=0..1 s"],
            reference=None,
            trials=48,
            seeds=2,
            threads=threads,
            output=tmp_path / str(threads),
        )
        for threads in (1, 3)
    ]
    assert found[0].is_found
    assert found[0].summary == found[1].summary
    assert found[0].scenario_file.read_bytes() == found[1].scenario_file.read_bytes()


def test_an_interrupted_search_over_patterns_goes_on(tmp_path: Path):
    (tmp_path / "s.json").write_text(json.dumps(LINK), encoding="utf-8")
    scenario = ww.load(tmp_path / "s.json")
    asked = {"within": ["link.air.loss=pattern 0..2 %"], "reference": None, "trials": 60, "seeds": 1}

    def stop(progress: ww.Progress) -> None:
        if progress.finished >= 30:
            raise KeyboardInterrupt

    # Too small a share to be found: every trial is run.
    whole = scenario.attack("slows:1%", output=tmp_path / "whole", **asked)
    with pytest.raises(ww.RunInterrupted):
        scenario.attack("slows:1%", output=tmp_path / "part", progress=stop, **asked)
    part = scenario.attack("slows:1%", output=tmp_path / "part", **asked)
    assert part.summary == whole.summary
    assert whole.summary["trials"] == 60


def test_an_outage_at_the_wrong_time_stalls_nobody_for_long(tmp_path: Path):
    (tmp_path / "s.json").write_text(json.dumps({**LINK, "duration": "30 s"}), encoding="utf-8")
    attack = ww.load(tmp_path / "s.json").attack(
        "stalls", within=["link.air.up=pattern 10..500 ms"], seeds=1, trials=24, output=tmp_path / "t"
    )
    # Ten seconds after the last outage Reno is as fast as ever.
    assert not attack.is_found
    assert attack.summary["closest"] > 0.8 * attack.summary["clean"]["rest"]
    assert attack.summary["quiet_from_s"] == 20.0


@pytest.mark.long
def test_laws_differ_under_the_same_pattern(tmp_path: Path):
    (tmp_path / "s.json").write_text(json.dumps(LINK), encoding="utf-8")
    attack = ww.load(tmp_path / "s.json").attack(
        "differs:bbr:3", within=["link.air.loss=pattern 0..5 %"], seeds=1, trials=30, output=tmp_path / "t"
    )
    # Random loss slows Reno (Mathis) and hardly BBR.
    assert attack.is_found
    assert attack.summary["found"]["value"] >= 3


@pytest.mark.long
def test_a_ratio_by_patterns_is_that_of_the_formula(tmp_path: Path):
    text = (BENCHES / "step.toml").read_text(encoding="utf-8")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    scenario = ww.load(tmp_path / "s.toml")
    from dataclasses import replace

    clean = replace(
        scenario, change=[], flow=[replace(flow, start="0 s", known_base_rtt="path") for flow in scenario.flow]
    )
    attack = clean.attack(
        "starves:2", within=["link.access-a.delay=pattern +0..100 ms"], reference=None, seeds=1, trials=60,
        output=tmp_path / "t",
    )  # fmt: skip
    assert attack.is_found
    (change,) = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["change"]
    step = (float(change["delay"].removesuffix(" ms")) - 5) / 1e3
    # A step for ever by the least that a margin of a tenth allows, in two digits: (p/c)(r − 1/r).
    least, most = (20 * (r - 1 / r) / 1e3 for r in (2, 2.2 * 1.08))
    assert least * 0.92 < step < most * 1.1
    assert attack.summary["found"]["value"] == pytest.approx(ratio_under_delay(step, 1000, 20), rel=0.08)


@pytest.mark.long
def test_the_exponential_map_explains_its_ratio(tmp_path: Path):
    text = (BENCHES / "step.toml").read_text(encoding="utf-8")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    scenario = ww.load(tmp_path / "s.toml")
    from dataclasses import replace

    flows = [replace(flow, start="0 s", known_base_rtt="path", law=ww.ExpDelay()) for flow in scenario.flow]
    attack = replace(scenario, change=[], flow=flows).attack(
        "starves:2", within=["link.access-a.delay=+0..30 ms"], reference=None, seeds=1, trials=20, output=tmp_path / "t"
    )
    assert attack.is_found
    (change,) = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["change"]
    step = float(change["delay"].removesuffix(" ms")) - 5
    # τ·ln 2 = 10 ms, with the tenth that a find holds with to spare, and rounded.
    assert 10 * 0.92 < step < 14.4 * math.log(2.2) * 1.15
    (form,) = attack.summary["found"]["why"]["forms"]
    assert form["source"] == "concepts/starvation.md, Eq. 3"
    assert form["expected"] == pytest.approx(form["found"], rel=0.08)


def test_lines_that_say_nothing_go_and_the_rest_stays():
    written = {**LINK, "background": [], "seeds": 1, "warmup": "0 s"}
    written["link"] = [{**LINK["link"][0], "buffer": "1000 packets", "loss": "1 %"}]

    def resolved(tried):
        try:
            return _engine.Scenario.from_json(json.dumps(tried), "test", Path()).to_json()
        except ValueError:
            return None

    found = fewer_lines(written, resolved, lambda tried: True, 1)
    # The buffer is the default. The loss is not, though the question does not need it.
    assert "buffer" not in found["link"][0]
    assert found["link"][0]["loss"] == "1 %"
    assert len(found["flow"]) == 1
    assert ("link", 0) in list(entries(found))
    assert ("link", 0, "loss") in list(keys(found))
    assert resolved(without(found, ("link", 0, "rate"))) is None


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("link.nowhere.delay=pattern +0..40 ms", "there is no link `nowhere`; links: air"),
        ("link.air.delay=pattern +0..40 Mbit/s", "the range is not one of `delay`; write it as in +0..40 ms"),
        ("link.air.delay=pattern", "a pattern needs a range"),
        ("link.air.delay=pattern +0..40 ms every 1 s", "then its options after commas"),
        ("link.air.up=pattern 5..1 ms", "the range falls"),
        ("link.air.delay=pattern 20 ms", "a pattern needs a range"),
        ("link.air.queue=pattern 0..1 ms", "a pattern is one of a link's delay, rate"),
        ("link.air.loss=pattern 0..200 %", "allows nothing that the link can have"),
        ("link.air.delay=pattern +0..40 ms, bucket 3", "is no option of such a pattern"),
        ("link.air.rate=pattern 1..10 Mbit/s, factor 0.5", "is no option of such a pattern"),
        ("traffic.a->nowhere=pattern 1..10 Mbit/s", "as in 'traffic.a->b=…'; nodes: a, "),
        ("traffic.a->b=pattern 1..10 ms", "traffic has a rate"),
        ("traffic.a->b=pattern 1..10 Mbit/s, bucket 1 ms", "is no option of such a pattern: every TIME, load RATE"),
    ],
)
def test_patterns_that_cannot_be_are_refused(bound: str, said: str):
    with pytest.raises(ValueError, match=re.escape(said)):
        patterns(bound)


def test_the_command_takes_a_kind_of_network(cli: Cli, tmp_path: Path):
    (tmp_path / "s.json").write_text(json.dumps(LINK), encoding="utf-8")
    done = cli("attack", "s.json", "--until", "slows:1%", "--like", "wifi", "--trials", "4", "--seeds", "1")
    assert done.returncode == 3, done.stderr
    assert "like wifi" in done.stdout
    refused = cli("attack", "s.json", "--like", "fog")
    assert refused.returncode == 2
    assert "unknown kind of network; kinds: wifi, cellular, leo, wired" in refused.stderr
    refused = cli("attack", "s.json", "--until", "stalls", "--quiet-end", "25 s", "--like", "wifi")
    assert refused.returncode == 2
    assert "leave no time for an attack" in refused.stderr


@pytest.mark.parametrize(
    ("text", "figure", "limit"),
    [
        ("unfair:0.7", "fairness", 0.7),
        ("bloats:4x", "wait-p95", 4.0),
        ("stalls:6s", "gap", 6.0),
        ("stalls:20%", "rest", 0.2),
        ("differs:cubic:2", "gain", 2.0),
        ("slows", "goodput", 0.5),
    ],
)
def test_questions_have_other_forms(text: str, figure: str, limit: float):
    until = read_question(text)
    assert (until.kind.figure, until.limit) == (figure, limit)
