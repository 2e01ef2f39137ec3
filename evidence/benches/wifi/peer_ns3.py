"""ns-3 on wireless networks: reads a list of cases as JSON, prints a line of JSON for each.

    python peer_ns3.py < cases.json

A case is what `cases.py` says it is. Radios, timings, queues and TCP are set to those of a scenario of Windward's:
two-ray ground with the same power and frequency, frames received from the power at `receive` metres on and sensed
from that at `sense`, received if they are so far above all else on the air as `required_db` says for their rate, no
beacons, no ARP, routes by hand. `routing` is "fixed", "dsdv" or "aodv"; its messages are counted at each station that
sends them. `as_shipped` names what is left as ns-3 has it: "errors", its error rates by signal-to-noise ratio;
"detection", its preamble detection at 4 dB; "arp". `relays_back_off` mends what its relays do.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def stand_in() -> ctypes.CDLL:
    """Compiles ns3_dsss.c and loads it, so that what ns-3 loads after it finds its functions first."""
    source = Path(__file__).with_name("ns3_dsss.c")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "ns3_dsss.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        return ctypes.CDLL(str(built), mode=ctypes.RTLD_GLOBAL)


DSSS = stand_in()

import cppyy  # noqa: E402
from ns import ns  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[2]))

from benches import ns3_tcp  # noqa: E402

STANDARDS = {"802.11b": "WIFI_STANDARD_80211b", "802.11a": "WIFI_STANDARD_80211a"}
MODES = {
    ("802.11b", 11): "DsssRate11Mbps",
    ("802.11b", 5.5): "DsssRate5_5Mbps",
    ("802.11b", 2): "DsssRate2Mbps",
    ("802.11b", 1): "DsssRate1Mbps",
    ("802.11a", 54): "OfdmRate54Mbps",
    ("802.11a", 24): "OfdmRate24Mbps",
}
POWER_W, FREQUENCY_HZ, HEIGHT_M = 0.28183815, 914e6, 1.5
#: Rates in Mbit/s, and the functions of `DsssErrorRateModel` for them, in the order of `ns3_dsss.c`.
DSSS_RATES = {1: "23GetDsssDbpsk", 2: "23GetDsssDqpsk", 5.5: "29GetDsssDqpskCck5_5", 11: "28GetDsssDqpskCck11"}

# Windward's radio: a frame of OFDM is received if it is as far above noise and interference as its rate requires.
cppyy.cppdef("""
namespace ns3 {
class ThresholdErrors : public ErrorRateModel {
 public:
  std::map<uint64_t, double> m_least;
 private:
  double DoGetChunkSuccessRate(WifiMode mode, const WifiTxVector&, double snr, uint64_t, uint8_t, WifiPpduField,
      uint16_t) const override { return snr >= m_least.at(mode.GetDataRate(20)) ? 1.0 : 0.0; }
};
std::map<uint64_t, double> g_least;
void UseThreshold(Ptr<NetDevice> device) {
  auto model = CreateObject<ThresholdErrors>();
  model->m_least = g_least;
  DynamicCast<WifiNetDevice>(device)->GetPhy()->SetErrorRateModel(model);
}

// A station that passes a packet on whose ACK it still has to send takes the medium for idle, and needs no backoff. The
// standard's medium is busy while the station itself sends (10.3.2.1), before DIFS is over: here it gets a backoff.
class OpenTxop : public Txop {
 public:
  static uint32_t Slots(Ptr<Txop> txop) {
    uint32_t (Txop::*slots)(uint8_t) const = &OpenTxop::GetBackoffSlots;
    return (PeekPointer(txop)->*slots)(0);
  }
};
struct Relay {
  Ptr<Txop> txop;
  Ptr<UniformRandomVariable> backoffs;
  Time received;
  void End(Ptr<const Packet>) { received = Simulator::Now(); }
  void Enqueue(Ptr<const WifiMpdu>) {
    const bool passesOn = Simulator::Now() == received && txop->GetWifiMacQueue()->GetNPackets() == 1;
    if (passesOn && OpenTxop::Slots(txop) == 0) txop->StartBackoffNow(backoffs->GetInteger(0, txop->GetMinCw()), 0);
  }
};
// Messages of AODV (UDP port 654) and DSDV (269), each station's own and those that it passes on.
uint64_t g_messages = 0;
void CountMessage(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t interface) {
  Ptr<Packet> copy = packet->Copy();
  Ipv4Header ip;
  copy->RemoveHeader(ip);
  if (interface == 0 || ip.GetProtocol() != 17) return;
  UdpHeader udp;
  copy->RemoveHeader(udp);
  g_messages += udp.GetDestinationPort() == 654 || udp.GetDestinationPort() == 269;
}
// Packets that the MAC gave up.
uint64_t g_given_up = 0;
void CountGivenUp(Mac48Address) { ++g_given_up; }
void CountMessages(Ptr<Node> node) {
  node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Tx", MakeCallback(&CountMessage));
  auto manager = DynamicCast<WifiNetDevice>(node->GetDevice(0))->GetRemoteStationManager();
  manager->TraceConnectWithoutContext("MacTxFinalDataFailed", MakeCallback(&CountGivenUp));
}
void BackOffAsRelay(Ptr<NetDevice> device, int64_t stream) {
  auto wifi = DynamicCast<WifiNetDevice>(device);
  auto relay = new Relay{wifi->GetMac()->GetTxop(), CreateObject<UniformRandomVariable>(), Time{}};
  relay->backoffs->SetStream(stream);
  wifi->GetPhy()->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Relay::End, relay));
  relay->txop->GetWifiMacQueue()->TraceConnectWithoutContext("Enqueue", MakeCallback(&Relay::Enqueue, relay));
}
}
""")


def dbm_at(distance: float) -> float:
    """Received power at a distance in metres, a hair less so that the distance itself is inside."""
    wavelength = 299_792_458.0 / FREQUENCY_HZ
    if distance < 4 * math.pi * HEIGHT_M**2 / wavelength:
        watts = POWER_W * (wavelength / (4 * math.pi * distance)) ** 2
    else:
        watts = POWER_W * HEIGHT_M**4 / distance**4
    return 10 * math.log10(watts * 1e3) - 0.001


def ratio(decibels: float) -> float:
    return math.pow(10, decibels / 10)


def require(case: dict[str, Any]) -> float:
    """Sets what frames require by their rate; returns what preambles and headers do: the lowest rate's, in decibels."""
    required = {float(mbit): decibels for mbit, decibels in case["required_db"].items()}
    least = (ctypes.c_double * 4).in_dll(DSSS, "dsss_least")
    for at, rate in enumerate(DSSS_RATES):
        is_ours = case["standard"] == "802.11b" and "errors" not in case["as_shipped"]
        least[at] = ratio(required[rate]) if is_ours else -1
    cppyy.gbl.ns3.g_least.clear()
    for mbit, decibels in required.items():
        cppyy.gbl.ns3.g_least[round(mbit * 1e6)] = ratio(decibels)
    return required[min(required)]


