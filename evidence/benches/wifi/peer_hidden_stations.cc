// Two stations of 802.11n that do not sense each other, in ns-3: goodput of each in Mbit/s.
//
// The network is that of ns-3's wifi-simple-ht-hidden-stations. Each station has a port of its own, and sends three
// small datagrams before the other begins, so that it knows the access point's address. docs/guides/ns3.md has the
// figures. ns-3's wheel holds headers and libraries, so that Python is not needed:
//
//   pip download ns3 --no-deps && unzip -q ns3-*.whl -d wheel
//   g++ -std=c++20 -O1 -Iwheel/ns3/include peer_hidden_stations.cc -o hidden -Lwheel/ns3/lib64 \
//     -Wl,-rpath,$PWD/wheel/ns3/lib64 -Wl,--allow-shlib-undefined \
//     $(for part in wifi applications internet mobility propagation network core spectrum stats antenna \
//       traffic-control bridge energy; do echo -l:$(basename wheel/ns3/lib64/libns3.*-$part.so); done)
//   ./hidden --mpdus=8 --rts=0 --run=1
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t PAYLOAD = 1472;
constexpr double BEGIN_S = 1;

// Options of the command line.
struct Options
{
    uint32_t mpdus = 8;
    uint32_t run = 1;
    double seconds = 10;
    bool rts = false;
    bool request = true;  // A BlockAck request after a lost A-MPDU; else the data again.
    bool alone = false;   // One station sends.
    std::string control = "OfdmRate24Mbps";
};

void
AddSource(Ptr<Node> station, InetSocketAddress to, double begin, double end, uint32_t packets, Time interval,
          uint32_t size)
{
    UdpClientHelper client(to);
    client.SetAttribute("MaxPackets", UintegerValue(packets));
    client.SetAttribute("Interval", TimeValue(interval));
    client.SetAttribute("PacketSize", UintegerValue(size));
    auto source = client.Install(station);
    source.Start(Seconds(begin));
    source.Stop(Seconds(end));
}

void
Place(const NodeContainer& stations, const NodeContainer& accessPoint)
{
    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    for (double x : {5.0, 0.0, 10.0})
    {
        places->Add(Vector(x, 0, 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(accessPoint);
    mobility.Install(stations);
}

} // namespace

int
main(int argc, char** argv)
{
    Options options;
    CommandLine line;
    line.AddValue("mpdus", "MPDUs of an A-MPDU", options.mpdus);
    line.AddValue("run", "ns-3's run number", options.run);
    line.AddValue("seconds", "Duration", options.seconds);
    line.AddValue("rts", "RTS and CTS", options.rts);
    line.AddValue("request", "BlockAck request after a lost A-MPDU", options.request);
    line.AddValue("alone", "One station sends", options.alone);
    line.AddValue("control", "Mode of control frames", options.control);
    line.Parse(argc, argv);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(options.run);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", StringValue(options.rts ? "0" : "999999"));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(options.request));
    Config::SetDefault("ns3::RangePropagationLossModel::MaxRange", DoubleValue(5));

    NodeContainer stations(2);
    NodeContainer accessPoint(1);
    auto channel = YansWifiChannelHelper::Default();
    channel.AddPropagationLoss("ns3::RangePropagationLossModel");
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{36, 0, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue("HtMcs7"), "ControlMode",
                                 StringValue(options.control));
    WifiMacHelper mac;
    const SsidValue name(Ssid("hidden"));
    mac.SetType("ns3::StaWifiMac", "Ssid", name);
    auto ofStations = wifi.Install(phy, mac, stations);
    mac.SetType("ns3::ApWifiMac", "Ssid", name, "EnableBeaconJitter", BooleanValue(false));
    auto ofAccessPoint = wifi.Install(phy, mac, accessPoint);
    Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Mac/BE_MaxAmpduSize",
                UintegerValue(options.mpdus * (PAYLOAD + 200)));
    Place(stations, accessPoint);

    InternetStackHelper internet;
    internet.Install(accessPoint);
    internet.Install(stations);
    Ipv4AddressHelper addresses;
    addresses.SetBase("192.168.1.0", "255.255.255.0");
    addresses.Assign(ofStations);
    const auto target = addresses.Assign(ofAccessPoint).GetAddress(0);

    std::vector<Ptr<UdpServer>> servers;
    for (uint32_t at = 0; at < (options.alone ? 1U : 2U); at++)
    {
        const uint16_t port = 9 + at;
        UdpServerHelper server(port);
        auto installed = server.Install(accessPoint);
        installed.Start(Seconds(0));
        servers.push_back(DynamicCast<UdpServer>(installed.Get(0)));
        AddSource(stations.Get(at), {target, 7}, 0.4 + 0.2 * at, BEGIN_S, 3, MilliSeconds(20), 100);
        AddSource(stations.Get(at), {target, port}, BEGIN_S, BEGIN_S + options.seconds, 4294967295U, MicroSeconds(100),
                  PAYLOAD);
    }
    Simulator::Stop(Seconds(BEGIN_S + options.seconds));
    Simulator::Run();
    for (const auto& server : servers)
    {
        std::cout << server->GetReceived() * PAYLOAD * 8 / options.seconds / 1e6 << " ";
    }
    std::cout << std::endl;
    Simulator::Destroy();
    return 0;
}
