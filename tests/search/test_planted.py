"""Ten laws with a fault each: an attack finds every one, and none in the law without a fault."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from planted import PLANTED, Aimd, Planted, network


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.law.__name__)
def test_a_planted_fault_is_found(planted: Planted, tmp_path: Path) -> None:
    attack = network(planted).attack(
        planted.until,
        within=planted.within,
        reference="reno",
        seeds=1,
        trials=planted.trials,
        output=tmp_path / "t",
    )
    assert attack.is_found, attack.summary["closest"]
    # It replays, and without what the attack does the law does well.
    assert attack.summary["found"]["holds"]
    assert attack.rows("changes")


@pytest.mark.parametrize("planted", [PLANTED[2], PLANTED[6]], ids=lambda planted: planted.until)
def test_the_law_without_a_fault_is_not_blamed(planted: Planted, tmp_path: Path) -> None:
    attack = network(replace(planted, law=Aimd)).attack(
        planted.until, within=planted.within, reference="reno", seeds=1, trials=30, output=tmp_path / "t"
    )
    assert not attack.is_found


def test_python_in_files_is_not_run(tmp_path: Path) -> None:
    import windward as ww

    (tmp_path / "law.py").write_text("raise SystemExit\n", encoding="utf-8")
    text = (
        'name = "s"\nduration = "5 s"\nnode = [{ name = "a" }, { name = "b" }]\n'
        'link = [{ name = "air", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]\n'
        'flow = [{ from = "a", to = "b", law = { name = "python", class = "law.py:Law" } }]\n'
    )
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="an attack runs no Python from files"):
        ww.load(tmp_path / "s.toml").attack("idles", within=["link.air.loss=0..1 %"], output=tmp_path / "t")
