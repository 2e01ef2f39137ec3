"""`evaluate`: verdicts on planted faults, chance over many measures, the answer's files, and what it refuses."""

import filecmp
import json
import math
import random
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww
from windward import _engine
from windward._evaluate import bbr_draft, kernels, networks, rmcat
from windward._evaluate.figures import breaker_share
from windward._evaluate.measure import Measure
from windward._evaluate.measures import measures
from windward._evaluate.networks import LAW
from windward._evaluate.request import read_law, read_only, read_thresholds
from windward._evaluate.run import shared_references
from windward._evaluate.sections import SECTIONS
from windward._evaluate.verdict import CANNOT_TELL, DOES_NOT, MEETS, adjusted, evaluated, needed, verdicts
from windward.errors import OptionError
from windward.results.stats import tail

FAULTS = REPOSITORY / "tests" / "evaluate" / "faults.py"


def plain(**more: object) -> Measure:
    """A measure of which less is better, at most what the reference has."""
    given = {"key": "k", "section": "5.1.3", "network": "n", "figure": "f", "unit": "", "template": {}}
    return Measure(**given | {"value": lambda rows: 0.0, "is_large": False, "margin": 1.0} | more)  # type: ignore[arg-type]


def test_tail_of_students_distribution_is_that_of_tables():
    # W. S. Gosset's table: t(0.95, 4) = 2.132, t(0.975, 9) = 2.262; M. Abramowitz, I. A. Stegun, 26.10.
    assert tail(2.13185, 4) == pytest.approx(0.05, abs=1e-6)
    assert tail(2.26216, 9) == pytest.approx(0.025, abs=1e-6)
    assert tail(-2.26216, 9) == pytest.approx(0.975, abs=1e-6)
    assert tail(0.0, 3) == pytest.approx(0.5)


def test_holm_multiplies_the_least_by_all_and_never_falls():
    # S. Holm, 1979: of four chances 0.01, 0.04, 0.03, 0.005 the steps are 4·0.005, 3·0.01, 2·0.03, and 0.04 no less.
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_verdicts_and_the_seeds_that_would_decide():
    reference = {"cubic": [10.0, 11.0, 9.0, 10.0, 10.0]}
    worse = evaluated(plain(), [20.0, 21.0, 19.0, 20.5, 19.5], reference)
    better = evaluated(plain(), [5.0, 5.5, 4.5, 5.0, 5.0], reference)
    near = evaluated(plain(), [10.4, 10.1, 9.8, 10.9, 9.9], reference)
    assert verdicts([worse, better, near]) == [DOES_NOT, MEETS, CANNOT_TELL]
    count = needed(near, 3)
    assert count is not None
    assert count > 5
    # More is better: the wrong side is the other one.
    assert verdicts([evaluated(plain(is_large=True), [5.0, 5.5, 4.5, 5.0, 5.0], reference)]) == [DOES_NOT]


def test_no_verdict_of_two_seeds():
    assert verdicts([evaluated(plain(), [20.0, 21.0], {"cubic": [1.0, 1.0]})]) == [CANNOT_TELL]
    assert verdicts([evaluated(plain(), [math.nan] * 5, {"cubic": [1.0] * 5})]) == [CANNOT_TELL]


def test_figures_that_happen_to_agree_are_not_certain():
    # Half a per cent above the threshold on every seed: within the deviation that is believed at least.
    own = evaluated(plain(), [1.005] * 5, {"cubic": [1.0] * 5})
    assert verdicts([own]) == [CANNOT_TELL]


def test_the_worse_reference_sets_the_threshold():
    own = evaluated(plain(), [1.0] * 3, {"cubic": [2.0] * 3, "reno": [3.0] * 3})
    assert (own.reference, own.allowed) == ("reno", 3.0)
    more = evaluated(plain(is_large=True), [1.0] * 3, {"cubic": [2.0] * 3, "reno": [3.0] * 3})
    assert (more.reference, more.allowed) == ("cubic", 2.0)
    absolute = evaluated(plain(absolute=5.0), [1.0] * 3, {})
    assert (absolute.reference, absolute.allowed) == ("", 5.0)


