"""A recorded page that a browser loads from nginx beside the simulator's, to evidence/measured/validation/browser.md.

python evidence/benches/emulate/browser.py; five minutes in real time, on a machine that does nothing else. Needs nginx
and chromium: without one of them the comparison is skipped, which it prints with its reason. Ends with 1 where a median
is off by more than the tolerance.
"""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from nginx import LAW, NETWORKS, PORT, Network, behind, off, printed, scenario, site
from page import table

import windward as ww
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "browser.md"
VISITS = 16
#: Tolerance of a median.
WITHIN = 0.05
#: Delays of which Chromium opens a second connection: the first takes longer than 250 ms (`TransportClientSocketPool`).
SLOW = ("150 ms",)
#: In the place of loopback, for the simulator.
NOTHING = Network("nothing", "10 Gbit/s", "10 Gbit/s", "5 us", "10000 packets")
#: Start of a recording.
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Bytes of the pictures that the page names, and of those that its script adds.
PICTURES = (40_000, 90_000, 5_000, 60_000, 12_000, 180_000, 16_000, 24_000)
ADDED = (30_000, 20_000)
SCRIPT, STYLE = 20_000, 14_000
#: Media types of nginx for them.
TYPES = "types { text/html html; text/css css; text/javascript js; image/png png; }"

#: Loads the page again and again, each time as a new visitor, and prints the times of every visit, in milliseconds from
#: its start: of the load event, and of each object, and what the last visit knew of the objects.
CLIENT = """\
import json, sys
from playwright.sync_api import sync_playwright
path, address, visits = sys.argv[1], sys.argv[2], int(sys.argv[3])
LOAD = "performance.getEntriesByType('navigation')[0].loadEventStart"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-proxy-server"]
found = []
with sync_playwright() as started:
    browser = started.chromium.launch(executable_path=path, headless=True, args=FLAGS)
    # The first visit starts processes of the browser.
    for _ in range(visits + 1):
        context = browser.new_context()
        page = context.new_page()
        session = context.new_cdp_session(page)
        asked, answers, ends = {}, {}, {}
        session.on("Network.requestWillBeSent", lambda e: asked.setdefault(e["requestId"], e))
        session.on("Network.responseReceived", lambda e: answers.setdefault(e["requestId"], e["response"]))
        session.on("Network.loadingFinished", lambda e: ends.setdefault(e["requestId"], e))
        session.send("Network.enable")
        page.goto(address, wait_until="load", timeout=120_000)
        load = page.evaluate(LOAD)
        page.wait_for_timeout(100)
        context.close()
        visit, objects, begin = {}, {}, next(iter(asked.values()))["timestamp"]
        for key, event in asked.items():
            answer, end, url = answers[key], ends[key], event["request"]["url"]
            timing = answer["timing"]
            visit[url] = {
                "start": 1e3 * (event["timestamp"] - begin),
                "end": 1e3 * (end["timestamp"] - begin),
                "wait": timing["receiveHeadersEnd"] - timing["sendEnd"],
                "connect": timing["connectEnd"] - timing["connectStart"] if timing["connectEnd"] > 0 else None,
            }
            frames = event["initiator"].get("stack", {}).get("callFrames") or [event["initiator"]]
            objects[url] = {
                "type": answer["mimeType"],
                "size": end["encodedDataLength"],
                "initiator": frames[0].get("url"),
                "blocking": event.get("renderBlockingBehavior", "").lower(),
            }
        found.append({"load": load, "objects": visit})
    browser.close()
print(json.dumps({"visits": found[1:], "objects": objects}))
"""


class Loaded(NamedTuple):
    """Visits of a page."""

    #: Times from the start of the navigation to the last byte of all objects, in seconds.
    loads: list[float]
    #: Times to the load event of the browser, in seconds.
    events: list[float]
    #: The visits as a HAR 1.2: each time is the median of all.
    har: dict[str, Any]
    #: Lateness of the 99th of 100 packets, in seconds.
    late: float = 0.0


def recorded(found: dict[str, Any], late: float = 0.0) -> Loaded:
    """The answer of the client."""
    visits = [visit["objects"] for visit in found["visits"]]
    entries = []
    for url, seen in found["objects"].items():
        own = [visit[url] for visit in visits]
        start, end, wait = (statistics.median(times[key] for times in own) for key in ("start", "end", "wait"))
        connects = [times["connect"] for times in own if times["connect"] is not None]
        entry = {
            "startedDateTime": (EPOCH + timedelta(milliseconds=start)).isoformat(),
            "time": end - start,
            "request": {"url": url},
            "response": {"content": {"mimeType": seen["type"]}, "_transferSize": seen["size"]},
            "timings": {"wait": wait, "connect": statistics.median(connects) if connects else -1},
            "_renderBlocking": seen["blocking"],
        }
        if seen["initiator"]:
            entry["_initiator"] = {"url": seen["initiator"]}
        entries.append(entry)
    loads = [max(times["end"] for times in visit.values()) / 1e3 for visit in visits]
    events = [visit["load"] / 1e3 for visit in found["visits"]]
    return Loaded(loads, events, {"log": {"version": "1.2", "entries": entries}}, late)


def files() -> dict[str, bytes]:
    """The page: a style sheet, a script that adds two pictures, and eight pictures."""
    pictures = [f"<img src=picture-{at}.png alt='' width=9 height=9>" for at in range(len(PICTURES))]
    head = "<!doctype html><title>page</title><link rel=icon href=data:,><link rel=stylesheet href=style.css>"
    # The browser moves pictures that are in view to the front as soon as it knows their places.
    below = "<div style='height: 9999px'></div>"
    add = "".join(f"new Image().src = 'added-{at}.png';" for at in range(len(ADDED)))
    found = {
        "index.html": f"{head}<script src=script.js></script>{below}{''.join(pictures)}".encode(),
        "script.js": f"{add}/*{' ' * SCRIPT}*/".encode(),
        "style.css": f"body {{ margin: 0 }}/*{' ' * STYLE}*/".encode(),
    }
    for name, sizes in (("picture", PICTURES), ("added", ADDED)):
        found |= {f"{name}-{at}.png": picture(size) for at, size in enumerate(sizes)}
    return found


