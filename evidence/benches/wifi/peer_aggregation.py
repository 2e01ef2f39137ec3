"""ns-3 on networks of 802.11n, ac and ax: reads a list of cases as JSON, prints a line of JSON for each.

    python peer_aggregation.py < cases.json

A case is described in `aggregation.py`. Path loss, power, noise figure, propagation delay, queues, contention and TCP
follow the scenario of Windward. Beacons, ARP and the lifetime of MSDUs are off. BlockAck sessions are set up before
losses begin. `as_shipped` names what keeps ns-3's default: "errors", the convolutional code in HE.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import cppyy
from ns import ns

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches import ns3_tcp

STANDARDS = {
    "802.11n": ("WIFI_STANDARD_80211n", "Ht"),
    "802.11ac": ("WIFI_STANDARD_80211ac", "Vht"),
    "802.11ax": ("WIFI_STANDARD_80211ax", "He"),
}
CATEGORIES = ("BE", "BK", "VI", "VO")
FREQUENCY_HZ = 5.25e9
#: Without a limit in bytes: more than an A-MPDU of the format can have.
MOST_BYTES = {"802.11n": 65_535, "802.11ac": 1_048_575, "802.11ax": 1_048_575}
#: Time in seconds for the first frames, which set up the BlockAck sessions, before losses of MPDUs begin.
SETTLED_S = 0.2

cppyy.cppdef("""
namespace ns3 {
void SetMac(Ptr<NetDevice> device, std::string name, uint32_t value) {
  DynamicCast<WifiNetDevice>(device)->GetMac()->SetAttribute(name, UintegerValue(value));
}
void SetFormat(Ptr<NetDevice> device, uint32_t guard, bool parity) {
  auto wifi = DynamicCast<WifiNetDevice>(device);
  if (auto ht = wifi->GetHtConfiguration()) {
    ht->SetAttribute("ShortGuardIntervalSupported", BooleanValue(guard == 400));
    ht->SetAttribute("LdpcSupported", BooleanValue(parity));
  }
  if (auto he = wifi->GetHeConfiguration()) he->SetAttribute("GuardInterval", TimeValue(NanoSeconds(guard)));
}
// PPDUs with large packets, MPDUs in them, PPDUs with LDPC, requests for a BlockAck and RTS of all stations.
uint64_t g_ppdus, g_mpdus, g_parity, g_requests, g_rts;
void Sent(WifiConstPsduMap psdus, WifiTxVector vector, double) {
  for (auto& [user, psdu] : psdus) {
    auto& header = psdu->GetHeader(0);
    if (header.IsQosData() && psdu->GetHeader(0).HasData() && psdu->GetPayload(0)->GetSize() > 800) {
      ++g_ppdus;
      g_parity += vector.IsLdpc();
      g_mpdus += psdu->GetNMpdus();
    }
    g_requests += header.IsBlockAckReq();
    g_rts += header.IsRts();
  }
}
void Watch(Ptr<NetDevice> device) {
  DynamicCast<WifiNetDevice>(device)->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin", MakeCallback(&Sent));
}
void Lose(Ptr<NetDevice> device, double share, int64_t stream) {
  auto errors = CreateObject<RateErrorModel>();
  errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
  errors->SetRate(share);
  errors->AssignStreams(stream);
  DynamicCast<WifiNetDevice>(device)->GetPhy()->SetPostReceptionErrorModel(errors);
}
}
""")


def mode(case: dict[str, Any]) -> str:
    """ns-3's name of the rate. HT counts the streams in its MCS."""
    _, prefix = STANDARDS[case["standard"]]
    return f"{prefix}Mcs{case['mcs'] + (8 * (case['streams'] - 1) if prefix == 'Ht' else 0)}"