@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_at_most_one_in_twenty_null_evaluations_has_a_false_does_not(shape: str):
    # The law is its own reference, at a margin of 1: the threshold is met exactly. 200 evaluations of 57 measures: at
    # 5 % up to 15 have one with a chance of 96 % (binomial).
    drawn = random.Random(7)

    def figure() -> float:
        return drawn.gauss(100.0, 10.0) if shape == "normal" else 100.0 * math.exp(drawn.gauss(0.0, 0.3))

    false = 0
    for _ in range(200):
        tested = [
            evaluated(plain(), [figure() for _ in range(10)], {"cubic": [figure() for _ in range(10)]})
            for _ in range(57)
        ]
        false += DOES_NOT in verdicts(tested)
    assert false <= 15


def test_every_section_has_measures_or_a_reason():
    quick, full = (measures(["cubic", "reno"], is_full=is_full) for is_full in (False, True))
    for section in SECTIONS:
        inside = [own for own in quick if own.section == section.key]
        assert bool(inside) != bool(section.not_modelled), section.key
    assert len({own.name for own in full}) == len(full) > len(quick) == len({own.name for own in quick})
    for own in full:
        # Equal packets lock in phase without it.
        assert all("host_jitter" in flow for flow in own.template["flow"]), own.name
        assert LAW in json.dumps(own.template), own.name