def picture(size: int) -> bytes:
    """A grey PNG of noise of about this size; a browser reads what is no picture to its first kilobytes alone."""
    width = 99
    height = max(1, size // (width + 1))
    lines = b"".join(b"\0" + random.Random(at).randbytes(width) for at in range(height))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(lines, 0)))
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (*parts, (b"IEND", b""))
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def loaded(browser: str, network: Network | None) -> Loaded:
    """Load times over the network, between namespaces; without one, over this machine's own loopback."""
    with tempfile.TemporaryDirectory() as place:
        config = site(Path(place), files(), TYPES)
        client = config.with_name("client.py")
        client.write_text(CLIENT, encoding="utf-8")
        command = [sys.executable, str(client), browser]
        if network is not None:
            found, late = behind(network, config, command, "/index.html", [str(network.repeat * VISITS)])
            return recorded(found, late)
        with subprocess.Popen(["nginx", "-c", str(config)]) as server:
            try:
                time.sleep(0.5)
                found = printed([*command, f"http://127.0.0.1:{PORT}/index.html", str(VISITS)], "loopback")
            finally:
                server.terminate()
        return recorded(found)


def simulated(network: Network, har: Path) -> float:
    """Median load time of the recording in the simulator, in seconds."""
    page = ww.Page(
        name="page",
        from_="client",
        to="server",
        law=LAW,
        tcp=ww.format.Tcp(stack="linux"),
        objects=str(har),
        protocol="http/1.1",
        order="tight",
        preconnect=2 if network.delay in SLOW else 1,
        tls=0,
        request="500 B",
        reading="200 ms",
        reading_spread="fixed",
    )
    run = scenario(network, page, har.parent).simulate(seeds=1)
    return float(run.visits["load_s"].median())


def main() -> int:
    """Measures, and writes the page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    missing = [name for name, path in (("nginx", shutil.which("nginx")), ("chromium", browser)) if path is None]
    if browser is None or missing:
        print(f"skipped: {' and '.join(missing)} not installed")
        return 0
    alone = loaded(browser, None)
    rows, worst = [], 0.0
    with tempfile.TemporaryDirectory() as place:
        har = Path(place) / "page.har"
        har.write_text(json.dumps(alone.har), encoding="utf-8")
        own = statistics.median(alone.loads) - simulated(NOTHING, har)
        for network in NETWORKS:
            real = loaded(browser, network)
            whole, ours = statistics.median(real.loads), simulated(network, har)
            theirs = whole - own
            worst = max(worst, abs(ours / theirs - 1))
            quarters = statistics.quantiles(real.loads)
            spread = f"{1e3 * quarters[0]:.0f} to {1e3 * quarters[2]:.0f}"
            event = f"{1e3 * (statistics.median(real.events) - whole):.0f}"
            row = [network.name, f"{1e3 * whole:.0f}", spread, f"{1e3 * theirs:.0f}", f"{1e3 * ours:.0f}"]
            rows.append([*row, off(theirs, ours), event, f"{1e3 * real.late:.2f}"])
            print(rows[-1], flush=True)
    nginx = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True).stderr.strip()
    version = subprocess.run([browser, "--version"], capture_output=True, text=True, check=True).stdout.split()
    columns = ["network", "browser", "half of the visits", "less its own time", "simulator", "off by", "load event"]
    columns.append("late, 99 %")
    number = next((word for word in version if word[:1].isdigit()), "of an unknown version")
    total = sum(PICTURES) + sum(ADDED) + SCRIPT + STYLE
    replace_text(
        PAGE,
        f"""# A page in a browser beside the simulator's

<!-- Generated: make validate WHAT=browser -->

Linux {platform.release()}, {os.cpu_count()} processors, nginx {nginx.rpartition("/")[2]}, Chromium {number}, CUBIC
with HyStart. The web server and the browser are at the ends of `windward link`. The simulator has the same line,
`stack = "linux"`, `order = "tight"`, and the page as the browser loads it over loopback, where each time is
the median of {VISITS} visits.

Medians of load times in milliseconds, from the start of the navigation to the last byte of all objects.

* **Page:** a style sheet, a script that adds two pictures, and eight pictures: {total // 1000} kB over HTTP/1.1.
* **Visits:** {VISITS}, six times as many with losses, each by a new visitor without a cache.
* **The browser's own time:** over loopback the page takes {1e3 * statistics.median(alone.loads):.0f} ms. The simulator
  knows the time from an object's parent to its request, and takes {1e3 * (statistics.median(alone.loads) - own):.0f} ms
  without a network. The other {1e3 * own:.0f} ms pass between the browser's processes; they are taken off everywhere.
* **Second connection:** Chromium opens one if the first takes longer than 250 ms. The simulator has
  `preconnect = 2` on such a line.
* **Load event:** the time from the last byte to the browser's load event, which the simulator does not have.
* **Late:** 99 % of the packets were late by less than this. Above 0.1 ms the machine had other work, and the browser
  waited for it too.

{table(columns, rows)}

The largest difference is {worst:.1%}; the tolerance is {WITHIN:.0%}. What remains is the browser's own work. It
varies by some 20 ms from visit to visit. On a slow line a part of it passes while the browser waits for the network.
Times of the browser's processes for each object would tell how much.
""".replace("%;", " %;").replace("%.", " %."),
    )
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main())
