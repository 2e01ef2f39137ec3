"""The command line.

What a command needs is imported when it runs: `windward --help` does not wait for numpy. Exit codes: 0, all is well;
1, a claim of a paper failed; 2, something was asked that cannot be, and standard error says what; 130, interrupted.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Annotated

import typer

from windward._cli import describe, engines, get, kernel, link, papers, serve, show
from windward._cli.words import complain
from windward._engine import EmulationError, KernelError, LawError, ScenarioError, __version__
from windward.errors import ResultError

app = typer.Typer(
    name="windward",
    help="Study, predict and deploy congestion control for wireless networks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Runs the command line; errors become one message on standard error and an exit code."""
    try:
        app()
    except LawError as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        complain(str(error))
        raise SystemExit(2) from None
    except ScenarioError as error:
        # It begins with the file and the line, as compilers write it, so that editors find the place.
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    except (EmulationError, KernelError, ResultError, ValueError) as error:
        complain(str(error))
        raise SystemExit(2) from None
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        raise SystemExit(0) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        complain(f"{where}{error.strerror or error}")
        raise SystemExit(2) from None


def _version(is_asked: bool) -> None:
    if is_asked:
        print(f"windward {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


#: The commands by the headings under which `--help` lists them.
_PANELS: dict[str, list[Callable[..., None]]] = {
    "Engines": [engines.simulate, engines.emulate, engines.fluid, engines.optimum, engines.compare, link.link],
    "Results": [show.show, show.plot, show.report],
    "Transfers": [get.get, serve.serve, serve.send],
    "Kernel": [kernel.clean],
    "Papers": [papers.claims, papers.reproduce],
    "Reference": [describe.check, describe.laws, describe.cite, describe.schema],
}

for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(kernel.kernel, name="kernel", rich_help_panel="Kernel")
