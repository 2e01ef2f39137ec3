"""Figures for the columns of papers: their widths and fonts, nothing that the caption says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from matplotlib import font_manager
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Annotation, Text

from windward.errors import nearest
from windward.results._names import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

#: Size of all text, in points.
SIZE = 8.0

#: Size of numbers and remarks within the axes, in points.
SMALL = 7.0

#: In matplotlib itself, cut like Times: what is left where none of a paper's fonts is installed.
_LAST = "STIXGeneral"

_TIMES = ("Times New Roman", "Nimbus Roman", "Liberation Serif", "FreeSerif", "Tinos")
_LIBERTINE = ("Linux Libertine", "Linux Libertine O", "Libertinus Serif", *_TIMES)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a journal or proceedings."""

    #: Width in inches.
    width: float
    #: The fonts that fit its text, the best first.
    fonts: tuple[str, ...]
    #: How high a figure is, of what it is on a screen.
    height: float

    def settings(self) -> dict[str, Any]:
        """Settings of matplotlib that differ from those for a screen."""
        return {
            "figure.figsize": (self.width, 4.0),
            "font.family": [_installed(self.fonts), "DejaVu Sans"],
            "font.size": SIZE,
            "mathtext.fontset": "stix",
            "axes.titlesize": SIZE,
            "axes.titlepad": 3,
            "axes.labelpad": 2,
            "axes.linewidth": 0.6,
            "grid.linewidth": 0.4,
            "xtick.major.size": 2,
            "ytick.major.size": 2,
            "xtick.major.pad": 2,
            "ytick.major.pad": 2,
            "lines.linewidth": 1.0,
            "legend.fontsize": SIZE,
            "legend.title_fontsize": SIZE,
            "legend.handlelength": 1.5,
            "legend.columnspacing": 1.2,
            "savefig.dpi": 600,
        }


#: By the names that people choose them by. Widths: IEEEtran's and acmart's columns and text.
COLUMNS: Mapping[str, Column] = {
    "ieee": Column(width=3.5, fonts=_TIMES, height=0.6),
    "ieee-wide": Column(width=7.16, fonts=_TIMES, height=0.75),
    "acm": Column(width=3.33, fonts=_LIBERTINE, height=0.6),
    "acm-wide": Column(width=7.0, fonts=_LIBERTINE, height=0.75),
}


def column_of(name: str | None) -> Column | None:
    """The column of a name.

    Raises
    ------
    ValueError
        For another name.
    """
    if name is None:
        return None
    if name not in COLUMNS:
        raise ValueError(f"unknown column `{name}`; columns: {', '.join(COLUMNS)}{nearest(name, COLUMNS)}")
    return COLUMNS[name]


@cache
def _installed(fonts: tuple[str, ...]) -> str:
    # Only TrueType's outlines are embedded as they are; those of OpenType's other kind are not read everywhere.
    known = {font.name for font in font_manager.fontManager.ttflist if font.fname.lower().endswith(".ttf")}
    return next((font for font in fonts if font in known), _LAST)


def legend(where: Axes | Figure, handles: Iterable[Any], names: Iterable[str], **options: Any) -> Legend:
    """A legend of names that are data: matplotlib leaves out those that begin with `_`."""
    handles, shown = list(handles), shorten(names)
    made = where.legend(handles, [f"{at}" for at in range(len(shown))], **options)
    for text, name in zip(made.get_texts(), shown, strict=True):
        text.set_text(name)
    return made


def fit(figure: Figure, column: Column) -> None:
    """Gives a figure a column's width, its text the column's size, and puts legends above what they explain."""
    figure.set_size_inches(column.width, figure.get_figheight() * column.height)
    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_fontsize(SMALL if isinstance(text, Annotation) or float(text.get_fontsize()) < SIZE else SIZE)
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(w_pad=0.03, h_pad=0.03)
    legends = [axes.get_legend() for axes in figure.axes] + list(figure.legends)
    for old in legends:
        if old is None:
            continue
        handles, title = old.legend_handles, old.get_title().get_text()
        labels = [text.get_text() for text in old.get_texts()]
        old.remove()
        # A letter is about half as wide as high; beside a label stand its line and the space between columns.
        wide = 0.5 * SIZE * max(map(len, labels)) + 3.4 * SIZE
        most = max(1, int(72 * column.width // wide))
        rows = -(-len(labels) // most)
        legend(
            figure,
            [handle for handle in handles if handle is not None],
            labels,
            title=title or None,
            loc="outside upper center",
            ncols=-(-len(labels) // rows),
            borderpad=0.1,
            labelspacing=0.25,
        )
