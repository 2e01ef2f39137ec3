"""Files that tools write are as they would be written now."""

import runpy
import subprocess
import sys

import pytest
from conftest import REPOSITORY


@pytest.mark.parametrize("tool", ["generate_model", "generate_results", "generate_transfer"])
def test_code_follows_what_the_engine_declares(tool: str) -> None:
    command = [sys.executable, REPOSITORY / "tools" / f"{tool}.py", "--check"]
    assert subprocess.run(command, check=False).returncode == 0, f"run: python tools/{tool}.py"


def test_the_page_of_the_api_is_up_to_date() -> None:
    code = runpy.run_path(str(REPOSITORY / "tools" / "write_api.py"))
    assert code["PAGE"].read_text(encoding="utf-8") == code["page"](), "tools/write_api.py writes it again"