def configure(case: dict[str, Any]) -> None:
    """Sets the defaults of all objects."""
    ns3_tcp.configure(case["law"], case["segment"], 4000)
    ns3_tcp.set_defaults(
        {
            # The MPDUs of a BlockAck window count in ns-3's queue, and not in Windward's.
            "WifiMacQueue::MaxSize": ns.StringValue(f"{case['queue'] + case['window']}p"),
            "WifiMacQueue::MaxDelay": ns.StringValue("1000s"),
            "WifiRemoteStationManager::RtsCtsThreshold": ns.UintegerValue(0 if case["rts"] else 4_692_480),
            "QosTxop::UseExplicitBarAfterMissedBlockAck": ns.BooleanValue(case["after_loss"] == "request"),
        }
    )


def radios(case: dict[str, Any], nodes: Any) -> Any:
    """The stations' devices."""
    standard = getattr(ns, STANDARDS[case["standard"]][0])
    loss = ns.CreateObject[ns.FriisPropagationLossModel]()
    loss.SetAttribute("Frequency", ns.DoubleValue(FREQUENCY_HZ))
    delay = ns.CreateObject[ns.RandomPropagationDelayModel]()
    delay.SetAttribute("Variable", ns.StringValue("ns3::ConstantRandomVariable[Constant=1e-7]"))
    channel = ns.CreateObject[ns.YansWifiChannel]()
    channel.SetPropagationLossModel(loss)
    channel.SetPropagationDelayModel(delay)
    phy = ns.YansWifiPhyHelper()
    phy.SetChannel(channel)
    phy.Set("ChannelSettings", ns.StringValue(f"{{0, {case['width']}, BAND_5GHZ, 0}}"))
    for name in ("TxPowerStart", "TxPowerEnd"):
        phy.Set(name, ns.DoubleValue(20))
    phy.Set("RxNoiseFigure", ns.DoubleValue(7))
    for name in ("Antennas", "MaxSupportedTxSpatialStreams", "MaxSupportedRxSpatialStreams"):
        phy.Set(name, ns.UintegerValue(case["streams"]))
    if case["threshold_dbm"] is not None:
        for name in ("CcaEdThreshold", "CcaSensitivity"):
            phy.Set(name, ns.DoubleValue(case["threshold_dbm"]))
        # `RxSensitivity` stays: what is weaker does not even interfere.
        minimum = ("MinimumRssi", ns.DoubleValue(case["threshold_dbm"] - 0.001))
        phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "Threshold", ns.DoubleValue(4), *minimum)
    wifi = ns.WifiHelper()
    wifi.SetStandard(standard)
    control = {0: 6, 1: 12, 2: 12}.get(case["mcs"], 24)
    wifi.SetRemoteStationManager(
        "ns3::ConstantRateWifiManager",
        "DataMode",
        ns.StringValue(mode(case)),
        "ControlMode",
        ns.StringValue(f"OfdmRate{control}Mbps"),
    )
    mac = ns.WifiMacHelper()
    buffer = ns.UintegerValue(case["window"])
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", ns.BooleanValue(True), "MpduBufferSize", buffer)
    devices = wifi.Install(phy, mac, nodes)
    aggregate = 0 if case["mpdus"] == 1 else MOST_BYTES[case["standard"]]
    if case["mpdus"] is not None and case["mpdus"] > 1:
        # As many MPDUs of 1538 bytes with delimiters and padding.
        aggregate = min(aggregate, 1544 * case["mpdus"] - 2)
    for at in range(devices.GetN()):
        device = devices.Get(at)
        for category in CATEGORIES:
            ns.SetMac(device, f"{category}_MaxAmpduSize", aggregate)
            ns.SetMac(device, f"{category}_MaxAmsduSize", case["amsdu"] or 0)
        parity = case["standard"] == "802.11ax" and "errors" not in case["as_shipped"]
        ns.SetFormat(device, case["guard_ns"], parity)
        ns.Watch(device)
    return devices


def place(nodes: Any, positions: list[list[float]]) -> None:
    """Puts the stations where they are."""
    places = ns.CreateObject[ns.ListPositionAllocator]()
    for x, y in positions:
        places.Add(ns.Vector(x, y, 0))
    mobility = ns.MobilityHelper()
    mobility.SetPositionAllocator(places)
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel")
    mobility.Install(nodes)


