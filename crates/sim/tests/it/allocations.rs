//! The hot path allocates nothing: a run of twice the length makes no more allocations than one of once the length, but
//! for rings that double where a queue or window becomes longer than ever before.

use crate::common::{app, flow, law, link, network, requests, simulate, stream};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use windward_laws::LawSpec;
use windward_sim::cell::amc::{Errors, Mode, Table};
use windward_sim::cell::channel::Fading;
use windward_sim::cell::{Average, CellConfig, Repair, SchedulerConfig, Service, StationConfig};
use windward_sim::ran::geometry::{Environment, Geometry, Handover, Site};
use windward_sim::ran::phy::{Carrier, McsTable};
use windward_sim::ran::{RanConfig, StationConfig as MobileStation};
use windward_sim::traffic::rtp::{RtpConfig, RtpControl};
use windward_sim::wifi::edca::{BlockAckConfig, Contention, EdcaConfig, EdcaStation, EdcaWay, Hardware, RateChoice};
use windward_sim::wifi::ppdu::{Format, Guard, Limits, Mode as Rate, Timing, Width};
use windward_sim::wifi::{
    self, Access, BackpressureConfig, Mac, Phy, Propagation, Reach, RoutingConfig, Way, WifiConfig,
};
use windward_sim::{
    Arrivals, Buffer, CallVideoStats, ConnectionUse, FlowConfig, Forwarding, FqCoDelConfig, Jitter, Loss, MediumConfig,
    Network, NodeConfig, Output, Pattern, QueueConfig, Route, Size, SourceConfig, Step, TcpOptions,
};
use windward_units::{BitRate, Bytes, Duration, Time};

struct Counting;

thread_local! {
    /// Allocations of this thread: other tests run beside it.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A cell with a station for every flow, every other one with a channel of another kind; transmissions fail in it.
fn cell(flows: &[FlowConfig]) -> CellConfig {
    let errors = Some(Errors { a: 0.5, g: 0.1, packet_bits: 12_000.0 });
    let modes =
        vec![Mode { efficiency: 1.0, threshold: 1.0, errors }, Mode { efficiency: 4.0, threshold: 10.0, errors }];
    let fading = |key: u64| match key % 2 {
        0 => Fading::Jakes { doppler: 20.0, sinusoids: 32 },
        _ => Fading::Autoregressive { doppler: 20.0, order: 16 },
    };
    let station = |flow: &FlowConfig| StationConfig {
        key: 100 + flow.key,
        mean_snr: 20.0,
        fading: fading(flow.key),
        delay: Duration::from_millis(1),
        buffer: Buffer::Packets(100),
        queue: QueueConfig::DropTail,
        urgency: 1.0,
    };
    CellConfig {
        changes: Vec::new(),
        slot: Duration::from_millis(1),
        symbol_rate: 2e7,
        table: Arc::new(Table::of_modes(modes).expect("a table")),
        repair: Some(Repair { max_transmissions: 2 }),
        scheduler: SchedulerConfig::QueueingDelay,
        service: Service::Fluid,
        average: Average::default(),
        shared_buffer: None,
        stations: flows.iter().map(station).collect(),
    }
}

/// A flow of every law and datagrams; full buffers, random losses and jitter, so that recovery is on the path. The same
/// number of samples whatever the length.
fn bottleneck(seconds: u64) -> Network {
    let delay = Duration::from_millis(25);
    let mut out = link(0, 50_000_000, delay, Buffer::Packets(100));
    out.loss = Loss::Bernoulli(0.001);
    out.jitter = Jitter::Exponential(Duration::from_millis(1));
    let back = link(1, 50_000_000, delay, Buffer::Packets(100));
    let flow_of = |(key, name)| flow(key, law(name, serde_json::json!({})), vec![0], vec![1], TcpOptions::default());
    let flows = (0..).zip(LawSpec::NAMES.iter().copied()).map(flow_of).collect();
    let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec(5_000_000) };
    let mut network = network(vec![out, back], flows, 1, seconds);
    network.sources = vec![SourceConfig::new(0, (100, 101), vec![0], pattern, Bytes::new(1000))];
    let ends = network.flows.iter().map(|flow| (flow.source, flow.sink));
    let first = network.topology.add_medium(MediumConfig::Cell(cell(&network.flows)), ends);
    for (station, flow) in (first..).zip(&mut network.flows) {
        flow.forward.0.push(Step::Port(station));
    }
    network.timing.sample_interval = Duration::from_millis(10 * seconds);
    network
}

