"""The command line's `link`: one emulated link in front of a command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from windward import _engine
from windward._engine import EmulationError

#: The rates of tc(8), which are written without a stroke.
_TC_RATE = re.compile(r"^\s*([0-9.]+)\s*([kmg]?)bit\s*$", re.IGNORECASE)
_PREFIX = {"": "", "k": "k", "m": "M", "g": "G"}

#: The seconds for which the link's record is prepared; it lasts as long as the command.
_PREPARED = "60 s"


def link(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND …", help="What to run behind the link.")],
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help='Such as 10mbit or "2.5 Mbit/s".', rich_help_panel="Link")
    ] = None,
    delay: Annotated[
        str, typer.Option(metavar="TIME", help="Propagation delay, one way.", rich_help_panel="Link")
    ] = "0 ms",
    loss: Annotated[str, typer.Option(metavar="SHARE", help="Random loss, such as 1%.", rich_help_panel="Link")] = "0",
    buffer: Annotated[
        str,
        typer.Option(
            metavar="AMOUNT",
            help="What may wait: packets, or an amount with its unit, such as 125kB or 100ms.",
            rich_help_panel="Link",
        ),
    ] = "1000",
    jitter: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Extra delay, uniform up to this; order is kept.", rich_help_panel="Link"),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A recording of mahimahi's in place of the rate.", rich_help_panel="Link"),
    ] = None,
    server: Annotated[
        list[str] | None,
        typer.Option(metavar="COMMAND", help="Run this at the other end, for as long as the command runs. Repeatable."),
    ] = None,
    congestion: Annotated[
        str | None, typer.Option(metavar="LAW", help="Congestion control at the other end. Default: the machine's.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Nothing but the servers of --server can be reached.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Names the luck of loss and jitter.")] = 1,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what happened on the link, as JSON.")
    ] = None,
) -> None:
    """Run a command behind an emulated link.

    The command is in a network of its own whose only way out is the link. At the other end stands $WINDWARD_SERVER
    (100.64.0.1), where --server starts what is to be reached; its other ports are those of this machine's loopback. Any
    other address is reached as from this machine, across the link. No root is needed, and nothing of the machine is
    changed. A value that differs between the directions is written DOWN,UP: towards the command, and away from it. The
    exit code is the command's.

    windward link --rate 10mbit --delay 50ms --loss 1%,0 --server "iperf3 -s" -- iperf3 -c 100.64.0.1 -R
    """
    if not hasattr(_engine, "emulate_link"):
        raise EmulationError("links are emulated on Linux only")
    both = {"delay": delay, "loss": loss, "buffer": buffer}
    optional = {"rate": rate, "jitter": jitter, "trace": trace}
    given = both | {name: value for name, value in optional.items() if value is not None}
    if ("rate" in given) == ("trace" in given):
        raise ValueError("a link has a --rate or a --trace, and not both")
    scenario = _engine.Scenario.from_json(json.dumps(_network(given)), "windward link", Path())
    result = _engine.emulate_link(scenario, seed, command, server or [], congestion, isolate)
    if report is not None:
        partial = report.with_name(f".{report.name}.partial")
        partial.write_text(json.dumps(result, indent=2, allow_nan=False, default=str) + "\n", encoding="utf-8")
        partial.replace(report)
    if problem := result["quality"]["problem"]:
        typer.echo(f"windward link: not trustworthy: {problem}", err=True)
    raise typer.Exit(result["code"])


def _network(given: dict[str, str]) -> dict[str, Any]:
    """The scenario of one link: towards the client, and away from it."""
    down, up = {}, {}
    for name, value in given.items():
        values = [_value(name, part.strip()) for part in value.split(",")]
        if len(values) > 2:
            raise ValueError(f"--{name} {value}: one value, or two, DOWN,UP")
        key = "rate" if name == "trace" else name
        down[key], up[key] = values[0], values[-1]
    fields: dict[str, Any] = {"from": "server", "to": "client", **down, "reverse": up}
    flow = {"from": "server", "to": "client", "law": "reno"}
    nodes = [{"name": "server"}, {"name": "client"}]
    # One sample a second: a link may stand for days.
    output = {"sample_interval": "1 s"}
    return {"name": "link", "duration": _PREPARED, "output": output, "node": nodes, "link": [fields], "flow": [flow]}


def _value(name: str, text: str) -> Any:
    if name == "rate" and (match := _TC_RATE.match(text)):
        return f"{match[1]} {_PREFIX[match[2].lower()]}bit/s"
    if name == "buffer" and text.isdigit():
        return f"{text} packets"
    if name == "jitter":
        return {"model": "uniform", "max": text}
    if name == "trace":
        return {"trace": str(Path(text).resolve())}
    if name in ("delay", "buffer") and text == "0":
        return "0 s" if name == "delay" else "0 packets"
    return float(text) if name == "loss" and text.replace(".", "", 1).isdigit() else text
