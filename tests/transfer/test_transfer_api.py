"""`windward.transfer`: what the commands do, from Python."""

import hashlib
import inspect
import threading
from pathlib import Path
from typing import Any

import pytest
from web import Site

import windward as ww
from windward import _engine, transfer
from windward._cli import words
from windward._cli.declared import arguments
from windward._cli.get import get as get_command
from windward._cli.link import link as link_command
from windward._cli.serve import send as send_command, serve as serve_command


class StopError(Exception):
    """Ends a server."""


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.skipif(not hasattr(_engine, "transfer_serve"), reason="serving needs Linux")
def test_a_file_goes_up_and_comes_down(tmp_path: Path, site: Site, no_proxy: None) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    (tmp_path / "file.bin").write_bytes(site.content)
    urls: list[str] = []
    is_ready, answers = threading.Event(), []

    def ready(url: str) -> None:
        urls.append(url)
        is_ready.set()

    def observe(event: dict[str, Any]) -> None:
        answers.append(event)
        if "last.txt" in event["request"]:
            raise StopError

    def run() -> None:
        with pytest.raises(StopError):
            transfer.serve(there, port=0, upload=True, ready=ready, observe=observe)

    server = threading.Thread(target=run)
    server.start()
    assert is_ready.wait(30)
    try:
        events: list[dict[str, Any]] = []
        sent = transfer.send(tmp_path / "file.bin", urls[0], max_connections=2, observe=events.append)
        assert sent["length_bytes"] == len(site.content)
        assert (there / "file.bin").read_bytes() == site.content
        digest = hashlib.sha256(site.content).hexdigest()
        got = transfer.get(f"{urls[0]}file.bin", directory=here, connections=2, checksum=f"sha-256={digest}")
        assert got["is_checked"]
        assert (here / "file.bin").read_bytes() == site.content
        with pytest.raises(ww.TransferError) as refused:
            transfer.get(f"{urls[0]}nothing", directory=here, max_tries=1)
        assert refused.value.code == 4
        assert "404" in str(refused.value)
    finally:
        with pytest.raises(ww.TransferError):
            transfer.get(f"{urls[0]}last.txt", directory=here, max_tries=1, retry_wait_s=0.01)
        server.join(30)
    assert not server.is_alive()
    assert answers


def test_wrong_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_tries"):
        transfer.get("http://127.0.0.1/", directory=tmp_path, max_tries=-1)
    with pytest.raises(ValueError, match="`law`: min_rtt_window: -1 is not between 0 and 1e6"):
        transfer.get("http://127.0.0.1/", directory=tmp_path, law="emultcp-fast(min_rtt_window=-1)")
    with pytest.raises(ValueError, match="a link needs a rate"):
        transfer.link(["true"])
    with pytest.raises(ww.TransferError, match="absent"):
        transfer.send(tmp_path / "absent", "127.0.0.1:1", max_tries=1)


#: What a command calls otherwise than the function, and what only one of the two has.
RENAMED = {"urls": "url", "server": "servers", "change": "changes"}
SHOWN = {"as_json", "quiet", "report"}
CALLED = {"observe", "ready"}
#: Of the command `link`: in Python, `windward.testing.link` gives orders and publishes.
ORDERS = {"name", "publish", "list_profiles"}


@pytest.mark.parametrize(
    ("command", "function"),
    [
        (get_command, transfer.get),
        (send_command, transfer.send),
        (serve_command, transfer.serve),
        (link_command, transfer.link),
    ],
    ids=["get", "send", "serve", "link"],
)
def test_functions_have_the_options_of_the_commands(command: Any, function: Any) -> None:
    options = inspect.signature(command).parameters
    arguments = inspect.signature(function).parameters
    shown = SHOWN | ORDERS if command is link_command else SHOWN
    said = {RENAMED.get(name, name): option.default for name, option in options.items() if name not in shown}
    taken = {name: argument.default for name, argument in arguments.items() if name not in CALLED}
    empty = inspect.Parameter.empty
    assert said.keys() == taken.keys()
    assert {n: v for n, v in said.items() if v not in (None, empty)} == {
        n: v for n, v in taken.items() if v not in (None, empty, ())
    }


def test_errors_name_options_as_they_were_given() -> None:
    """The engine names arguments; the command line writes them as its options."""
    assert words.options("`stall_timeout_s`: -1; hint: `resume`, `replace`, `other`") == (
        "--stall-timeout: -1; hint: --continue, --replace, `other`"
    )
    taken = arguments("get", {"limit_rate": "2M", "headers": None, "max_tries": 5})
    assert taken == {"limit_rate": 2 << 20, "headers": [], "max_tries": 5}
    with pytest.raises(ValueError, match="--limit-rate 0"):
        arguments("get", {"limit_rate": "0"})


def test_kernel_laws() -> None:
    if not hasattr(_engine, "kernel_laws"):
        pytest.skip("kernel laws need Linux")
    laws = ww.kernel.laws()
    assert laws == dict(_engine.kernel_laws())
    with pytest.raises(ww.KernelError, match=r"quick-tcp|root"):
        ww.kernel.load("quick-tcp")
