"""pytest's plugin of Windward: the fixture `windward_link`, an emulated link in front of a test's own server.

A package of its own, which imports nothing of Windward before a test asks for a link: pytest loads it at every start.
The guide is docs/guides/testing.md.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from windward.testing import Link

#: The links of a test.
_LINKS = pytest.StashKey[list["Link"]]()

#: Captures of the links of a test, in their order.
_CAPTURES = pytest.StashKey[list[Path]]()

#: Options that say what network a link is.
_NETWORKS = ("profile", "rate", "trace", "wifi", "cell")

#: Largest seed that `--link-seed random` draws: short enough to be typed.
_MOST_SEED = 10**9


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of links."""
    group = parser.getgroup("windward", "emulated links (windward)")
    group.addoption("--link-profile", metavar="NAME", help="Profile of links that name no network of their own.")
    group.addoption(
        "--link-seed",
        metavar="N",
        default="1",
        help="Random seed of links that have none of their own, or `random`. Default: 1.",
    )
    group.addoption(
        "--link-late",
        choices=["skip", "fail", "ignore"],
        default="skip",
        help="Outcome of a test whose link was late, so that its timing is not to be trusted: skip it with the reason "
        "(default), fail it, or ignore it.",
    )
    group.addoption(
        "--link-unavailable",
        choices=["skip", "fail"],
        default="skip",
        help="Outcome of a test where links cannot be emulated: skip it with the reason (default), or fail it.",
    )
    group.addoption(
        "--link-artifacts",
        metavar="DIR",
        help="Folder for the seed, the report and the packets (pcap) of the links of each failed test. Default: none.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    text = "windward(**options): options of the links of this test, as of windward.testing.link"
    config.addinivalue_line("markers", text)


@pytest.fixture
def windward_link(request: pytest.FixtureRequest) -> Iterator[Callable[..., Link]]:
    """Starts links: `windward_link(port, profile="lte", loss="1%", seed=1)`.

    With a port, the link's `address` leads to that port of this machine. Options are those of windward.testing.link,
    on top of those of the mark `windward` and of the command line. A link ends with its `with` statement or the test.
    """
    from windward._engine import EmulationError
    from windward.testing import link

    links: list[Link] = request.node.stash.setdefault(_LINKS, [])
    mark = request.node.get_closest_marker("windward")
    usual = dict(mark.kwargs) if mark is not None else {}
    captures: list[Path] = request.node.stash.setdefault(_CAPTURES, [])
    folder = tempfile.mkdtemp(prefix="windward-") if request.config.getoption("--link-artifacts") else None

    def make(port: int | None = None, **options: Any) -> Link:
        given = usual | options
        profile = request.config.getoption("--link-profile")
        if profile is not None and not any(name in given for name in _NETWORKS):
            given["profile"] = profile
        given.setdefault("seed", _seed(request.config.getoption("--link-seed")))
        try:
            made = link(**given)
        except EmulationError as error:
            if request.config.getoption("--link-unavailable") == "fail":
                pytest.fail(f"no link can be emulated here: {error}", pytrace=False)
            pytest.skip(f"no link can be emulated here: {error}")
        links.append(made)
        if folder is not None:
            captures.append(Path(folder, f"{len(links)}.pcap"))
            made.capture(captures[-1])
        if port is not None:
            made.connect(port)
        return made

    yield make
    for made in links:
        made.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _seed(text: str) -> int:
    if text == "random":
        import random

        return random.SystemRandom().randrange(1, _MOST_SEED)
    if not text.isdigit():
        raise pytest.UsageError(f"--link-seed {text}: expected a number, or random")
    return int(text)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Adds the links to a test's report, and judges their timing."""
    outcome = yield
    links = item.stash.get(_LINKS, None)
    if not links or call.when != "call":
        return
    report: pytest.TestReport = outcome.get_result()
    found = [(link, link.report()) for link in links]
    for number, (link, totals) in enumerate(found, 1):
        text = _text(link, totals)
        report.sections.append(("windward link", text))
        name = "windward" if len(found) == 1 else f"windward-{number}"
        quality = totals["quality"]
        properties = [
            (f"{name}-link", repr(link)),
            (f"{name}-seed", link.seed),
            (f"{name}-lost", link.lost),
            (f"{name}-problem", quality["problem"] or ""),
        ]
        # Those of the report are a copy; JUnit's file takes them from the test's last phase.
        item.user_properties.extend(properties)
        report.user_properties.extend(properties)
    folder = item.config.getoption("--link-artifacts")
    if report.failed and folder is not None:
        _keep(Path(folder), item, found)
    late = [totals["quality"]["problem"] for _, totals in found if totals["quality"]["problem"]]
    if late and not report.skipped:
        _judge(report, item, late[0])


def _judge(report: pytest.TestReport, item: pytest.Item, problem: str) -> None:
    """Outcome of a test whose link was late."""
    policy = item.config.getoption("--link-late")
    reason = f"the link was late, so this test says nothing: {problem}"
    if policy == "skip":
        if report.failed:
            reason += "; it failed"
            report.sections.append(("failure on a late link", str(report.longrepr)))
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"Skipped: {reason}")
    elif policy == "fail" and report.passed:
        report.outcome = "failed"
        report.longrepr = reason


def _text(link: Link, totals: dict[str, Any]) -> str:
    """The lines of a report's section."""
    lines = [repr(link)]
    for way, name in (("down", "to the client"), ("up", "to the server")):
        hop = totals[way]
        lines.append(f"{name}: {hop['packets']} packets, {hop['lost']} lost, {hop['dropped']} dropped by full queues")
    problem = totals["quality"]["problem"]
    lines.append("in time" if problem is None else f"late: {problem}")
    return "\n".join(lines)


def _keep(folder: Path, item: pytest.Item, found: list[tuple[Link, dict[str, Any]]]) -> None:
    """Writes what a failed test needs to be run again, and its packets."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid)[-200:]
    links = [{"link": repr(link), "seed": link.seed, "report": totals} for link, totals in found]
    captures = item.stash.get(_CAPTURES, [])
    for about, capture in zip(links, captures, strict=False):
        number = "" if len(captures) == 1 else f"-{capture.stem}"
        about["pcap"] = f"{name}{number}.pcap"
        shutil.copyfile(capture, folder / f"{name}{number}.pcap")
    text = json.dumps({"test": item.nodeid, "links": links}, indent=2, default=str)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
