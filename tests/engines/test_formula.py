"""Laws as formulas: the same results as the built-in laws that they write, in every engine that takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import windward as ww
from windward import _engine

#: QUIC-TCP with κ = ρ = ½.
QUIC_TCP = "acked * (-kappa * share * (w - share * w - p) / w)"

PAIRS = {
    "reno": (ww.Reno(), ww.Formula()),
    "quic-tcp": (
        ww.QuicTcp(backlog=20),
        ww.Formula(step=QUIC_TCP, start="", exit=20, constants={"kappa": 0.5, "p": 20}),
    ),
}


def scenario(law: ww.format.LawSpec, *, loss: float = 0.0, buffer: int = 30, **more: object) -> ww.Scenario:
    """Two flows of a law beside one of CUBIC."""
    flows = [
        ww.Flow(name=f"own-{at}", from_="a", to="b", law=law, start=f"{at} s", known_base_rtt="path") for at in range(2)
    ]
    return ww.Scenario(
        name="formula",
        duration="20 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[
            ww.Link(
                name="core", from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer=f"{buffer} packets", loss=loss
            )
        ],
        flow=[*flows, ww.Flow(name="cubic", from_="a", to="b", law="cubic", start="5 s")],
        **more,
    )


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """A table without the names of the laws."""
    return frame.drop(columns=[column for column in ("law",) if column in frame])


@pytest.mark.parametrize(
    ("name", "loss"), [("reno", 0.0), ("reno", 0.1), ("quic-tcp", 0.0), ("quic-tcp", 0.03), ("quic-tcp", 0.1)]
)
@pytest.mark.parametrize("stack", ["linux", "rfc"])
def test_packets_are_those_of_the_built_in_law(name: str, stack: str, loss: float) -> None:
    runs = [scenario(law, loss=loss, stack=stack).simulate(seeds=2) for law in PAIRS[name]]
    assert runs[0].flows["segments_lost"].sum() > 50
    if loss == 0.1:
        assert runs[0].flows["timeouts"].sum() > 0
    for table in ("flows", "links", "flow_series", "link_series"):
        built_in, formula = (plain(getattr(run, table)) for run in runs)
        pd.testing.assert_frame_equal(built_in, formula, check_exact=True)


def test_the_equations_are_those_of_the_built_in_law() -> None:
    # Reno's to the bit; QUIC-TCP's step is one per round trip there, so that only the rest is the same.
    built_in, formula = (scenario(law, loss=0.001).fluid().series for law in PAIRS["reno"])
    pd.testing.assert_frame_equal(plain(built_in), plain(formula), check_exact=True)
    rests = []
    for law in PAIRS["quic-tcp"]:
        series = ww.Scenario.fluid(_alone(law)).series
        rests.append(series[series["time_s"] > 50]["goodput_bps"].mean())
    assert rests[1] == pytest.approx(rests[0], rel=1e-3)


def _alone(law: ww.format.LawSpec) -> ww.Scenario:
    """Two flows of a law without losses."""
    return ww.Scenario(
        name="alone",
        duration="60 s",
        node=[ww.Node(name="a"), ww.Node(name="b")],
        link=[ww.Link(from_="a", to="b", rate="10 Mbit/s", delay="20 ms", buffer="200 packets")],
        flow=[ww.Flow(name="own", from_="a", to="b", law=law, count=2, known_base_rtt="path")],
    )


def test_the_optimum_refuses_a_formula_for_its_utility_alone() -> None:
    found = _alone(ww.Formula())
    with pytest.raises(ValueError, match=r"flow `own`: the utility of a formula is not known\nhint: choose another"):
        found.optimum(utility="law")
    assert found.optimum().flows["goodput_bps"].sum() > 9e6
    # The other engines of a comparison answer.
    compared = found.compare(utility="law", seeds=1, emulate=False)
    assert "utility of a formula" in str(compared.left_out)


def test_a_formula_with_memory_has_no_equation() -> None:
    with pytest.raises(ValueError, match="no differential equation of `formula`"):
        scenario(ww.Formula(step="acked * min(1, since) / w")).fluid()


def test_errors_name_the_key_and_the_column(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    text = scenario(ww.Formula(step="acked / w")).to_toml()
    file.write_text(text.replace('step = "acked / w"', 'step = "acked / wnd"', 1))
    with pytest.raises(ww.ScenarioError, match=r"`step` of formula: column 9: unknown name `wnd`; allowed: w, acked"):
        ww.load(file)
    for wrong, expected in (
        ({"loss": "w / 0"}, "`loss` of formula: column 3: division by 0"),
        ({"step": "min(w)"}, "`step` of formula: column 1: `min` takes two arguments or more, found 1"),
        ({"average": 0.5}, "`average` of formula: 0.5 is not between 1 and"),
        ({"constants": {"w": 1.0}}, "`constants` of formula: `w` is a quantity; choose another name"),
        ({"step": 7}, "`step` of formula: 7 is not text in quotes"),
    ):
        with pytest.raises(ww.ScenarioError, match=expected):
            scenario(ww.Formula(**wrong)).simulate()


def test_constants_can_be_swept() -> None:
    law = ww.Formula(step="acked * clamp(0.5 * (p - w * (1 - share)) / w, -0.5, 1)", exit=5, constants={"p": 5})
    swept = _alone(law).sweep({"flow.own.law.constants.p": [5, 40]}, seeds=1)
    links = swept.table("links").to_pandas()
    queues = links.groupby("point")["mean_backlog"].max()
    assert queues.tolist() == [pytest.approx(10, rel=0.35), pytest.approx(80, rel=0.35)]


def test_bench_takes_formulas() -> None:
    found = ww.bench(ww.Formula(step="min(acked, 1) / w"), stage=1)
    text = ww.bench("formula,step=min(acked, 1) / w", stage=1)
    assert found["combined_score"] == text["combined_score"]
    assert -2 < found["combined_score"] < 1


def test_its_defaults_are_renos() -> None:
    known = {law["name"]: law for law in _engine.laws()}
    assert known["formula"]["parameters"]["step"] == "acked / w"
    assert np.isclose(ww.bench(ww.Formula(), stage=1)["combined_score"], ww.bench("reno", stage=1)["combined_score"])
