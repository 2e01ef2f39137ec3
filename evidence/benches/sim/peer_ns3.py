"""ns-3 on the networks that Windward is laid beside: one line of JSON.

    python peer_ns3.py dumbbell LAW FLOWS MBIT RTT_MS BUFFER SECONDS PATIENCE
    python peer_ns3.py lossy LAW LOSS SECONDS SEEDS [ATTRIBUTE=VALUE ...]

The dumbbell is that of `crates/sim/examples/dumbbell.rs`, ended early after PATIENCE seconds of CPU; the other is one
flow over one link of 10 Mbit/s and 100 ms that loses data at random. LAW is one of those of
`evidence/benches/ns3_tcp.py`, an attribute one of ns-3's, as `TcpBic::SmoothPart=20`.

What ns-3 does otherwise is set to what Windward does: SACK, timestamps, window scaling, a first window of 10 segments
of 1448 bytes, an ACK for every second segment or after 40 ms, least timeout 200 ms, drop-tail queues in packets with
no queueing discipline above the devices.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from ns import ns

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches.ns3_tcp import configure, set_defaults

SEGMENT = 1448
#: Looks at the clock in a run.
SLICES = 200


class Network:
    """Links, addresses, flows, and what they amounted to."""

    def __init__(self, nodes: int) -> None:
        self.nodes = ns.NodeContainer()
        self.nodes.Create(nodes)
        ns.InternetStackHelper().Install(self.nodes)
        self.devices: list[Any] = []
        self.sinks: list[Any] = []

    def link(self, left: int, right: int, mbit: float, delay_ms: float, packets: int) -> tuple[Any, Any]:
        """Joins two nodes; returns the device and the address of the right one."""
        helper = ns.PointToPointHelper()
        helper.SetDeviceAttribute("DataRate", ns.StringValue(f"{mbit}Mbps"))
        helper.SetChannelAttribute("Delay", ns.StringValue(f"{delay_ms}ms"))
        helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{packets}p"))
        devices = helper.Install(self.nodes.Get(left), self.nodes.Get(right))
        addresses = ns.Ipv4AddressHelper()
        at = len(self.devices) // 2
        addresses.SetBase(ns.Ipv4Address(f"10.{at // 256}.{at % 256}.0"), ns.Ipv4Mask("255.255.255.0"))
        interfaces = addresses.Assign(devices)
        ns.TrafficControlHelper().Uninstall(devices)
        self.devices += [devices.Get(0), devices.Get(1)]
        return devices.Get(1), interfaces.GetAddress(1)

    def flow(self, sender: int, receiver: int, address: Any, start: float) -> None:
        """An unbounded flow."""
        port = 5001
        bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", ns.InetSocketAddress(address, port).ConvertTo())
        bulk.SetAttribute("MaxBytes", ns.UintegerValue(0))
        bulk.SetAttribute("SendSize", ns.UintegerValue(SEGMENT))
        bulk.Install(self.nodes.Get(sender)).Start(ns.Seconds(start))
        local = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
        sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", local).Install(self.nodes.Get(receiver))
        sink.Start(ns.Seconds(0))
        self.sinks.append(sink.Get(0))

    def run(self, seconds: float, patience: float = float("inf")) -> dict[str, float]:
        """Simulates, and counts. Every packet that a device transmits goes through its queue first."""
        ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
        began = time.process_time()
        run_s, slices = 0.0, 0
        while slices < SLICES and run_s < patience:
            ns.Simulator.Stop(ns.Seconds(seconds / SLICES))
            ns.Simulator.Run()
            slices += 1
            run_s = time.process_time() - began
        simulated = seconds * slices / SLICES
        queues = [device.GetObject[ns.PointToPointNetDevice]().GetQueue() for device in self.devices]
        received = sum(sink.GetObject[ns.PacketSink]().GetTotalRx() for sink in self.sinks)
        return {
            "simulated_s": simulated,
            "goodput_mbit": received * 8 / simulated / 1e6,
            "hops": sum(queue.GetTotalReceivedPackets() - queue.GetNPackets() for queue in queues),
            "events": ns.Simulator.GetEventCount(),
            "run_cpu_s": run_s,
        }


def dumbbell(
    law: str, flows: int, mbit: int, rtt_ms: int, buffer: int, seconds: int, patience: int
) -> dict[str, float]:
    configure(law, SEGMENT, round(mbit * 1e3 * rtt_ms / 8 / 1500) + buffer)
    network = Network(2 + 2 * flows)
    network.link(0, 1, mbit, rtt_ms / 2 - 2, buffer)
    for at in range(flows):
        sender, receiver = 2 + 2 * at, 3 + 2 * at
        network.link(sender, 0, 10 * mbit, 1, 10_000)
        _, address = network.link(1, receiver, 10 * mbit, 1, 10_000)
        network.flow(sender, receiver, address, at / flows)
    return network.run(seconds, patience)


def lossy(law: str, loss: float, seconds: int, seeds: int, attributes: list[str]) -> dict[str, list[float]]:
    """Seed after seed, because starting Python's bindings takes longer than a run."""
    configure(law, SEGMENT, 1100)
    for attribute in attributes:
        name, value = attribute.split("=")
        set_defaults({name: ns.StringValue(value)})
    goodputs = []
    for seed in range(1, seeds + 1):
        ns.RngSeedManager.SetRun(seed)
        network = Network(2)
        device, address = network.link(0, 1, 10, 50, 1000)
        errors = ns.CreateObject[ns.RateErrorModel]()
        errors.SetAttribute("ErrorUnit", ns.StringValue("ERROR_UNIT_PACKET"))
        errors.SetAttribute("ErrorRate", ns.DoubleValue(loss))
        device.SetAttribute("ReceiveErrorModel", ns.PointerValue(errors))
        network.flow(0, 1, address, 0)
        goodputs.append(network.run(seconds)["goodput_mbit"])
        ns.Simulator.Destroy()
        ns.Ipv4AddressGenerator.Reset()
    return {"goodput_mbit": goodputs}


if __name__ == "__main__":
    what, law, *numbers = sys.argv[1:]
    if what == "dumbbell":
        answer: dict[str, Any] = dumbbell(law, *map(int, numbers))
    else:
        answer = lossy(law, float(numbers[0]), int(numbers[1]), int(numbers[2]), numbers[3:])
    print(json.dumps(answer))
