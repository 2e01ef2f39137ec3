"""The figures of a paper, drawn again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from matplotlib.figure import Figure

from windward.papers.judge import Results
from windward.papers.ledger import MissingInputError, Paper, PaperError
from windward.results._files import replace_text
from windward.show.plot import save
from windward.show.plot.style import committed, with_axes

__all__ = ["Context", "Draw", "Drawn", "figure", "kept", "rehearse", "reproduce"]

Draw = TypeVar("Draw", bound=Callable[..., Figure])


@dataclass(frozen=True, kw_only=True)
class Context:
    """Inputs of a figure's function."""

    #: The paper's folder, for its scenario files.
    folder: Path
    #: Kept numbers; figures may use those of figures before them.
    results: Results
    #: Number of seeds of packet runs; None for those of the scenario files.
    seeds: int | None
    #: Share of the duration of packet runs: 1, or less in a rehearsal.
    share: float
    #: To be told, in a few words, what is being done.
    progress: Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure as files."""

    number: str
    title: str
    #: Content of the figure and how to read it.
    caption: str
    svg: Path
    pdf: Path

    @property
    def label(self) -> str:
        """Name in the paper: "Figure 3", or "Table 8" for the number "table-8"."""
        number = self.number.removeprefix("table-")
        return f"Figure {number}" if number == self.number else f"Table {number}"


def figure(
    number: str, *, title: str, caption: str, is_rehearsed: bool = True, rehearsed_share: float = 0.1
) -> Callable[[Draw], Draw]:
    """Marks the function that draws a figure: it takes a `Context`, keeps its numbers, and returns the figure.

    Parameters
    ----------
    number, title, caption
        As on the page.
    is_rehearsed
        Lets `rehearse` call it. False if no claim is judged from its numbers.
    rehearsed_share
        Share of the duration of packet runs in a rehearsal.
    """

    def mark(draw: Draw) -> Draw:
        draw.figure_number = number  # type: ignore[attr-defined]
        draw.figure_title = title  # type: ignore[attr-defined]
        draw.figure_caption = caption  # type: ignore[attr-defined]
        draw.figure_is_rehearsed = is_rehearsed  # type: ignore[attr-defined]
        draw.figure_rehearsed_share = rehearsed_share  # type: ignore[attr-defined]
        return draw

    return mark


def reproduce(
    paper: Paper,
    output: Path,
    *,
    only: str | None = None,
    seeds: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Drawn]:
    """Draws one figure, or all, into a folder: SVG, PDF, and the numbers as Parquet and CSV.

    Raises
    ------
    PaperError
        For a figure that the paper does not have here.
    """
    if only is not None and only not in paper.figures:
        there = ", ".join(paper.figures) or "none"
        raise PaperError(f"{paper.key} has no figure {only} here; figures: {there}")
    output.mkdir(parents=True, exist_ok=True)
    context = Context(folder=paper.folder, results=Results(output), seeds=seeds, share=1, progress=progress)
    drawn = []
    for number, draw in paper.figures.items():
        if only is None or number == only:
            progress(f"figure {number}")
            try:
                drawn.append(_draw(number, draw, context))
            except MissingInputError as missing:
                progress(f"figure {number} left out: {missing}")
    return drawn


def rehearse(paper: Paper, output: Path) -> Results:
    """Runs what the figures need with one seed for a share of the time, and keeps the numbers; nothing is drawn."""
    results = Results(output)
    rehearsed = (draw for draw in paper.figures.values() if draw.figure_is_rehearsed)  # type: ignore[attr-defined]
    for draw in rehearsed:
        share = draw.figure_rehearsed_share  # type: ignore[attr-defined]
        draw(Context(folder=paper.folder, results=results, seeds=1, share=share, progress=lambda _: None))
    return results


def kept(paper: Paper, output: Path) -> list[Drawn]:
    """The figures that an earlier run has drawn into a folder; those that it has not are left out."""
    drawn = (_drawn(number, draw, output) for number, draw in paper.figures.items())
    return [one for one in drawn if one.svg.exists()]


def _drawn(number: str, draw: Any, output: Path) -> Drawn:
    return Drawn(
        number=number,
        title=draw.figure_title,
        caption=draw.figure_caption,
        svg=output / f"figure-{number}.svg",
        pdf=output / f"figure-{number}.pdf",
    )


def _draw(number: str, draw: Any, context: Context) -> Drawn:
    drawn = _drawn(number, draw, context.results.folder)
    with committed():
        figure = draw(context)
        save(figure, drawn.svg)
        # The page reads values off its axes.
        replace_text(drawn.svg, with_axes(figure, drawn.svg.read_text(encoding="utf-8")))
        save(figure, drawn.pdf)
    return drawn
