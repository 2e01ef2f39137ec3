"""A paper's ledger and figures for readers: one HTML page that needs nothing else, or a page of the documentation."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from posixpath import relpath

from windward.papers.judge import Judgement, summary
from windward.papers.ledger import OPENING, VERDICTS, Paper, Place
from windward.papers.reproduce import Drawn
from windward.results._files import replace_text
from windward.results._summary import versions
from windward.show.page._html import Section, drawn_of, page

__all__ = ["index", "markdown", "write"]


def write(paper: Paper, judgements: Sequence[Judgement], drawn: Sequence[Drawn], path: Path) -> Path:
    """Writes the HTML page and returns its path."""
    counts = Counter(one.outcome for one in judgements)
    opening = " ".join(paper.opening.values())
    sections = [
        Section("figures", "Figures", "", "\n".join(map(_figure, drawn))),
        Section("claims", "Claims", f"Judged by `windward claims {paper.key}`", _claims(judgements)),
    ]
    text = page(
        name=paper.key,
        title=paper.title,
        how=f"{paper.reference} · {paper.coverage}: {summary(judgements)}. {opening}".strip(),
        facts=[(outcome, str(count)) for outcome, count in counts.most_common()],
        sections=[section for section in sections if section.body],
        charts=[],
        versions=versions(),
    )
    replace_text(path, text)
    return path


def _figure(one: Drawn) -> str:
    svg = one.svg.read_text(encoding="utf-8")
    name = f"{one.label}: {one.title}"
    caption = f"<b>{html.escape(name)}.</b> {html.escape(one.caption)}"
    return drawn_of(svg[svg.index("<svg") :], f"figure-{one.number}", name, caption)


def _claims(judgements: Sequence[Judgement]) -> str:
    columns = ("", "claim", "where", "how checked", "paper", "ours", "tolerance", "verdict")
    head = "".join(f'<th scope="col" class="word">{name}</th>' for name in columns)
    rows = "\n".join(map(_row, judgements))
    return f'<div class="wide"><table class="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _row(one: Judgement) -> str:
    claim = one.claim
    cells = [claim.claim, claim.where, claim.how, claim.paper, one.ours]
    row = "".join(f'<td class="long">{html.escape(cell)}</td>' for cell in cells)
    row += f'<td class="long">{html.escape(claim.tolerance)}<br><span class="note">{html.escape(claim.why)}</span></td>'
    kind = "long warning" if one.holds is False else "long"
    note = f'<br><span class="note">{html.escape(claim.note)}</span>' if claim.note else ""
    row += f'<td class="{kind}">{html.escape(one.outcome)}{note}</td>'
    return f'<tr id="claim-{claim.id}"><th scope="row">{claim.id}</th>{row}</tr>'


def markdown(paper: Paper, judgements: Sequence[Judgement], pictures: Sequence[tuple[str, str, str]], made: str) -> str:
    """The page for the documentation.

    Parameters
    ----------
    paper
        The paper.
    judgements
        What its claims came to.
    pictures
        For each figure its name, the path of its picture from the page, and its caption.
    made
        The command that makes the page.
    """
    lines = [
        f"# {paper.title}",
        "",
        *(f"* **{OPENING[name]}:** {sentence}" for name, sentence in paper.opening.items()),
        *([""] if paper.opening else []),
        f"`{paper.key}`: {paper.reference}. Made by `{made}`; do not edit.",
        "",
        f"{paper.coverage}: {summary(judgements)}.",
        "",
        f"`windward claims {paper.key}` runs them again, `windward reproduce {paper.key}` also draws the figures.",
        f"The code is in [`evidence/papers/{paper.key}`](../../papers/{paper.key}/README.md).",
        "",
    ]
    if pictures:
        lines += ["## Figures", ""]
        for name, path, caption in pictures:
            lines += [f"![{name}]({path})", "", f"**{name}.** {caption}", ""]
    lines += [
        "## Claims",
        "",
        "| | claim | where | how checked | paper | ours | tolerance | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in judgements:
        claim = one.claim
        tolerance = f"{claim.tolerance} ({claim.why})"
        cells = [claim.claim, claim.where, claim.how, claim.paper, one.ours, tolerance, f"**{one.outcome}**"]
        lines.append(f"| {claim.id} | " + " | ".join(map(_cell, cells)) + " |")
    lines += ["", "### Notes", ""]
    lines += [f"* {one.claim.id}: {one.claim.note}" for one in judgements if one.claim.note]
    if paper.places:
        lines += ["", "## Paper and product", "", "| in the paper | here | place |", "|---|---|---|"]
        lines += [f"| {_cell(place.paper)} | {place.here} | {_where(place)} |" for place in paper.places]
    return "\n".join(lines) + "\n"


#: Folder of the pages.
_PAGES = "evidence/measured/papers"


def _where(place: Place) -> str:
    """Links to the places, from the page of a paper."""
    if place.limit:
        return f"[limits](../../../docs/reference/limits.md#methods-of-the-papers): {place.limit}"
    links = []
    for name in place.at:
        path, _, symbol = name.partition(":")
        links.append(name if name.startswith("claim ") else f"[`{symbol or path}`]({relpath(path, _PAGES)})")
    return ", ".join(links)


def index(papers: Sequence[Paper]) -> str:
    """The page that lists the papers: what the ledgers say, without running a check."""
    lines = [
        "# The papers: claims and figures beside ours",
        "",
        "Each claim of a paper is a row of its ledger, `evidence/papers/KEY/claims.toml`. `windward claims KEY` checks",
        "them, `windward reproduce KEY` also draws the figures. A claim has one of these verdicts:",
        "",
        "* *reproduced*: it holds as printed.",
        "* *corrected*: the print is wrong. The check shows that, and that the corrected statement holds.",
        "* *emulated*: its network is gone. It holds on one that was fitted to other numbers of the paper.",
        "* *fitted*: it holds with a guess, tagged [G], that was fitted to it, which is no evidence for the paper.",
        "* *undecided*: single runs scatter too much: their range holds the print and another result as well.",
        "* *differs*: it does not hold here; the note gives the cause, or the experiment that would show it.",
        "* *not reproducible here*: nothing here can check it; the note gives the reason.",
        "",
        "`make test` runs the checks that take seconds, and rehearses the simulations of chen2007, one seed for a",
        "tenth of the time. `.venv/bin/pytest -m long tests/papers` runs the other checks and rehearsals.",
        "Made by `make reproduce`.",
        "",
        "| paper | claims | " + " | ".join(VERDICTS) + " | not taken up yet |",
        "|---|" + "---|" * (len(VERDICTS) + 2),
    ]
    for paper in papers:
        counts = Counter(claim.verdict for claim in paper.claims.values())
        numbers = [len(paper.claims), *(counts[verdict] for verdict in VERDICTS), len(paper.open)]
        lines.append(f"| [{paper.key}]({paper.key}.md): {paper.title} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that cannot break a table or be taken for markup."""
    return re.sub(r"([|*_<\[\]])", r"\\\1", text) if not text.startswith("**") else text
