"""Completion in shells, and a reader that leaves early."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `windward` on the path, as an installation has it."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "windward"
    program.write_text(f"#!{sys.executable}\nfrom windward._cli.main import main\nmain()\n")
    program.chmod(0o755)
    return folder


def complete(program: Path, line: str, folder: Path) -> list[str]:
    """What zsh and fish are told of a line."""
    told = []
    for shell in ("zsh", "fish"):
        asked = {"_WINDWARD_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
        env = environment() | asked | {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
        done = subprocess.run([program / "windward"], cwd=folder, env=env, capture_output=True, text=True, timeout=60)
        told.append(done.stdout)
    return told


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [("windward simul", "simulate"), ("windward simulate --se", "--seeds"), ("windward kernel lo", "load")],
)
def test_bash_completes_commands_and_options(installed: Path, line: str, expected: str) -> None:
    script = (
        'eval "$(_WINDWARD_COMPLETE=source_bash windward)"\n'
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _windward_completion windward\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    env = environment() | {"PATH": f"{installed}:{os.environ['PATH']}"}
    command = ["bash", "-c", script, "bash", *line.split()]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [expected]


def test_zsh_and_fish_complete_files_too(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lossy.toml").touch()
    (tmp_path / "lossy.csv").touch()
    (tmp_path / "lots").mkdir()
    for text in complete(installed, "windward simulate lo", tmp_path):
        assert "lossy.toml" in text
        assert "lots/" in text
        assert "csv" not in text
    assert all("simulate" in text for text in complete(installed, "windward simul", tmp_path))


def test_bash_completes_files_itself(installed: Path, tmp_path: Path) -> None:
    """The script says `-o default`, which takes effect where no completion is given."""
    (tmp_path / "lossy.toml").touch()

    def told(line: str) -> str:
        words = {"COMP_WORDS": line.replace(" ", "\n"), "COMP_CWORD": str(line.count(" "))}
        env = environment() | words | {"_WINDWARD_COMPLETE": "complete_bash"}
        command = [installed / "windward"]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60).stdout

    assert told("windward simul").split() == ["simulate"]
    assert told("windward simulate lo").strip() == ""


@pytest.mark.parametrize("command", ["schema", "--help", "laws"])
def test_a_reader_that_leaves_early_is_no_failure(command: str) -> None:
    """As in `windward schema | head`."""
    read, write = os.pipe()
    os.close(read)
    program = [sys.executable, "-m", "windward", command]
    done = subprocess.run(program, env=environment(), stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
