"""The command line's `kernel`: control laws in the Linux kernel, as eBPF programs."""

from __future__ import annotations

import json
import select
from collections.abc import Sequence
from typing import Annotated

import typer

from windward import _engine
from windward._engine import KernelError

kernel = typer.Typer(
    help="Put control laws into the Linux kernel, for every program on this machine to choose.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name under which a law is loaded.")]
Parameters = Annotated[
    list[str] | None, typer.Argument(metavar="PARAMETER=VALUE", help="Parameters of the law, such as backlog=20.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@kernel.command()
def load(
    law: Annotated[str, typer.Argument(metavar="LAW", help="Which law: see `windward kernel laws`.")],
    parameters: Parameters = None,
    name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Load it under this name. Default: the law's, with _ for -."),
    ] = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="Return at once; the law stays until `windward kernel unload`.")
    ] = False,
) -> None:
    """Load a law. Without --stay it is in the kernel for as long as this command runs: Ctrl-C ends both."""
    _linux()
    loaded = _engine.kernel_load(law, _values(parameters or []), name, stay)
    print(f"{law} is loaded as {loaded.name}", flush=True)
    if stay:
        print(f"hint: it stays until `windward kernel unload {loaded.name}`, or the next start of this machine")
        return
    print("Ctrl-C unloads it", flush=True)
    waiting = select.poll()
    waiting.register(loaded.fileno(), 0)
    try:
        waiting.poll()
        print(f"{loaded.name} was unloaded by another command")
    except KeyboardInterrupt:
        print(f"{loaded.name} is unloaded")


@kernel.command(name="laws")
def list_laws() -> None:
    """List the laws that can be loaded, with their parameters."""
    _linux()
    for law, parameters in _engine.kernel_laws():
        print(f"{law:<12}{_settings(parameters)}")


@kernel.command(name="list")
def list_loaded(as_json: AsJson = False) -> None:
    """List the laws of ours that are loaded."""
    _linux()
    entries = _engine.kernel_list()
    if as_json:
        print(json.dumps(entries, indent=2))
        return
    rows = [
        (
            entry["name"],
            entry["law"],
            _settings(entry["parameters"]),
            str(entry["connections"]),
            "until unloaded" if entry["stays"] else "with its command",
        )
        for entry in entries
    ]
    _table(("name", "law", "parameters", "connections", "loaded"), 3, rows, "nothing is loaded")


@kernel.command(name="set")
def set_parameters(name: Name, parameters: Parameters = None) -> None:
    """Change parameters of a loaded law; its connections take them up in their next round trip."""
    _linux()
    if not parameters:
        raise ValueError("say which parameters to change, such as backlog=20")
    _engine.kernel_set(name, _values(parameters))


@kernel.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show the connections that a loaded law drives, as they stood when their last round trip ended."""
    _linux()
    (own, unit), flows = _engine.kernel_show(name)
    if as_json:
        print(json.dumps(flows, indent=2))
        return
    rows = [
        (
            flow["local"],
            flow["remote"],
            f"{flow['cwnd']:.1f}",
            _milliseconds(flow["base_rtt_s"]),
            _milliseconds(flow["avg_rtt_s"]),
            f"{flow[own]:.1f}",
            str(flow["rounds"]),
            "slow start" if flow["is_slow_start"] else "",
        )
        for flow in flows
    ]
    columns = ("from", "to", "cwnd", "base RTT", "average RTT", f"{own} ({unit})", "round trips", "")
    _table(columns, 2, rows, f"no connection uses {name}")


@kernel.command()
def unload(
    name: Name,
    force: Annotated[bool, typer.Option("--force", help="Also while connections use it: they keep it.")] = False,
) -> None:
    """Unload a law, whoever loaded it."""
    _linux()
    _engine.kernel_unload(name, force)


def clean() -> None:
    """Remove what Windward was asked to leave on this machine: laws that stay in the kernel."""
    _linux()
    names = _engine.kernel_clean()
    print("\n".join(f"unloaded {name}" for name in names) or "nothing of Windward's is left")


def _linux() -> None:
    if not hasattr(_engine, "kernel_load"):
        raise KernelError("kernel laws need Linux")


def _values(parameters: list[str]) -> list[tuple[str, float]]:
    """`backlog=20` as a name and a number."""
    pairs = []
    for text in parameters:
        name, equals, value = text.partition("=")
        try:
            pairs.append((name, float(value)))
        except ValueError:
            equals = ""
        if not equals:
            raise ValueError(f"{text}: write a parameter and its value, such as backlog=20")
    return pairs


def _settings(parameters: dict[str, float]) -> str:
    return "  ".join(f"{name}={value:.6g}" for name, value in parameters.items())


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.3f} ms"


def _table(columns: tuple[str, ...], words: int, rows: Sequence[Sequence[str]], nothing: str) -> None:
    from windward.show import _terminal as terminal
    from windward.show._digest import Digest

    if rows:
        terminal.show_tables([Digest(title="", columns=columns, words=words, rows=rows)])
    else:
        print(nothing)