/// Allocations of a run, and its output.
fn count(network: &Network) -> (u64, Output) {
    let before = ALLOCATIONS.get();
    let output = simulate(network, 1);
    (ALLOCATIONS.get() - before, output)
}

#[test]
fn a_longer_run_allocates_no_more() {
    let (short, early) = count(&bottleneck(120));
    let (long, late) = count(&bottleneck(240));
    let timeouts = |output: &Output| output.flows.iter().map(|flow| flow.timeouts).sum::<u64>();
    assert!(late.packet_hops > early.packet_hops + 100_000);
    assert!(timeouts(&late) > timeouts(&early) + 100, "timeouts are on the path");
    // Of a few rings the fullest moment is in the second half: 2 were seen to double, with 280 timeouts and 580 000
    // hops more. A histogram of round trips or waits makes room for a length that it has never seen: at most one each,
    // as lengths beyond all earlier ones come half as often with every doubling of the time.
    let histograms = (late.flows.len() + late.links.len()) as u64;
    assert!(long <= short + 20 + histograms, "{short} {long}");
}

/// Videos of every law over a link with random losses and jitter, and reports that are lost too.
fn videos(seconds: u64) -> Network {
    let [least, most] = [150e3, 2e6];
    let controls = [
        RtpControl::Constant { rate: 1e6 },
        RtpControl::Nada { least, most, priority: 1.0 },
        RtpControl::Scream { least, most, is_l4s: false },
        RtpControl::Gcc { least, most },
    ];
    let delay = Duration::from_millis(25);
    let mut links = [0, 1].map(|key| link(key, 5_000_000, delay, Buffer::Packets(100)));
    for link in &mut links {
        link.loss = Loss::Bernoulli(0.01);
        link.jitter = Jitter::Exponential(Duration::from_millis(1));
    }
    let frame = Duration::from_millis(33);
    let source = |(key, control): (u64, RtpControl)| {
        let config = RtpConfig { control, frame, packet: 1200, spread: 0.15, report: None };
        let ends = (2 * key as u32, 2 * key as u32 + 1);
        let source = SourceConfig::new(key, ends, vec![0], Pattern::Rtp(config), Bytes::new(1200));
        SourceConfig { reply: Some(vec![1].into()), ..source }
    };
    let mut network = network(links.to_vec(), Vec::new(), 1, seconds);
    network.sources = (0..).zip(controls).map(source).collect();
    network.timing.sample_interval = Duration::from_millis(10 * seconds);
    network
}

#[test]
fn nor_does_one_of_videos() {
    let (short, early) = count(&videos(120));
    let (long, late) = count(&videos(240));
    assert!(late.packet_hops > early.packet_hops + 20_000);
    assert!(late.of_sources.rows::<CallVideoStats>().iter().all(|video| video.loss > 0.0), "losses are on the path");
    // Queues and logs that are longer than ever, and histograms: delays of datagrams and frames, and waits.
    let histograms = (2 * late.sources.len() + late.links.len()) as u64;
    assert!(long <= short + 8 + histograms, "{short} {long}");
}

