"""Imports matplotlib, also where the environment names a backend that is not there.

A notebook's kernel sets `MPLBACKEND` for the commands that it starts, which may have packages of their own. Figures are
written to files and need no such backend.
"""

from __future__ import annotations

import contextlib
import os
import sys


def load() -> None:
    """Imports matplotlib with the backend of the environment if that is known, otherwise with "agg"."""
    named = os.environ.get("MPLBACKEND")
    if named is None or "matplotlib" in sys.modules:
        return
    # An unknown backend ends the import, after which matplotlib cannot be imported again.
    os.environ["MPLBACKEND"] = "agg"
    try:
        import matplotlib as mpl
    finally:
        os.environ["MPLBACKEND"] = named
    with contextlib.suppress(ValueError):
        mpl.rcParams["backend"] = named


load()
