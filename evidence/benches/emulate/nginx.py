"""Responses and pages that curl loads from nginx beside the simulator's, to evidence/measured/validation/nginx.md.

python evidence/benches/emulate/nginx.py; four minutes in real time, on a machine that does nothing else. Needs nginx
and curl: without one of them the comparison is skipped, which it prints with its reason. Ends with 1 where a median is
off by more than the tolerance.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from page import table

import windward as ww
from windward.results._files import replace_text

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "evidence" / "measured" / "validation" / "nginx.md"
#: Responses, each over a connection of its own, and visits of a page.
REQUESTS, VISITS = 40, 12
#: Bytes of a response, and of the objects of a page, which curl loads over up to six connections.
RESPONSE = 60_000
OBJECTS = (40_000, 30_000, 90_000, 5_000, 60_000, 12_000, 14_000, 16_000, 18_000, 20_000, 180_000, 24_000)
CONNECTIONS = 6
#: Tolerance of a median.
WITHIN = 0.05
PORT = 8080
LAW = ww.Cubic(version="linux", hystart=True)


class Network(NamedTuple):
    """A line between nginx and curl."""

    name: str
    down: str
    up: str
    delay: str
    buffer: str
    queue: str = "drop-tail"
    loss: float = 0.0
    #: Factor of the numbers of responses and visits, for networks of which a few say little.
    repeat: int = 1


NETWORKS = (
    Network("10 Mbit/s, 20 ms, 100 packets", "10 Mbit/s", "10 Mbit/s", "20 ms", "100 packets"),
    Network("50 and 10 Mbit/s, 10 ms, FQ-CoDel", "50 Mbit/s", "10 Mbit/s", "10 ms", "1000 packets", "fq-codel"),
    Network("20 Mbit/s, 30 ms, 1 % loss", "20 Mbit/s", "20 Mbit/s", "30 ms", "400 packets", loss=0.01, repeat=6),
    Network("100 Mbit/s, 5 ms, 400 packets", "100 Mbit/s", "100 Mbit/s", "5 ms", "400 packets"),
    Network("20 Mbit/s, 150 ms, 400 packets", "20 Mbit/s", "20 Mbit/s", "150 ms", "400 packets"),
)

CONFIG = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
    {types}
    access_log off;
    sendfile on;
    # The header leaves with the first bytes of the file.
    tcp_nopush on;
    keepalive_requests 10000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{ listen {port}; root {folder}/files; }}
}}
"""

#: Prints the time of each response, and of each visit with the start of curl: a visit is one curl.
CLIENT = """\
import json, subprocess, sys, time
base, requests, visits, connections, objects = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5].split(",")
for _ in range(200):
    if subprocess.run(["curl", "-s", "-o", "/dev/null", base + "/0"]).returncode == 0:
        break
    time.sleep(0.05)
form = "%{time_total} %{size_header} %{size_request}\\n"
responses = []
for _ in range(requests):
    command = ["curl", "-s", "-o", "/dev/null", "-w", form, "-H", "Connection: close", base + "/response"]
    responses.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    time.sleep(0.1)
def clock(command):
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start
command = ["curl", "-s", "--parallel", "--parallel-immediate", "--parallel-max", str(connections)]
for name in objects:
    command += ["-o", "/dev/null", base + "/" + name]
# A closed port of the client itself refuses at once: what remains is curl's own start.
empty = ["curl", "-s", "http://127.0.0.1:9/"]
pages = []
for _ in range(visits):
    pages.append((clock(command), clock(empty)))
    time.sleep(0.1)
print(json.dumps({"responses": responses, "pages": pages}))
"""


class Measured(NamedTuple):
    """Times of a network in seconds, bytes of headers, and how late the 99th of 100 packets was, in seconds."""

    responses: list[float]
    pages: list[float]
    header: int
    request: int
    late: float


def site(folder: Path, files: dict[str, bytes], types: str = "") -> Path:
    """Writes the files of a site, and nginx's configuration with their media types beside them; returns the latter."""
    (folder / "files").mkdir()
    for name, content in files.items():
        (folder / "files" / name).write_bytes(content)
    # nginx leaves root for an account that must be able to read.
    for path in (folder, folder / "files"):
        path.chmod(0o755)
    user = "user root;\n" if os.geteuid() == 0 else ""
    config = folder / "nginx.conf"
    config.write_text(user + CONFIG.format(folder=folder, port=PORT, types=types), encoding="utf-8")
    return config


def behind(network: Network, config: Path, client: list[str], address: str, arguments: list[str]) -> tuple[Any, float]:
    """Runs a client of the site behind the network: its answer in JSON, and how late the 99th of 100 packets was."""
    # A new connection must not inherit the threshold of an old one.
    server = f"sh -c 'echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save; exec nginx -c {config}'"
    report = config.parent / "report.json"
    command = [str(Path(sys.executable).with_name("windward")), "link"]
    command += ["--rate", f"{network.down},{network.up}", "--delay", network.delay, "--buffer", network.buffer]
    command += ["--queue", network.queue, "--loss", f"{network.loss},0", "--congestion", "cubic"]
    command += ["--report", str(report), "--server", server, "--", *client]
    found = printed([*command, f"http://100.64.0.1:{PORT}{address}", *arguments], network.name)
    return found, json.loads(report.read_text(encoding="utf-8"))["quality"]["late_p99_s"]