/// Twenty connections a second, each for a response of 70 segments, over links with random losses.
fn short_connections(seconds: u64, tcp: TcpOptions) -> Network {
    let delay = Duration::from_millis(10);
    let mut links = [0, 1].map(|key| link(key, 50_000_000, delay, Buffer::Packets(100)));
    links.iter_mut().for_each(|link| link.loss = Loss::Bernoulli(0.005));
    let arrivals = Arrivals::Periodic { every: Duration::from_millis(50) };
    let kind = requests(arrivals, Size::Fixed(101_360), ConnectionUse::New);
    let mut network = network(links.to_vec(), Vec::new(), 1, seconds);
    network.apps = vec![app(law("cubic", serde_json::json!({})), tcp, kind)];
    network.timing.sample_interval = Duration::from_millis(10 * seconds);
    network
}

/// Opening and closing a connection takes no memory once as many have been open at a time.
#[test]
fn nor_does_one_of_short_connections() {
    let linux = TcpOptions { delayed_ack: Some(Duration::from_millis(40)), ..TcpOptions::linux(true) };
    for tcp in [TcpOptions::default(), linux] {
        let (short, early) = count(&short_connections(120, tcp.clone()));
        let (long, late) = count(&short_connections(240, tcp));
        let opened = |output: &Output| output.apps[0].connections;
        assert!(opened(&late) > opened(&early) + 2000, "{} {}", opened(&early), opened(&late));
        // More connections at a time than ever: a board, two lists and three rings for each end. Rows, their numbers
        // and waits take twice the room when they are full.
        assert!(long <= short + 40, "{short} {long}");
    }
}

/// Stations of 802.11b in a row of `hops` hops, which hide from each other what they send, with RTS; a flow to its end,
/// full buffers.
fn row(hops: u32, seconds: u64, queue: QueueConfig) -> Network {
    let positions: Vec<(f64, f64)> = (0..=hops).map(|at| (200.0 * f64::from(at), 0.0)).collect();
    let station = |at: u32| wifi::StationConfig {
        key: 200 + u64::from(at),
        node: at,
        place: positions[at as usize],
        buffer: Buffer::Packets(20),
        queue,
        data_rate: BitRate::bits_per_sec(11_000_000),
    };
    let radio = Propagation::NS2;
    let out = (0..hops).map(|at| Way { from: at, to: at + 1, loss: 0.05, ..Way::default() });
    let back = (0..hops).rev().map(|at| Way { from: at + 1, to: at, ..Way::default() });
    let config = WifiConfig {
        phy: Phy::B,
        mac: Mac { rts_threshold: Some(Bytes::new(500)), ..Mac::standard(BitRate::bits_per_sec(1_000_000)) },
        access: Access::Dcf,
        stations: (0..=hops).map(station).collect(),
        ways: out.chain(back).collect(),
        reach: Reach::of_positions(&positions, &radio, radio.received(250.0), radio.received(550.0)),
        motion: None,
        fading: None,
        routing: None,
    };
    let (forward, backward) = ((0..hops).collect(), (hops..2 * hops).collect());
    let ends: Vec<_> = config.ways.iter().map(|way| config.ends(way)).collect();
    let flow = flow(0, law("reno", serde_json::json!({})), forward, backward, TcpOptions::default());
    let mut network = network(Vec::new(), vec![FlowConfig { source: 0, sink: hops, ..flow }], 1, seconds);
    network.topology.add_medium(MediumConfig::Wifi(config), ends);
    network.timing.sample_interval = Duration::from_millis(10 * seconds);
    network
}

/// The row with stations that forward by backlog.
fn row_by_backlog(seconds: u64) -> Network {
    let mut network = row(4, seconds, QueueConfig::DropTail);
    let Some(MediumConfig::Wifi(config)) = network.topology.media.first_mut() else { panic!("a wireless network") };
    config.routing = Some(RoutingConfig::Backpressure(BackpressureConfig::default()));
    let station = |(station, config): (u32, &wifi::StationConfig)| NodeConfig {
        node: config.node,
        forwarding: Forwarding::Medium { medium: 0, station },
    };
    network.topology.nodes = (0..).zip(&config.stations).map(station).collect();
    let flow = &mut network.flows[0];
    flow.forward = Route(vec![Step::Across { from: 0, to: 4 }]);
    flow.backward = Route(vec![Step::Across { from: 4, to: 0 }]);
    network
}