def test_host_jitter_is_at_most_a_packets_time_at_the_bottleneck():
    # More of it delays what a paced sender releases: BBR had 34 of 57 kbit/s where packets are of 452 bytes.
    units = {"kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "us": 1e-6, "ms": 1e-3}
    for own in measures(["cubic", "reno"], is_full=True):
        (core,) = [link for link in own.template["link"] if link["name"] == "core"]
        if "wifi" in own.template or "cell" in own.template:
            continue
        value, unit = core["rate"].split()
        for flow in own.template["flow"]:
            jitter, of = flow["host_jitter"].split()
            packet = int(flow.get("segment", "1448 B").split()[0]) + 52
            assert float(jitter) * units[of] <= 1.001 * packet * 8 / (float(value) * units[unit]), own.name


def test_the_circuit_breaker_is_that_of_rfc_8083():
    # §4.3: 1500 bytes, 100 ms, 10 % lost: 12 000/(0.1·√(0.2/3)) = 465 kbit/s, ten times that 4.65 Mbit/s.
    row = {"group": "own", "goodput_bps": 4.1833e6, "segments_sent": 1000, "segments_lost": 100, "mean_rtt_s": 0.1}
    assert breaker_share()({"flows": [row]}) == pytest.approx(1.0, rel=1e-3)
    assert breaker_share()({"flows": [row | {"segments_lost": 0}]}) == 0.0


PLANTED = [
    ("NoBackoff", "5.1.1/loss-100"),
    ("DeafToLoss", "5.1.3/flows-16-buffer-0.5"),
    ("FirstComer", "5.1.4/late"),
    ("Hasty", "5.1.5/start"),
    ("DeafToMarks", "7.1/codel-ecn-wait"),
    ("StaleRoundTrip", "7.3/step"),
]
#: Faults that take seconds to be seen.
LONG = {"DeafToLoss", "FirstComer"}


@pytest.mark.parametrize(
    ("fault", "measure"),
    [pytest.param(*one, marks=pytest.mark.long if one[0] in LONG else ()) for one in PLANTED],
)
def test_a_planted_fault_fails_its_own_row(fault: str, measure: str, tmp_path: Path):
    section = measure.partition("/")[0]
    found = ww.evaluate(f"{FAULTS}:{fault}", output=tmp_path / "e", only=[measure], seeds=3)
    assert found.verdicts == {section: "does not"}
    (row,) = found.rows("sections")
    assert row["smallest"]["lines"] <= 20
    assert (tmp_path / "e" / "shown" / "faults.py").is_file()


def test_a_law_without_a_fault_meets_these_rows(tmp_path: Path):
    found = ww.evaluate(f"{FAULTS}:Sound", output=tmp_path / "e", only=[name for _, name in PLANTED], seeds=3)
    assert "does not" not in found.verdicts.values()


@pytest.mark.long
def test_bbr_loses_packets_in_buffers_below_one_and_a_half_products(tmp_path: Path):
    # RFC 9743 §5.1.3: BBRv1 had "a sustained rate of packet loss" below 1.5 BDP; "further versions provided a fix".
    several = [f"5.1.3/flows-4-buffer-{bdps}" for bdps in ("0.5", "1", "2")]
    found = ww.evaluate("bbr", output=tmp_path / "bbr", only=several, seeds=3)
    value = {row["measure"]: row["value"] for row in found.rows("measures")}
    assert min(value["5.1.3/flows-4-buffer-0.5"], value["5.1.3/flows-4-buffer-1"]) > 0.04
    assert value["5.1.3/flows-4-buffer-2"] < 0.002
    assert found.verdicts == {"5.1.3": "does not"}
    later = ww.evaluate("bbr3", output=tmp_path / "bbr3", only=several, seeds=3)
    assert max(row["value"] for row in later.rows("measures") if "flows-4" in row["measure"]) < 0.02


LAWS = [
    own["properties"]["name"]["const"] for own in _engine.schema()["$defs"]["LawSpec"]["oneOf"] if "properties" in own
]


@pytest.mark.parametrize("law", sorted(set(LAWS) - {"python", "formula", "tfrc"}))
def test_laws_send_few_packets_while_nearly_all_are_lost(law: str, tmp_path: Path):
    # RFC 6298 §5.5: the timer doubles up to 60 s, so that a minute has two of its expiries at most. Where one packet of
    # a hundred arrives, it may begin again, at some 0.2 s: 0.2 · 2⁸ = 51 s, eight expiries and the answer to the ACK.
    only = ["5.1.1/loss-99", "5.1.1/loss-100"]
    found = ww.evaluate(law, output=tmp_path / "e", only=only, seeds=3)
    sent = {row["measure"]: sorted(row["values"]) for row in found.rows("measures")}
    assert sent["5.1.1/loss-100"][-1] <= 2
    assert sent["5.1.1/loss-99"][1] <= 2
    assert sent["5.1.1/loss-99"][-1] <= 9


def test_queue_disciplines_keep_their_targets(tmp_path: Path):
    # RFC 8033: 15 ms; RFC 8289: 5 ms; RFC 9332: 15 ms of the classic queue.
    found = ww.evaluate("cubic", output=tmp_path / "e", only=["7.1"], seeds=3)
    waits = {row["measure"].partition("/")[2]: row["value"] for row in found.rows("measures")}
    assert waits["codel-wait"] < 0.005
    assert waits["fq-codel-wait"] < 0.005
    assert waits["pie-wait"] == pytest.approx(0.015, rel=0.25)
    assert waits["dualpi2-wait"] < 0.015
    # RFC 9332 §2.4, Appendix A: L4S packets are marked from 1 ms on.
    found = ww.evaluate("prague", output=tmp_path / "l4s", only=["7.1/dualpi2-wait"], seeds=3)
    assert max(found.rows("measures")[0]["values"]) < 0.001


def test_one_bbr_beside_any_number_of_loss_driven_flows_has_what_a_model_says(tmp_path: Path):
    # R. Ware et al., IMC 2019, §5: loss-driven flows together keep p = 1/2 - 1/(2X) - 4/q of a buffer of X products, q
    # packets, whatever their number; ProbeRTT takes 0.2 s, a round trip and a full queue every 10 s.
    def share(bdps: int, law: str, count: int) -> float:
        flows = [networks.flow("bbr", name="bbr"), networks.flow(law, name="other", count=count)]
        both = networks.bottleneck(flows, bdps=bdps, duration_s=400, warmup_s=100)
        (tmp_path / "both.json").write_text(json.dumps(both), encoding="utf-8")
        run = ww.load(tmp_path / "both.json").simulate(seeds=1)
        rows = run.flows.to_dict("records")
        own = sum(row["goodput_bps"] for row in rows if row["group"] == "bbr")
        return float(own / sum(row["goodput_bps"] for row in rows))

    # 16 products, 1067 packets: p = 0.465; ProbeRTT takes 0.88 s of ten.
    assert share(16, "reno", 1) == pytest.approx((1 - 0.465) * (1 - 0.088), rel=0.07)
    # 8 products, 533 packets: p = 0.430; 0.56 s. The model is an upper bound: the buffer is not always full.
    few, many = share(8, "cubic", 1), share(8, "cubic", 16)
    assert many == pytest.approx(few, abs=0.05)
    assert 0.7 < many / ((1 - 0.430) * (1 - 0.056)) < 1


def test_the_answer_is_a_page_tables_and_short_files_that_simulate_repeats(cli: Cli, tmp_path: Path):
    done = cli("evaluate", "bbr", "--only", "6.2,7.2,7.10", "--seeds", "3", "-o", "e")
    assert done.returncode == 3, done.stderr
    folder = tmp_path / "e"
    answer = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert [row["verdict"] for row in answer["sections"]] == ["not applicable", "does not", "not modelled"]
    small = answer["sections"][1]["smallest"]
    text = (folder / small["file"]).read_text(encoding="utf-8")
    assert len(text.splitlines()) == small["lines"] <= 20
    # `simulate` gives the figure of the page.
    again = cli("simulate", f"e/{small['file']}", "--quiet", "-o", "again")
    assert again.returncode == 0, again.stderr
    run = ww.open(tmp_path / "again")
    assert isinstance(run, ww.Run)
    rows = run.flows.sort_values("seed").to_dict("records")
    assert [
        breaker_share()({"flows": [{str(key): cell for key, cell in row.items()}]}) for row in rows
    ] == pytest.approx(small["values"], rel=1e-12)
    page = (folder / "evaluation.html").read_text(encoding="utf-8")
    assert "compliant" not in page
    assert "Evidence for bbr" in page
    assert '<details class="criterion" open>' in page
    table = (folder / "evaluation.md").read_text(encoding="utf-8")
    assert "| 7.2 | does not |" in table
    assert r"\toprule" in (folder / "evaluation.tex").read_text(encoding="utf-8")
    opened = ww.open(folder)
    assert isinstance(opened, ww.Evaluation)
    assert opened.verdicts["7.2"] == "does not"
    assert "circuit breaker" in cli("show", "e").stdout


def test_the_answer_does_not_depend_on_threads_or_interruptions(tmp_path: Path):
    only, folders = ["5.1.2", "7.2"], [tmp_path / name for name in ("one", "eight", "stopped")]
    for folder, threads in zip(folders[:2], (1, 8), strict=True):
        ww.evaluate("bbr", output=folder, only=only, seeds=3, threads=threads)

    def stop(now: object) -> None:
        if getattr(now, "finished", 0) >= 4:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted, match="runs finished"):
        ww.evaluate("bbr", output=folders[2], only=only, seeds=3, threads=1, progress=stop)
    assert not ww.Evaluation.open(folders[2]).is_complete
    ww.evaluate("bbr", output=folders[2], only=only, seeds=3, threads=2)
    files = [str(path.relative_to(folders[0])) for path in folders[0].rglob("*") if path.is_file()]
    for other in folders[1:]:
        _, different, missing = filecmp.cmpfiles(folders[0], other, files, shallow=False)
        # The page names the folder in the commands.
        assert not missing
        assert set(different) <= {"evaluation.html"}


