//! Queue management at the stations of cells and at interfaces of 802.11.

use crate::common::{flow, law, link, network, queues, simulate, stream};
use crate::queues::contented;
use std::sync::Arc;
use windward_sim::cell::amc::Table;
use windward_sim::cell::channel::Fading;
use windward_sim::cell::{Average, CellConfig, Repair, SchedulerConfig, Service};
use windward_sim::wifi::{Access, Mac, Phy, Position, Propagation, Reach, Way, WifiConfig};
use windward_sim::{
    Buffer, CoDelConfig, EcnMode, FqCoDelConfig, MediumConfig, Network, Output, Pattern, QueueConfig, Route,
    SourceConfig, TcpOptions, cell, wifi,
};
use windward_units::{BitRate, Duration};

/// A cell of 5 Msymbol/s in slots of 1 ms whose stations have 12 and 20 dB and a queue of this discipline each.
fn cell(queue: QueueConfig, scheduler: SchedulerConfig, service: Service) -> CellConfig {
    let station = |key, mean_snr| cell::StationConfig {
        key,
        mean_snr,
        fading: Fading::Independent,
        delay: Duration::from_millis(5),
        buffer: Buffer::Packets(1000),
        queue,
        urgency: 1.0,
    };
    CellConfig {
        slot: Duration::from_millis(1),
        symbol_rate: 5e6,
        table: Arc::new(Table::ctc_802_16e()),
        repair: Some(Repair { max_transmissions: 3 }),
        scheduler,
        service,
        average: Average::default(),
        shared_buffer: Some(1500),
        stations: vec![station(100, 16.0), station(101, 100.0)],
        changes: Vec::new(),
    }
}

/// Bursts to either station, near what the cell carries.
fn bursts(cell: CellConfig) -> Network {
    let mut network = network(Vec::new(), Vec::new(), 0, 20);
    let ends = [(0, 1), (0, 2)];
    let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec(2_500_000) };
    network.sources = (0..).zip(ends).map(|(way, ends)| stream(way, ends, pattern, 1500)).collect();
    network.topology.add_medium(MediumConfig::Cell(cell), ends);
    network.timing.sample_interval = Duration::from_millis(10);
    network
}

/// A scheduler sees of a queue what it saw without a discipline: where none is dropped, all that is recorded of a run,
/// backlogs and shares of the slots included, is that of drop-tail, under every scheduler and way of service.
#[test]
fn schedulers_of_a_cell_see_what_they_saw() {
    let schedulers = [
        SchedulerConfig::QueueingDelay,
        SchedulerConfig::QueueLength,
        SchedulerConfig::MaxSnr { is_oblivious: false },
        SchedulerConfig::RoundRobin { is_oblivious: false },
        SchedulerConfig::ProportionalFair,
        SchedulerConfig::MLwdf,
        SchedulerConfig::ExpRule,
    ];
    let services = [Service::Whole, Service::Carry, Service::Fluid];
    for (scheduler, service) in schedulers.into_iter().zip(services.into_iter().cycle()) {
        let tail = simulate(&bursts(cell(QueueConfig::DropTail, scheduler, service)), 1);
        assert!(
            tail.links.iter().all(|link| link.dropped == 0 && link.max_backlog >= 5),
            "{scheduler:?} {:?}",
            tail.links
        );
        for queue in contented() {
            let other = simulate(&bursts(cell(queue, scheduler, service)), 1);
            assert!(other == tail, "{scheduler:?} {service:?} {queue:?}");
        }
    }
}

/// A flow down to each station, and back over a link.
fn downloads(queue: QueueConfig, ecn: EcnMode) -> Network {
    let cell = cell(queue, SchedulerConfig::ProportionalFair, Service::Carry);
    let back = |key| link(key, 100_000_000, Duration::from_millis(15), Buffer::Packets(1000));
    let tcp = TcpOptions { ecn, ..TcpOptions::default() };
    let flow = |key: u32| {
        let cubic = law("cubic", serde_json::json!({}));
        flow(u64::from(key), cubic, vec![2 + key], vec![key], tcp.clone())
    };
    let mut network = network(vec![back(200), back(201)], vec![flow(0), flow(1)], 10, 60);
    network.topology.add_medium(MediumConfig::Cell(cell), [(0, 1), (0, 2)]);
    network
}

fn balanced(output: &Output) {
    let balance = output.balance;
    assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way);
}

/// Stations of a fading cell with CoDel: the wait stays near its target, where drop-tail lets the whole buffer fill;
/// with marks nothing is dropped. What each discipline dropped or marked is in the books.
#[test]
fn codel_keeps_a_cell_quick() {
    let wait = |output: &Output| output.links[2].mean_queue_delay_s;
    let tail = simulate(&downloads(QueueConfig::DropTail, EcnMode::Off), 1);
    let codel = |marks| QueueConfig::CoDel(CoDelConfig { marks, ..CoDelConfig::default() });
    let dropping = simulate(&downloads(codel(false), EcnMode::Off), 1);
    let marking = simulate(&downloads(codel(true), EcnMode::Classic), 1);
    assert!(wait(&tail) > 0.2 && wait(&dropping) < 0.04, "{} {}", wait(&tail), wait(&dropping));
    assert!(dropping.flows.iter().zip(&tail.flows).all(|(some, all)| some.goodput_bps > 0.8 * all.goodput_bps));
    for (link, flow) in marking.links[2..].iter().zip(&marking.flows) {
        assert!(link.marked > 10 && link.dropped == 0, "{link:?}");
        assert!(flow.marked.abs_diff(link.marked) <= 2, "{} {}", flow.marked, link.marked);
    }
    for queue in queues() {
        let output = simulate(&downloads(queue, EcnMode::Classic), 1);
        balanced(&output);
        assert!(queue == QueueConfig::DropTail || output.links.iter().any(|link| link.dropped + link.marked > 0));
    }
}

