"""The command line.

What a command needs is imported when it runs: `windward --help` does not wait for numpy. Exit codes: 0, success;
1, a claim of a paper or runs of a sweep failed; 2, wrong input, named on standard error; 130, interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from windward import _console
from windward._cli.completion import mend_zsh
from windward._cli.help import Entry, group
from windward._cli.words import complain
from windward._engine import EmulationError, KernelError, LawError, ScenarioError, __version__
from windward.errors import OptionError, ResultError

#: The commands, in the order in which `--help` lists them. A test holds the lines to the commands' own help.
COMMANDS = {
    "simulate": Entry("Engines", "engines:simulate", "Simulate a scenario packet by packet."),
    "emulate": Entry("Engines", "engines:emulate", "Run a scenario in real time between Linux kernels."),
    "fluid": Entry("Engines", "engines:fluid", "Integrate the differential equations of the windows."),
    "optimum": Entry("Engines", "engines:optimum", "Find the rates that maximise the flows' utilities."),
    "compare": Entry("Engines", "engines:compare", "Compare all engines on one scenario."),
    "sweep": Entry("Engines", "sweep:sweep", "Run a scenario with many values of its fields."),
    "tune": Entry("Engines", "tune:tune", "Find the best values of a law's parameters, or of other fields."),
    "attack": Entry("Engines", "attack:attack", "Find the network, within bounds, on which a law fails."),
    "evaluate": Entry("Engines", "evaluate:evaluate", "Judge a law by the criteria of RFC 9743."),
    "bench": Entry("Engines", "bench:bench", "Score a law on 64 networks, beside CUBIC."),
    "discover": Entry("Engines", "discover:discover", "Search a congestion control law among formulas."),
    "explore": Entry("Engines", "explore:explore", "Explore a scenario in a browser, with its fields as sliders."),
    "link": Entry("Engines", "link:link", "Run a command behind an emulated link."),
    "show": Entry("Results", "show:show", "Print the tables of a result."),
    "plot": Entry("Results", "show:plot", "Draw a figure of one result or several."),
    "report": Entry("Results", "show:report", "Write a self-contained HTML report of a result."),
    "export": Entry("Results", "show:export", "Write a run's series as a file of Flent, iperf3 or mahimahi."),
    "get": Entry("Transfers", "get:get", "Download files over parallel connections."),
    "serve": Entry("Transfers", "serve:serve", "Serve a folder over HTTP."),
    "send": Entry("Transfers", "serve:send", "Upload a file to `windward serve --upload`."),
    "kernel": Entry("Kernel", "kernel:app", "Load control laws into the Linux kernel."),
    "claims": Entry("Papers", "papers:claims", "Check the claims of the papers."),
    "reproduce": Entry("Papers", "papers:reproduce", "Reproduce the figures of a paper and check its claims."),
    "init": Entry("Reference", "init:init", "Write a scenario file to start from."),
    "check": Entry("Reference", "describe:check", "Check a scenario file."),
    "laws": Entry("Reference", "describe:laws", "List the control laws and their parameters."),
    "cite": Entry("Reference", "describe:cite", "Print BibTeX entries for a scenario."),
    "schema": Entry("Reference", "describe:schema", "Print the JSON Schema of scenario files."),
}

app = typer.Typer(
    name="windward",
    cls=group(COMMANDS),
    help="Study, predict and deploy congestion control for wireless networks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Runs the command line; errors become one message on standard error and an exit code."""
    try:
        _console.install()
        mend_zsh()
        try:
            app()
        finally:
            sys.stdout.flush()
    except LawError as error:
        if error.__cause__ is not None:
            import traceback

            traceback.print_exception(error.__cause__)
        complain(str(error))
        raise SystemExit(2) from None
    except ScenarioError as error:
        # It begins with the file and the line, as compilers write it, so that editors find the place.
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    except OptionError as error:
        complain(error.text("--{} {}", "-"))
        raise SystemExit(2) from None
    except (EmulationError, KernelError, ResultError, ValueError) as error:
        complain(str(error))
        raise SystemExit(2) from None
    except BrokenPipeError:
        _leave_quietly()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except SystemExit as error:
        # The command line library catches a broken pipe itself, and exits with 1.
        if isinstance(error.__context__, BrokenPipeError):
            _leave_quietly()
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        complain(f"{where}{error.strerror or error}")
        _console.abandon()
        raise SystemExit(2) from None


def _leave_quietly() -> NoReturn:
    """The reader of our output has left, as `head` does: no failure."""
    _console.abandon()
    raise SystemExit(0) from None


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
