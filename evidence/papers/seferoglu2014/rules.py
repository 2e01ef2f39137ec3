"""A rule of others that the paper sets itself apart from."""

from __future__ import annotations

import windward as ww


class PlaceHolder:
    """Place-holder backlogs (footnote 1): U + K in place of U, at both ends of a link."""

    def rank(self, pair: ww.Pair) -> float:
        theirs = 0.0 if pair.is_destination else pair.theirs + pair.threshold
        return (pair.own + pair.threshold - theirs) * pair.success
