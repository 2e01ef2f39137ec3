"""Writes python/README.md, the description of the package, from README.md.

    python tools/describe.py

Where a package is read, the repository's files are not beside it. With a `Repository` in `[project.urls]` of
pyproject.toml links and pictures lead there; without one, links are their words and pictures are left out. Scenarios
are those that `windward init` writes. A test compares the two files.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "python" / "README.md"
NOTE = "<!-- Written from README.md by tools/describe.py; do not edit. -->\n"
INIT = """\
`windward init NAME` writes the scenario files that are named here, and others to start from; `windward init --list`
names all.
"""


def description(readme: str, repository: str | None) -> str:
    """The description; `repository` is the address of its files, with a slash at the end."""
    text = readme.replace("`scenarios/headline.toml`", "`headline.toml`")
    if repository is None:
        # A picture, and what is said below it.
        text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n\n(\*[^*].*?\*\n\n)?", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"^[^\n]+:\n\n(\|[^\n]*\n)+?\| !\[.*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"^Begin with the .*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"\[([^\]]*)\]\((?!\w+://)[^)]*\)", r"\1", text)
    else:
        text = re.sub(r"(\]\()(?!\w+://|#)([^)]*\))", rf"\g<1>{repository}\2", text)
    # What is for a clone alone.
    text = re.sub(r"^```\nmake run.*?^```\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^A machine with Rust.*?command:\n", INIT, text, flags=re.MULTILINE | re.DOTALL)
    return NOTE + re.sub(r"\bscenarios/(\w[\w-]*\.toml)", r"\1", text)


def package_description() -> str:
    """Text of python/README.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project.get("urls", {}).get("Repository")
    base = f"{repository.rstrip('/')}/raw/HEAD/" if repository else None
    return description((ROOT / "README.md").read_text(encoding="utf-8"), base)


if __name__ == "__main__":
    PAGE.write_text(package_description(), encoding="utf-8")
