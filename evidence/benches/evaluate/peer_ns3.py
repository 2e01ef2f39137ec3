"""For ns-3's Python: networks of dumbbells that change on the way; a line of JSON for each.

python peer_ns3.py < NETWORKS: a list of {law, mbit, rtts_ms, starts_s, packets, seconds, change}.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ns import ns

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches.ns3_tcp import configure
from benches.sim.peer_ns3 import SEGMENT, Network

ns.cppyy.cppdef("""
#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
void windward_set_later(double s, ns3::Ptr<ns3::Object> object, std::string name, std::string value) {
  ns3::Simulator::Schedule(ns3::Seconds(s), [object, name, value]() {
    object->SetAttribute(name, ns3::StringValue(value));
  });
}
""")


def run(asked: dict[str, Any]) -> dict[str, float]:
    """Simulates one network."""
    mbit, rtts, seconds = asked["mbit"], asked["rtts_ms"], asked["seconds"]
    packets = asked["packets"]
    configure(asked["law"], SEGMENT, 4 * packets + round(4 * mbit * 1e3 * max(rtts) / 8 / 1500))
    network = Network(2 + 2 * len(rtts))
    least = min(rtts)
    network.link(0, 1, mbit, least / 2 - 2, packets)
    core = network.devices[0]
    for at, (rtt, start) in enumerate(zip(rtts, asked["starts_s"], strict=True)):
        sender, receiver = 2 + 2 * at, 3 + 2 * at
        network.link(sender, 0, 1000, 1 + (rtt - least) / 2, 10_000)
        _, address = network.link(1, receiver, 1000, 1, 10_000)
        network.flow(sender, receiver, address, start)
    for change in asked["change"]:
        if change["what"] == "rate":
            target, name, value = core, "DataRate", f"{change['value']}Mbps"
        elif change["what"] == "delay":
            channel = core.GetChannel()
            target, name, value = channel, "Delay", f"{change['value'] - 2}ms"
        else:
            errors = ns.CreateObject[ns.RateErrorModel]()
            errors.SetAttribute("ErrorUnit", ns.StringValue("ERROR_UNIT_PACKET"))
            errors.SetAttribute("ErrorRate", ns.DoubleValue(0))
            network.devices[1].SetAttribute("ReceiveErrorModel", ns.PointerValue(errors))
            target, name, value = errors, "ErrorRate", str(change["value"])
        ns.cppyy.gbl.windward_set_later(change["at_s"], target, name, value)
    answer = network.run(seconds)
    ns.Simulator.Destroy()
    ns.Ipv4AddressGenerator.Reset()
    return answer


if __name__ == "__main__":
    for network in json.load(sys.stdin):
        print(json.dumps(run(network)), flush=True)