def test_thresholds_are_changed_in_a_file(tmp_path: Path):
    first = ww.evaluate("bbr", output=tmp_path / "a", only=["7.2"], seeds=3)
    assert first.verdicts == {"7.2": "does not"}
    file = tmp_path / "mine.toml"
    given = (tmp_path / "a" / "thresholds.toml").read_text(encoding="utf-8")
    assert tomllib.loads(given)["7.2/loss-10"] == {"absolute": 1.0}
    file.write_text(given.replace("absolute = 1.0", "absolute = 10"), encoding="utf-8")
    # The runs are those of the first: only the judgement is another.
    second = ww.evaluate("bbr", output=tmp_path / "a", only=["7.2"], seeds=3, thresholds=file)
    assert second.verdicts == {"7.2": "meets"}
    assert second.rows("measures")[0]["source"] == "a file of thresholds"


@pytest.mark.long
def test_the_cases_of_the_bbr_draft(tmp_path: Path):
    # The appendix: an estimate within 2 % when STARTUP ends, three rounds of DRAIN at most, PROBE_BW after it, 200 ms
    # of PROBE_RTT, the full rate after a step by ten.
    # Cycles are counted whole (A.16), and a policer takes what BBR may lose, 2 %: three seeds cannot tell.
    cases = [f"A.{at}" for at in range(1, 23) if at != 16]
    only = [case for case in cases if case != "A.17"] + ["A.17/reacts", "A.17/goodput"]
    found = ww.evaluate("bbr3", suite="bbr-draft", output=tmp_path / "e", only=only, seeds=3)
    assert found.verdicts == dict.fromkeys(cases, "meets")
    value = {row["measure"]: row["value"] for row in found.rows("measures")}
    assert 0.2 <= value["A.10/length"] <= 0.3
    # Half the rate: two products in flight take 160 ms, and DRAIN ends after three rounds and the rest of one.
    assert 3 * 0.16 < value["A.4/length"] < 4.5 * 0.16
    assert found.title == "Evidence for bbr3 by the test cases of draft-ietf-ccwg-bbr"


