"""Meaning of "100 ms", "1 Mbit/s", "30 ms of jitter" and "1 % loss" to tools that put a bad link into a test.

python evidence/benches/links/in_tests.py [--toxiproxy PROGRAM], to evidence/measured/validation/links-in-tests.md; five
minutes in real time. Needs Chromium, as root for netem. A tool that cannot be had is named with the reason. Ends with 1
if one of our own links was late in three tries: then nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "evidence" / "benches" / "emulate"))

from measure import SETTINGS  # noqa: E402
from page import table  # noqa: E402

from windward.results._files import replace_text  # noqa: E402

PAGE = ROOT / "evidence" / "measured" / "validation" / "links-in-tests.md"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Names of the tools, and of the module of Go that has the server of toxiproxy.
NAMES = {
    "nothing": "nothing",
    "windward": "Windward",
    "netem": "tc netem on the loopback device",
    "chromium": "Chromium's throttling",
    "toxiproxy": "toxiproxy",
}
MODULE = "github.com/Shopify/toxiproxy/v2/cmd/server"
NAMESPACE = "windward-netem"
TRIES = 3
#: Slowest new request over loopback, in milliseconds, with which the machine counts as free.
QUIET_MS = 40.0

Figures = dict[str, Any]


def measured(peer: str, setting: str, browser: str, toxiproxy: str, inside: list[str]) -> Figures:
    """Figures of a tool under a setting, from a process of its own, where `inside` puts it."""
    program = str(Path(__file__).with_name("measure.py"))
    command = [*inside, sys.executable, program, peer, setting, browser, toxiproxy]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if run.returncode:
        raise RuntimeError(f"{peer}, {setting}: {run.stderr.strip()}")
    found: Figures = json.loads(run.stdout)
    return found


def in_time(peer: str, setting: str, browser: str, toxiproxy: str) -> Figures:
    """Figures of a run that was in time, of a few tries."""
    problem = ""
    for _ in range(TRIES):
        found = measured(peer, setting, browser, toxiproxy, [])
        problem = found.get("problem") or ""
        if peer == "nothing" and found["fresh"] > QUIET_MS:
            problem = f"a request over loopback took {found['fresh']:.0f} ms"
        if not problem:
            return found
    raise TimeoutError(f"{NAMES[peer]}, {setting}: {problem}")


def under_netem(setting: str, browser: str) -> Figures | str:
    """Figures of netem on the loopback of a namespace, or the reason why there are none."""
    if shutil.which("tc") is None or os.geteuid() != 0:
        return "needs tc and root"

    def do(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, check=False)

    inside = ["ip", "netns", "exec", NAMESPACE]
    do("ip", "netns", "add", NAMESPACE)
    try:
        do(*inside, "ip", "link", "set", "lo", "up")
        words = SETTINGS[setting].netem.split()
        made = do(*inside, "tc", "qdisc", "add", "dev", "lo", "root", "netem", *words)
        if made.returncode:
            return f"this kernel has no sch_netem (`{made.stderr.strip().splitlines()[0]}`)"
        return measured("netem", setting, browser, "", inside)
    finally:
        do("ip", "netns", "del", NAMESPACE)


def rows(found: dict[str, Figures | str]) -> list[list[str]]:
    """A line for each tool that could be had."""
    lines = []
    for peer, each in found.items():
        if isinstance(each, str):
            continue
        waits = [f"{each[name]:.0f}" for name in ("fresh", "kept", "echo")]
        spread = f"{each['echo_least']:.0f} to {each['echo_most']:.0f}"
        rates = [f"{each[name]:.2f}" for name in ("down", "up")]
        lost = f"{each['lost']} of {each['packets']}" if "packets" in each else "–"
        lines.append([NAMES[peer], *waits, spread, f"{each['beside']:.0f}", *rates, lost])
    return lines


def given(values: dict[str, Any]) -> str:
    """Names and values."""
    return " ".join(f"{name}={value}" for name, value in values.items())


def section(setting: str, found: dict[str, Figures | str]) -> str:
    """Table of a setting, and what each tool was told."""
    told = SETTINGS[setting]
    columns = ["tool", "new connection", "kept", "WebSocket", "5 to 95 %", "beside a download", "down", "up", "lost"]
    toxics = ", ".join(f"`{each['type']} {given(each['attributes'])}`" for each in told.toxics)
    link = " ".join(f"--{name} {value}" for name, value in told.link.items())
    lines = [
        f"## {setting}",
        "",
        f"* Windward: `{link}`",
        f"* netem: `{told.netem}`",
        f"* Chromium, bytes a second: `{given(told.chromium)}`",
        f"* toxiproxy, kB a second: {toxics}",
        "",
        table(columns, rows(found)),
        "",
    ]
    for peer, each in found.items():
        if not isinstance(each, str) and each["refused"]:
            lines += [f"{NAMES[peer]} refuses a part: {each['refused']}.", ""]
        if not isinstance(each, str) and not each["equal"]:
            lines += [f"The download over {NAMES[peer]} differs from what was sent.", ""]
    return "\n".join(lines)


def version(*command: str) -> str:
    """First number that a program prints of itself."""
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    words = (said.stdout + said.stderr).split()
    return next((word.rstrip(",") for word in words if word[:1].isdigit()), "of unknown version")


def toxiproxy_version(program: str) -> str:
    """Version of the module that a program of Go was built from."""
    said = version_lines("go", "version", "-m", program) if shutil.which("go") else []
    found = [line[2] for line in said if line[:1] == ["mod"] and len(line) > 2]
    return found[0] if found else "of unknown version"


def version_lines(*command: str) -> list[list[str]]:
    """Words of each line that a program prints."""
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [line.split() for line in said.splitlines()]


def page(found: dict[str, dict[str, Figures | str]], missing: dict[str, str], browser: str, toxiproxy: str) -> str:
    """The page."""
    programs = [f"Chromium {version(browser, '--version')}"]
    if toxiproxy:
        programs.append(f"toxiproxy {toxiproxy_version(toxiproxy)}")
    sections = "\n".join(section(setting, each) for setting, each in found.items())
    gone = "".join(f"* **{NAMES[peer]}**: {reason}\n" for peer, reason in missing.items())
    return f"""# Links in tests: Windward, toxiproxy, netem and a browser's throttling

