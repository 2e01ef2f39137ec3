//! Runs a network of 802.11ac at 80 MHz, one stream, MCS 9, and prints what
//! `evidence/benches/wifi/aggregation_speed.py` reads: `aggregation star STATIONS SECONDS [BACKLOG]`, `aggregation tcp
//! STATIONS SECONDS` or `aggregation networks NETWORKS STATIONS METRES SECONDS [BACKLOG]`.
//!
//! The star has stations that always have datagrams for the one in the middle: at a constant rate above what a star
//! carries, or with `BACKLOG` of saturated sources. With `tcp` each has one flow, every other one from the middle. The
//! networks are such stars in a square grid with `METRES` between their middles, on one channel: 20 dBm, free space up
//! to 5 m and from there the power 3.5 of the distance.

use windward_laws::LawSpec;
use windward_sim::wifi::edca::{
    BlockAckConfig, Contention, EdcaConfig, EdcaStation, EdcaWay, Hardware, Noise, RateChoice,
};
use windward_sim::wifi::ppdu::{Format, Guard, Limits, Mode, Timing as Durations, Width};
use windward_sim::wifi::{PathLoss, Phy, Position, Propagation, Reach};
use windward_sim::{
    Buffer, Control, FlowConfig, LawChoice, Makers, MediumConfig, Network, Pattern, SourceConfig, TcpOptions, Timing,
    Topology, run,
};
use windward_units::{BitRate, Bytes, Duration, Time};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().skip(1).filter_map(|text| text.parse().ok()).collect();
    let network = match (arguments.first().map(String::as_str), numbers.as_slice()) {
        (Some("star"), &[stations, seconds, ref backlog @ ..]) => {
            stars(1, stations as u32, 0.0, pattern(stations, backlog), seconds)
        }
        (Some("tcp"), &[stations, seconds]) => tcp(stations as u32, seconds),
        (Some("networks"), &[networks, stations, metres, seconds, ref backlog @ ..]) => {
            stars(networks as u32, stations as u32, metres as f64, pattern(stations, backlog), seconds)
        }
        _ => {
            eprintln!(
                "usage: aggregation star STATIONS SECONDS [BACKLOG] | tcp STATIONS SECONDS | networks NETWORKS STATIONS \
                 METRES SECONDS [BACKLOG]"
            );
            std::process::exit(2);
        }
    };
    match run(&network, &Makers::default(), 1, &Control::new(), None) {
        Ok(output) => {
            let seconds = network.timing.duration.as_secs();
            let flows: u64 = output.flows.iter().map(|flow| flow.delivered_bytes).sum();
            let datagrams: u64 = output.sources.iter().map(|source| source.received).sum();
            let figure = |table, name| -> u64 {
                output.media.get(table).and_then(|table| table.counts(name)).into_iter().flatten().sum()
            };
            println!(
                "events {} ppdus {} mpdus {} goodput_mbit {:.3}",
                output.events,
                figure("wifi_links", "data_frames"),
                figure("edca_links", "mpdus"),
                (flows as f64 + datagrams as f64 * f64::from(DATAGRAM - 28)) * 8e-6 / seconds,
            );
        }
        Err(error) => eprintln!("{error}"),
    }
}

const DATAGRAM: u32 = 1500;
/// Rate that no star carries.
const OFFERED: u64 = 450_000_000;

/// Stations in these places, and ways between them.
fn air(positions: &[Position], ways: &[(u32, u32)]) -> EdcaConfig {
    let Ok(mode) = Mode::new(Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9) else { unreachable!("VHT has it") };
    let station = |key: usize| EdcaStation {
        key: key as u64,
        node: key as u32,
        place: positions[key],
        contention: Contention::STATION,
        buffer: Buffer::Packets(200),
        txqs: None,
        is_strict: false,
        hardware: Hardware::Driver,
        weight: 256,
    };
    let watts = |dbm: f64| libm::pow(10.0, dbm / 10.0) / 1000.0;
    let loss = PathLoss::LogDistance { exponent: 3.5, reference: 5.0 };
    let radio = Propagation { power: watts(20.0), frequency: 5.25e9, loss };
    let noise = watts(-88.0);
    let limits = Limits::most(Format::Vht);
    EdcaConfig {
        format: Format::Vht,
        phy: Phy { propagation: Duration::from_nanos(100), ..Phy::A },
        timing: Durations::STANDARD,
        access_point: None,
        channel_mhz: 5180,
        basic_rates: vec![6, 12, 24],
        overhead: Bytes::new(38),
        rts_threshold: None,
        retries: 7,
        ampdu: Some(limits),
        amsdu: Bytes::new(0),
        spacing: Duration::ZERO,
        block_ack: BlockAckConfig::linux(limits.frames as u32),
        stations: (0..positions.len()).map(station).collect(),
        ways: ways.iter().map(|&(from, to)| EdcaWay { from, to, loss: 0.0, rate: RateChoice::Fixed(mode) }).collect(),
        reach: Reach::of_positions(positions, &radio, watts(-82.0), noise / 10.0),
        sense: watts(-82.0),
        motion: None,
        ladder: Vec::new(),
        noise: Some(Noise { power: noise, is_rayleigh: false }),
        flows: Vec::new(),
        sources: Vec::new(),
    }
}

