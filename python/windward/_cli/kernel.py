"""The command line's `kernel`: control laws in the Linux kernel, as eBPF programs."""

from __future__ import annotations

import select
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from windward import _console
from windward._cli.help import PlainCommand
from windward.transfer import kernel

app = typer.Typer(
    help="Load control laws into the Linux kernel. Every program on this machine can then choose them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

#: The law of new connections that choose none.
_DEFAULT = Path("/proc/sys/net/ipv4/tcp_congestion_control")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the loaded law.")]
Parameters = Annotated[
    list[str] | None, typer.Argument(metavar="PARAMETER=VALUE", help="Parameters of the law, such as backlog=20.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command(cls=PlainCommand)
def load(
    law: Annotated[str, typer.Argument(metavar="LAW", help="Law to load; `windward kernel laws` lists them.")],
    parameters: Parameters = None,
    name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Name of the loaded law. Default: the law's name, with `_` for `-`."),
    ] = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="Return at once; keep the law loaded until `windward kernel unload`.")
    ] = False,
) -> None:
    """Load a law into the kernel.

    Without --stay it is unloaded when this command ends: Ctrl-C ends it.
    """
    loaded = kernel.load(law, _values(parameters or []), name=name, stay=stay)
    told = f"{law} is loaded as {loaded.name}"
    if stay:
        print(f"{told}\nhint: `windward kernel unload {loaded.name}` or a reboot unloads it")
        return
    try:
        print(f"{told}\nCtrl-C unloads it", flush=True)
        waiting = select.poll()
        waiting.register(loaded.fileno(), 0)
        waiting.poll()
        print(f"{loaded.name} was unloaded by another command")
    except KeyboardInterrupt:
        if _DEFAULT.exists() and _DEFAULT.read_text(encoding="ascii").strip() == loaded.name:
            print(f"{loaded.name} is the default of new connections, which keep it until another is chosen")
            print("hint: sysctl -w net.ipv4.tcp_congestion_control=cubic")
        else:
            print(f"{loaded.name} is unloaded")


@app.command("laws", cls=PlainCommand)
def list_laws() -> None:
    """List the laws that can be loaded, with the defaults of their parameters."""
    for law, parameters in kernel.laws().items():
        print(f"{law:<12}{_settings(parameters)}")


@app.command("list", cls=PlainCommand)
def list_loaded(as_json: AsJson = False) -> None:
    """List loaded Windward laws."""
    entries = kernel.list()
    if as_json:
        _console.print_json(entries, indent=2)
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


@app.command("set", cls=PlainCommand)
def set_parameters(name: Name, parameters: Parameters = None) -> None:
    """Change parameters of a loaded law.

    Its connections use them from their next round trip on.
    """
    if not parameters:
        raise ValueError("no parameters given; expected PARAMETER=VALUE, such as backlog=20")
    kernel.set(name, _values(parameters))


@app.command(cls=PlainCommand)
def show(name: Name, as_json: AsJson = False) -> None:
    """Show the connections of a loaded law, as of the end of their last round trip."""
    (own, unit), flows = kernel.show(name)
    if as_json:
        _console.print_json(flows, indent=2)
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
    columns = ("from", "to", "cwnd", "base RTT", "average RTT", f"{own} ({unit})" if unit else own, "round trips", "")
    _table(columns, 2, rows, f"no connection uses {name}")


@app.command(cls=PlainCommand)
def unload(
    name: Name,
    even_if_used: Annotated[
        bool, typer.Option("--even-if-used", help="Unload it even if connections use it; they keep it.")
    ] = False,
) -> None:
    """Unload a law, whichever process loaded it."""
    kernel.unload(name, even_if_used=even_if_used)


@app.command(cls=PlainCommand)
def clean() -> None:
    """Unload the laws that were loaded with --stay."""
    names = kernel.clean()
    print("\n".join(f"unloaded {name}" for name in names) or "nothing to remove")


def _values(parameters: list[str]) -> dict[str, float]:
    """`backlog=20` as a name and a number."""
    pairs = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        try:
            pairs[name] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise ValueError(f"{text}: expected PARAMETER=VALUE, such as backlog=20")
    return pairs


def _settings(parameters: dict[str, float]) -> str:
    return "  ".join(f"{name}={value:.6g}" for name, value in parameters.items())


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.3f} ms"


def _table(columns: tuple[str, ...], words: int, rows: Sequence[Sequence[str]], nothing: str) -> None:
    from windward.show import _terminal
    from windward.show.digest._table import Digest

    if rows:
        _terminal.show_tables([Digest(title="", columns=columns, words=words, rows=rows)])
    else:
        print(nothing)