<!-- Generated: make validate WHAT=links -->

One client for all: a page in Chromium, headless, and a server on loopback. Linux {platform.release()},
{os.cpu_count()} processors, {", ".join(programs)}.

Times in milliseconds, rates in Mbit/s of payload.

* **New connection, kept:** medians of seven requests for 10 bytes, each over its own or an open
  connection.
* **WebSocket:** median of echoes, one every 20 ms; 5 and 95 % of them. **Beside a download:** the longest echo.
* **Down, up:** a download and an upload of 100 kB or more.
* **Lost:** packets, as the link counts them. A tool without packets has none to lose.

* **Windward and netem** act on each packet, in both directions. A new connection takes two round trips, and a queue
  delays what waits behind a download.
* **Chromium** adds its delay once a request, and none to a WebSocket. Its `packetLoss` is for WebRTC alone.
* **toxiproxy** ends the client's connection on loopback and delays chunks of the stream, towards the client unless a
  toxic says otherwise.

{sections}
## Not measured

{gone or "All tools were measured." + chr(10)}
## Repeat

`make validate WHAT=links TOXIPROXY=PROGRAM`, or `python evidence/benches/links/in_tests.py --toxiproxy PROGRAM`.
The program is that of `go install {MODULE}@latest`.
"""


def main() -> int:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toxiproxy", default=shutil.which("toxiproxy-server") or "", help="Program of toxiproxy.")
    toxiproxy = parser.parse_args().toxiproxy
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("skipped: chromium is not installed")
        return 0
    missing = {} if toxiproxy else {"toxiproxy": f"not installed: `go install {MODULE}@latest`"}
    found: dict[str, dict[str, Figures | str]] = {}
    try:
        for setting in SETTINGS:
            found[setting] = {}
            for peer in NAMES:
                each: Figures | str
                if peer == "netem":
                    each = under_netem(setting, browser)
                elif peer in missing:
                    each = missing[peer]
                else:
                    each = in_time(peer, setting, browser, toxiproxy)
                if isinstance(each, str):
                    missing[peer] = each
                found[setting][peer] = each
                print(setting, peer, each, flush=True)
    except TimeoutError as error:
        print(f"nothing written, the machine is busy: {error}", file=sys.stderr)
        return 1
    replace_text(PAGE, page(found, missing, browser, toxiproxy))
    return 0


if __name__ == "__main__":
    sys.exit(main())
