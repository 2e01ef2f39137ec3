"""`windward init`: scenarios to start from."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli, environment

import windward as ww
from windward._cli.init import init


def test_init_writes_scenarios_that_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    init(is_list=True)
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert set(listed) >= {"dumbbell", "wifi", "cell", "lossy", "trace", "headline"}
    for name in listed:
        init(name)
        assert (tmp_path / f"{name}.toml").read_text(encoding="utf-8").startswith("#")
        ww.load(tmp_path / f"{name}.toml").to_toml()
    # Nothing is replaced.
    init("cell")
    assert capsys.readouterr().out.splitlines()[-2] == "cell.toml is there already"
    (tmp_path / "wifi.toml").write_text("mine")
    with pytest.raises(ValueError, match=r"wifi\.toml exists and is not overwritten"):
        init("wifi")
    assert (tmp_path / "wifi.toml").read_text() == "mine"


def test_a_full_disk_leaves_no_part_of_a_scenario(tmp_path: Path) -> None:
    def full() -> None:
        # Writing beyond a size fails as writing to a full disk does.
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    command = [sys.executable, "-m", "windward", "init", "wifi"]
    environ = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, preexec_fn=full
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: wifi.toml: File too large\n")
    assert list(tmp_path.iterdir()) == []


def test_the_command_init(cli: Cli, tmp_path: Path) -> None:
    assert cli("init", "wifi", "--output", "new/air.toml").stdout.startswith("new/air.toml written\n")
    assert (tmp_path / "new" / "air.toml").exists()
    unknown = cli("init", "moon")
    assert unknown.returncode == 2
    assert "hint: cell, dumbbell," in unknown.stderr
