"""`make run` and `make test`: in a folder with spaces in its name, on machines that lack something, and two at once.

Cargo, Python and what they install are stand-ins that write down how they were called: nothing is built.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import REPOSITORY

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

#: Stands for every program of an environment.
PROGRAM = """\
#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$(basename "$0")" in
windward) [ -z "$WAIT_FOR" ] || until [ -e "$WAIT_FOR" ]; do sleep 0.05; done; echo "windward ended" >> "$CALLS" ;;
pytest) echo "a test: left out" >> "$WINDWARD_SKIPPED" ;;
esac
"""

#: Stands for Python: makes environments of stand-ins, and is Python otherwise.
PYTHON = f"""\
#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
    echo "venv" >> "$CALLS"
    mkdir -p "$3/bin"
    for name in maturin windward ruff mypy pytest; do cp "$STANDIN" "$3/bin/$name"; done
    printf '#!%s\\n' "$PWD/$3/bin/python" > "$3/bin/pip"
    chmod +x "$3/bin/pip"
    printf '#!/bin/sh\\ncase "$1" in -c) exec "$REAL" "$@" ;; esac\\necho "python $*" >> "$CALLS"\\n' > "$3/bin/python"
    chmod +x "$3/bin/python"
else
    exec "{sys.executable}" "$@"
