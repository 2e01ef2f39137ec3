"""Draws the crates and their imports from their manifests: docs/pictures/crates.svg.

    python tools/draw_crates.py

A crate stands in the column after the last crate that it imports; an arrow that follows from others is left out.
"""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "crates.svg"

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 104, 30, 46, 26, 14


def imports() -> dict[str, set[str]]:
    """The crates of the workspace that each crate imports."""
    found = {}
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")):
        wanted = tomllib.loads(manifest.read_text(encoding="utf-8")).get("dependencies", {})
        prefix = "windward-"
        found[manifest.parent.name] = {name.removeprefix(prefix) for name in wanted if name.startswith(prefix)}
    return found


def columns(arrows: dict[str, set[str]]) -> dict[str, int]:
    """The column of each crate: one more than the last of what it imports."""
    found: dict[str, int] = {}
    while len(found) < len(arrows):
        for name, below in arrows.items():
            if name not in found and below <= found.keys():
                found[name] = max((found[other] + 1 for other in below), default=0)
    return found


def direct(arrows: dict[str, set[str]]) -> set[tuple[str, str]]:
    """The imports that do not follow from others."""

    def reached(name: str) -> set[str]:
        return arrows[name] | {far for near in arrows[name] for far in reached(near)}

    return {
        (name, other)
        for name, below in arrows.items()
        for other in below
        if not any(other in reached(near) for near in below - {other})
    }


def ways(column: dict[str, int], arrows: set[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """The stations of each arrow: its crates, and a place to pass in every column between them."""
    return {
        (name, other): [name, *(f"{name}>{other}@{at}" for at in range(column[name] - 1, column[other], -1)), other]
        for name, other in sorted(arrows)
    }


def rows(column: dict[str, int], paths: list[list[str]]) -> list[list[str]]:
    """Crates and places to pass, column by column, in an order in which few arrows cross (barycentres)."""
    near: dict[str, list[str]] = {name: [] for name in column}
    at = dict(column)
    for path in paths:
        for step, name in enumerate(path):
            at.setdefault(name, column[path[0]] - step)
            near.setdefault(name, [])
        for one, two in itertools.pairwise(path):
            near[one].append(two)
            near[two].append(one)
    found = [sorted(name for name in at if at[name] == x) for x in range(max(at.values()) + 1)]
    for sweep in range(24):
        place = {name: (y + 0.5) / len(names) for names in found for y, name in enumerate(names)}
        names = found[sweep % len(found)]
        names.sort(key=lambda name: (sum(place[other] for other in near[name]) / max(1, len(near[name])), name))
    return found


def draw(arrows: dict[str, set[str]]) -> str:
    """The picture, as SVG."""
    column = columns(arrows)
    paths = ways(column, direct(arrows))
    found = rows(column, list(paths.values()))
    tallest = max(map(len, found))
    place: dict[str, tuple[float, float]] = {}
    for at, names in enumerate(found):
        top = (tallest - len(names)) * (HEIGHT + GAP_Y) / 2
        for row, name in enumerate(names):
            place[name] = (MARGIN + at * (WIDTH + GAP_X), MARGIN + top + row * (HEIGHT + GAP_Y))
    width = 2 * MARGIN + len(found) * (WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + tallest * (HEIGHT + GAP_Y) - GAP_Y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="The crates and their imports">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        '<g fill="none" stroke="#999" marker-end="url(#tip)">',
    ]
    for path in paths.values():
        points: list[tuple[float, float]] = []
        for name in path:
            x, y = place[name]
            is_first, is_last = name == path[0], name == path[-1]
            points += [] if is_first else [(x + WIDTH, y + HEIGHT / 2)]
            points += [] if is_last else [(x, y + HEIGHT / 2)]
        line = f"M{points[0][0]:g} {points[0][1]:g}"
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            middle = (x + to_x) / 2
            line += f"C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
        lines.append(f'<path d="{line}"/>')
    lines.append('</g><g font-family="sans-serif" font-size="14" text-anchor="middle">')
    for name in sorted(column):
        x, y = place[name]
        lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#eef3f8" stroke="#4a7ba6"/>'
            f'<text x="{x + WIDTH / 2:g}" y="{y + HEIGHT / 2 + 5:g}">{name}</text>'
        )
    lines.append("</g></svg>")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(imports()), encoding="utf-8")
