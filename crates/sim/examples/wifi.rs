//! Runs a wireless network of 802.11b at 11 Mbit/s and prints what `make bench` reads:
//! `wifi grid SECONDS`, `wifi star STATIONS SECONDS` or `wifi plane STATIONS SECONDS`.
//!
//! The grid is wang2013's, 4 × 4 stations 150 m apart, with four TCP flows over one to three hops; the star has
//! stations that always have something to send to the one in the middle; the plane has stations in random places, forty
//! in a square of 1 km, each of which offers 50 kbit/s to the nearest other one.

use windward_laws::LawSpec;
use windward_sim::wifi::{Access, Mac, Phy, Position, Propagation, Reach, StationConfig, Way, WifiConfig};
use windward_sim::{
    Buffer, Control, FlowConfig, LawChoice, Makers, MediumConfig, Network, Pattern, QueueConfig, SourceConfig,
    TcpOptions, Timing, Topology, run,
};
use windward_units::{BitRate, Bytes, Duration, Time};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().skip(1).filter_map(|text| text.parse().ok()).collect();
    let network = match (arguments.first().map(String::as_str), numbers.as_slice()) {
        (Some("grid"), &[seconds]) => grid(seconds),
        (Some("star"), &[stations, seconds]) => star(stations as u32, seconds),
        (Some("plane"), &[stations, seconds]) => plane(stations as u32, seconds),
        _ => {
            eprintln!("usage: wifi grid SECONDS | wifi star STATIONS SECONDS | wifi plane STATIONS SECONDS");
            std::process::exit(2);
        }
    };
    match run(&network, &Makers::default(), 1, &Control::new(), None) {
        Ok(output) => {
            let seconds = network.timing.duration.as_secs();
            let flows: u64 = output.flows.iter().map(|flow| flow.delivered_bytes).sum();
            let datagrams: u64 = output.sources.iter().map(|source| source.received).sum();
            let figure = |name| -> u64 { output.media.0.iter().filter_map(|table| table.counts(name)).flatten().sum() };
            // Data frames and their ACKs.
            println!(
                "events {} frames {} goodput_mbit {:.3}",
                output.events,
                figure("data_frames") + figure("successes"),
                (flows as f64 + datagrams as f64 * f64::from(DATAGRAM - 28)) * 8e-6 / seconds,
            );
        }
        Err(error) => eprintln!("{error}"),
    }
}

const DATAGRAM: u32 = 1500;

/// Stations in these places, and ways between them.
fn air(positions: &[Position], ways: &[(u32, u32)]) -> WifiConfig {
    let station = |key: usize| StationConfig {
        key: key as u64,
        node: key as u32,
        place: positions[key],
        buffer: Buffer::Packets(100),
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(11_000_000),
    };
    let radio = Propagation::NS2;
    WifiConfig {
        phy: Phy::B,
        mac: Mac::standard(BitRate::bits_per_sec(1_000_000)),
        access: Access::Dcf,
        stations: (0..positions.len()).map(station).collect(),
        ways: ways.iter().map(|&(from, to)| Way { from, to, ..Way::default() }).collect(),
        reach: Reach::of_positions(positions, &radio, radio.received(250.0), radio.received(550.0)),
        motion: None,
        fading: None,
        routing: None,
    }
}

fn network(wifi: WifiConfig, flows: Vec<FlowConfig>, sources: Vec<SourceConfig>, seconds: u64) -> Network {
    let mut topology = Topology::default();
    let ends: Vec<_> = wifi.ways.iter().map(|way| wifi.ends(way)).collect();
    topology.add_medium(MediumConfig::Wifi(wifi), ends);
    let duration = Time::ZERO + Duration::from_millis(1000 * seconds);
    let timing = Timing { duration, warmup: Time::ZERO, sample_interval: Duration::from_millis(1000) };
    Network { flows, sources, ..Network::new(topology, timing) }
}

/// An even stream of datagrams over one way.
fn stream(way: u32, (source, sink): (u32, u32), rate: u64) -> SourceConfig {
    let pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(rate) };
    SourceConfig {
        start: Time::ZERO + Duration::from_micros(u64::from(way) * 1000),
        ..SourceConfig::new(u64::from(way), (source, sink), vec![way], pattern, Bytes::new(u64::from(DATAGRAM)))
    }
}

fn star(stations: u32, seconds: u64) -> Network {
    let place = |at: u32| {
        let angle = f64::from(at) / f64::from(stations) * std::f64::consts::TAU;
        (50.0 + 50.0 * angle.cos(), 50.0 + 50.0 * angle.sin())
    };
    let positions: Vec<Position> = std::iter::once((50.0, 50.0)).chain((0..stations).map(place)).collect();
    let ways: Vec<_> = (1..=stations).map(|from| (from, 0)).collect();
    let offered = 16_000_000 / u64::from(stations);
    let sources = (0..).zip(&ways).map(|(way, ends)| stream(way, *ends, offered)).collect();
    network(air(&positions, &ways), Vec::new(), sources, seconds)
}

fn plane(stations: u32, seconds: u64) -> Network {
    let side = (f64::from(stations) / 40.0).sqrt() * 1000.0;
    // A linear congruential generator: places, not statistics.
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * side
    };
    let positions: Vec<Position> = (0..stations).map(|_| (draw(), draw())).collect();
    let distance = |a: u32, b: u32| {
        let (a, b) = (positions[a as usize], positions[b as usize]);
        (a.0 - b.0).hypot(a.1 - b.1)
    };
    let nearest = |from: u32| {
        let others = (0..stations).filter(|&to| to != from);
        others.min_by(|&a, &b| distance(from, a).total_cmp(&distance(from, b))).map(|to| (from, to))
    };
    let ways: Vec<_> = (0..stations).filter_map(nearest).collect();
    let sources = (0..).zip(&ways).map(|(way, ends)| stream(way, *ends, 50_000)).collect();
    network(air(&positions, &ways), Vec::new(), sources, seconds)
}

fn grid(seconds: u64) -> Network {
    let positions: Vec<Position> =
        (0..16).map(|at| (150.0 * f64::from(at % 4), 450.0 - 150.0 * f64::from(at / 4))).collect();
    let routes: [&[u32]; 4] = [&[8, 13, 14, 15], &[8, 12], &[8, 5, 2], &[8, 5]];
    let mut ways: Vec<(u32, u32)> = Vec::new();
    let mut port = |from: u32, to: u32| {
        let known = ways.iter().position(|way| *way == (from, to));
        known.unwrap_or_else(|| {
            ways.push((from, to));
            ways.len() - 1
        }) as u32
    };
    let flow = |(key, route): (u64, &&[u32])| {
        let forward: Vec<u32> = route.windows(2).map(|hop| port(hop[0], hop[1])).collect();
        let backward: Vec<u32> = route.windows(2).rev().map(|hop| port(hop[1], hop[0])).collect();
        FlowConfig {
            key,
            source: route[0],
            sink: route[route.len() - 1],
            forward: forward.into(),
            backward: backward.into(),
            law: LawChoice::Known(LawSpec::from_json("reno", serde_json::json!({})).expect("a known law")),
            start: Time::ZERO + Duration::from_millis(10 * key),
            stop: None,
            size: None,
            tcp: TcpOptions::default(),
            coding: None,
        }
    };
    let flows = (0..).zip(&routes).map(flow).collect();
    network(air(&positions, &ways), flows, Vec::new(), seconds)
}