def test_linuxs_own_version_of_bbr_is_judged_by_the_cases_that_it_has(tmp_path: Path):
    only = ["A.1", "A.3", "A.5", "A.10", "A.11", "A.16", "A.20"]
    found = ww.evaluate("bbr", suite="bbr-draft", output=tmp_path / "e", only=only, seeds=3)
    # It has one phase for PROBE_DOWN, CRUISE, REFILL and UP.
    has = dict.fromkeys(["A.1", "A.3", "A.10", "A.11", "A.20"], "meets")
    assert found.verdicts == has | {"A.5": "cannot tell", "A.16": "cannot tell"}


def test_the_last_phase_of_a_run_follows_the_one_before():
    # STARTUP, PROBE_RTT, STARTUP to the end, at 10 ms: the transition is complete, the length of the last is not known.
    modes = [(0.01 * at, 0 if at < 100 or at >= 120 else 3) for at in range(200)]
    rows = {"internals": [{"name": "mode", "time_s": time, "value": mode} for time, mode in modes]}
    figure = {own.name: own.value for own in bbr_draft.measures()}
    assert figure["A.20/next"](rows) == 1.0
    assert figure["A.10/length"](rows) == pytest.approx(0.2)
    assert math.isnan(figure["A.10/length"]({"internals": rows["internals"][:110]}))


def test_a_law_without_the_phases_of_bbr_is_not_judged_by_them(tmp_path: Path):
    found = ww.evaluate("reno", suite="bbr-draft", output=tmp_path / "e", only=["A.1"], seeds=3)
    assert found.verdicts == {"A.1": "cannot tell"}


@pytest.mark.long
def test_the_windows_of_rfc_9438(tmp_path: Path):
    # Table 1, 100 ms: 38 packets at a loss of 1/1000, where Reno has 38, too; 187 at 1/10 000, where Reno has 120.
    # Table 2, 10 ms: 38 and 120, Reno's.
    only = ["table-1/loss-0.001", "table-1/loss-0.0001", "table-2/loss-0.001", "table-2/loss-0.0001", "reno-friendly"]
    found = ww.evaluate("cubic,version=rfc9438", suite="cubic", output=tmp_path / "cubic", only=only, seeds=3)
    assert found.verdicts == {"table-1": "meets", "table-2": "meets", "reno-friendly": "meets"}
    other = ww.evaluate("reno", suite="cubic", output=tmp_path / "reno", only=only[1:2], seeds=3)
    assert other.verdicts == {"table-1": "does not"}
    # The figure is the distance from 187: 1 − 120/187.
    assert other.rows("measures")[0]["value"] == pytest.approx(1 - 120 / 187, abs=0.02)


def test_windows_after_spurious_events(tmp_path: Path):
    # RFC 9438 §4.9: the state of before is restored.
    found = ww.evaluate("cubic", suite="cubic", output=tmp_path / "e", only=["spurious"], seeds=3)
    assert found.verdicts == {"spurious": "meets"}
    assert {row["measure"] for row in found.rows("measures")} == {"spurious/timeout", "spurious/fast-retransmit"}


