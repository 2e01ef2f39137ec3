"""The command `explore`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from windward._cli.options import File, NoPython, parse_file
from windward._format.parse import is_json, read


def explore(
    file: File,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 picks a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.", show_default=False)
    ] = True,
    no_python: NoPython = False,
) -> None:
    """Explore a scenario in a browser, with its fields as sliders.

    Every change runs the engines again. The page is served on this machine alone, under the address that is printed,
    until Ctrl-C.
    """
    from windward._explore.server import Server
    from windward._explore.session import Session

    scenario = parse_file(file, no_python=no_python)
    session = Session(scenario, _as_written(file), file.parent)
    server = Server(session, port)
    session.warm()
    print(server.address, flush=True)
    if browser:
        import webbrowser

        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        session.close()
        server.server_close()


def _as_written(file: Path) -> dict[str, Any]:
    """Content of the file itself, without defaults."""
    text = read(file)
    written: dict[str, Any] = json.loads(text) if is_json(file) else tomllib.loads(text)
    return written