fi
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class Clone:
    """A copy of what make reads, in a folder with spaces in its name, and programs that only write down their calls."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ein Ordner ü"
        self.calls_file = folder / "calls"
        self.calls_file.touch()
        for name in ("Makefile", "Cargo.toml", "Cargo.lock", "pyproject.toml", "crates/kernel/tests/it/twin/twin.c"):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, self.path / name)
        for name in ("python", "tests", "examples"):
            (self.path / name).mkdir()
        for name in ("tools", "requirements"):
            shutil.copytree(REPOSITORY / name, self.path / name, ignore=shutil.ignore_patterns("__pycache__"))
        programs = folder / "programs"
        script(programs / "python3", PYTHON)
        script(programs / "cargo", '#!/bin/sh\necho "cargo $*" >> "$CALLS"\n')
        script(programs / "rustc", '#!/bin/sh\necho "rustc 99.0.0 (0 2099-01-01)"\n')
        script(programs / "cc", "#!/bin/sh\n")
        self.programs = programs
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "WINDWARD_", "MFLAGS"))}
        self.environment = kept | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "CALLS": str(self.calls_file),
            "STANDIN": str(script(folder / "standin", PROGRAM)),
            "REAL": sys.executable,
            "WAIT_FOR": "",
        }

    def begin(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["make", *arguments],
            cwd=self.path,
            env=self.environment | more,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def make(self, *arguments: str, **more: str) -> tuple[int, str]:
        with self.begin(*arguments, **more) as process:
            said, _ = process.communicate(timeout=60)
        return process.returncode, said

    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def files(folder: Path, but: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and but not in path.parents}


def test_both_commands_keep_to_a_folder_with_spaces_in_its_name(clone: Clone, tmp_path: Path) -> None:
    # What lies where the parts of the folder's name would lead.
    for name in ("ein", "Ordner", "ü/.venv/skipped", "ein Ordner ü/Ordner", "ein Ordner ü/ü/.venv/skipped"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("precious")
    clone.calls_file.rename(tmp_path / "ein Ordner ü" / "calls")
    clone.environment["CALLS"] = str(tmp_path / "ein Ordner ü" / "calls")
    clone.calls_file = tmp_path / "ein Ordner ü" / "calls"
    before = files(tmp_path, clone.path)

    code, said = clone.make("run")
    assert code == 0, said
    calls = clone.calls()
    assert "venv" in calls[:2], "crates are fetched beside it"
    # What the first answer needs, then the answer; what it does not use is not compiled.
    parts = "--no-default-features --config tools/first.toml"
    first = calls.index(f"maturin develop --release --locked --skip-install {parts}")
    assert any(call.startswith("windward compare scenarios/headline.toml") for call in calls[first:])
    assert "maturin develop --release --locked --skip-install" not in calls
    assert "not compiled yet: make .venv/engine" in said
    code, said = clone.make("run")
    assert code == 0, said
    assert sum(call.startswith("maturin") for call in clone.calls()) == sum(
        call.startswith("maturin") for call in calls
    )

    code, said = clone.make("test")
    assert code == 0, said
    assert "\nSkipped:\n  a test: left out\n" in said
    options = "--release --config tools/checked.toml --workspace --features windward-quic/noq --all-targets --locked"
    assert f"python tools/idle.py cargo clippy {options} -- -D warnings" in clone.calls()
    assert clone.calls().count("venv") == 1
    # An older list does not stay.
    (clone.path / ".venv" / "skipped").write_text("long ago: left out\n")
    code, said = clone.make("test")
    assert "long ago" not in said

    code, said = clone.make("clean")
    assert code == 0, said
    assert not (clone.path / ".venv").exists()
    assert files(tmp_path, clone.path) == before
    assert (clone.path / "Ordner").read_text() == "precious"
    assert (clone.path / "ü" / ".venv" / "skipped").read_text() == "precious"


def refused(clone: Clone, *arguments: str) -> str:
    """The one line with which make refuses, before it has set anything up."""
    code, said = clone.make("run", *arguments)
    assert code != 0
    assert clone.calls() == []
    assert not (clone.path / ".venv").exists()
    lines = [line for line in said.splitlines() if not line.startswith("make") or " *** " not in line]
    assert len(lines) == 1, said
    return lines[0]


def test_a_python_that_is_too_old_is_refused_before_anything_is_set_up(clone: Clone) -> None:
    old = script(clone.programs / "python3.9", "#!/bin/sh\necho 3.9\n")
    assert refused(clone, f"PYTHON={old.name}") == (
        "python3.9 is Python 3.9, 3.11 or newer is needed: name another with PYTHON=..."
    )
    assert refused(clone, "PYTHON=nowhere/python3") == (
        "nowhere/python3 does not run: name a Python 3.11 or newer with PYTHON=..."
    )
    # And nothing of it is left.
    code, said = clone.make("run")
    assert code == 0, said


def test_a_rust_that_is_too_old_is_refused_before_anything_is_set_up(clone: Clone) -> None:
    script(clone.programs / "rustc", '#!/bin/sh\necho "rustc 1.80.1 (3f5fd8dd4 2024-08-06)"\n')
    line = refused(clone)
    assert line.startswith("Rust 1.80 is too old, 1.")
    assert "rustup update" in line


def test_a_disk_that_is_too_full_is_refused_before_anything_is_set_up(clone: Clone) -> None:
    table = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/disk 9000000 7000000 1990000 78% /\n"
    script(clone.programs / "df", f"#!/bin/sh\nprintf '{table.replace('%', '%%')}'\n")
    assert refused(clone) == "The disk has 1 GB free, `make run` needs 2 GB for its first build"
    # What has been built needs no more.
    (clone.path / "target" / "release").mkdir(parents=True)
    code, said = clone.make("run")
    assert code == 0, said


@pytest.mark.parametrize(
    ("python", "why"), [("exit 1", "is broken"), ("echo 3.9", "is of Python 3.9"), (None, "is broken")]
)
def test_an_environment_that_cannot_be_used_is_made_anew(clone: Clone, python: str | None, why: str) -> None:
    venv = clone.path / ".venv"
    if python is None:
        # Its interpreter is gone.
        (venv / "bin").mkdir(parents=True)
        (venv / "bin" / "python").symlink_to("/nowhere/python3")
    else:
        script(venv / "bin" / "python", f"#!/bin/sh\n{python}\n")
    (venv / "python").touch()
    code, said = clone.make("run")
    assert code == 0, said
    assert f"== .venv {why}: it is made anew ==" in said
    assert "venv" in clone.calls()
    # A sound one stays.
    code, said = clone.make("run")
    assert code == 0, said
    assert "anew" not in said
    # One that was moved here with its clone does not.
    moved = clone.path.with_name("anderswo")
    clone.path.rename(moved)
    clone.path = moved
    code, said = clone.make("run")
    assert code == 0, said
    assert "== .venv was made in another folder: it is made anew ==" in said


def test_a_folder_that_make_cannot_name_is_refused(clone: Clone) -> None:
    clone.path = clone.path.rename(clone.path.with_name("a$b"))
    assert refused(clone) == "make cannot work in a folder with a `$` in its name: rename the folder."


def test_two_at_once_take_turns(clone: Clone, tmp_path: Path) -> None:
    go = tmp_path / "go"
    with clone.begin("run", WAIT_FOR=str(go)) as first:
        for _ in range(600):
            if any(call.startswith("windward compare") for call in clone.calls()):
                break
            time.sleep(0.05)
        begun = len(clone.calls())
        with clone.begin("run") as second:
            line = second.stdout.readline()
            assert line == "Another `make` runs in this folder: waiting until it ends.\n"
            assert len(clone.calls()) == begun
            go.touch()
            first.communicate(timeout=60)
            second.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0)
    runs = [call.split()[1] for call in clone.calls() if call.startswith("windward")]
    assert runs == ["compare", "ended", "show", "ended", "report", "ended"] * 2


def test_each_target_of_the_help_exists() -> None:
    """`make playground` was in the help and in three guides, and "No rule to make target"."""
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    listed = re.findall(r"^# make ([a-z-]+)", text, re.MULTILINE)
    assert len(listed) > 15
    goals = re.search(r"^GOALS := ((?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert goals is not None
    assert set(listed) - {"help", "clean"} <= set(goals[1].replace("\\", " ").split())
