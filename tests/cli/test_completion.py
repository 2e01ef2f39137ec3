"""Completion in shells, and a reader that leaves early."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PYTHON, environment

from windward._cli import completion


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `windward` on the path, as an installation has it."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "windward"
    main = "import sys; sys.argv[0] = 'windward'; from windward._cli.main import main; main()"
    program.write_text(f'#!/bin/sh\nexec {PYTHON} -c "{main}" "$@"\n')
    program.chmod(0o755)
    return folder


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell}")


def in_shell(installed: Path, home: Path) -> dict[str, str]:
    """The environment of a shell of a user who has nothing set."""
    own = {"PATH": f"{installed}:{os.environ['PATH']}", "HOME": str(home), "ZDOTDIR": str(home), "TERM": "dumb"}
    return {name: value for name, value in environment().items() if not name.startswith("XDG_")} | own


def typed_in_zsh(line: str, told: str, folder: Path, env: dict[str, str], options: list[str], setup: str) -> str:
    """Output of an interactive zsh after a line and TAB, until `told` is there."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", *options, "-i"], env)
    output = b""

    def await_(text: bytes, seconds: float) -> None:
        nonlocal output
        end = time.monotonic() + seconds
        while text not in output and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                output += os.read(terminal, 4096)

    try:
        os.write(terminal, f"stty -echo; PROMPT= RPROMPT=; {setup} echo rea''dy\n".encode())
        await_(b"ready", 30)
        output = b""
        os.write(terminal, f"{line}\t".encode())
        await_(told.encode(), 30)
        await_(b"more than that", 0.3)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    return output.decode()


@needs("bash")
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


#: A line, the line that TAB makes of it, and a text that is not offered.
TYPED = [
    ("windward simul", "windward simulate ", "sweep"),
    ("windward simulate --se", "windward simulate --seeds ", "--size"),
    ("windward kernel lo", "windward kernel load ", "lossy"),
    ("windward simulate lossy", "windward simulate lossy.toml ", "lossy.csv"),
    ("windward simulate d", r"windward simulate d\ \'\$\(touch\ x\).toml ", "x.csv"),
    ("windward show lo", "windward show lots/", "lossy"),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "lots").mkdir(parents=True)
    for name in ("lossy.toml", "lossy.csv", "d '$(touch x).toml"):
        (folder / name).touch()
    return folder


@needs("zsh")
@pytest.mark.parametrize(("line", "expected", "other"), TYPED)
def test_zsh_completes_at_a_tab(
    installed: Path, tmp_path: Path, files: Path, line: str, expected: str, other: str
) -> None:
    setup = 'autoload -Uz compinit; compinit -u -D; eval "$(_WINDWARD_COMPLETE=source_zsh windward)";'
    typed = typed_in_zsh(line, expected, files, in_shell(installed, tmp_path), ["-f"], setup)
    assert expected in typed
    assert other not in typed
    # Folders are completed further: no space follows.
    assert not typed.endswith("/ ")
    assert sorted(path.name for path in files.iterdir()) == ["d '$(touch x).toml", "lossy.csv", "lossy.toml", "lots"]


@needs("zsh")
def test_zsh_completes_at_the_first_tab_once_installed(installed: Path, tmp_path: Path, files: Path) -> None:
    env = in_shell(installed, tmp_path)
    # A command more, so that zsh does not replace itself: the program asks which shell started it.
    done = subprocess.run(["zsh", "-f", "-c", "windward --install-completion; true"], env=env, capture_output=True)
    assert done.stdout.startswith(b"zsh completion installed")
    (tmp_path / ".zshrc").write_text((tmp_path / ".zshrc").read_text().replace("; compinit", "; compinit -u -D"))
    assert "windward simulate " in typed_in_zsh("windward simul", "windward simulate ", files, env, [], "")


def told_by_fish(script: str, lines: list[str], folder: Path, env: dict[str, str]) -> list[str]:
    """The words that fish offers for each line, a dash after those of each."""
    script += "; ".join(f"complete -C '{line}'; echo -" for line in lines)
    done = subprocess.run(["fish", "-c", script], cwd=folder, env=env, capture_output=True, timeout=60, check=True)
    return [line.split("\t")[0] for line in done.stdout.decode().splitlines()]


@needs("fish")
def test_fish_completes(installed: Path, tmp_path: Path, files: Path) -> None:
    lines = ["windward simulate --se", "windward kernel lo", "windward simulate lo", "windward show lo"]
    source = "_WINDWARD_COMPLETE=source_fish windward | source; "
    told = told_by_fish(source, lines, files, in_shell(installed, tmp_path))
    assert told == ["--seeds", "-", "load", "-", "lossy.toml", "lots/", "-", "lots/", "-"]


@needs("fish")
def test_fish_completes_once_installed(installed: Path, tmp_path: Path, files: Path) -> None:
    env = in_shell(installed, tmp_path)
    done = subprocess.run(["fish", "-c", "windward --install-completion; true"], env=env, capture_output=True)
    assert done.stdout.startswith(b"fish completion installed")
    assert told_by_fish("", ["windward simul"], files, env) == ["simulate", "-"]


def test_wifi_is_completed_key_by_key() -> None:
    """Standards, then the keys that are not there yet."""
    assert completion.wifi("802.11a") == ["802.11ac,", "802.11ax,"]
    assert completion.wifi("802.11ac,width=80MHz,s") == [
        f"802.11ac,width=80MHz,{key}=" for key in ("streams", "snr", "stations")
    ]
    assert completion.wifi("802.11ac,snr=25dB,sn") == []


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
