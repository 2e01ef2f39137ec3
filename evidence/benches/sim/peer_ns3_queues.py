"""ns-3's queueing disciplines under datagrams and TCP: one line of JSON.

    python peer_ns3_queues.py DISCIPLINE MBIT DELAY_MS PACKETS SECONDS udp MBIT[,MBIT...]
    python peer_ns3_queues.py DISCIPLINE MBIT DELAY_MS PACKETS SECONDS tcp FLOWS

One link between two nodes, with the discipline above a device that holds one packet beside the one that it transmits.
Datagrams are evenly spaced and take 1500 bytes on the wire, PPP's two among them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ns import ns

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches.ns3_tcp import configure, set_defaults

WIRE = 1500
#: PPP, IPv4 and UDP.
HEADERS = 2 + 20 + 8
TYPES = {
    "red": "ns3::RedQueueDisc",
    "codel": "ns3::CoDelQueueDisc",
    "fq-codel": "ns3::FqCoDelQueueDisc",
    "pie": "ns3::PieQueueDisc",
}


def link(discipline: str, mbit: float, delay_ms: float, packets: int) -> tuple[Any, Any, Any]:
    """The two nodes, the address of the right one, and the discipline at the left one."""
    nodes = ns.NodeContainer()
    nodes.Create(2)
    ns.InternetStackHelper().Install(nodes)
    helper = ns.PointToPointHelper()
    helper.SetDeviceAttribute("DataRate", ns.StringValue(f"{mbit}Mbps"))
    helper.SetChannelAttribute("Delay", ns.StringValue(f"{delay_ms}ms"))
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue("1p"))
    devices = helper.Install(nodes)
    set_defaults(
        {
            f"{TYPES[discipline][5:]}::MaxSize": ns.QueueSizeValue(ns.QueueSize(f"{packets}p")),
            "CoDelQueueDisc::MinBytes": ns.UintegerValue(1514),
            "RedQueueDisc::LinkBandwidth": ns.StringValue(f"{mbit}Mbps"),
            "RedQueueDisc::LinkDelay": ns.StringValue(f"{delay_ms}ms"),
            "RedQueueDisc::MeanPktSize": ns.UintegerValue(WIRE),
            "RedQueueDisc::Gentle": ns.BooleanValue(True),
            "RedQueueDisc::Wait": ns.BooleanValue(False),
            "RedQueueDisc::QW": ns.DoubleValue(0.002),
            "RedQueueDisc::LInterm": ns.DoubleValue(10),
            "PieQueueDisc::UseDequeueRateEstimator": ns.BooleanValue(False),
            "PieQueueDisc::UseDerandomization": ns.BooleanValue(True),
            "PieQueueDisc::UseCapDropAdjustment": ns.BooleanValue(True),
            "PieQueueDisc::MeanPktSize": ns.UintegerValue(WIRE),
            "FqCoDelQueueDisc::UseEcn": ns.BooleanValue(False),
        }
    )
    traffic = ns.TrafficControlHelper()
    traffic.SetRootQueueDisc(TYPES[discipline])
    discs = traffic.Install(devices.Get(0))
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = addresses.Assign(devices)
    ns.TrafficControlHelper().Uninstall(devices.Get(1))
    return nodes, interfaces.GetAddress(1), discs.Get(0)


def main() -> None:
    discipline, mbit, delay_ms, packets, seconds, kind, load = sys.argv[1:]
    loads = [float(part) for part in load.split(",")]
    if kind == "tcp":
        configure("newreno", 1448, 2000)
    nodes, address, disc = link(discipline, float(mbit), float(delay_ms), int(packets))
    flows = len(loads) if kind == "udp" else int(load)
    for at in range(flows):
        port = 5001 + at
        remote = ns.InetSocketAddress(address, port).ConvertTo()
        if kind == "udp":
            gap_ns = round(WIRE * 8 / loads[at] * 1e3)
            client = ns.UdpClientHelper(remote)
            client.SetAttribute("Interval", ns.TimeValue(ns.NanoSeconds(gap_ns)))
            client.SetAttribute("MaxPackets", ns.UintegerValue(2**31))
            client.SetAttribute("PacketSize", ns.UintegerValue(WIRE - HEADERS))
            client.Install(nodes.Get(0)).Start(ns.Seconds(0))
            ns.UdpServerHelper(port).Install(nodes.Get(1)).Start(ns.Seconds(0))
        else:
            bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", remote)
            bulk.SetAttribute("SendSize", ns.UintegerValue(1448))
            bulk.Install(nodes.Get(0)).Start(ns.Seconds(0.07 * at))
            local = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
            ns.PacketSinkHelper("ns3::TcpSocketFactory", local).Install(nodes.Get(1)).Start(ns.Seconds(0))
    helper = ns.FlowMonitorHelper()
    monitor = helper.InstallAll()
    ns.Simulator.Stop(ns.Seconds(float(seconds)))
    ns.Simulator.Run()
    monitor.CheckForLostPackets()
    delays, counts = [], []
    for _, stats in monitor.GetFlowStats():
        delays.append(stats.delaySum.GetSeconds())
        counts.append(stats.rxPackets)
    statistics = disc.GetStats()
    print(
        json.dumps(
            {
                "dropped": statistics.nTotalDroppedPackets,
                "offered": statistics.nTotalReceivedPackets,
                "delays_s": [delay / count for delay, count in zip(delays, counts, strict=True)],
                "received": counts,
            }
        )
    )


if __name__ == "__main__":
    main()