def printed(command: list[str], name: str) -> Any:
    """The last line that a command prints, read as JSON."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr or done.stdout}")
    return json.loads(done.stdout.splitlines()[-1])


def measured(network: Network) -> Measured:
    """Times of curl over the network, between namespaces."""
    files = {"response": bytes(RESPONSE)} | {str(at): bytes(size) for at, size in enumerate(OBJECTS)}
    with tempfile.TemporaryDirectory() as place:
        config = site(Path(place), files)
        client = config.with_name("client.py")
        client.write_text(CLIENT, encoding="utf-8")
        counts = [str(network.repeat * REQUESTS), str(network.repeat * VISITS), str(CONNECTIONS)]
        objects = ",".join(str(at) for at in range(len(OBJECTS)))
        found, late = behind(network, config, [sys.executable, str(client)], "", [*counts, objects])
    times, headers, requests = zip(*found["responses"], strict=True)
    return Measured(
        responses=[float(value) for value in times],
        pages=[whole - start for whole, start in found["pages"]],
        header=int(headers[0]),
        request=int(requests[0]),
        late=late,
    )


def scenario(network: Network, app: Any, folder: Path | None = None) -> ww.Scenario:
    """The network with one application."""
    link = ww.Link(
        from_="server",
        to="client",
        rate=network.down,
        delay=network.delay,
        buffer=network.buffer,
        queue=ww.format.FqCodel() if network.queue == "fq-codel" else ww.format.DropTail(),
        loss=network.loss,
        reverse=ww.format.Reverse(rate=network.up, loss=0.0),
    )
    nodes = [ww.Node(name="client"), ww.Node(name="server")]
    return ww.Scenario(name="nginx", duration="120 s", folder=folder or Path(), node=nodes, link=[link], app=[app])


def simulated(network: Network, real: Measured) -> tuple[float, float]:
    """Medians of the simulator for a response and for a page, in seconds."""
    both: dict[str, Any] = {
        "from_": "client",
        "to": "server",
        "law": LAW,
        "tcp": ww.format.Tcp(stack="linux"),
        "request": f"{real.request} B",
    }
    responses = ww.Requests(
        name="responses",
        arrivals=ww.format.ClosedArrivals(users=1, think="100 ms", think_spread="fixed"),
        response=f"{RESPONSE + real.header} B",
        connections="new",
        **both,
    )
    # A byte of another origin names all objects.
    objects = [ww.format.PageObject(name="start", size="1 B", origin="https://start.example")]
    objects += [
        ww.format.PageObject(name=f"object-{at}", size=f"{size + real.header} B", origin="https://objects.example")
        for at, size in enumerate(OBJECTS)
    ]
    pages = ww.Page(
        name="page",
        objects=objects,
        protocol="http/1.1",
        connections=CONNECTIONS,
        tls=0,
        reading="100 ms",
        reading_spread="fixed",
        **both,
    )
    single = scenario(network, responses).simulate(seeds=1).requests["completion_s"].median()
    visits = scenario(network, pages).simulate(seeds=1).objects
    visits = visits[visits["object"] != visits["object"].iloc[0]]
    times = visits.groupby("visit").apply(lambda own: own["end_s"].max() - own["discovered_s"].min())
    return float(single), float(times.median())


def off(real: float, model: float) -> str:
    """The difference of the simulator from curl."""
    return f"{model / real - 1:+.1%}".replace("%", " %")


def main() -> int:
    """Measures, and writes the page."""
    missing = [name for name in ("nginx", "curl") if shutil.which(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed")
        return 0
    rows, worst = [], 0.0
    for network in NETWORKS:
        real = measured(network)
        model = simulated(network, real)
        medians = (statistics.median(real.responses), statistics.median(real.pages))
        worst = max(worst, *(abs(ours / theirs - 1) for ours, theirs in zip(model, medians, strict=True)))
        row = [network.name]
        for ours, theirs in zip(model, medians, strict=True):
            row += [f"{1e3 * theirs:.1f}", f"{1e3 * ours:.1f}", off(theirs, ours)]
        rows.append([*row, f"{1e3 * real.late:.2f}"])
        print(rows[-1], flush=True)
    version = (
        subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True).stderr.strip().rpartition("/")[2]
    )
    curl = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    columns = [
        "network",
        *(f"{what}, {who}" for what in ("response", "page") for who in ("curl", "simulator", "off by")),
        "late, 99 %",
    ]
    replace_text(
        PAGE,
        f"""# Responses and pages of nginx and curl beside the simulator's

<!-- Generated: make validate WHAT=nginx -->

Linux {platform.release()}, {os.cpu_count()} processors, nginx {version}, curl {curl}, CUBIC with HyStart.
The web server and curl are at the ends of `windward link`. The simulator has the same line, `stack = "linux"` and the
same numbers of bytes, headers included.

Medians in milliseconds.

* **Response:** {RESPONSE // 1000} kB over a new connection, {REQUESTS} times, from the start of the handshake to the
  last byte, by curl's own clock.
* **Page:** {len(OBJECTS)} objects of 5 to 180 kB, {sum(OBJECTS) // 1000} kB in all, over at most {CONNECTIONS}
  connections, {VISITS} times. The time is that of the process which starts curl, less curl's own start.
* With losses both are repeated six times as often.
* **Late:** 99 % of the packets were late by less than this. Above 0.1 ms the machine had other work, and nginx and curl
  waited for it too.

{table(columns, rows)}

The largest difference is {worst:.1%}; the tolerance is {WITHIN:.0%}.
""".replace("%;", " %;").replace("%.", " %."),
    )
    return int(worst > WITHIN)


if __name__ == "__main__":
    sys.exit(main())
