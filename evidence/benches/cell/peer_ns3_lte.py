"""ns-3's LTE: goodput of UDP downloads to stations of one cell, one line of JSON for each case that is read.

    python peer_ns3_lte.py < CASES

A case has `scheduler` (pf or rr), `blocks`, `kilometres` of each station, `seconds`. Friis's loss at 2.1 GHz and 30 dBm
give a station at d km 23.5 dB − 20·lg d. No fading, RLC in unacknowledged mode with a large buffer, CQI in every
millisecond.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from ns import ns

SCHEDULERS = {"pf": "ns3::PfFfMacScheduler", "rr": "ns3::RrFfMacScheduler"}
#: Bytes of payload; 28 of headers follow.
PAYLOAD = 1400
#: Time after which goodput is counted, in seconds.
FROM = 0.5


def defaults() -> None:
    """Large buffers, no power control, bearers in unacknowledged mode."""
    for key, value in {
        "ns3::LteRlcUm::MaxTxBufferSize": ns.UintegerValue(10_000_000),
        "ns3::LteEnbRrc::EpsBearerToRlcMapping": ns.StringValue("RlcUmAlways"),
        "ns3::LteUePhy::EnableUplinkPowerControl": ns.BooleanValue(False),
        "ns3::LteEnbRrc::SrsPeriodicity": ns.UintegerValue(160),
        "ns3::LteEnbPhy::TxPower": ns.DoubleValue(30),
    }.items():
        ns.Config.SetDefault(key, value)


def run(case: dict[str, Any]) -> list[float]:
    """Goodput of each station, in bit/s."""
    lte, epc = ns.CreateObject[ns.LteHelper](), ns.CreateObject[ns.PointToPointEpcHelper]()
    lte.SetEpcHelper(epc)
    lte.SetSchedulerType(SCHEDULERS[case["scheduler"]])
    lte.SetAttribute("PathlossModel", ns.TypeIdValue(ns.FriisPropagationLossModel.GetTypeId()))
    for way in ("DlBandwidth", "UlBandwidth"):
        lte.SetEnbDeviceAttribute(way, ns.UintegerValue(case["blocks"]))
    station_count = len(case["kilometres"])
    masts, stations, hosts = ns.NodeContainer(), ns.NodeContainer(), ns.NodeContainer()
    masts.Create(1)
    stations.Create(station_count)
    hosts.Create(1)
    internet = ns.InternetStackHelper()
    internet.Install(hosts)
    mobility = ns.MobilityHelper()
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel")
    places = ns.CreateObject[ns.ListPositionAllocator]()
    places.Add(ns.Vector(0, 0, 0))
    for kilometres in case["kilometres"]:
        places.Add(ns.Vector(1000 * kilometres, 0, 0))
    mobility.SetPositionAllocator(places)
    mobility.Install(masts)
    mobility.Install(stations)
    wire = ns.PointToPointHelper()
    wire.SetDeviceAttribute("DataRate", ns.StringValue("10Gbps"))
    wire.SetChannelAttribute("Delay", ns.StringValue("1ms"))
    devices = wire.Install(epc.GetPgwNode(), hosts.Get(0))
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase("1.0.0.0", "255.0.0.0")
    addresses.Assign(devices)
    routes = ns.Ipv4StaticRoutingHelper().GetStaticRouting(hosts.Get(0).GetObject[ns.Ipv4]())
    routes.AddNetworkRouteTo(ns.Ipv4Address("7.0.0.0"), ns.Ipv4Mask("255.0.0.0"), 1)
    mast, phones = lte.InstallEnbDevice(masts), lte.InstallUeDevice(stations)
    internet.Install(stations)
    own = epc.AssignUeIpv4Address(phones)
    sinks = []
    rate = 85e6 * case["blocks"] / 100
    for at in range(station_count):
        lte.Attach(phones.Get(at), mast.Get(0))
        port = 4000 + at
        sink = ns.PacketSinkHelper(
            "ns3::UdpSocketFactory", ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
        ).Install(stations.Get(at))
        sink.Start(ns.Seconds(0.01))
        sinks.append(sink.Get(0).GetObject[ns.PacketSink]())
        udp = ns.UdpClientHelper(ns.InetSocketAddress(own.GetAddress(at), port).ConvertTo())
        udp.SetAttribute("MaxPackets", ns.UintegerValue(1_000_000_000))
        udp.SetAttribute("Interval", ns.TimeValue(ns.Seconds(8 * PAYLOAD / rate)))
        udp.SetAttribute("PacketSize", ns.UintegerValue(PAYLOAD))
        udp.Install(hosts.Get(0)).Start(ns.Seconds(0.05))
    counts = []
    for end in (FROM, FROM + case["seconds"]):
        ns.Simulator.Stop(ns.Seconds(end) - ns.Simulator.Now())
        ns.Simulator.Run()
        counts.append([sink.GetTotalRx() for sink in sinks])
    ns.Simulator.Destroy()
    return [8 * (after - before) / case["seconds"] for before, after in zip(*counts, strict=True)]


def main() -> None:
    """Runs the cases."""
    defaults()
    for case in json.load(sys.stdin):
        print(json.dumps({"goodput_bps": run(case)}), flush=True)
    sys.stdout.flush()
    # The bindings end badly.
    os._exit(0)


main()
