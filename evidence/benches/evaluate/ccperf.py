"""The experiments of ccperf, here and in ns-3: time for the same simulated seconds. Writes a page of benchmarks.

python evidence/benches/evaluate/ccperf.py --ns3 .venv-ns3/bin/python

ccperf (ccperf.net) runs on ns-3; its program is not published, its networks are described. Its first benchmark holds
conditions constant (one flow, flows that start at once, one after the other, and with unequal round trips), the second
changes rate, delay or loss once.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "evidence"))

from benches.start import Ns3, ns3_version, why_no_ns3  # noqa: E402

from windward.results._files import replace_text  # noqa: E402

PAGE = ROOT / "evidence" / "measured" / "benchmarks" / "evaluations.md"

#: ccperf's default path: 8 Mbit/s, 30 ms each way, 20 packets.
MBIT, RTT_MS, PACKETS, SECONDS = 8.0, 60.0, 20, 60

#: Runs of ns-3; here three for each.
REPEATS = 5

#: Networks: what changes, round trips, start times.
NETWORKS: dict[str, dict[str, Any]] = {
    "one flow": {},
    "four flows at once": {"rtts_ms": [RTT_MS] * 4, "starts_s": [0.0] * 4},
    "four flows, 10 s apart": {"rtts_ms": [RTT_MS] * 4, "starts_s": [0.0, 10.0, 20.0, 30.0]},
    "round trips of 60 and 120 ms": {"rtts_ms": [RTT_MS, 2 * RTT_MS], "starts_s": [0.0, 0.0]},
    "16 in place of 8 Mbit/s from 30 s on": {"change": [{"what": "rate", "at_s": 30.0, "value": 16.0}]},
    "60 in place of 30 ms from 30 s on": {"change": [{"what": "delay", "at_s": 30.0, "value": 60.0}]},
    "1 % loss from 30 s on": {"change": [{"what": "loss", "at_s": 30.0, "value": 0.01}]},
}


def network(own: dict[str, Any]) -> dict[str, Any]:
    """A network with its defaults, as the peer reads it."""
    return {
        "law": "cubic-hystart",
        "mbit": MBIT,
        "rtts_ms": [RTT_MS],
        "starts_s": [0.0],
        "packets": PACKETS,
        "seconds": SECONDS,
        "change": [],
        **own,
    }


def scenario(own: dict[str, Any]) -> dict[str, Any]:
    """Scenario of a network: senders, bottleneck, receivers."""
    least = min(own["rtts_ms"])
    link = {"name": "core", "from": "left", "to": "right", "rate": f"{own['mbit']:g} Mbit/s"}
    nodes, links, flows = [{"name": "left"}, {"name": "right"}], [], []
    links.append({**link, "delay": f"{least / 2 - 2:g} ms", "buffer": f"{own['packets']} packets"})
    for at, (rtt, start) in enumerate(zip(own["rtts_ms"], own["starts_s"], strict=True)):
        nodes += [{"name": f"s{at}"}, {"name": f"d{at}"}]
        far = 1 + (rtt - least) / 2
        links.append({"from": f"s{at}", "to": "left", "rate": "1 Gbit/s", "delay": f"{far:g} ms"})
        links.append({"from": "right", "to": f"d{at}", "rate": "1 Gbit/s", "delay": "1 ms"})
        law = {"name": "cubic", "hystart": True}
        flows.append({"name": f"f{at}", "from": f"s{at}", "to": f"d{at}", "law": law, "start": f"{start:g} s"})
    changes = []
    for change in own["change"]:
        value = {
            "rate": lambda it: f"{it:g} Mbit/s",
            "delay": lambda it: f"{it - 2:g} ms",
            "loss": lambda it: it,
        }[change["what"]](change["value"])
        changes.append({"link": "core", "at": f"{change['at_s']:g} s", change["what"]: value})
    return {
        "name": "ccperf",
        "duration": f"{own['seconds']:g} s",
        "node": nodes,
        "link": links,
        "flow": flows,
        **({"change": changes} if changes else {}),
    }


#: Runs a scenario of JSON with one seed, in a process of its own, and tells CPU seconds and goodput.
_OURS = """
import json, sys, time
from pathlib import Path
from windward import _engine
from windward._engines.lines import simulated
from windward._format.own import finders
from windward._search.objective import rows_of
pool = _engine.Sweep("simulate", threads=1, folder=Path(), **finders({}, Path()))
for at, text in enumerate(json.load(sys.stdin)):
    began = time.process_time()
    pool.submit(at, text, [1])
    found = []
    while not found:
        found = pool.wait(0.01)
    rows = rows_of(simulated(found[0][2])["flows"])
    took = time.process_time() - began
    plain = json.loads(text)
    s = lambda own: float(own.removesuffix(" s"))
    times = {own["name"]: s(plain["duration"]) - s(own["start"]) for own in plain["flow"]}
    bits = sum(row["goodput_bps"] * times[row["group"]] for row in rows)
    print(json.dumps({"cpu_s": took, "goodput_mbit": bits / s(plain["duration"]) / 1e6}))
