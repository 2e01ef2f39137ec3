"""`discover`: its families, races, resumption, and problems with known answers."""

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import _engine
from windward._bench import networks as sets
from windward._discover import entry, search as searching
from windward._discover.contract import Contract, law
from windward._discover.field import Field, Journal, Verdict
from windward._discover.limits import limits
from windward._discover.search import DiscoverRequest, difference
from windward._discover.trees import MOST_NODES, STARTS, Node, Trees, operation, packets, quantity

sys.path.insert(0, str(REPOSITORY / "evidence" / "benches" / "discover"))

import known_answers


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of seconds: two networks of each set, three limits, small generations."""
    few = {
        name: [own for own in sets.networks(name) if own.family in ("lossy", "beside")][:2] for name in sets.SETS[:2]
    }
    few["held-out"] = few["validation"]
    monkeypatch.setattr(sets, "networks", lambda name, _seed=None: few[name])
    known = [own for own in limits() if own.name in ("cubic-1", "fair", "loss")]
    monkeypatch.setattr("windward._discover.field.limits", lambda: known)
    monkeypatch.setattr(entry, "limits", lambda: known)
    monkeypatch.setattr(searching, "REFERENCES", {"cubic": "cubic", "reno": "reno"})
    monkeypatch.setattr(entry, "REFERENCES", {"cubic": "cubic", "reno": "reno"})
    monkeypatch.setattr(searching, "FAMILIES", {"tree": lambda seed: Trees(seed, STARTS[:3], size=4)})


def is_law(own: dict) -> bool:
    """True if the engine takes it."""
    plain = {
        "name": "law",
        "duration": "1 s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms"}],
        "flow": [{"from": "a", "to": "b", "law": own}],
    }
    _engine.Scenario.from_json(json.dumps(plain), "law", Path())
    return True


def test_trees_are_formulas_of_packets_within_their_size() -> None:
    family = Trees(3)
    chance = random.Random(1)
    for _ in range(4):
        assert all(is_law(own) for own in family.ask())
        assert all(own.tree.kind == "packets" and own.tree.size <= MOST_NODES for own in family.plants[5:])
        family.tell([chance.random() for _ in family.plants], [0.0 for _ in family.plants])
    assert all(is_law(own) for own in Contract(1).ask())


def test_the_text_of_a_tree_means_the_tree() -> None:
    # (w - w·share) / (2 - base/least) at w = 10, share = 0.5, base = least: 5.
    part = operation("-", quantity("w"), quantity("w * share"))
    tree = operation("/", part, operation("-", Node("ratio", "", 2.0), quantity("base / least")))
    assert str(tree) == "(w - (w * share)) / (2 - (base / least))"
    assert str(operation("exp2", quantity("share"))) == "2 ^ (share)"
    assert str(operation("log2", operation("/", packets(2), quantity("rate * base")))) == "log2(2 / (rate * base))"


def test_generations_follow_from_the_seed_and_the_ranks() -> None:
    def told(seed: int) -> list[str]:
        family, chance, texts = Trees(seed), random.Random(5), []
        for _ in range(3):
            texts += [json.dumps(own) for own in family.ask()]
            family.tell([chance.random() for _ in family.plants], [0.0 for _ in family.plants])
        return texts

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_a_law_within_the_limits_is_before_one_that_breaks_them() -> None:
    breaks = Verdict(score=0.5, violation=0.1, rounds=3)
    keeps = Verdict(score=-0.5, violation=0.0, rounds=1)
    further = replace(keeps, rounds=2, score=-0.7)
    assert sorted([breaks, keeps, further], key=lambda own: own.key) == [further, keeps, breaks]


def test_limits_find_what_they_are_for() -> None:
    # A law that never yields takes CUBIC's share and loses much; Reno does neither.
    known = [own for own in limits() if own.name in ("cubic-1", "loss", "outage")]
    field = Field(networks=(), limits=known, journal=Journal(Path("/nowhere/journal")), threads=2)
    field.journal.put = lambda answers: field.journal._known.update(answers)
    deaf = {"name": "formula", "step": "acked", "loss": "0.99 * flight"}
    broken = {own.name for own in known if own.missing(field.figures_of_limits(deaf, 1)[own.name])}
    assert broken == {"cubic-1", "loss"}
    assert not [own.name for own in known if own.missing(field.figures_of_limits("reno", 1)[own.name])]


def test_an_interrupted_search_goes_on(small: None, tmp_path: Path) -> None:
    whole = ww.discover(output=tmp_path / "whole", family="tree", trials=16, threads=2, held_out=3)
    assert whole["runs"] > 50
    assert whole["held_out"]["seed"] == 3
    assert {own.name for own in (tmp_path / "whole").iterdir()} == {
        *("discovery.json", "candidates.csv", "progress.svg", "law.toml", "journal.jsonl")
    }
    # The journal of a search that was killed: a part of a line at its end.
    lines = (tmp_path / "whole" / "journal.jsonl").read_text().splitlines()
    part = tmp_path / "part"
    part.mkdir()
    head = json.loads((tmp_path / "whole" / "discovery.json").read_text())
    asked = DiscoverRequest(family="tree", count=16, seed=1)
    (part / "discovery.json").write_text(json.dumps({key: head[key] for key in entry._head(asked)}))
    (part / "journal.jsonl").write_text("\n".join(lines[:40]) + "\n" + lines[40][:30])
    again = ww.discover(output=part, family="tree", trials=16, threads=1, held_out=3)
    assert again["runs"] == whole["runs"] - 40
    assert {**again, "runs": 0, "folder": ""} == {**whole, "runs": 0, "folder": ""}
    assert (part / "candidates.csv").read_text() == (tmp_path / "whole" / "candidates.csv").read_text()
    with pytest.raises(ww.ResultError, match="has opened the held-out set of seed 3"):
        ww.discover(output=part, family="tree", trials=16, held_out=4)
    with pytest.raises(ww.ResultError, match="holds a search with another seed"):
        ww.discover(output=part, family="tree", trials=16, seed=2)
    # The scenario is one.
    run = ww.load(part / "law.toml").simulate(seeds=1)
    assert set(run.flows["flow"]) == {"own", "cubic"}


def test_ctrl_c_keeps_what_has_run(small: None, tmp_path: Path) -> None:
    def stop(_: ww.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted, match=r"interrupted: 0 of 8 candidates judged"):
        ww.discover(output=tmp_path, family="tree", trials=8, progress=stop)
    assert (tmp_path / "discovery.json").exists()


def test_what_cannot_be_is_refused(cli: Cli, tmp_path: Path) -> None:
    done = cli("discover", "--family", "forest", "-o", str(tmp_path / "d"))
    assert done.returncode == 2
    assert "--family forest: unknown family; families: contract, tree" in done.stderr
    (tmp_path / "own.txt").write_text("mine")
    done = cli("discover", "--family", "tree", "-o", str(tmp_path))
    assert done.returncode == 2
    assert "is no search; it is not overwritten" in done.stderr


def test_the_interval_of_a_difference_is_of_pairs() -> None:
    family = {f"n{at}": "a" for at in range(40)}
    one = {name: random.Random(name).random() for name in family}
    low, high = difference({name: value + 0.3 for name, value in one.items()}, one, family)
    # The mean and that of the worst tenth are 0.3 better each, whichever networks are drawn.
    assert low == pytest.approx(0.6)
    assert high == pytest.approx(0.6)


def test_the_rest_of_quic_tcp_is_rediscovered() -> None:
    found = known_answers.rediscover(20.0, seed=1, trials=250)
    known = known_answers.of_contract({"theta": 0.0, "p": 20.0, "q": 0.0})
    assert known_answers.apart(known_answers.of_contract(found), known, 1) < 0.02
    # In the engine: at 40 ms of which 20 ms are queue the window rests where QUIC-TCP's does.
    values = {"kappa": 0.5, "full": 0.05, "m": 0.0, "b": 0.5, "v": 0.0, "exit": 300.0, "average": 8.0} | found
    own = {key: value for key, value in law(values).items() if key != "name"}
    rests = []
    for each in (ww.Formula(**own), ww.QuicTcp(backlog=20)):
        window = ww.laws.Window(each, initial=60)
        window.on_ack(0.0, rtt_s=0.02)
        window.on_loss(0.001)
        for at in range(20_000):
            window.on_ack(0.01 + at * 0.001, rtt_s=0.04)
        rests.append(window.cwnd)
    assert rests[0] == pytest.approx(rests[1], rel=0.02)
    assert rests[1] == pytest.approx(40, rel=0.01)


@pytest.mark.long
def test_a_planted_tree_is_found() -> None:
    # All ten seeds: make validate WHAT=discover.
    cost, plant = known_answers.breed(
        known_answers.problem(known_answers.damped(20.0), 1), 3, enough=known_answers.ENOUGH
    )
    assert cost <= known_answers.ENOUGH
    assert (
        known_answers.apart(known_answers.of_tree(plant.tree), known_answers.of_tree(known_answers.PLANTED), 1) < 0.02
    )