def test_the_capacities_of_rfc_8867():
    # §5.1: 1.0, 2.5, 0.6, 1.0 times 1 Mbit/s; a stream that stays at 150 kbit/s uses a tenth of the second, and one
    # that has what there is all of each. Speech takes 48 kbit/s, and a stream has at most 1.5 Mbit/s.
    steps = [(1.0, 20, 40), (2.5, 50, 60), (0.6, 70, 80), (1.0, 90, 100)]

    def rows(rate: Callable[[float], float]) -> dict[str, list[dict[str, object]]]:
        series = [
            {"source": "call:video-up", "time_s": float(end), "received_bps": rate(capacity)}
            for capacity, _, end in steps
        ]
        return {"call_video_series": series}

    value = rmcat.used("5.1", ["call:video-up"])
    assert value(rows(lambda capacity: 150e3)) == pytest.approx(0.1)
    assert value(rows(lambda capacity: min(1.5e6, capacity * 1e6 - 48e3))) == pytest.approx(1.0)


def test_laws_of_calls_are_judged_by_rfc_8867(tmp_path: Path):
    found = ww.evaluate("scream", suite="rmcat", output=tmp_path / "e", only=["5.1", "5.8", "6.2"], seeds=3)
    assert found.verdicts == {"5.1": "meets", "5.8": "not modelled", "6.2": "meets"}
    # A stream that does not respond overruns 0.6 Mbit/s.
    deaf = ww.evaluate(
        'constant,rate="1.4 Mbit/s"', suite="rmcat", output=tmp_path / "d", only=["5.1/loss", "5.1/frames"], seeds=3
    )
    assert deaf.verdicts == {"5.1": "does not"}
    (section,) = deaf.rows("sections")
    assert section["smallest"]["lines"] <= 20


def test_queues_that_mark_above_a_threshold_have_dctcps_length(tmp_path: Path):
    # M. Alizadeh et al., SIGCOMM 2010, §3.3, N = 2, C·RTT = 33.3, K = 65: the queue peaks at K + N = 67 packets and
    # swings by ½·√(2N(C·RTT + K)) = 9.9 below it, so that its mean is 62.
    found = ww.evaluate("dctcp", output=tmp_path / "e", only=["7.1/switch-2-wait"], seeds=3)
    (row,) = found.rows("measures")
    assert row["value"] / 1.2e-6 == pytest.approx(67 - 9.9 / 2, abs=2)
    assert row["allowed"] / 1.2e-6 == pytest.approx(67)


def test_smallest_networks_are_repeated_between_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    # In the place of kernels: BBR takes 10 Mbit/s and the reference 1 of them.
    asked = []

    def tables(plain: dict[str, object], seeds: list[int], folder: Path, congestion: object = None) -> object:
        asked.append(plain)
        law = plain["flow"][0]["law"]  # type: ignore[index]
        row = {"group": "own", "goodput_bps": 1e7 if law == "bbr" else 1e6, "segments_sent": 1000}
        return [{"flows": [row | {"segments_lost": 100, "mean_rtt_s": 0.1}]} for _ in seeds], []

    monkeypatch.setattr(kernels, "why_not", lambda: None)
    monkeypatch.setattr(kernels, "tables", tables)
    found = ww.evaluate("bbr", output=tmp_path / "e", only=["7.2"], seeds=3, emulate=True)
    between = found.rows("sections")[0]["smallest"]["kernels"]
    # 10 Mbit/s over 4.65 Mbit/s of the circuit breaker, with the lost tenth: 2.39; the threshold is absolute.
    assert between["values"] == pytest.approx([2.39] * kernels.RUNS, abs=0.01)
    assert between["share"] == 1.0
    assert len(asked) == 1
    assert asked[0]["link"][0]["loss"] == "10 %"  # type: ignore[index]
    page = (tmp_path / "e" / "evaluation.html").read_text(encoding="utf-8")
    assert "in 3 of 3 runs" in page