"""


def ours(texts: list[str]) -> list[dict[str, float]]:
    """CPU seconds and goodput of each scenario, as evaluations run it."""
    # Threads of numpy's that wait for work spin, and their time would count.
    single = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _OURS], input=json.dumps(texts), capture_output=True, text=True, check=True, env=single
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def command(own: dict[str, Any]) -> float:
    """CPU seconds of `windward simulate`, its start included."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "network.json"
        file.write_text(json.dumps(scenario(own)), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "windward", "simulate", str(file), "--seeds", "1", "--quiet", "-o", f"{folder}/r"]
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"windward simulate ended with {status}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Runs both and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", help="a Python in which ns-3 is installed")
    asked = parser.parse_args()
    if why := why_no_ns3(asked.ns3):
        raise SystemExit(f"ns-3 is needed: {why}")
    networks = {name: network(own) for name, own in NETWORKS.items()}
    # At the same time, each on a core: a shared machine then slows both alike.
    peer = Ns3(asked.ns3, Path(__file__).with_name("peer_ns3.py"), given=[*networks.values()] * REPEATS)
    theirs: dict[str, list[dict[str, float]]] = {name: [] for name in networks}
    here: dict[str, list[dict[str, float]]] = {name: [] for name in networks}
    for name, answer in zip(list(networks) * REPEATS, peer.answers(), strict=True):
        theirs[name].append(answer)
        here[name] += ours([json.dumps(scenario(networks[name]))] * 3)
    lines, ratios = [], []
    for name in networks:
        cpu = statistics.median(run["cpu_s"] for run in here[name])
        peer_cpu = statistics.median(run["run_cpu_s"] for run in theirs[name])
        ratios.append(peer_cpu / cpu)
        lines.append(
            f"| {name} | {here[name][0]['goodput_mbit']:.2f} | {theirs[name][0]['goodput_mbit']:.2f} | "
            f"{1e3 * cpu:.1f} ms | {peer_cpu:.2f} s | **{ratios[-1]:.0f}** |"
        )
        print(lines[-1], flush=True)
    whole = statistics.median(command(networks["one flow"]) for _ in range(3))
    rows = "\n".join(lines)
    page = f"""\
# Speed of evaluations beside ns-3: the experiments of ccperf

<!-- Generated: python evidence/benches/evaluate/ccperf.py -->

ccperf evaluates congestion controls on ns-3. Its program is not published; [its pages](https://ccperf.net) describe the
networks. Here are the experiments of its two benchmarks, steady state and step changes, on its default path: 8 Mbit/s,
30 ms each way, 20 packets. Each runs for {SECONDS} simulated seconds with CUBIC and HyStart, in both programs over the
same links.

| network | Mbit/s here | in ns-3 | CPU here | CPU of ns-3 | ratio |
|---|---|---|---|---|---|
{rows}

Ratios from {min(ratios):.0f} to {max(ratios):.0f}. Times are CPU seconds of the runs alone, both programs at the same
time on a shared machine with two cores: read the ratios. They are medians, of {REPEATS} runs in ns-3 without the start
of its Python bindings, and of {3 * REPEATS} here, as `windward evaluate` runs a network, with scenario and tables. A
whole `windward simulate` takes {whole:.2f} s, nearly all of it the start of Python.
ns-3 is the wheel {ns3_version(asked.ns3)} from the Python package index. Built with its own optimised profile it needs
about half the time.

The aim was a ratio of 100. With one flow a hop takes 605 instructions, TCP, reader and tables included
(previously 721, callgrind). A link that gets its packets from one other link alone takes no event for each.
Instructions fell by 16 % in the first row, by 5 to 6 % in the next three and by 9 to 12 % in the last three. CPU time,
measured in turn with the engine before, fell by 7 to 10 % in the first and the last three rows. The others took the
same time. Three measurements of this page within an hour differed by up to 36 % in a row.

Optimisation at link time brought nothing, nor does the wheel's profile (level 3). Before this change it took 134.1
million instructions for the first network, and `release` 133.8 million. Reader and tables take 1.2 to 1.8 ms of a run.

In the rows with several flows the bottleneck gets packets from several links, whose arrivals remain events. In the
last three rows the bottleneck changes. It takes an event for each transmission, which a decision at its beginning does
not save: the queue behind it is asked at its end. Computing departures on arrival between two changes would save it,
with a second set of books for the packets that a change interrupts.
"""
    replace_text(PAGE, page)


if __name__ == "__main__":
    main()
