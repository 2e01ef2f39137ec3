"""Writes THIRD-PARTY-NOTICES.txt: the licences of what is in the wheel and not Windward's, from the crates' sources.

    python tools/notices.py

Needs cargo, which downloads the crates that are not here yet. A test compares the list with Cargo.lock.
"""

import json
import re
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "THIRD-PARTY-NOTICES.txt"
Crate = tuple[str, str]

#: Where crates keep licences.
FILES = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense)")
RULE = "=" * 100

HEAD = """\
Third-party notices

Windward is licensed under MIT or Apache-2.0, as you prefer: LICENSE-MIT, LICENSE-APACHE. Its engine, a library in Rust,
contains the crates below, each under its own licence, and Rust's standard library, under MIT or Apache-2.0. Its pages
contain uPlot, whose licence lies beside it in the package. Written by tools/notices.py; do not edit.
"""


#: Crates behind features that the engine does not have.
FEATURES = {"noq-proto"}


def shipped() -> set[Crate]:
    """The crates of others in the engine, for whatever system, by name and version, as Cargo.lock has them."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    by_name = defaultdict(list)
    for package in packages:
        by_name[package["name"]].append(package)
    own = {package["name"] for package in packages if "source" not in package}
    manifests = [tomllib.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("crates/*/Cargo.toml")]
    used = {}
    for manifest in manifests:
        tables = [manifest, *manifest.get("target", {}).values()]
        names = {
            (words.get("package") if isinstance(words, dict) else None) or name
            for table in tables
            for name, words in table.get("dependencies", {}).items()
            if name not in FEATURES
        }
        used[manifest["package"]["name"]] = names
    found: set[Crate] = set()
    left = by_name["windward-py"]
    seen = set()
    while left:
        package = left.pop()
        key = (package["name"], package["version"])
        if key in seen:
            continue
        seen.add(key)
        if package["name"] not in own:
            found.add(key)
        for text in package.get("dependencies", []):
            name, _, version = text.partition(" ")
            # What a crate of ours needs for its tests and its build is not shipped.
            if package["name"] in own and name not in used[package["name"]]:
                continue
            left += [other for other in by_name[name] if version in ("", other["version"])]
    return found


def listed(page: str) -> set[Crate]:
    """The crates that the page names."""
    return set(re.findall(r"^  ([\w-]+) (\d\S*), ", page.partition(RULE)[0], flags=re.MULTILINE))


def plain(text: str) -> str:
    """A licence without what differs from file to file and means nothing."""
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


def texts(package: dict[str, object]) -> list[str]:
    """The licences that lie in a crate's sources or at their head; without any, those that its manifest names."""
    folder = Path(str(package["manifest_path"])).parent
    files = {path for path in folder.iterdir() if path.is_file() and FILES.match(path.name)}
    files |= {path for path in folder.glob("LICENSES/*") if path.is_file()}
    if package["license_file"]:
        files.add(folder / str(package["license_file"]))
    if "MIT" in re.split(r" OR |/", str(package["license"])) and any("MIT" in path.name.upper() for path in files):
        # One of several will do.
        files = {path for path in files if not re.search("(?i)apache|unlicense|bsl|zlib|bsd", path.name)}
    found = [plain(path.read_text(encoding="utf-8", errors="replace")) for path in sorted(files)]
    if found:
        return found
    head = re.match(r"(//[^\n]*\n)+", (folder / "src" / "lib.rs").read_text(encoding="utf-8"))
    if head and "Redistribution" in head[0]:
        return [plain(re.sub(r"(?m)^// ?", "", head[0]))]
    names = str(package["license"])
    if "Apache-2.0" in names:
        return [plain((ROOT / "LICENSE-APACHE").read_text(encoding="utf-8"))]
    if "MIT" in names:
        holders = ", ".join(package["authors"]) or f"The {package['name']} developers"  # type: ignore[arg-type]
        mit = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
        return [plain(re.sub(r"Copyright \(c\) .*", f"Copyright (c) {holders}", mit))]
    raise SystemExit(f"{package['name']} is under {names} and has no text of it")


def page() -> str:
    """The notices."""
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    wanted = shipped()
    packages = [one for one in metadata["packages"] if (one["name"], one["version"]) in wanted]
    packages.sort(key=lambda one: (one["name"], one["version"]))
    lines = [HEAD, f"{len(packages)} crates:", ""]
    users: dict[str, list[str]] = {}
    for package in packages:
        lines.append(
            ", ".join(
                filter(None, (f"  {package['name']} {package['version']}", package["license"], package["repository"]))
            )
        )
        for text in texts(package):
            # The same words, however the lines are broken.
            known = next((other for other in users if other.split() == text.split()), text)
            users.setdefault(known, []).append(package["name"])
    for text, names in users.items():
        lines += ["", RULE, "Licence of " + ", ".join(dict.fromkeys(names)), RULE, "", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {len(listed(PAGE.read_text(encoding='utf-8')))} crates")
