"""A link as an object."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from windward._engine import EmulationError
from windward.testing import _capture, _inside
from windward.testing._process import Conversation, LinkProcess
from windward.transfer._describe import Description, describe
from windward.transfer._link import report as report_of
from windward.transfer._profile import about, names

#: Network device of the near end.
_NEAR_DEVICE = "windward0"


class Address(NamedTuple):
    """Address on this machine's loopback that leads through a link."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The address of a web server: "http://HOST:PORT"."""
        return f"http://{self}"


def link(
    *,
    profile: str | Path | None = None,
    rate: str | None = None,
    delay: str | None = None,
    loss: str | None = None,
    buffer: str | None = None,
    queue: str | None = None,
    jitter: str | None = None,
    reorder: str | None = None,
    trace: str | Path | None = None,
    wifi: str | None = None,
    cell: str | None = None,
    changes: Sequence[str] = (),
    servers: Sequence[str] = (),
    congestion: str | None = None,
    isolate: bool = False,
    seed: int = 1,
) -> Link:
    """Starts an emulated link in front of servers of this machine. Use it in a `with` statement, or close it.

    No root is needed where users may make namespaces. The options are those of `windward.transfer.link` and of the
    command `windward link`.

    Parameters
    ----------
    profile
        Name of a network that the package has (`windward.testing.profiles`), or a scenario file whose first node is
        the server's end and whose second node is the client's. The options of links replace those of its first link.
    rate, delay, loss, buffer, queue, jitter, reorder, trace
        Such as "10mbit", "50ms", "1%", "100ms". A value that differs between the directions is written "DOWN,UP":
        towards the client, and away from it. Default: no delay, no loss, a queue of 1000 packets.
    wifi, cell
        Wi-Fi such as "802.11ac,snr=25dB", or a cell such as "lte-20mhz,snr=12dB", between the wire and the client.
    changes
        Changes at times from the start: "30s rate=2mbit delay=80ms", "30s down", "35s up".
    servers
        Shell commands to run at the far end of the link until it ends.
    congestion
        Congestion control at the far end. Default: the machine's.
    isolate
        Make nothing reachable but `servers`.
    seed
        Random seed for loss, jitter and reordering. The same seed, packets and times lose the same packets.

    Raises
    ------
    windward.EmulationError
        If links cannot be emulated here; the message ends with the line that mends it.
    ValueError
        For an invalid option.
    """
    described = describe(
        profile=profile,
        rate=rate,
        delay=delay,
        loss=loss,
        buffer=buffer,
        queue=queue,
        jitter=jitter,
        reorder=reorder,
        trace=trace,
        wifi=wifi,
        cell=cell,
        changes=changes,
        seed=seed,
        is_wired=True,
    )
    ends = {"servers": list(servers), "congestion": congestion, "isolate": isolate}
    return Link(described, {"seed": seed} | ends, None if profile is None else str(profile))


def profiles() -> list[dict[str, str]]:
    """Name, title and source of each profile of the package."""
    return [about(name) for name in names()]


