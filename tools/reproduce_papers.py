"""Draws the figures of the papers, judges their claims, and writes evidence/measured/papers: `make reproduce` runs it.

With the keys of papers as arguments only these; with --kept the figures and numbers that results/papers already holds
are taken as they are, and only the claims are judged again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from windward import papers
from windward.papers.judge import Judgement, Results, judge_all
from windward.papers.page import index, markdown

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PAGES = ROOT / "evidence" / "measured" / "papers"
RESULTS = ROOT / "results" / "papers"


def write(paper: papers.Paper, *, are_kept: bool) -> list[Judgement]:
    """Writes the page of one paper, with its pictures."""
    output = RESULTS / paper.key
    drawn = papers.kept(paper, output) if are_kept else papers.reproduce(paper, output, progress=_tell)
    judgements = []
    for judgement in judge_all(paper, results=Results(output)):
        _tell(f"{paper.key}, claim {judgement.claim.id}: {judgement.outcome}")
        judgements.append(judgement)
    pictures = []
    for one in drawn:
        picture = PICTURES / f"{paper.key}-figure-{one.number}.svg"
        shutil.copyfile(one.svg, picture)
        pictures.append((f"{one.label}: {one.title}", f"../../../docs/pictures/{picture.name}", one.caption))
    (PAGES / f"{paper.key}.md").write_text(markdown(paper, judgements, pictures, "make reproduce"), encoding="utf-8")
    return judgements


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", nargs="*", metavar="KEY", default=papers.known())
    parser.add_argument("--kept", action="store_true", help="draw nothing anew")
    chosen = parser.parse_args()
    PAGES.mkdir(exist_ok=True)
    failed = []
    for key in chosen.papers:
        judgements = write(papers.load(key), are_kept=chosen.kept)
        failed += [f"{key} {judgement.claim.id}" for judgement in judgements if judgement.holds is False]
    (PAGES / "README.md").write_text(index([papers.load(key) for key in papers.known()]), encoding="utf-8")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
