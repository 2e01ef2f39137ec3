"""Series of a run as files that other tools read: Flent, what reads iperf3's JSON, mahimahi's plotters."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from windward.results._files import replace_bytes
from windward.show.tools import _flent, _iperf3, _mahimahi

if TYPE_CHECKING:
    from windward.results._shapes import Packets

#: By the names that people choose them by; each writes bytes of a run and one of its seeds.
FORMATS = ("flent", "iperf3", "mahimahi")


def export(run: Packets, path: Path, form: str, *, seed: int, link: str | None = None) -> None:
    """Writes one seed's series as another tool's file.

    Parameters
    ----------
    run
        A simulation or an emulation.
    path
        The file.
    form
        One of `FORMATS`.
    seed
        Whose series.
    link
        Of mahimahi, the link whose log it is. Default: the busiest.

    Raises
    ------
    ValueError
        For another format or link, and where the run has nothing that the format holds.
    OSError
        If the file cannot be written.
    """
    if form not in FORMATS:
        near = difflib.get_close_matches(form, FORMATS, n=1)
        hint = f"\nhint: did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"unknown format `{form}`; formats: {', '.join(FORMATS)}{hint}")
    if link is not None and form != "mahimahi":
        raise ValueError(f"a link is chosen for mahimahi's log alone; {form} holds flows")
    if form == "flent":
        content = _flent.write(run, seed, path)
    elif form == "iperf3":
        content = _iperf3.write(run, seed)
    else:
        content = _mahimahi.write(run, seed, link, path)
    replace_bytes(path, content)