#[test]
fn nor_does_one_that_forwards_by_backlog() {
    let (short, early) = count(&row_by_backlog(120));
    let (long, late) = count(&row_by_backlog(240));
    assert!(late.packet_hops > early.packet_hops + 20_000);
    assert!(late.balance.lost.iter().sum::<u64>() > early.balance.lost.iter().sum(), "losses are on the path");
    assert!(long <= short + 4, "{short} {long}");
}

#[test]
fn nor_does_one_of_a_wireless_network() {
    for queue in [QueueConfig::DropTail, QueueConfig::FqCoDel(FqCoDelConfig::default())] {
        let (short, early) = count(&row(4, 120, queue));
        let (long, late) = count(&row(4, 240, queue));
        let lost = |output: &Output| output.links.iter().map(|link| link.lost + link.dropped).sum::<u64>();
        assert!(late.packet_hops > early.packet_hops + 20_000);
        assert!(lost(&late) > lost(&early), "losses are on the path");
        assert!(long <= short + 4, "{short} {long}");
    }
}

/// A medium with datagrams between the `ends` of each member, at its `rate`. The same number of samples whatever the
/// length.
fn on_air(medium: MediumConfig, ends: Vec<(u32, u32)>, rate: impl Fn(u32) -> u64, seconds: u64) -> Network {
    let poisson = |way| Pattern::Poisson { rate: BitRate::bits_per_sec(rate(way)) };
    let mut network = network(Vec::new(), Vec::new(), 1, seconds);
    network.sources = (0..).zip(&ends).map(|(way, &ends)| stream(way, ends, poisson(way), 1500)).collect();
    network.topology.add_medium(medium, ends);
    network.timing.sample_interval = Duration::from_millis(10 * seconds);
    network
}

/// Stations of 802.11ac around a receiver, VHT80, MCS 9, which lose MPDUs, with A-MSDUs of `amsdu` bytes.
pub fn aggregating(senders: u32, amsdu: u64) -> EdcaConfig {
    let rate = Rate::new(Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9).expect("VHT has it");
    let station = |key: u32| EdcaStation {
        key: u64::from(key),
        node: key,
        place: (0.0, 0.0),
        contention: Contention::STATION,
        buffer: Buffer::Packets(200),
        txqs: None,
        is_strict: false,
        hardware: Hardware::Driver,
        weight: 256,
    };
    let limits = Limits::most(Format::Vht);
    EdcaConfig {
        format: Format::Vht,
        phy: Phy { propagation: Duration::from_nanos(100), ..Phy::A },
        timing: Timing::STANDARD,
        basic_rates: vec![6, 12, 24],
        overhead: Bytes::new(38),
        rts_threshold: None,
        retries: 7,
        ampdu: Some(limits),
        amsdu: Bytes::new(amsdu),
        spacing: Duration::ZERO,
        block_ack: BlockAckConfig::linux(limits.frames as u32),
        stations: (0..=senders).map(station).collect(),
        access_point: None,
        channel_mhz: 5180,
        ways: (1..=senders).map(|from| EdcaWay { from, to: 0, loss: 0.05, rate: RateChoice::Fixed(rate) }).collect(),
        reach: Reach::complete(senders + 1),
        sense: 0.0,
        motion: None,
        ladder: Vec::new(),
        noise: None,
        flows: Vec::new(),
        sources: Vec::new(),
    }
}

