"""`windward init`: scenarios to start from."""

import json
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli, environment

import windward as ww
from windward._cli.init import init, names
from windward._format.parse import parse


def test_init_writes_scenarios_that_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    init(is_list=True)
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert set(listed) >= {"dumbbell", "wifi", "cell", "lossy", "trace", "headline"}
    assert set(listed) >= {
        "household",
        "phones",
        "handover",
        "video",
        "rrul",
        "leo",
        "drive",
        "lte",
        "l4s",
        "class",
        "crowd",
    }
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


@pytest.mark.parametrize("name", names())
def test_what_init_names_next_works(name: str, cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "with a blank" / f"{name}.toml"
    told = cli("init", name, "--output", str(file)).stdout.splitlines()[-1]
    commands = [shlex.split(command) for command in told.removeprefix("next: ").split(", windward ")]
    check, *others = [command[-2:] for command in commands]
    assert check == ["check", str(file)]
    assert cli(*check).returncode == 0
    assert others
    # Half a second of it.
    content = json.loads(parse(file).to_json())
    content |= {"duration": "500 ms", "warmup": "0 s", "change": [], "seeds": [1], "output": {}}
    whole = {"start": "0 s", "start_step": "0 s", "start_spread": "0 s", "stop": None}
    content["flow"] = [{**flow, **whole} for flow in content["flow"]]
    short = file.with_suffix(".json")
    short.write_text(json.dumps(content), encoding="utf-8")
    for verb, named in others:
        assert named == str(file)
        done = cli(verb, str(short), *(["--quiet"] if verb == "simulate" else []))
        assert (done.returncode, done.stderr) == (0, "")


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
    assert "hint: cell, class, crowd, drive, dsl, dumbbell," in unknown.stderr
