"""Lists the Python packages that something needs, as pyproject.toml names them, one a line for `pip install -r`.

    python tools/requirements.py run|GROUP

`run` is what the program imports; a GROUP is one of `[dependency-groups]`.
"""

import sys
import tomllib
from pathlib import Path


def requirements(wanted: str) -> list[str]:
    """The packages that `wanted` needs."""
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    found: list[str] = project["project"]["dependencies"] if wanted == "run" else project["dependency-groups"][wanted]
    return found


if __name__ == "__main__":
    print(*requirements(sys.argv[1]), sep="\n")
