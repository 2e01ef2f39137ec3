"""The best rates over all routings: against CVXPY on random networks, on the command line, in folders."""

import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY, Cli

import windward as ww

#: seferoglu2014's diamond: A–B, A–C, B–D, C–D in range of each other, all four sensed by all.
DIAMOND = """\
name = "diamond"
title = "Which way round the diamond?"
duration = "10 s"
node = [{ name = "A" }, { name = "B" }, { name = "C" }, { name = "D" }]
flow = [{ name = "one", from = "A", to = "B", law = "reno" }, { name = "two", from = "A", to = "D", law = "reno" }]

[[wifi]]
name = "mesh"
data_rate = "2 Mbit/s"
station = [
    { node = "A", at = ["55 m", "250 m"] },
    { node = "B", at = ["250 m", "395 m"] },
    { node = "C", at = ["250 m", "105 m"] },
    { node = "D", at = ["445 m", "250 m"] },
]
"""


@pytest.fixture
def diamond(tmp_path: Path) -> Path:
    file = tmp_path / "diamond.toml"
    file.write_text(DIAMOND)
    return file


@pytest.mark.parametrize("seed", range(12))
def test_random_networks_against_cvxpy(seed: int) -> None:
    """Node-link flows and independent sets, written down for CVXPY by their definition.

    Six nodes in a ring with chords, links that share a node conflict, a third of the links are wires. Objectives agree
    to 1e-8; rates, which one knows only to the root of that, to 1e-4.
    """
    # Its import takes a second, in each process that collects this module.
    import cvxpy as cp

    rng = np.random.default_rng(seed)
    pairs = {(node, (node + 1) % 6) for node in range(6)} | {(0, int(rng.integers(2, 5))), (1, int(rng.integers(3, 6)))}
    ends = [end for a, b in sorted(pairs) for end in ((a, b), (b, a))]
    capacity = [float(rate) for rate in np.round(10 ** rng.uniform(-0.5, 0.5, len(ends)), 3)]
    is_wire = [at // 2 % 3 == 0 for at in range(len(ends))]
    air = [at for at in range(len(ends)) if not is_wire[at]]
    conflicts = [(a, b) for a, b in itertools.combinations(air, 2) if set(ends[a]) & set(ends[b])]
    flows = [(0, 3), (1, 4), (5, 2)]

    def name(at: int) -> str:
        return f"n{ends[at][0]}->n{ends[at][1]}"

    def link(at: int) -> ww.Link:
        (a, b), rates = ends[at], (capacity[at], capacity[at + 1])
        if not is_wire[at]:
            return ww.Link(from_=f"n{a}", to=f"n{b}", delay="1 ms")
        there, back = (f"{round(rate * 1000)} kbit/s" for rate in rates)
        return ww.Link(from_=f"n{a}", to=f"n{b}", delay="1 ms", rate=there, reverse=ww.format.Reverse(rate=back))

    best = ww.Scenario(
        name="random",
        duration="10 s",
        node=[ww.Node(name=f"n{node}") for node in range(6)],
        link=[link(at) for at in range(0, len(ends), 2)],
        region=[
            ww.format.CsmaRegion(
                name="air",
                links=[name(at) for at in air],
                capacity=[f"{round(capacity[at] * 1000)} kbit/s" for at in air],
                conflicts=[[name(a), name(b)] for a, b in conflicts],
            )
        ],
        flow=[ww.Flow(from_=f"n{a}", to=f"n{b}", law="reno") for a, b in flows],
    ).optimum(routing="free")
    assert max(best.certificate.values()) < 1e-9

    barred = {frozenset(pair) for pair in conflicts}
    sets = [[]]
    for at in air:
        sets += [[*chosen, at] for chosen in sets if not any(frozenset((at, other)) in barred for other in chosen)]
    time = cp.Variable(len(sets), nonneg=True)
    sent = cp.Variable((len(flows), len(ends)), nonneg=True)
    rates = cp.Variable(len(flows))
    served = np.array([[capacity[at] if at in chosen else 0.0 for chosen in sets] for at in range(len(ends))])
    rules = [cp.sum(time) == 1]
    for at in range(len(ends)):
        rules.append(cp.sum(sent[:, at]) <= (capacity[at] if is_wire[at] else served[at] @ time))
    for flow, (source, sink) in enumerate(flows):
        for node in range(6):
            out = cp.sum([sent[flow, at] for at, (a, _) in enumerate(ends) if a == node])
            back = cp.sum([sent[flow, at] for at, (_, b) in enumerate(ends) if b == node])
            rules.append(out - back == (rates[flow] if node == source else -rates[flow] if node == sink else 0))
    problem = cp.Problem(cp.Maximize(cp.sum(cp.log(rates))), rules)
    with warnings.catch_warnings():
        # Beyond its tolerance of 1e-9 CVXPY calls an answer inaccurate.
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    ours = best.flows["rate_bps"].to_numpy() / 1e6
    assert np.log(ours).sum() == pytest.approx(problem.value, abs=1e-8)
    assert ours == pytest.approx(rates.value, rel=1e-4)
    assert best.flow_links is not None
    used = best.flow_links.groupby("link")["rate_bps"].sum() / 1e6
    limits = best.links.set_index("link")["capacity_bps"] / 1e6
    assert (used <= limits[used.index] * (1 + 1e-9)).all()


def test_free_routing_on_the_command_line(cli: Cli, diamond: Path, tmp_path: Path) -> None:
    said = cli("optimum", diamond.name, "--routing", "free", "--output", "kept")
    assert said.stderr == ""
    assert "best rates, proportional, free routing · conic" in said.stdout
    assert "links active together" in said.stdout
    assert cli("show", "kept").stdout + "\nresults in kept\n" == said.stdout
    kept, answer = ww.Optimum.open(tmp_path / "kept"), json.loads((tmp_path / "kept" / "summary.json").read_text())
    assert (kept.routing, kept.allowed_links, answer["routing"]) == ("free", "all", "free")
    assert kept.paths is not None
    assert kept.schedule is not None
    first = kept.paths.iloc[0]
    assert (first["flow"], first["path"], first["hops"], first["share"]) == ("one", "A->B", 1, pytest.approx(1))
    assert kept.schedule["share"].sum() == pytest.approx(1, abs=1e-5)
    assert answer["paths"][0]["path"] == "A->B"
    assert cli("plot", "kept", "--what", "paths").stdout == "paths.svg\n"
    assert cli("report", "kept").stdout == "kept/report.html\n"
    assert (tmp_path / "kept" / "report.html").read_text().count("<figure") == 1


def test_fixed_routing_says_nothing_of_paths(cli: Cli, diamond: Path) -> None:
    fixed = json.loads(cli("optimum", diamond.name, "--json").stdout)
    free = json.loads(cli("optimum", diamond.name, "--json", "--routing", "free", "--links", "downstream").stdout)
    assert set(free) - set(fixed) == {"routing", "allowed_links", "paths", "flow_links", "schedule"}
    assert cli("optimum", diamond.name, "-o", "kept").returncode == 0
    refused = cli("plot", "kept", "--what", "paths")
    assert (refused.returncode, "paths are found by free routing" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--routing", "shortest"), "unknown routing `shortest`; allowed: fixed, free"),
        (
            ("--routing", "free", "--links", "up"),
            "unknown links `up`; allowed: downstream, not-farther, loop-free, all",
        ),
        (("--links", "all"), "flows keep their links with fixed routing"),
    ],
)
def test_refusals(cli: Cli, diamond: Path, options: tuple[str, ...], message: str) -> None:
    result = cli("optimum", diamond.name, *options)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


def test_too_many_links(cli: Cli) -> None:
    mesh = REPOSITORY / "scenarios" / "mesh.toml"
    result = cli("optimum", str(mesh), "--routing", "free")
    assert (result.returncode, result.stdout) == (2, "")
    assert "84 share a conflict graph, with more than 64 links or 65536 independent sets\nhint: " in result.stderr
