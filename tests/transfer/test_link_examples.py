"""The example projects of docs/guides/testing.md, run as a stranger would; those whose tools this machine lacks are
skipped."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, environment
from linked import needs_links

FOLDER = REPOSITORY / "examples" / "testing"

COMMANDS = {
    "python": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--link-late", "ignore"],
    "go": ["go", "test", "-count=1", "./..."],
    "npm": ["npm", "test"],
    "playwright": ["npm", "test"],
    "shell": ["sh", "test.sh"],
}


def test_every_example_is_run() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(COMMANDS)


def playwright_core() -> Path:
    """The package of Node that Playwright for Python brings along; without it or a browser the test is skipped."""
    found = importlib.util.find_spec("playwright")
    package = Path(found.origin).parent / "driver" / "package" if found and found.origin else None
    if package is None or not package.is_dir() or not Path("/usr/bin/chromium").exists():
        pytest.skip("playwright or chromium is not installed")
    return package


@needs_links
@pytest.mark.parametrize("language", COMMANDS)
def test_examples_pass(language: str, tmp_path: Path) -> None:
    command = COMMANDS[language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    if command[0] == "npm" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    shutil.copytree(FOLDER / language, tmp_path / language)
    if language == "playwright":
        (tmp_path / language / "node_modules").mkdir()
        (tmp_path / language / "node_modules" / "playwright-core").symlink_to(playwright_core())
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = environment() | {"PATH": path, "XDG_RUNTIME_DIR": str(tmp_path)}
    # Built from what the machine has, and with its cache: no module is fetched.
    variables |= {"GOPROXY": "off", "GOPATH": str(tmp_path / "gopath")}
    run = subprocess.run(command, cwd=tmp_path / language, env=variables, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