def begin_flow(case: dict[str, Any], number: int, nodes: Any, addresses: list[Any]) -> Any:
    """Starts a flow; returns its receiver."""
    flow, port = case["flows"][number], 5001 + number
    kind = "ns3::TcpSocketFactory" if flow["kind"] == "tcp" else "ns3::UdpSocketFactory"
    remote = ns.InetSocketAddress(addresses[flow["to"]], port).ConvertTo()
    if flow["kind"] == "tcp":
        source = ns.BulkSendHelper(kind, remote)
        source.SetAttribute("MaxBytes", ns.UintegerValue(0))
        source.SetAttribute("SendSize", ns.UintegerValue(case["segment"]))
    else:
        source = ns.OnOffHelper(kind, remote)
        payload = case["datagram"] - 28
        source.SetConstantRate(ns.DataRate(round(flow["offered_mbit"] * 1e6 * payload / case["datagram"])), payload)
        source.SetAttribute("Tos", ns.UintegerValue(flow["dscp"] << 2))
    source.Install(nodes.Get(flow["from"])).Start(ns.Seconds(flow["start_s"]))
    local = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
    sink = ns.PacketSinkHelper(kind, local).Install(nodes.Get(flow["to"]))
    sink.Start(ns.Seconds(0))
    return sink.Get(0).GetObject[ns.PacketSink]()


def simulate(case: dict[str, Any], seed: int) -> dict[str, Any]:
    """One run: goodput of each flow after the warm-up in Mbit/s, the size of aggregates, and its cost."""
    configure(case)
    ns.RngSeedManager.SetRun(seed)
    nodes = ns.NodeContainer()
    nodes.Create(len(case["positions"]))
    place(nodes, case["positions"])
    devices = radios(case, nodes)
    ns.WifiHelper.AssignStreams(devices, 1000 * seed)
    ns.InternetStackHelper().Install(nodes)
    helper = ns.Ipv4AddressHelper()
    helper.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.0.0"))
    interfaces = helper.Assign(devices)
    if not any(flow["dscp"] for flow in case["flows"]):
        # With code points it stays: it is what turns them into access categories.
        ns.TrafficControlHelper().Uninstall(devices)
    ns.NeighborCacheHelper().PopulateNeighborCache()
    addresses = [interfaces.GetAddress(at) for at in range(nodes.GetN())]
    sinks = [begin_flow(case, number, nodes, addresses) for number in range(len(case["flows"]))]
    began = time.process_time()
    ns.Simulator.Stop(ns.Seconds(SETTLED_S))
    ns.Simulator.Run()
    if case["loss"]:
        for at in {flow["to"] for flow in case["flows"]}:
            ns.Lose(devices.Get(at), case["loss"], 900_000 + at)
    counts = cppyy.gbl.ns3
    received = []
    for seconds in (case["warmup_s"] - SETTLED_S, case["seconds"] - case["warmup_s"]):
        counts.g_ppdus = counts.g_mpdus = counts.g_parity = counts.g_requests = counts.g_rts = 0
        ns.Simulator.Stop(ns.Seconds(seconds))
        ns.Simulator.Run()
        received.append([sink.GetTotalRx() for sink in sinks])
    span = case["seconds"] - case["warmup_s"]
    answer = {
        "goodput_mbit": [(after - before) * 8e-6 / span for before, after in zip(*received, strict=True)],
        "mean_ampdu": int(counts.g_mpdus) / max(int(counts.g_ppdus), 1),
        "parity_ppdus": int(counts.g_parity),
        "requests": int(counts.g_requests),
        "rts": int(counts.g_rts),
        "mpdus": int(counts.g_mpdus),
        "events": ns.Simulator.GetEventCount(),
        "run_cpu_s": time.process_time() - began,
    }
    ns.Simulator.Destroy()
    ns.Ipv4AddressGenerator.Reset()
    return answer


if __name__ == "__main__":
    for case in json.load(sys.stdin):
        print(json.dumps([simulate(case, seed) for seed in range(1, case["seeds"] + 1)]), flush=True)