fn network(wifi: EdcaConfig, flows: Vec<FlowConfig>, sources: Vec<SourceConfig>, seconds: u64) -> Network {
    let mut topology = Topology::default();
    let ends: Vec<_> = wifi.ways.iter().map(|way| wifi.ends(way)).collect();
    topology.add_medium(MediumConfig::Edca(wifi), ends);
    let duration = Time::ZERO + Duration::from_millis(1000 * seconds);
    let timing = Timing { duration, warmup: Time::ZERO, sample_interval: Duration::from_millis(1000) };
    Network { flows, sources, ..Network::new(topology, timing) }
}

/// Places of a star around a middle, which comes first.
fn star((x, y): Position, stations: u32) -> impl Iterator<Item = Position> {
    let place = move |at: u32| {
        let angle = f64::from(at) / f64::from(stations) * std::f64::consts::TAU;
        (x + angle.cos(), y + angle.sin())
    };
    std::iter::once((x, y)).chain((0..stations).map(place))
}

/// Pattern of one of a star's stations.
fn pattern(stations: u64, backlog: &[u64]) -> Pattern {
    match backlog {
        [] => Pattern::Cbr { rate: BitRate::bits_per_sec(OFFERED / stations) },
        [backlog, ..] => Pattern::Saturated { backlog: *backlog as u32 },
    }
}

fn stars(networks: u32, stations: u32, metres: f64, pattern: Pattern, seconds: u64) -> Network {
    let side = f64::from(networks).sqrt().ceil() as u32;
    let middle = |at: u32| (f64::from(at % side) * metres, f64::from(at / side) * metres);
    let positions: Vec<Position> = (0..networks).flat_map(|at| star(middle(at), stations)).collect();
    let first = |at: u32| at * (stations + 1);
    let ways: Vec<_> =
        (0..networks).flat_map(|at| (1..=stations).map(move |from| (first(at) + from, first(at)))).collect();
    let source = |(way, &(source, sink)): (u32, &(u32, u32))| SourceConfig {
        start: Time::ZERO + Duration::from_micros(u64::from(way) * 10),
        ..SourceConfig::new(u64::from(way), (source, sink), vec![way], pattern, Bytes::new(u64::from(DATAGRAM)))
    };
    let sources = (0..).zip(&ways).map(source).collect();
    network(air(&positions, &ways), Vec::new(), sources, seconds)
}

fn tcp(stations: u32, seconds: u64) -> Network {
    let positions: Vec<Position> = star((0.0, 0.0), stations).collect();
    let ways: Vec<_> = (1..=stations).map(|from| (from, 0)).chain((1..=stations).map(|to| (0, to))).collect();
    let flow = |at: u32| {
        let (up, down) = (at, stations + at);
        let (source, sink, forward, backward) =
            if at.is_multiple_of(2) { (1 + at, 0, up, down) } else { (0, 1 + at, down, up) };
        FlowConfig {
            key: u64::from(at),
            source,
            sink,
            forward: vec![forward].into(),
            backward: vec![backward].into(),
            law: LawChoice::Known(LawSpec::from_json("cubic", serde_json::json!({})).expect("a known law")),
            start: Time::ZERO + Duration::from_millis(u64::from(at)),
            stop: None,
            size: None,
            tcp: TcpOptions::default(),
            coding: None,
        }
    };
    network(air(&positions, &ways), (0..stations).map(flow).collect(), Vec::new(), seconds)
}
