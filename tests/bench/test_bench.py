"""Sets of networks, and scores of laws on them."""

import json
import math
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward import _engine
from windward._bench import networks, run
from windward._bench.networks import FAMILIES, SETS, digest, timed
from windward._bench.score import MOST, Figures, Scored, combined, interval, regret
from windward._evaluate.networks import with_law
from windward.errors import OptionError

#: Digests of the fixed sets: a change of any network changes its set's version, too.
DIGESTS = {"train": "d356c66349623fd9", "validation": "839499ff0992b87b"}


def test_the_fixed_sets_are_fixed() -> None:
    assert networks.VERSION == 1
    assert {name: digest(name) for name in DIGESTS} == DIGESTS


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_eight_networks_of_each_family(name: str) -> None:
    found = networks.networks(name, 7 if name == "held-out" else None)
    assert len(found) == 64
    assert [own.family for own in found[:8]] == list(FAMILIES)
    assert len({own.name for own in found}) == 64
    for own in found:
        plain = with_law(timed(own, 12.0, 4.0), "cubic")
        assert _engine.Scenario.from_json(json.dumps(plain), own.name, Path()).duration_s == 12.0
        assert all(flow["name"].startswith(("own", "other", "across")) for flow in plain["flow"])
        starts = [float(flow.get("start", "0 s").split()[0]) for flow in plain["flow"]]
        assert max(starts) < run.STAGES[1].warmup_s, "all flows run when counting begins"


def test_sets_differ_and_a_seed_draws_the_held_out_one() -> None:
    assert len({digest("train"), digest("validation"), digest("held-out", 1), digest("held-out", 2)}) == 4
    assert digest("held-out", 1) == digest("held-out", 1)
    with pytest.raises(OptionError, match="which a release names"):
        networks.networks("held-out")
    with pytest.raises(OptionError, match="the set train is fixed"):
        networks.networks("train", 3)
    with pytest.raises(OptionError, match="sets: train, validation, held-out"):
        networks.networks("test")


def scored(value: float, family: str = "wired") -> Scored:
    return Scored(name="", family=family, about="", goodput=value, rtt=0.0, loss=0.0)


def test_no_network_dominates() -> None:
    assert scored(50.0).score == MOST
    assert scored(-50.0).score == -MOST
    # 63 networks at 0.1 and one lost: the mean falls by 2.1/64, the worst tenth of seven by 2.1/7.
    most = [0.1] * 63
    assert combined([*most, 0.1]) == pytest.approx(0.2)
    assert combined([*most, -MOST]) == pytest.approx(0.2 - 2.1 / 64 - 2.1 / 7)


def test_the_interval_has_the_score_within() -> None:
    found = [scored(0.3 * math.sin(at), f"family-{at % 8}") for at in range(64)]
    low, high = interval(found)
    # The worst tenth of resampled networks is worse than that of the networks, so that the interval is lower.
    assert low < combined([own.score for own in found]) < high + 0.05
    assert 0.05 < high - low < 0.5
    assert interval([scored(0.0) for _ in range(8)]) == (0.0, 0.0)


def test_a_failed_network_has_the_least_score() -> None:
    failed = Scored(name="", family="wired", about="", goodput=0.0, rtt=0.0, loss=0.0, failure="it failed")
    assert failed.score == -MOST


def test_regret_is_the_mean_log_of_what_is_missing() -> None:
    found = Figures(goodputs={"own-0": 1e6, "own-1": 4e6}, rtts={}, loss=0.0)
    assert regret(found, {"own-0": 2e6, "own-1": 2e6}) == pytest.approx(0.0)
    assert regret(found, {"own-0": 2e6, "own-1": 4e6}) == pytest.approx(0.5 * math.log(2))
    assert math.isnan(regret(found, {}))


class Still:
    """Two packets, for ever."""

    cwnd = 2.0

    def __init__(self, cwnd: float) -> None: ...

    def on_ack(self, ack: ww.Ack) -> None: ...

    def on_congestion(self, event: ww.Congestion) -> None: ...


def test_cubic_has_no_score_and_a_starved_flow_a_low_one() -> None:
    found = ww.bench("cubic", stage=1)
    assert found["combined_score"] == 0.0
    assert found["stage"] == 1
    assert len(found["artifacts"]["networks"]) == 8
    still = ww.bench(Still, stage=2)
    assert still["stage"] == 1, "hopeless: it does not reach the second stage"
    assert still["combined_score"] < run.HOPELESS
    assert still["metrics"]["goodput_ratio"] < 0.5


def test_no_law_beats_the_certificate() -> None:
    """The regret is above zero but for packets that were queued when counting began, and chance on fading links."""
    for law in ("bbr", "copa", "quic-tcp,backlog=20"):
        for own in ww.bench(law, stage=1)["artifacts"]["networks"]:
            assert own["regret"] is None or own["regret"] > -0.1, (law, own)


def test_the_command_prints_and_writes_the_answer(cli: Cli, tmp_path: Path) -> None:
    done = cli("bench", "reno", "--stage", "1", "-o", str(tmp_path / "reno.json"))
    assert done.returncode == 0
    assert done.stdout.startswith(f"reno on 8 networks of train 1 (digest {DIGESTS['train']}), stage 1\n")
    assert "combined score" in done.stdout
    assert len(done.stdout.partition("worst networks\n")[2].splitlines()) >= 5
    kept = json.loads((tmp_path / "reno.json").read_text())
    assert {"metrics", "combined_score", "artifacts"} <= kept.keys()
    said = json.loads(cli("bench", "reno", "--stage", "1", "--json").stdout)
    assert said["combined_score"] == kept["combined_score"]


def test_what_cannot_be_is_refused(cli: Cli) -> None:
    for arguments, said in (
        (["reno,beta=2"], "unknown parameter `beta`"),
        (["reno", "--set", "held-out"], "which a release names"),
        (["reno", "--stage", "4"], "stages: 1, 2, 3"),
    ):
        done = cli("bench", *arguments)
        assert done.returncode == 2
        assert said in done.stderr
