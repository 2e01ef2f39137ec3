"""Receivers that cheat as an attack: who gains from ACK division and optimistic ACKs, and who does not."""

import json
import tomllib
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward._format.vary import read_values
from windward._search import space

#: Two flows over 10 Mbit/s and 40 ms.
PAIR = """\
name = "pair"
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


def attacked(tmp_path: Path, text: str, until: str, bound: str, **more: object) -> ww.Attack:
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    return ww.load(tmp_path / "pair.toml").attack(
        until, within=[bound], seeds=2, trials=16, output=tmp_path / "t", **more
    )


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


def test_optimistic_acks_take_from_every_law(tmp_path: Path):
    # The receive window bounds what the sender throws at the link.
    text = PAIR.replace('{ name = "reno", byte_counting = false }', '"cubic", receive_window = "200 packets"')
    text = text.replace("1 Gbit/s", "100 Mbit/s").replace('"30 s"', '"12 s"').replace('"10 s"', '"4 s"')
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
