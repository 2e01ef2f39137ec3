"""Sweeps on a Ray cluster of two nodes on this machine; skipped where Ray is not installed."""

import filecmp
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_sweep import GRID, SHORT, alike

import windward as ww

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'windward[ray]'")

#: What Ray itself does is not ours to warn of.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one processor each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    made.connect()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def short(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "short.toml").write_text(SHORT)
    return ww.load(tmp_path / "short.toml")


#: Ends its worker the first time that it runs, as the kernel does where memory is short.
DEADLY = f"""
import os, pathlib, signal

class Deadly:
    def __init__(self, cwnd, mark=""):
        self.cwnd = 4.0
        if mark and not pathlib.Path(mark).exists():
            pathlib.Path(mark).touch()
            os.kill(os.getpid(), signal.{signal.SIGKILL.name})
        if not mark:
            os.kill(os.getpid(), signal.{signal.SIGKILL.name})

    def on_ack(self, ack): ...
    def on_congestion(self, event): ...
"""


def test_the_same_bytes(cluster: Any, short: ww.Scenario, tmp_path: Path) -> None:
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    short.sweep(GRID, output=tmp_path / "here")
    short.sweep(GRID, output=tmp_path / "there", on="ray")
    assert alike(tmp_path / "here", tmp_path / "there")
    assert filecmp.cmp(tmp_path / "here" / "summary.json", tmp_path / "there" / "summary.json", shallow=False)


def test_a_killed_worker_is_replaced(cluster: Any, short: ww.Scenario, tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    mark = tmp_path / "killed"
    law = {"name": "python", "class": "deadly.py:Deadly", "mark": str(mark)}
    values = {"flow.one.law": [law], "link.air.delay": ["5 ms", "10 ms", "15 ms", "20 ms"]}
    mark.touch()
    short.sweep(values, output=tmp_path / "here", threads=1)
    mark.unlink()
    sweep = short.sweep(values, output=tmp_path / "there", on="ray")
    assert mark.exists(), "no worker was killed"
    assert not len(sweep.failures)
    assert alike(tmp_path / "here", tmp_path / "there")


def test_a_point_that_kills_its_workers_fails_alone(cluster: Any, short: ww.Scenario, tmp_path: Path) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    law = {"name": "python", "class": "deadly.py:Deadly"}
    sweep = short.sweep({"flow.one.law": ["reno", law, "vegas"]}, seeds=1, output=tmp_path / "out", on="ray")
    assert sweep.is_complete
    assert sweep.runs["reason"].str.contains("its worker died 3 times").tolist() == [False, True, False]


def test_another_version_is_refused(
    cluster: Any, short: ww.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from windward import _engine

    monkeypatch.setattr(_engine, "__version__", "0.0.1")
    with pytest.raises(ValueError, match=r"cannot run the sweep: .*install the same version on every node"):
        short.sweep(GRID, output=tmp_path / "out", on="ray")


def test_what_a_node_takes_with_it_is_run_elsewhere(cluster: Any, short: ww.Scenario, tmp_path: Path) -> None:
    node = cluster.add_node(num_cpus=1)
    values = {"link.air.loss": "0.001..0.02 count 300"}
    short.sweep(values, seeds=2, output=tmp_path / "here")
    gone = []

    def progress(now: ww.Progress) -> None:
        if now.finished > 20 and not gone:
            gone.append(True)
            cluster.remove_node(node, allow_graceful=False)

    sweep = short.sweep(values, seeds=2, output=tmp_path / "there", on="ray", progress=progress)
    assert gone
    assert not len(sweep.failures)
    assert alike(tmp_path / "here", tmp_path / "there")
