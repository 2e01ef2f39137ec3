"""Fair shares, the bounds of an attack where none are given, and finds with as few flows as they need."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import _engine
from windward._search.confirm import has_random_loss
from windward._search.fair import Fair, fair
from windward._search.generators import read_generators
from windward._search.presets import default_bounds
from windward._search.shrink import fewer_members, with_members

#: Four CUBIC flows over 20 Mbit/s and 40 ms, each from a node of its own.
SMALL = """\
name = "small"
duration = "20 s"
warmup = "5 s"
node = [{ name = "s", count = 4 }, { name = "m" }, { name = "z" }]
link = [
  { from = "s", to = "m", rate = "1 Gbit/s", delay = "1 ms" },
  { name = "core", from = "m", to = "z", rate = "20 Mbit/s", delay = "19 ms", buffer = "67 packets" },
]
flow = [{ name = "f", from = "s", to = "z", law = "cubic", start_spread = "1 s" }]
"""


def two_flows(**core: Any) -> _engine.Scenario:
    """Two flows that share 10 Mbit/s for 10 s."""
    about = {
        "name": "pair",
        "duration": "10 s",
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"name": "core", "from": "a", "to": "b", "rate": "10 Mbit/s", "delay": "10 ms"}],
        "flow": [{"name": name, "from": "a", "to": "b", "law": "reno"} for name in ("A", "B")],
        **core,
    }
    return _engine.Scenario.from_json(json.dumps(about), "pair", Path())


def test_shortfall_is_the_fair_share_over_the_goodput():
    own = Fair(shares={"A": 5.0, "B": 5.0}, whole=10.0, best={})
    assert own.shortfalls({"A": 2.0, "B": 8.0}) == {"A": 2.5, "B": 0.625}
    assert own.shortfall({"A": 2.0, "B": 8.0}) == 2.5
    # Half as much is delivered: a fair share is half as large.
    assert own.shortfall({"A": 1.0, "B": 4.0}) == 2.5
    assert own.shortfall({"A": 2.5, "B": 2.5}) == 1.0
    # Nothing counts as a millionth of all.
    assert own.shortfall({"A": 0.0, "B": 10.0}) == pytest.approx(5e5)


def test_a_fair_share_is_no_more_than_the_optimum_and_no_more_than_without_an_attack():
    # The optimum gives both the same: half of the 9 that are delivered.
    own = fair(two_flows(), [{"A": 8.0, "B": 1.0}, {"A": 7.0, "B": 2.0}])
    assert own.whole == 9.0
    assert own.shares == pytest.approx({"A": 4.5, "B": 1.5})
    # What the law does to B without an attack is not held against it.
    assert own.shortfall({"A": 7.5, "B": 1.5}) == 1.0


@pytest.mark.parametrize("change", [{"rate": "5 Mbit/s"}, {"up": False}])
def test_capacity_that_an_attack_takes_is_no_unfairness(change):
    own = fair(two_flows(), [{"A": 5.0, "B": 5.0}])
    # From the middle on, half of the rate or nothing of it: three quarters or a half of the capacity are left.
    left = own.under(two_flows(change=[{"link": "core", "at": "5 s", **change}]))
    share = 3.75 if "rate" in change else 2.5
    assert left.shares == pytest.approx({"A": share, "B": share})
    assert left.shortfall({"A": share, "B": share}) == pytest.approx(1.0)
    assert left.shortfall({"A": share / 2, "B": 1.5 * share}) == pytest.approx(2.0)


def test_a_network_that_is_unfair_by_itself_may_be_asked(cli: Cli, tmp_path: Path):
    far = 'name = "far", from = "n", to = "m", rate = "1 Gbit/s", delay = "150 ms"'
    text = SMALL.replace("count = 4 }", 'count = 2 }, { name = "n" }').replace("link = [", f"link = [\n  {{ {far} }},")
    text = text.replace("flow = [", 'flow = [\n  { name = "far", from = "n", to = "z", law = "reno" },')
    text = text.replace('"20 s"', '"60 s"').replace('"cubic"', '"reno"')
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    refused = cli("attack", "s.toml", "--until", "starves:3", "--within", "link.core.loss=0..0.01 %", "--trials", "2")
    assert "it holds already without an attack" in refused.stderr
    done = cli(
        "attack", "s.toml", "--until", "unfair:3", "--within", "link.core.loss=0..0.01 %", "--trials", "2", "--json"
    )
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["clean"]["shortfall"] < 1.6


def test_bounds_by_default_are_those_of_the_slowest_link_and_of_one_flows_own():
    plain = json.loads(ww.load(REPOSITORY / "scenarios" / "dumbbell.toml")._compile().engine.to_json())
    kind, found = default_bounds(plain, is_of_flows=True)
    assert kind == "wired"
    assert found == [
        "link.bottleneck.delay=pattern +0..20 ms, every 10 s",
        "link.bottleneck.loss=pattern 0..0.1 %",
        "traffic.left->right=pattern 10..100 Mbit/s, every 100 ms, load 10 Mbit/s",
        "link.sender-1->left.delay=pattern +0..20 ms, every 10 s",
        "link.sender-1->left.loss=pattern 0..0.1 %",
    ]
    assert default_bounds(plain, is_of_flows=False) == (kind, found[:3])
    for text in found:
        assert len(read_generators(plain, text)) == 1
    with pytest.raises(ValueError, match="there is no link `sender-17->left`; links: sender->left, bottleneck"):
        read_generators(plain, "link.sender-17->left.delay=pattern +0..20 ms")


def test_several_flows_begin_apart_by_default():
    plain = json.loads(
        ww.load(REPOSITORY / "evidence" / "benches" / "attacks" / "starts.toml")._compile().engine.to_json()
    )
    _, found = default_bounds(plain, is_of_flows=True)
    # A begins at once, B later.
    assert [own for own in found if own.startswith("flow.")] == ["flow.A.start=0..1 s"]


@pytest.mark.long
def test_without_bounds_a_lossy_path_of_one_cubic_is_found(tmp_path: Path):
    # By RFC 9438 §5, 0.1 % of loss leaves 280 packets/s of 833 on 200 ms: 1.054·(0.2/0.001)^¾ = 56 packets.
    text = SMALL.replace("20 Mbit/s", "40 Mbit/s").replace("19 ms", "99 ms").replace("67 packets", "667 packets")
    # For 30 s only, half of the seeds are as unfair without an attack: the four still converge.
    text = text.replace('"20 s"', '"60 s"').replace('"5 s"', '"30 s"')
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    attack = ww.load(tmp_path / "s.toml").attack("unfair:2", trials=48, seeds=2, fresh=10, output=tmp_path / "t")
    assert attack.is_found
    found = attack.summary["found"]
    assert attack.summary["default"] == "wired"
    assert attack.summary["reference"] is None
    assert all(value >= 2 for value in found["values"])
    assert found["clean"]["shortfall"] < found["value"]
    assert len(found["fresh"]) == found["share"]["of"] == 10
    # Of two flows, not of the four that the scenario's title might tell.
    assert tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["title"].startswith("The fair share of a ")
    worst = found["worst"]
    # Over the seeds, of what is delivered.
    assert worst["fair"] / worst["goodput"] == pytest.approx(found["value"], rel=0.25)
    # Two flows suffice.
    assert attack.scenario_file.read_text(encoding="utf-8").count("count = 2") == 1


def test_groups_have_as_few_members_as_the_question_needs():
    written = {"node": [{"name": "a", "count": 16}, {"name": "b"}, {"name": "c", "count": 16}]}
    assert fewer_members(written, lambda sizes: sizes[16] >= 4) == {16: 4}
    assert fewer_members(written, lambda sizes: sizes[16] >= 2) == {16: 2}
    assert fewer_members(written, lambda sizes: False) == {}
    found = with_members(written, {16: 4})
    assert [node.get("count") for node in found["node"]] == [4, None, 4]


@pytest.mark.parametrize(
    ("written", "is_so"),
    [
        ({"link": [{"loss": 0}, {"loss": "0 %"}, {}]}, False),
        ({"link": [{"loss": "1 %"}]}, True),
        ({"change": [{"link": "a", "at": "1 s", "loss": "0.1 %"}]}, True),
        ({"change": [{"link": "a", "steps": [{"at": "1 s", "loss": 0.5}, {"at": "2 s", "loss": 0}]}]}, True),
        ({"change": [{"link": "a", "steps": "file.csv"}]}, False),
    ],
)
def test_random_loss_is_seen_wherever_it_is_written(written, is_so):
    assert has_random_loss(written) is is_so