def know_shipped() -> None:
    """Tells the stand-in where ns-3's own functions are."""
    [library] = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith("-wifi.so")
    }
    shipped = (ctypes.c_void_p * 4).in_dll(DSSS, "dsss_shipped")
    wifi = ctypes.CDLL(library)
    for at, name in enumerate(DSSS_RATES.values()):
        function = getattr(wifi, f"_ZN3ns318DsssErrorRateModel{name}SuccessRateEdm")
        shipped[at] = ctypes.cast(function, ctypes.c_void_p).value


def configure(case: dict[str, Any]) -> None:
    """Sets what everything begins with."""
    ns3_tcp.configure(case["law"], case["segment"], 4000)
    ns3_tcp.set_defaults(
        {
            # The packet that is being sent counts in ns-3's queue, and not in Windward's.
            "WifiMacQueue::MaxSize": ns.StringValue(f"{case['queue'] + 1}p"),
            "WifiMacQueue::MaxDelay": ns.StringValue("1000s"),
            "WifiRemoteStationManager::RtsCtsThreshold": ns.UintegerValue(0 if case["rts"] else 4_692_480),
            "WifiMac::FrameRetryLimit": ns.UintegerValue(case["retries"]),
        }
    )


def radios(case: dict[str, Any], nodes: Any) -> Any:
    """The stations' devices."""
    shipped = case["as_shipped"]
    standard = case["standard"]
    header_db = require(case)
    loss = ns.CreateObject[ns.TwoRayGroundPropagationLossModel]()
    loss.SetAttribute("Frequency", ns.DoubleValue(FREQUENCY_HZ))
    loss.SetAttribute("HeightAboveZ", ns.DoubleValue(HEIGHT_M))
    channel = ns.CreateObject[ns.YansWifiChannel]()
    channel.SetPropagationLossModel(loss)
    channel.SetPropagationDelayModel(ns.CreateObject[ns.ConstantSpeedPropagationDelayModel]())
    phy = ns.YansWifiPhyHelper()
    phy.SetChannel(channel)
    power = 10 * math.log10(POWER_W * 1e3)
    for name in ("TxPowerStart", "TxPowerEnd"):
        phy.Set(name, ns.DoubleValue(power))
    sense = dbm_at(case["sense"])
    for name in ("CcaEdThreshold", "CcaSensitivity"):
        phy.Set(name, ns.DoubleValue(sense))
    # ns-3 takes it for that of 20 MHz, and a channel of DSSS for one of 22 MHz.
    width = 22 if standard == "802.11b" else 20
    phy.Set("RxSensitivity", ns.DoubleValue(sense + 10 * math.log10(20 / width)))
    phy.Set("RxNoiseFigure", ns.DoubleValue(0))
    phy.SetPreambleDetectionModel(
        "ns3::ThresholdPreambleDetectionModel",
        "Threshold",
        ns.DoubleValue(4.0 if "detection" in shipped else header_db),
        "MinimumRssi",
        ns.DoubleValue(dbm_at(case["receive"])),
    )
    wifi = ns.WifiHelper()
    wifi.SetStandard(getattr(ns, STANDARDS[standard]))
    wifi.SetRemoteStationManager(
        "ns3::ConstantRateWifiManager",
        "DataMode",
        ns.StringValue(MODES[standard, case["data_mbit"]]),
        "ControlMode",
        ns.StringValue(MODES[standard, case["basic_mbit"]]),
    )
    mac = ns.WifiMacHelper()
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", ns.BooleanValue(False))
    devices = wifi.Install(phy, mac, nodes)
    for at in range(devices.GetN()):
        if "errors" not in shipped:
            ns.UseThreshold(devices.Get(at))
        if case["relays_back_off"]:
            # Streams of its own.
            ns.BackOffAsRelay(devices.Get(at), 1_000_000 + at)
        know(devices, at, ns.WifiMode(MODES[standard, case["basic_mbit"]]))
    return devices


