"""Receivers that cheat as an attack: who gains from ACK division and optimistic ACKs, and who does not."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward import _engine
from windward._format.vary import read_values
from windward._search import space
from windward._search.generators import read_generators
from windward._search.patterns import Event, Patterns

#: Two flows over 10 Mbit/s and 40 ms, of the RFCs' stack: whom Savage's formulas are about.
PAIR = """\
name = "pair"
stack = "rfc"
duration = "30 s"
warmup = "10 s"
node = [{ name = "a" }, { name = "b" }, { name = "m" }, { name = "z" }]
link = [
  { from = "a", to = "m", rate = "1 Gbit/s", delay = "1 ms" },
  { from = "b", to = "m", rate = "1 Gbit/s", delay = "1 ms" },
  { name = "core", from = "m", to = "z", rate = "10 Mbit/s", delay = "19 ms", buffer = "33 packets" },
]
flow = [
  { name = "A", from = "a", to = "z", law = { name = "reno", byte_counting = false } },
  { name = "B", from = "b", to = "z", law = { name = "reno", byte_counting = false } },
]
"""

#: The same for 12 s: optimistic ACKs let a sender flood the link, which takes the simulator's time.
SHORT = PAIR.replace('"30 s"', '"12 s"').replace('"10 s"', '"4 s"')


def attacked(tmp_path: Path, text: str, until: str, bound: str, **more: object) -> ww.Attack:
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    return ww.load(tmp_path / "pair.toml").attack(
        until, within=[bound], seeds=2, trials=16, output=tmp_path / "t", **more
    )


@pytest.mark.long
def test_a_divided_ack_takes_from_a_law_that_counts_acks(tmp_path: Path):
    attack = attacked(tmp_path, PAIR, "starves:2", "flow.A.ack_division=1..20")
    assert attack.is_found
    flow = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["flow"][0]
    assert flow["ack_division"] == int(flow["ack_division"]) > 2
    found = attack.summary["found"]
    # CUBIC counts packets: nothing is left of it.
    assert found["reference"] < 1.5
    (change,) = attack.rows("changes")
    assert (change["field"], change["clean"]) == ("flow.A.ack_division", "1")
    assert change["without"] == found["clean"]["ratio"]


def test_byte_counting_is_no_find(tmp_path: Path):
    text = PAIR.replace(", byte_counting = false", "")
    attack = attacked(tmp_path, text, "starves:2", "flow.A.ack_division=1..20")
    assert not attack.is_found
    # No trial differs from the clean network.
    assert attack.summary["closest"] == pytest.approx(attack.summary["clean"]["ratio"], rel=0.2)


@pytest.mark.long
def test_optimistic_acks_take_from_every_law(tmp_path: Path):
    # The receive window bounds what the sender throws at the link.
    text = SHORT.replace('{ name = "reno", byte_counting = false }', '"cubic", receive_window = "200 packets"')
    text = text.replace("1 Gbit/s", "100 Mbit/s")
    attack = attacked(tmp_path, text, "unfair:4", "flow.A.optimistic_acks=0..30 ms", confirm=1)
    assert attack.trials.runs["flow.A.optimistic_acks"].isna().any()
    assert attack.is_found
    flow = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["flow"][0]
    assert "optimistic_acks" in flow
    (change,) = attack.rows("changes")
    assert change["clean"] == "–"
    assert attack.summary["found"]["worst"]["flow"] == "B"
    assert attack.summary["found"]["kernels"] == {"runs": 0, "skipped": "Linux's receivers do not cheat"}


def test_a_field_without_a_value_at_rest_is_left_out_at_the_end_of_the_way():
    own = read_values("flow.A.optimistic_acks", "0..100 ms")
    assert [space.value(own, share) for share in (0.0, 0.45, 0.9, 0.95)] == ["0 ms", "50 ms", "100 ms", None]
    assert [space.share_of(own, value) for value in ("0 ms", "50 ms", None)] == [0.0, 0.45, 1.0]
    assert space.value(read_values("flow.A.ack_division", "1..20"), 0.51) == 11


def test_linux_says_that_its_receivers_do_not_cheat(cli: Cli, tmp_path: Path):
    (tmp_path / "pair.toml").write_text(PAIR.replace('"a", to = "z"', '"a", to = "z", ack_division = 4'))
    done = cli("check", "pair.toml")
    assert done.returncode == 0, done.stderr
    resolved = json.loads(ww.load(tmp_path / "pair.toml")._compile().engine.to_json())
    assert resolved["flow"][0]["ack_division"] == 4
    assert "ack_division" not in resolved["flow"][1]


def receivers(*bounds: str) -> Patterns:
    plain = json.loads(_engine.Scenario.from_json(json.dumps(tomllib.loads(PAIR)), "test", Path()).to_json())
    generators = tuple(own for bound in bounds for own in read_generators(plain, bound))
    return Patterns(generators=generators, end_ms=30_000.0, is_quiet=False)


def test_receivers_are_genes_beside_events():
    own = receivers("receiver.*=cheats", "link.core.delay=pattern +0..40 ms")
    kinds = [(each.flow, each.key) for each in own.generators]
    assert kinds[:4] == [(flow, key) for flow in "AB" for key in ("ack_division", "optimistic_acks")]
    templates = own.templates()
    # Each begins as strongly as it may: 20 ACKs in the place of one, or an ACK at the departure.
    assert [event.value for (event,) in templates[:4]] == [20, 0, 20, 0]
    for template in templates:
        again = own.events(own.genes(template))
        assert [(event.of, event.value) for event in again] == [(event.of, event.value) for event in template]
    halves = own.genes(templates[0]).reshape(-1, 6)
    halves[0, 5] = 0.47
    assert [event.value for event in own.events(halves.ravel())] == [round(2 + 0.47 * 18)]


def test_a_receiver_cheats_in_one_way_and_honestly_at_rest():
    own = receivers("receiver.B=ack_division 2..8, optimistic_acks 10..50 ms")
    events = [Event(of=at, at_ms=0, on_ms=0, off_ms=0, value=value) for at, value in ((0, 5.0), (1, 0.02))]
    plain = tomllib.loads(PAIR)
    found = own.applied(plain, events)
    assert "ack_division" not in found["flow"][0]
    # Of both ways the last one counts.
    assert (found["flow"][1].get("ack_division"), found["flow"][1]["optimistic_acks"]) == (None, "20 ms")
    assert own.applied(plain, events[:1])["flow"][1]["ack_division"] == 5
    assert own.applied(plain, []) == plain
    assert own.neutral(events) == {"flow.B.ack_division": 1, "flow.B.optimistic_acks": None}
    assert own.cell(events) == "B ack_division 5; B optimistic_acks 20 ms"


@pytest.mark.long
def test_a_search_finds_who_cheats_and_shrinks_it_to_a_key(tmp_path: Path):
    attack = attacked(tmp_path, SHORT, "starves:2", "receiver.*=cheats")
    assert attack.is_found
    (change,) = attack.rows("changes")
    assert re.fullmatch(r"flow\.[AB]\.ack_division", change["field"])
    assert change["clean"] == "1"
    assert change["without"] == attack.summary["found"]["clean"]["ratio"]
    written = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))
    cheats = [flow["ack_division"] for flow in written["flow"] if "ack_division" in flow]
    assert len(cheats) == 1
    # The find differs from the scenario by this key alone.
    honest = [{key: value for key, value in flow.items() if key != "ack_division"} for flow in written["flow"]]
    assert honest == tomllib.loads(SHORT)["flow"]
    assert "change" not in written
    # Reno that counts ACKs grows by as many packets: √M to M times the other's window.
    (form,) = [own for own in attack.summary["found"]["why"]["forms"] if own["source"].startswith("Savage")]
    assert f"sends {cheats[0]} ACKs in the place of one" in form["text"]
    assert cheats[0] ** 0.5 < attack.summary["found"]["value"] < cheats[0]
    (line,) = [row for row in attack.rows("lines") if row["line"].endswith(".ack_division")]
    assert not line["holds"]


@pytest.mark.long
def test_a_find_over_receivers_is_the_same_on_any_number_of_threads(tmp_path: Path):
    finds = []
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        bound = "receiver.*=ack_division 2..8"
        finds.append(attacked(tmp_path / str(threads), PAIR, "starves:2", bound, threads=threads))
    assert finds[0].is_found
    assert finds[0].summary == finds[1].summary
    assert finds[0].scenario_file.read_bytes() == finds[1].scenario_file.read_bytes()


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("receiver.C=cheats", "a receiver is one of a flow, as in receiver.A; flows: A, B"),
        ("receiver=cheats", "a receiver is one of a flow"),
        ("receiver.A=lies", "a receiver `cheats`, or by ways with their ranges: ack_division 2..20, optimistic_acks"),
        ("receiver.A=ack_division", "a receiver `cheats`, or by ways with their ranges"),
        ("receiver.A=ack_division 2..8, ack_division 2..3", "`ack_division` is given twice"),
        ("receiver.A=ack_division 5", "`ack_division` needs a range"),
        ("receiver.A=ack_division 0..20", "whole numbers from 1, and rises"),
        ("receiver.A=ack_division 2..2.5", "whole numbers from 1, and rises"),
        ("receiver.A=ack_division 2..20 ms", "whole numbers from 1, and rises"),
        ("receiver.A=ack_division 2..2000", "`ack_division` is 2000; allowed: 1 to 1448"),
        ("receiver.A=optimistic_acks 0..50", "times from 0, and rises"),
        ("receiver.A=optimistic_acks 50..0 ms", "the range falls\nhint: a range rises, as in 0..50 ms"),
        ("receiver.A=optimistic_acks 0..50 s", "`optimistic_acks` is 50 s; the limit is 10 s"),
        # Other bounds whose ends no scenario can have, which no trial could run.
        ("flow.A.ack_division=0..20", "0: flow[0].ack_division: `ack_division` is 0; allowed: 1 to 1448"),
        ("flow.A.ack_division=1..20 ms", "flow[0].ack_division"),
        ("flow.A.optimistic_acks=0..50", "`0` has no unit"),
        ("link.core.loss=0..200 %", "`200 %` is not a probability"),
        ("link.core.delay=-10..20 ms", "`-10 ms` is negative"),
    ],
)
def test_bounds_that_make_no_sense_are_refused_with_their_place(tmp_path: Path, bound: str, said: str):
    (tmp_path / "pair.toml").write_text(PAIR, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(bound) + "(.|\n)*" + re.escape(said)):
        ww.load(tmp_path / "pair.toml").attack("starves:2", within=[bound], output=tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_a_receiver_that_cheats_has_no_quiet_end_and_no_honest_range(tmp_path: Path):
    with pytest.raises(ValueError, match="a receiver cheats until the end"):
        attacked(tmp_path, PAIR, "stalls", "receiver.A=cheats")
    cheating = PAIR.replace('"b", to = "z"', '"b", to = "z", ack_division = 4')
    with pytest.raises(ValueError, match="the receiver of flow `B` cheats already"):
        attacked(tmp_path, cheating, "starves:2", "receiver.*=cheats")
    coded = PAIR.replace('"b", to = "z"', '"b", to = "z", connections = "emultcp"')
    with pytest.raises(ValueError, match="connections"):
        attacked(tmp_path, coded, "starves:2", "receiver.B=cheats")


@pytest.mark.long
def test_flows_without_a_name_have_that_of_their_ends(tmp_path: Path):
    text = SHORT.replace('name = "A", ', "").replace('name = "B", ', "")
    attack = attacked(tmp_path, text, "starves:2", "receiver.a->z=cheats")
    assert attack.is_found
    (change,) = attack.rows("changes")
    assert change["field"] == "flow.a->z.ack_division"
    flow = tomllib.loads(attack.scenario_file.read_text(encoding="utf-8"))["flow"][0]
    assert "name" not in flow
    assert flow["ack_division"] > 2
    # A question about the law's own fields, and bounds of the scenario's kind, take them too.
    (tmp_path / "own").mkdir()
    own = attacked(tmp_path / "own", text, "loses:60%", "flow.a->z.start=0..1 s")
    assert not own.is_found
    with pytest.raises(ValueError, match=r'a receiver is one of a flow, as in receiver\."A\.x"'):
        attacked(tmp_path, PAIR.replace('"A"', '"A.x"'), "starves:2", "receiver.A.x=cheats")
