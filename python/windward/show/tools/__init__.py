"""Series of a run as files that other tools read: CSV, Flent, what reads iperf3's JSON, mahimahi's plotters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from windward.errors import nearest
from windward.results._files import replace_bytes
from windward.show.tools import _csv, _flent, _iperf3, _mahimahi

if TYPE_CHECKING:
    from windward.results._shapes import Result

__all__ = ["FORMATS", "export"]

#: By the names that people choose them by.
FORMATS = ("csv", "flent", "iperf3", "mahimahi")


def export(
    result: Result,
    path: Path,
    form: str,
    *,
    seed: int | None = None,
    link: str | None = None,
    table: str | None = None,
) -> None:
    """Writes a table, or one seed's series as another tool's file.

    Parameters
    ----------
    result
        A simulation or an emulation; for CSV also another engine's answer.
    path
        The file.
    form
        One of `FORMATS`.
    seed
        Whose series. Default: the first; in CSV all.
    link
        Of mahimahi, the link whose log it is. Default: the busiest.
    table
        Of CSV, the table. Default: the flows' series; of a sweep its runs.

    Raises
    ------
    ValueError
        For another format or link, and where the run has nothing that the format holds.
    OSError
        If the file cannot be written.
    """
    if form not in FORMATS:
        raise ValueError(f"unknown format `{form}`; formats: {', '.join(FORMATS)}{nearest(form, FORMATS)}")
    if link is not None and form != "mahimahi":
        raise ValueError(f"a link is chosen for mahimahi's log alone; {form} holds flows")
    if table is not None and form != "csv":
        raise ValueError(f"a table is chosen for CSV alone; {form} holds the flows' series")
    content = _csv.write(result, table, seed) if form == "csv" else _series(result, path, form, seed, link)
    replace_bytes(path, content)


def _series(result: Any, path: Path, form: str, seed: int | None, link: str | None) -> bytes:
    if result.engine not in ("simulate", "emulate"):
        raise ValueError(f"a result of `{result.engine}` has no series of packets; {form} holds those")
    chosen = result.seeds[0] if seed is None else seed
    if form == "flent":
        return _flent.write(result, chosen, path)
    if form == "iperf3":
        return _iperf3.write(result, chosen)
    return _mahimahi.write(result, chosen, link, path)