def test_networks_between_kernels_have_the_transport_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    asked = []

    def tables(plain: dict[str, object], seeds: list[int], folder: Path, congestion: object = None) -> object:
        asked.append(plain["flow"][0])  # type: ignore[index]
        row = {"group": "own", "goodput_bps": 1e7, "segments_sent": 1000, "segments_lost": 100, "mean_rtt_s": 0.1}
        return [{"flows": [row]} for _ in seeds], []

    monkeypatch.setattr(kernels, "why_not", lambda: None)
    monkeypatch.setattr(kernels, "tables", tables)
    ww.evaluate("bbr", output=tmp_path / "e", only=["7.2"], seeds=3, emulate=True, transport="quinn")
    (own,) = asked
    assert own["transport"] == "quic"
    assert own["law_of"] == "quinn"


def test_networks_that_no_kernel_has_are_named_with_the_reason():
    (own,) = [each for each in measures(["cubic"], is_full=False) if each.name == "7.6/ack-division"]
    assert kernels.repeated(own, own.template, "bbr", "cubic", Path()) == {"skipped": "Linux's receivers do not cheat"}


def test_the_smallest_networks_can_be_left_out(cli: Cli, tmp_path: Path):
    done = cli("evaluate", "bbr", "--only", "7.2", "--seeds", "3", "--no-smallest", "-o", "e")
    assert done.returncode == 3, done.stderr
    assert not (tmp_path / "e" / "shown").exists()
    refused = cli("evaluate", "bbr", "--no-smallest", "--emulate", "-o", "f")
    assert refused.returncode == 2
    assert "the smallest networks are emulated" in refused.stderr


def test_references_are_run_once_for_several_laws(tmp_path: Path):
    only = ["7.8/load"]
    with shared_references():
        ww.evaluate("vegas", output=tmp_path / "a", only=only, seeds=3)
        ran = []
        ww.evaluate("westwood", output=tmp_path / "b", only=only, seeds=3, progress=ran.append)
    apart = ww.evaluate("westwood", output=tmp_path / "c", only=only, seeds=3)
    assert ran
    # The first report comes when all runs of the references are there.
    assert ran[0].finished >= 6
    files = [path.relative_to(apart.path) for path in apart.path.rglob("*.parquet")]
    assert files
    for file in files:
        assert (apart.path / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_laws_are_read_with_parameters():
    assert read_law("quic-tcp,backlog=20")[0] == {"name": "quic-tcp", "backlog": 20}
    assert read_law("cubic,version=rfc9438")[0] == {"name": "cubic", "version": "rfc9438"}
    law, folder = read_law(f"{FAULTS}:Sound")
    assert (law, folder) == ({"name": "python", "class": "faults.py:Sound"}, FAULTS.parent)
    assert read_only(["5.1", "7.10"]) == ("5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "7.10")


@pytest.mark.parametrize(
    ("text", "said"),
    [("rino", "did you mean `reno`"), ("quic-tcp,backlog", "is no parameter"), ("quic-tcp,blacklog=2", "blacklog")],
)
def test_laws_that_do_not_exist_are_refused(text: str, said: str):
    with pytest.raises(OptionError, match=said):
        read_law(text)


def test_wrong_options_are_refused(cli: Cli, tmp_path: Path):
    for arguments, said in (
        (["reno", "--only", "9.9"], "no section with a question"),
        (["reno", "--seeds", "2"], "no verdict of fewer than 3 seeds"),
        (["reno", "--quick", "--full"], "exclude each other"),
        (["reno", "--against", "cubik"], "cubik"),
        (["reno", "--suite", "bbr"], "no suite `bbr`; suites: bbr-draft, cubic, rmcat"),
        (["reno", "--suite", "rmcat"], "no law of calls; the suite judges nada, scream, gcc, constant"),
        (["nada,lest=3", "--suite", "rmcat"], "lest"),
        ([f"{FAULTS}:Sound", "--no-python"], "is a law in Python"),
    ):
        done = cli("evaluate", *arguments, "-o", "refused")
        assert done.returncode == 2, done.stderr
        assert said in done.stderr, done.stderr
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('["5.1.3"]\nmargin = 0.5\n', encoding="utf-8")
    with pytest.raises(OptionError, match="margin from 1"):
        read_thresholds(wrong)