def know(devices: Any, at: int, basic: Any) -> None:
    """Makes all stations known to one: to who is new to it, it would answer at the highest mandatory rate."""
    device = devices.Get(at)
    manager, phy = device.GetRemoteStationManager(), device.GetPhy()
    for other in range(devices.GetN()):
        address = ns.Mac48Address.ConvertFrom(devices.Get(other).GetAddress())
        for mode in phy.GetModeList():
            manager.AddSupportedMode(address, mode)
        manager.RecordDisassociated(address)
    manager.AddBasicMode(basic)


def place(nodes: Any, positions: list[list[float]], ways: list[list[list[float]]]) -> None:
    """Puts the stations where they are."""
    if ways:
        mobility = ns.MobilityHelper()
        mobility.SetMobilityModel("ns3::WaypointMobilityModel", "InitialPositionIsWaypoint", ns.BooleanValue(False))
        mobility.Install(nodes)
        for at, way in enumerate(ways):
            model = nodes.Get(at).GetObject[ns.WaypointMobilityModel]()
            for seconds, x, y in way:
                model.AddWaypoint(ns.Waypoint(ns.Seconds(seconds), ns.Vector(x, y, 0)))
        return
    places = ns.CreateObject[ns.ListPositionAllocator]()
    for x, y in positions:
        places.Add(ns.Vector(x, y, 0))
    mobility = ns.MobilityHelper()
    mobility.SetPositionAllocator(places)
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel")
    mobility.Install(nodes)


def route(nodes: Any, addresses: list[Any], hops: list[int]) -> None:
    """Static routes from the first of `hops` to the last."""
    helper = ns.Ipv4StaticRoutingHelper()
    for at, via in itertools.pairwise(hops[:-1]):
        table = helper.GetStaticRouting(nodes.Get(at).GetObject[ns.Ipv4]())
        table.AddHostRouteTo(addresses[hops[-1]], addresses[via], 1)