/// A home: an access point between a server and three stations of 802.11g, and what its interface does. Ways 0 to 2
/// lead to the stations, 3 to 5 back.
fn home(queue: QueueConfig) -> WifiConfig {
    let positions: Vec<Position> = vec![(0.0, 0.0), (5.0, 0.0), (0.0, 5.0), (5.0, 5.0)];
    let station = |at: u32| wifi::StationConfig {
        key: 200 + u64::from(at),
        node: at,
        place: positions[at as usize],
        buffer: Buffer::Packets(1000),
        queue,
        data_rate: BitRate::bits_per_sec(54_000_000),
    };
    let radio = Propagation::NS2;
    let ways = [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)];
    WifiConfig {
        phy: Phy::G,
        mac: Mac::standard(BitRate::bits_per_sec(6_000_000)),
        access: Access::Dcf,
        stations: (0..4).map(station).collect(),
        ways: ways.iter().map(|&(from, to)| Way { from, to, loss: 0.05, ..Way::default() }).collect(),
        reach: Reach::of_positions(&positions, &radio, radio.received(250.0), radio.received(550.0)),
        motion: None,
        fading: None,
        routing: None,
    }
}

fn at_home(config: WifiConfig) -> Network {
    let mut network = network(Vec::new(), Vec::new(), 5, 30);
    let ends: Vec<_> = config.ways.iter().map(|way| config.ends(way)).collect();
    network.topology.add_medium(MediumConfig::Wifi(config), ends);
    network
}

/// An interface is unchanged by a discipline that drops nothing. Each station sends to one only, or the turns of fair
/// queueing would show.
#[test]
fn an_interface_with_nothing_to_drop_is_the_same() {
    let with = |queue| {
        let mut network = at_home(home(queue));
        let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec(7_000_000) };
        let ways = [(0, (0, 1)), (3, (1, 0)), (4, (2, 0)), (5, (3, 0))];
        network.sources = ways.iter().map(|&(way, ends)| stream(way, ends, pattern, 1500)).collect();
        simulate(&network, 1)
    };
    let tail = with(QueueConfig::DropTail);
    assert!(tail.links[0].max_backlog > 10 && tail.links.iter().all(|link| link.dropped == 0), "{:?}", tail.links);
    for queue in contented() {
        // Shares of what a way never did are not numbers, and not equal.
        assert!(format!("{:?}", with(queue)) == format!("{tail:?}"), "{queue:?}");
    }
}

/// A download to one station and calls to another: behind drop-tail the calls wait for the download's whole queue,
/// behind FQ-CoDel for a few packets' time on the air. With ECN nothing is dropped. Flows that share a way are told
/// apart too.
#[test]
fn a_call_at_home_passes_the_download() {
    let with = |queue, ecn| {
        let mut network = at_home(home(queue));
        let tcp = TcpOptions { ecn, ..TcpOptions::default() };
        network.flows = vec![flow(0, law("cubic", serde_json::json!({})), vec![0], vec![3], tcp)];
        let call = Pattern::Cbr { rate: BitRate::bits_per_sec(100_000) };
        network.sources = vec![stream(1, (0, 2), call, 200), stream(0, (0, 1), call, 200)];
        let output = simulate(&network, 1);
        balanced(&output);
        output
    };
    let tail = with(QueueConfig::DropTail, EcnMode::Off);
    let fair = with(QueueConfig::FqCoDel(FqCoDelConfig::default()), EcnMode::Classic);
    let waits = |output: &Output| [0, 1].map(|call| output.sources[call].mean_delay_s);
    assert!(waits(&tail).iter().all(|wait| *wait > 0.1), "{:?}", waits(&tail));
    assert!(waits(&fair).iter().all(|wait| *wait < 0.004), "{:?}", waits(&fair));
    let [slow, quick] = [&tail, &fair].map(|output| output.flows[0].goodput_bps);
    assert!(quick > 0.93 * slow, "{quick} {slow}");
    assert!(fair.links[0].marked > 10 && fair.links.iter().all(|link| link.dropped == 0), "{:?}", fair.links);
    assert!(fair.flows[0].marked.abs_diff(fair.links[0].marked) <= 2);
    for queue in queues() {
        with(queue, EcnMode::Classic);
    }
}

/// Paths of flows through a station with a discipline go on behind it.
#[test]
fn packets_find_their_way_on() {
    let mut network = at_home(home(QueueConfig::FqCoDel(FqCoDelConfig::default())));
    let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec(4_000_000) };
    network.sources = vec![
        SourceConfig { path: Route::from(vec![3, 1]), ..stream(3, (1, 2), pattern, 1500) },
        SourceConfig { path: Route::from(vec![4, 2]), ..stream(4, (2, 3), pattern, 1000) },
    ];
    let output = simulate(&network, 1);
    balanced(&output);
    let sent = output.balance.sent as f64;
    assert!(output.balance.delivered as f64 > 0.9 * sent, "{:?}", output.balance);
    let [first, second] = [0, 1].map(|source| output.sources[source].received);
    assert!(first > 7_500 && second > 11_500, "{first} {second}");
}