class Link:
    """An emulated link, made by `link`. It ends with its `with` statement, with `close`, and with this process."""

    def __init__(self, described: Description, options: dict[str, Any], profile: str | None) -> None:
        self._described = described
        self._last: dict[str, Any] | None = None
        self._namespaces: list[int] = []
        self._captures: list[Conversation] = []
        self._address: Address | None = None
        #: Random seed.
        self.seed: int = options["seed"]
        #: The profile, if one was given.
        self.profile = profile
        #: The options that were given, as texts.
        self.options = dict(described.given)
        network = {"network": described.network, "folder": str(described.folder.resolve())}
        self._process = LinkProcess(network | options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        parts = ([f"profile={self.profile!r}"] if self.profile else []) + [
            f"{name}={value!r}" for name, value in self.options.items()
        ]
        return f"link({', '.join([*parts, f'seed={self.seed}'])})"

    @property
    def server(self) -> str:
        """Address of the far end for programs at the near end; $WINDWARD_SERVER there."""
        address: str = self._process.about["server"]
        return address

    def connect(self, port: int, *, at: int = 0, host: str = "127.0.0.1") -> Address:
        """An address whose TCP connections and UDP datagrams go over the link to `port` of this machine's loopback.

        A connection to the address ends there, and a second one crosses the link: its handshake, retransmissions and
        congestion control are real, and not those of the caller's socket. A refused connection is accepted first and
        then reset. For a socket that is itself behind the link use `run` or `call`.

        Parameters
        ----------
        port
            Port of the server, which must listen on 127.0.0.1 or on all addresses.
        at
            Port of the address. Default: a free one.
        host
            Address of this machine to listen on.
        """
        answer = self._process.ask({"do": "publish", "port": port, "at": at, "host": host})
        address = Address(host, answer["port"])
        if self._address is None:
            self._address = address
        return address

    @property
    def address(self) -> Address:
        """The first address that `connect` gave.

        Raises
        ------
        ValueError
            If there is none yet.
        """
        if self._address is None:
            raise ValueError("the link leads nowhere yet: call connect(port)")
        return self._address

    def down(self, seconds: float | None = None) -> None:
        """Takes the link down, for `seconds` or until `up`. What waits in its queues follows afterwards."""
        self._process.ask({"do": "down", "seconds": seconds})

    def up(self) -> None:
        """Takes the link up."""
        self._process.ask({"do": "up"})

    def change(
        self,
        *,
        rate: str | None = None,
        delay: str | None = None,
        loss: str | float | None = None,
        buffer: str | None = None,
        jitter: str | None = None,
        reorder: str | None = None,
        trace: str | Path | None = None,
    ) -> None:
        """Changes the link from now on, within 5 ms; with a cell or Wi-Fi the wire behind it.

        Raises
        ------
        ValueError
            For an invalid value; the link stays as it is.
        """
        given = {"rate": rate, "delay": delay, "loss": loss, "buffer": buffer, "jitter": jitter, "reorder": reorder}
        texts = {name: str(value) for name, value in given.items() if value is not None}
        if trace is not None:
            texts["trace"] = str(trace)
        tables = self._described.change(texts)
        self._process.ask({"do": "change", "change": tables})

    def report(self) -> dict[str, Any]:
        """Totals so far, or at the end: `seconds`, `down`, `up`, `quality`, as of `windward.transfer.link`."""
        if self._last is not None:
            return self._last
        return report_of(self._process.ask({"do": "report"}), has_radio=self._described.has_radio)

    @property
    def problem(self) -> str | None:
        """Reason why the link's timing is not to be trusted; None if it is."""
        problem: str | None = self.report()["quality"]["problem"]
        return problem

    @property
    def in_time(self) -> bool:
        """True if at most 1 % of the packets left the link more than 1 ms late, and none were missed."""
        return self.problem is None

    @property
    def lost(self) -> int:
        """Packets of both directions lost on the way; those that full queues dropped are in `report`."""
        report = self.report()
        hops = [report[way] for way in ("down", "up")] + list(report.get("wire", {}).values())
        return sum(hop["lost"] for hop in hops)

    def run(
        self,
        command: Sequence[str],
        *,
        input: str | bytes | None = None,  # noqa: A002
        capture_output: bool = True,
        text: bool = True,
        timeout: float | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        check: bool = False,
    ) -> subprocess.CompletedProcess[Any]:
        """Runs a program at the near end of the link, in its network namespace, as `subprocess.run` does.

        Its sockets are behind the link: handshakes, resets, half-closed connections and MTU are real. The servers of
        this machine are at `server`, $WINDWARD_SERVER there.

        Raises
        ------
        FileNotFoundError
            If there is no such program.
        subprocess.TimeoutExpired
            After `timeout` seconds; the program has been killed.
        subprocess.CalledProcessError
            With `check`, for an exit code other than 0.
        """
        data = input.encode() if isinstance(input, str) else input
        streams: tuple[int | None, int | None, int | None]
        with Path(os.devnull).open("rb") as nothing:
            into = None if data is not None else nothing.fileno() if capture_output else 0
            streams = (into, None, None) if capture_output else (into, 1, 2)
            talk = self._process.attach()
            try:
                code, out, err = _inside.run(
                    talk,
                    command,
                    input_data=data,
                    streams=streams,
                    timeout=timeout,
                    folder=None if cwd is None else str(cwd),
                    environment=env,
                )
            finally:
                talk.close()
        texts: list[Any] = [None, None]
        if capture_output:
            texts = [out.decode(errors="replace"), err.decode(errors="replace")] if text else [out, err]
        done: subprocess.CompletedProcess[Any] = subprocess.CompletedProcess(list(command), code, *texts)
        if check:
            done.check_returncode()
        return done

    def call(self, function: Callable[..., Any], *values: Any, timeout: float | None = 60.0) -> Any:
        """The result of a function in a fork of this process whose sockets are behind the link.

        The function, its result or its exception crosses by pickle; nothing else that it does is seen here. Sockets
        that it makes are at the near end of the link, where this machine's servers are at `server`. Those that were
        open before stay where they are.

        Raises
        ------
        TimeoutError
            After `timeout` seconds; the fork has been killed.
        """
        if not self._namespaces:
            self._namespaces = self._process.namespaces()
        address = {"WINDWARD_SERVER": self.server, "WINDWARD_CLIENT": self._process.about["client"]}
        return _inside.call(self._namespaces, address, function, values, timeout)

    def capture(self, path: str | Path) -> None:
        """Writes the packets of the near end to a pcap file, for Wireshark, from now on until the link ends.

        What the link loses on its way to the client is missing in the file; what it loses on the way to the server is
        there. The first 64 MiB are kept. Beyond some 100 Mbit/s the capture takes a processor, which makes links late.

        Raises
        ------
        EmulationError
            If the file cannot be written.
        """
        words = [sys.executable, "-I", "-S", str(_capture.__file__), str(Path(path).resolve()), _NEAR_DEVICE]
        talk = self._process.attach()
        try:
            _inside.begin(talk, words)
        except BaseException:
            talk.close()
            raise
        self._captures.append(talk)

    def check(self) -> None:
        """Returns if the link runs.

        Raises
        ------
        EmulationError
            If its process has ended.
        """
        self._process.check()

    def listen(self, path: str | Path) -> None:
        """Takes orders at a Unix socket, for programs in other languages: docs/guides/testing.md has them."""
        self._process.ask({"do": "listen", "path": str(path)})

    def close(self) -> None:
        """Ends the link and all that runs behind it. Its report stays."""
        if self._last is not None:
            return
        # A program that runs behind the link ends with its conversation.
        for talk in self._captures:
            talk.close()
        self._captures = []
        try:
            last = report_of(self._process.ask({"do": "stop"}), has_radio=self._described.has_radio)
        except EmulationError as error:
            last = _lost_report(str(error))
        self._last = last
        for number in self._namespaces:
            os.close(number)
        self._namespaces = []
        self._process.end()

    def __del__(self) -> None:
        # Not at the end of the interpreter, when modules are gone: the process of the link then ends by itself.
        if getattr(self, "_process", None) is not None and self._last is None and not sys.is_finalizing():
            self.close()


def _lost_report(why: str) -> dict[str, Any]:
    """A report that cannot be trusted: the link has ended before it was asked."""
    empty = {"packets": 0, "lost": 0, "dropped": 0}
    return {"seconds": None, "down": empty, "up": dict(empty), "quality": {"problem": why}}
