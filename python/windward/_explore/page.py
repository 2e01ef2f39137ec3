"""The page as HTML, with all that it needs in it."""

from __future__ import annotations

import html
import json
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from windward._engine import __version__
from windward.show.page import _html

if TYPE_CHECKING:
    from windward._explore.session import Session

_HERE = Path(__file__).parent


def page(session: Session, nonce: str) -> str:
    """The page of a session; its scripts have `nonce`, which the server's policy names."""
    start = session.start
    opening = json.dumps(session.opening(), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    own = (_HERE / "explore.js").read_text(encoding="utf-8")
    scripts = (f'<script nonce="{nonce}">\n{part}\n</script>' for part in (*_html.scripts(), own))
    return Template((_HERE / "explore.html").read_text(encoding="utf-8")).substitute(
        name=html.escape(start.name),
        title=html.escape(start.title or start.name),
        style=f"{_html.style()}\n{(_HERE / 'explore.css').read_text(encoding='utf-8')}",
        opening=opening,
        nonce=nonce,
        scripts="\n".join(scripts),
        version=html.escape(__version__),
    )