def simulate(case: dict[str, Any], seed: int) -> dict[str, Any]:
    """One run: goodput of each flow after the warm-up, in Mbit/s, and what it took."""
    configure(case)
    ns.RngSeedManager.SetRun(seed)
    nodes = ns.NodeContainer()
    nodes.Create(len(case["positions"]))
    place(nodes, case["positions"], case["ways"])
    devices = radios(case, nodes)
    ns.WifiHelper.AssignStreams(devices, 1000 * seed)
    stack = ns.InternetStackHelper()
    if case["routing"] == "dsdv":
        dsdv = ns.DsdvHelper()
        dsdv.Set("SettlingTime", ns.StringValue("6s"))
        stack.SetRoutingHelper(dsdv)
    if case["routing"] == "aodv":
        aodv = ns.AodvHelper()
        # Links break by the MAC's word alone.
        aodv.Set("EnableHello", ns.BooleanValue(False))
        # Without hellos it still removes neighbours that were silent for several of their intervals.
        aodv.Set("AllowedHelloLoss", ns.UintegerValue(1000))
        stack.SetRoutingHelper(aodv)
    stack.Install(nodes)
    cppyy.gbl.ns3.g_messages = cppyy.gbl.ns3.g_given_up = 0
    for at in range(nodes.GetN()):
        ns.CountMessages(nodes.Get(at))
    helper = ns.Ipv4AddressHelper()
    helper.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.0.0"))
    interfaces = helper.Assign(devices)
    ns.TrafficControlHelper().Uninstall(devices)
    addresses = [interfaces.GetAddress(at) for at in range(nodes.GetN())]
    if "arp" not in case["as_shipped"]:
        ns.NeighborCacheHelper().PopulateNeighborCache()
    sinks = []
    for number, flow in enumerate(case["flows"]):
        hops, port = flow["route"], 5001 + number
        if case["routing"] == "fixed":
            route(nodes, addresses, hops)
            route(nodes, addresses, hops[::-1])
        kind = "ns3::TcpSocketFactory" if flow["kind"] == "tcp" else "ns3::UdpSocketFactory"
        remote = ns.InetSocketAddress(addresses[hops[-1]], port).ConvertTo()
        if flow["kind"] == "tcp":
            source = ns.BulkSendHelper(kind, remote)
            source.SetAttribute("MaxBytes", ns.UintegerValue(0))
            source.SetAttribute("SendSize", ns.UintegerValue(case["segment"]))
        else:
            source = ns.OnOffHelper(kind, remote)
            payload = case["datagram"] - 28
            source.SetConstantRate(ns.DataRate(round(flow["offered_mbit"] * 1e6 * payload / case["datagram"])), payload)
        # Not all at the same instant.
        source.Install(nodes.Get(hops[0])).Start(ns.Seconds(flow["start_s"]))
        local = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
        sink = ns.PacketSinkHelper(kind, local).Install(nodes.Get(hops[-1]))
        sink.Start(ns.Seconds(0))
        sinks.append(sink.Get(0))
    received = []
    began = time.process_time()
    for seconds in (case["warmup_s"], case["seconds"] - case["warmup_s"]):
        ns.Simulator.Stop(ns.Seconds(seconds))
        ns.Simulator.Run()
        received.append([sink.GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks])
    answer = {
        "goodput_mbit": [
            (after - before) * 8e-6 / (case["seconds"] - case["warmup_s"])
            for before, after in zip(*received, strict=True)
        ],
        "routing_messages": int(cppyy.gbl.ns3.g_messages),
        "given_up": int(cppyy.gbl.ns3.g_given_up),
        "dsss_chunks": ctypes.c_uint64.in_dll(DSSS, "dsss_asked").value,
        "events": ns.Simulator.GetEventCount(),
        "run_cpu_s": time.process_time() - began,
    }
    ns.Simulator.Destroy()
    ns.Ipv4AddressGenerator.Reset()
    return answer


if __name__ == "__main__":
    know_shipped()
    for case in json.load(sys.stdin):
        print(json.dumps([simulate(case, seed) for seed in range(1, case["seeds"] + 1)]), flush=True)
