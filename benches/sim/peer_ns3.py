"""ns-3 on a dumbbell, with what `crates/sim/examples/dumbbell.rs` does as nearly as it can: one line of JSON.

    python peer_ns3.py dumbbell LAW FLOWS MBIT RTT_MS BUFFER SECONDS
    python peer_ns3.py lossy LAW LOSS SECONDS SEED

LAW is reno (TcpLinuxReno) or cubic (TcpCubic). SACK, timestamps, window scaling, a first window of 10 segments of
1448 bytes,
delayed ACKs of two segments or 40 ms, drop-tail queues in packets, no queueing discipline above the devices, least
RTO 200 ms.
"""

from __future__ import annotations

import json
import resource
import sys
import time

from ns import ns

SEGMENT = 1448
LAWS = {"reno": "ns3::TcpLinuxReno", "cubic": "ns3::TcpCubic"}


def configure(law: str) -> None:
    values = {
        "ns3::TcpL4Protocol::SocketType": ns.StringValue(LAWS[law]),
        "ns3::TcpSocket::SegmentSize": ns.UintegerValue(SEGMENT),
        "ns3::TcpSocket::InitialCwnd": ns.UintegerValue(10),
        "ns3::TcpSocket::DelAckCount": ns.UintegerValue(2),
        "ns3::TcpSocket::DelAckTimeout": ns.StringValue("40ms"),
        "ns3::TcpSocket::SndBufSize": ns.UintegerValue(1 << 28),
        "ns3::TcpSocket::RcvBufSize": ns.UintegerValue(1 << 28),
        "ns3::TcpSocketBase::MinRto": ns.StringValue("200ms"),
        "ns3::TcpSocketBase::Sack": ns.BooleanValue(True),
        "ns3::TcpSocketBase::Timestamp": ns.BooleanValue(True),
    }
    for name, value in values.items():
        ns.Config.SetDefault(name, value)


def link(rate: str, delay: str, packets: int, pair: list) -> object:
    helper = ns.PointToPointHelper()
    helper.SetDeviceAttribute("DataRate", ns.StringValue(rate))
    helper.SetChannelAttribute("Delay", ns.StringValue(delay))
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{packets}p"))
    nodes = ns.NodeContainer()
    for node in pair:
        nodes.Add(node)
    return helper.Install(nodes)


class Network:
    """Numbers networks and installs senders and sinks."""

    def __init__(self) -> None:
        self.stack = ns.InternetStackHelper()
        self.count = 0
        self.sinks = []

    def number(self, devices: object) -> object:
        self.count += 1
        address = ns.Ipv4AddressHelper()
        base = f"10.{self.count // 256}.{self.count % 256}.0"
        address.SetBase(ns.Ipv4Address(base), ns.Ipv4Mask("255.255.255.0"))
        interfaces = address.Assign(devices)
        ns.TrafficControlHelper().Uninstall(devices)
        return interfaces

    def flow(self, sender: object, receiver: object, address: object, start: float, end: float) -> None:
        port = 5001
        to = ns.InetSocketAddress(address, port).ConvertTo()
        bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", to)
        bulk.SetAttribute("MaxBytes", ns.UintegerValue(0))
        bulk.SetAttribute("SendSize", ns.UintegerValue(SEGMENT))
        apps = bulk.Install(sender)
        apps.Start(ns.Seconds(start))
        apps.Stop(ns.Seconds(end))
        local = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
        sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", local).Install(receiver)
        sink.Start(ns.Seconds(0))
        self.sinks.append(sink.Get(0))

    def run(self, seconds: float, hops_per_packet: float) -> None:
        ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
        ns.Simulator.Stop(ns.Seconds(seconds))
        began = time.process_time()
        ns.Simulator.Run()
        run_s = time.process_time() - began
        received = sum(sink.GetObject[ns.PacketSink]().GetTotalRx() for sink in self.sinks)
        answer = {
            "goodput_mbit": received * 8 / seconds / 1e6,
            # Delivered segments and an ACK for every second one, over the links of their route.
            "hops": received / SEGMENT * 1.5 * hops_per_packet,
            "run_cpu_s": run_s,
            "rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps(answer))


def dumbbell(law: str, flows: int, mbit: int, rtt_ms: int, buffer: int, seconds: float) -> None:
    configure(law)
    network = Network()
    nodes = ns.NodeContainer()
    nodes.Create(2 + 2 * flows)
    network.stack.Install(nodes)
    left, right = nodes.Get(0), nodes.Get(1)
    network.number(link(f"{mbit}Mbps", f"{rtt_ms / 2 - 2}ms", buffer, [left, right]))
    for at in range(flows):
        sender, receiver = nodes.Get(2 + 2 * at), nodes.Get(3 + 2 * at)
        network.number(link(f"{10 * mbit}Mbps", "1ms", 10_000, [sender, left]))
        interfaces = network.number(link(f"{10 * mbit}Mbps", "1ms", 10_000, [right, receiver]))
        network.flow(sender, receiver, interfaces.GetAddress(1), at / flows, seconds)
    network.run(seconds, 3)


def lossy(law: str, loss: float, seconds: float, seed: int) -> None:
    """One flow over one link of 10 Mbit/s and 100 ms that loses data at random."""
    configure(law)
    ns.RngSeedManager.SetSeed(1)
    ns.RngSeedManager.SetRun(seed)
    network = Network()
    nodes = ns.NodeContainer()
    nodes.Create(2)
    network.stack.Install(nodes)
    devices = link("10Mbps", "50ms", 1000, [nodes.Get(0), nodes.Get(1)])
    errors = ns.CreateObject[ns.RateErrorModel]()
    errors.SetAttribute("ErrorUnit", ns.StringValue("ERROR_UNIT_PACKET"))
    errors.SetAttribute("ErrorRate", ns.DoubleValue(loss))
    devices.Get(1).SetAttribute("ReceiveErrorModel", ns.PointerValue(errors))
    interfaces = network.number(devices)
    network.flow(nodes.Get(0), nodes.Get(1), interfaces.GetAddress(1), 0, seconds)
    network.run(seconds, 1)


if __name__ == "__main__":
    what, law, *numbers = sys.argv[1:]
    if what == "dumbbell":
        flows, mbit, rtt_ms, buffer, seconds = map(int, numbers)
        dumbbell(law, flows, mbit, rtt_ms, buffer, seconds)
    else:
        lossy(law, float(numbers[0]), float(numbers[1]), int(numbers[2]))