/// Twenty such stations, with datagrams at random times, more than they can send, or saturated.
fn loaded(seconds: u64, amsdu: u64, is_saturated: bool) -> Network {
    let config = aggregating(20, amsdu);
    let ends = config.ways.iter().map(|way| config.ends(way)).collect();
    let mut network = on_air(MediumConfig::Edca(config), ends, |_| 25_000_000, seconds);
    if is_saturated {
        network.sources.iter_mut().for_each(|source| source.pattern = Pattern::Saturated { backlog: 92 });
    }
    network
}

#[test]
fn nor_does_one_of_aggregating_stations() {
    for (amsdu, is_saturated) in [(0, false), (5000, false), (0, true)] {
        let (short, early) = count(&loaded(3, amsdu, is_saturated));
        let (long, late) = count(&loaded(6, amsdu, is_saturated));
        assert!(late.packet_hops > early.packet_hops + 20_000);
        let has_more = late.balance.lost.iter().sum::<u64>() > early.balance.lost.iter().sum();
        assert!(has_more || is_saturated, "losses are on the path");
        // Three histograms for each link, of its waits, of those of its queue and of its latencies, and one for each
        // source, of its delays, make room for times longer than all before and for counts beyond 16 bits: at most
        // four times each.
        let histograms = 3 * late.links.len() + late.sources.len();
        assert!(long <= short + 4 + 4 * histograms as u64, "{amsdu}: {short} {long}");
    }
}

/// Two stations of an NR cell, whose channels fade and whose blocks HARQ and RLC repeat; datagrams in both directions.
/// With `moves` they go to and fro between two sites, and change from one to the other.
fn mobile(seconds: u64, moves: bool) -> Network {
    let carrier = Carrier::preset("n78-20mhz").expect("a preset");
    let mut config = RanConfig::standard(carrier, McsTable::Qam256, 2, 0.0);
    config.harq.retransmissions = 1;
    config.harq.feedback_error = 0.05;
    let station = |key: u64| MobileStation {
        keys: [2 * key, 2 * key + 1],
        mean_snr: [60.0, 30.0],
        fading: Fading::Jakes { doppler: 10.0, sinusoids: 16 },
        delay_spread: if key == 1 { 0.0 } else { 300e-9 },
        delay: Duration::ZERO,
        buffer: [Buffer::Packets(200); 2],
        queue: [QueueConfig::DropTail; 2],
        urgency: 1.0,
        way: None,
        weight: 1.0,
        priority: 1,
    };
    config.stations = vec![station(1), station(2)];
    if moves {
        let site = |number: u32| Site {
            name: number.to_string(),
            number,
            key: u64::from(number),
            place: (600.0 * f64::from(number), 0.0),
            power: 46.0,
        };
        config.geometry = Some(Geometry {
            environment: Environment::UrbanMacro,
            frequency: 3.5e9,
            has_shadowing: true,
            line_of_sight: None,
            station_power: 23.0,
            sites: vec![site(0), site(1)],
            handover: Handover::standard(),
        });
        let turn = |at: u64| (Time::ZERO + Duration::from_secs(10.0 * at as f64), (600.0 * (at % 2) as f64, 30.0));
        for station in &mut config.stations {
            station.way = Some((0..30).map(turn).collect());
        }
    }
    let ends = vec![(0, 1), (1, 0), (0, 2), (2, 0)];
    let rate = |way: u32| if way.is_multiple_of(2) { 40_000_000 } else { 3_000_000 };
    on_air(MediumConfig::Ran(config), ends, rate, seconds)
}

#[test]
fn nor_does_one_of_a_mobile_cell() {
    for moves in [false, true] {
        let (short, early) = count(&mobile(40, moves));
        let (long, late) = count(&mobile(60, moves));
        assert!(late.packet_hops > early.packet_hops + 15_000);
        assert!(late.balance.lost.iter().sum::<u64>() > early.balance.lost.iter().sum(), "losses are on the path");
        // Three histograms a link, of waits, radio delays and delays, make room for lengths beyond all before.
        assert!(long <= short + 4 + 6 * late.links.len() as u64, "{moves}: {short} {long}");
    }
}
