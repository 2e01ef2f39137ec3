"""Builds the site: `make site` writes it to target/site, from docs/, the scenarios and what they link to.

    python tools/build_site.py [--stage-only]

Pages keep their texts. Links to files of the repository lead to copies of them, so that the site is whole without a
network. Each scenario opens in the playground, which `make playground` builds. The navigation
is the index `docs/README.md`; exponents and indices of equations are set.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from tools.build_playground import TARGET as PLAYGROUND, recordings  # noqa: E402

from windward.show.page import _playground  # noqa: E402

TARGET = ROOT / "target" / "site"
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
ATTRIBUTE = re.compile(r'((?:href|src)=")([^"]+)(")')
#: Files that become pages which show them, by suffix: the language of their text.
SHOWN = {".toml": "toml", ".json": "json", ".py": "python", ".csv": "text", ".sh": "bash", ".rs": "rust", ".h": "c"}
#: Folders of pages, and the part of their names that addresses leave out.
ROOMS = {"docs": "docs", "evidence/measured": "evidence"}
#: The playground's place in the site.
PLAYED = "playground.html"
#: Lines of a shown file; a recording has thousands.
MOST_LINES = 600


class Site:
    """Sources and the places of their pages, found by following links from the front page and the index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: dict[Path, Path] = {}
        self.left: list[Path] = []

    def place(self, source: Path) -> Path:
        """The place of a source, which is staged once somebody links to it."""
        if source not in self.places:
            self.places[source] = _place(source.relative_to(ROOT))
            self.left.append(source)
        return self.places[source]

    def stage(self) -> None:
        """Writes all pages that the front page, the index and the scenarios lead to."""
        self.place(ROOT / "site" / "index.md")
        self.place(ROOT / "docs" / "README.md")
        for scenario in sorted((ROOT / "scenarios").glob("*.toml")):
            self.place(scenario)
        while self.left:
            self._write(self.left.pop())
        (self.folder / "scenarios" / "index.md").write_text(self._scenarios(), encoding="utf-8")

    def _write(self, source: Path) -> None:
        target = self.folder / self.places[source]
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.write_text(self._listing(source), encoding="utf-8")
        elif source.suffix == ".md":
            target.write_text(self._page(source), encoding="utf-8")
        elif target.suffix == ".md":
            target.write_text(_shown(source), encoding="utf-8")
        else:
            shutil.copyfile(source, target)

    def _page(self, source: Path) -> str:
        # The front page stands beside docs/, whatever its own folder.
        base = ROOT if source.parent == ROOT / "site" else source.parent

        def lead(match: re.Match[str]) -> str:
            before, link, after = match.groups()
            if "://" in link or link.startswith(("#", "mailto:")):
                return match[0]
            if link == PLAYED:
                up = os.path.relpath(".", self.places[source].parent)
                return f"{before}{up}/{PLAYED}{after}"
            file, hash_, anchor = unquote(link).partition("#")
            path = (base / file).resolve()
            if (path / "README.md").is_file():
                path = path / "README.md"
            if not path.exists():
                sys.exit(f"{source.relative_to(ROOT)} links to {link}, which is not there")
            to = os.path.relpath(self.place(path), self.places[source].parent)
            if before.endswith('="'):
                to = re.sub(r"\.md$", ".html", to)
            return f"{before}{to}{hash_}{anchor}{after}"

        parts = re.split(r"(^```.*?^```$)", source.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for at in range(0, len(parts), 2):
            text = LINK.sub(lead, parts[at])
            parts[at] = _spaced(_set(ATTRIBUTE.sub(lead, text)))
        return "".join(parts)

    def _listing(self, folder: Path) -> str:
        files = sorted(path for path in folder.iterdir() if path.suffix in SHOWN)
        places = [os.path.relpath(self.place(path), self.places[folder].parent) for path in files]
        rows = [f"* [`{path.name}`]({place})" for path, place in zip(files, places, strict=True)]
        return "\n".join([f"# {folder.relative_to(ROOT)}", "", *rows, ""])

    def _scenarios(self) -> str:
        rows = []
        for source, place in sorted(self.places.items()):
            if source.parent == ROOT / "scenarios" and source.suffix == ".toml":
                rows.append(f"| [`{source.name}`]({place.name}) | {_title(source)} |")
        return "\n".join(["# Scenarios", "", "| file | network |", "|---|---|", *rows, ""])


def _place(source: Path) -> Path:
    """The page or the copy of a file of the repository."""
    if source == Path("site/index.md"):
        return Path("index.md")
    if source == Path("docs/README.md"):
        return Path("contents.md")
    inside = source.relative_to(next((left for room, left in ROOMS.items() if source.is_relative_to(room)), ""))
    if (ROOT / source).is_dir():
        return inside / "index.md"
    if inside.suffix in SHOWN and inside.parts[0] in ("scenarios", "examples"):
        return inside.with_suffix(".md") if inside.suffix != ".json" else Path(f"{inside}.md")
    if inside.name == "README.md":
        return inside.with_name("index.md") if inside.parent != Path() else Path("project.md")
    return inside


def _shown(source: Path) -> str:
    """A page that shows a file; the comment at the head of a scenario is its text."""
    lines = source.read_text(encoding="utf-8").splitlines()
    name = source.relative_to(ROOT)
    about: list[str] = []
    if source.suffix == ".toml":
        end = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        about, lines = [line[1:].strip() for line in lines[:end]], lines[end:]
        about = [
            *about,
            "",
            "```",
            f"windward simulate {name}",
            "```",
            "",
            f"[Open in the playground]({_played(source)})",
            "",
        ]
    more = [f"… {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    body = [f"```{SHOWN[source.suffix]}", *lines[:MOST_LINES], *more, "```", ""]
    return "\n".join([f"# {_title(source)}", "", *about, *body])


def _played(scenario: Path) -> str:
    """Address of a scenario in the playground, which has a place of its own in the site."""
    text = scenario.read_text(encoding="utf-8")
    up = "../" * (len(_place(scenario.relative_to(ROOT)).parts) - 1)
    return f"{up}{PLAYED}{_playground.fragment(text, recordings(scenario, text))}"


def _title(scenario: Path) -> str:
    title = re.search(r'^title = "(.+)"', scenario.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return title[1] if title and scenario.suffix == ".toml" else scenario.name


#: An exponent or an index of a symbol: in brackets or braces, or of letters and digits that nothing else follows.
_EXPONENT = re.compile(r"(?<=[\w)\]}′̄])\^(?:\{([^{}]+)\}|\(([^()]+)\)|([\w−+*]+))")
_INDEX = re.compile(r"(?<!\w)([A-Za-zα-ωΑ-Ω∂Σ]{1,2}|[A-Z]{3,4})_(?:\{([^{}]+)\}|([^\W_]{1,6})\b)")


def _set(text: str) -> str:
    """Text with its exponents and indices set, outside of code and links."""
    parts = re.split(r"(`[^`\n]+`|\]\([^)\s]+\)|<[^>\n]+>)", text)
    for at in range(0, len(parts), 2):
        part = _EXPONENT.sub(lambda found: f"<sup>{next(filter(None, found.groups()))}</sup>", parts[at])
        parts[at] = _INDEX.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", part)
    return "".join(parts)


def _spaced(text: str) -> str:
    """Text with an empty line before each list and table, which Python's Markdown needs and forges do not."""
    lines: list[str] = []
    for line in text.split("\n"):
        begins = re.match(r"(\* |\d+\. |\| )", line) is not None
        before = lines[-1] if lines else ""
        follows = re.match(r"(\* |\d+\. |\||  |$)", before) is not None
        if begins and not follows:
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def navigation(site: Site) -> list[str]:
    """The index as the site's navigation: its sections, and below them its links in their order, each page once."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    seen = {ROOT / "docs" / "README.md"}
    lines = ["nav:", "  - Windward: index.md"]
    for section in re.split(r"^\*\*(?=\w)", index, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("**")
        entries = _entries(site, ROOT / "docs" / "README.md", text, seen, 2)
        if title == "Reference":
            entries += ["    - Scenarios:", "      - scenarios/index.md"]
            entries += [
                f"      - {place.stem}: {place}"
                for source, place in sorted(site.places.items())
                if source.parent == ROOT / "scenarios" and source.suffix == ".toml"
            ]
        lines += [f"  - {title}:", *entries]
    return [*lines, "  - All pages: contents.md", ""]


def _entries(site: Site, page: Path, text: str, seen: set[Path], depth: int) -> list[str]:
    """The links of a text as entries; an index's own links are below it."""
    lines = []
    pad = "  " * depth
    for title, link in re.findall(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)[^)]*\)", text):
        path = (page.parent / link).resolve() if "://" not in link else page
        if path in seen or path.suffix != ".md" or not any(path.is_relative_to(ROOT / room) for room in ROOMS):
            continue
        seen.add(path)
        name = _short(path) if title.startswith("`") else title[0].upper() + title[1:]
        if path.name != "README.md":
            lines.append(f'{pad}- "{name}": {site.places[path]}')
            continue
        below = _entries(site, path, path.read_text(encoding="utf-8"), seen, depth + 1)
        lines += [f'{pad}- "{name}":', f"{pad}  - {site.places[path]}", *below]
    return lines


def _short(page: Path) -> str:
    """Name of a page in the navigation: its title as far as a bracket or a colon."""
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return re.split(r" \(|: ", title)[0].replace("`", "")


class _Links(HTMLParser):
    """Targets and anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "link":
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def broken(folder: Path) -> list[str]:
    """Links of built pages that lead nowhere."""
    pages: dict[Path, _Links] = {}
    for path in sorted(folder.rglob("*.html")):
        pages[path] = _Links()
        pages[path].feed(path.read_text(encoding="utf-8"))
    found = []
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for target in page.targets:
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            to = (path.parent / file).resolve() if file else path
            if to.is_dir():
                to = to / "index.html"
            # The playground's anchors are scenarios.
            is_known = to.name == PLAYED or to not in pages or anchor in pages[to].anchors
            if not to.is_file() or not is_known:
                found.append(f"{path.relative_to(folder)} links to {target}")
    return found


def stage(folder: Path) -> Path:
    """Writes the sources of the site below `folder`; returns the file of settings."""
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder / "pages")
    site.folder.mkdir(parents=True)
    (site.folder / "scenarios").mkdir()
    site.stage()
    shutil.copyfile(ROOT / "site" / "site.css", site.folder / "site.css")
    if PLAYGROUND.is_file():
        shutil.copyfile(PLAYGROUND, site.folder / PLAYED)
    settings = folder / "mkdocs.yml"
    text = (ROOT / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    text += "docs_dir: pages\nsite_dir: html\n" + "\n".join(navigation(site))
    settings.write_text(text, encoding="utf-8")
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage-only", action="store_true", help="write the sources, and build nothing")
    chosen = parser.parse_args()
    if not chosen.stage_only and not PLAYGROUND.is_file():
        sys.exit("there is no playground yet\nhint: make playground")
    settings = stage(TARGET)
    if chosen.stage_only:
        return
    built = subprocess.run(
        [str(Path(sys.executable).with_name("zensical")), "build", "--clean", "--config-file", settings.name],
        cwd=TARGET,
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        sys.exit(built.stdout + built.stderr)
    problems = broken(TARGET / "html")
    print(f"{len(list((TARGET / 'html').rglob('*.html')))} pages in {TARGET / 'html'}")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
