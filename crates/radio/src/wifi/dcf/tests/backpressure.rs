//! Backpressure over 802.11: reports, full stations, and retained packets.

use super::harness::Bench;
use crate::air::FrameKind;
use crate::interface::Medium;
use crate::wifi::{
    Access, Acks, BackpressureConfig, Mac, Neighbour, Phy, Reach, RoutingConfig, StationConfig, Way, WifiConfig,
};
use windward_elements::backpressure::{Links, Threshold, WeightConfig};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Time};

/// Stations 0, 1 and 2 in a row; the outer ones do not hear each other. Links: 0→1, 1→0, 1→2, 2→1.
fn row(threshold: Threshold, relay: u64) -> WifiConfig {
    let hears = |station| Neighbour { station, power: 1.0, decodes: true };
    let station = |key| StationConfig {
        key,
        node: key as u32,
        place: (key as f64, 0.0),
        buffer: Buffer::Packets(if key == 1 { relay } else { 100 }),
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(2_000_000),
    };
    let weight = WeightConfig { threshold, links: Links::Downstream };
    WifiConfig {
        phy: Phy::B,
        mac: Mac::standard(BitRate::bits_per_sec(1_000_000)),
        access: Access::Dcf,
        stations: (0..3).map(station).collect(),
        ways: [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(from, to)| Way { from, to, ..Way::default() }).to_vec(),
        reach: Reach::of_lists([vec![hears(1)], vec![hears(0), hears(2)], vec![hears(1)]]),
        motion: None,
        fading: None,
        routing: Some(RoutingConfig::Backpressure(BackpressureConfig { weight, ..BackpressureConfig::default() })),
    }
}

/// The row with ACKs forwarded by `acks`.
fn row_with(acks: Acks, threshold: Threshold) -> WifiConfig {
    let mut config = row(threshold, 100);
    if let Some(RoutingConfig::Backpressure(rule)) = &mut config.routing {
        rule.acks = acks;
    }
    config
}

impl Bench {
    /// Offers an ACK of another flow for station 0 at station 1.
    fn acknowledge(&mut self, number: u32) {
        let packet = Packet { number, ..Packet::new(Kind::Ack, self.now, 1, 0, 40) };
        self.wifi.carry(self.now, 1, packet, &mut self.world);
    }

    /// Offers a packet of flow 0 for station 2 at station `at`.
    fn carry(&mut self, at: u32, number: u32) {
        let packet = Packet { number, to: 2, ..Packet::new(Kind::Data, self.now, 0, 0, 1000) };
        self.wifi.carry(self.now, at, packet, &mut self.world);
    }

    /// Runs until `millis` and forwards arrivals at station 1.
    fn relay(&mut self, millis: u64) {
        let end = Time::from_nanos(millis * 1_000_000);
        let mut seen = self.world.arrived.len();
        while let Some((time, timer)) = self.world.next(end) {
            self.now = time;
            self.wifi.wake(time, timer, &mut self.world);
            while let Some(&(_, way, number)) = self.world.arrived.get(seen) {
                seen += 1;
                if way == 0 {
                    self.carry(1, number);
                }
            }
        }
        self.now = end;
    }

    fn broadcasts(&self) -> [u64; 3] {
        [0, 1, 2].map(|at| self.wifi.stations[at].air.frames[FrameKind::Broadcast as usize])
    }

    /// Numbers of the packets that arrived at station 2.
    fn delivered(&self) -> Vec<u32> {
        self.world.arrived.iter().filter(|(_, way, _)| *way == 2).map(|(_, _, number)| *number).collect()
    }
}

/// No station reports before the first flow. From then on the two stations that the flow can cross report every 100 ms
/// while they are silent; the destination does not.
#[test]
fn silent_stations_report() {
    let mut bench = Bench::new(&row(Threshold::Shared, 100), 1);
    bench.relay(1000);
    assert_eq!(bench.broadcasts(), [0, 0, 0]);
    bench.carry(0, 1);
    bench.relay(2000);
    assert_eq!(bench.delivered(), [1]);
    let [source, relay, sink] = bench.broadcasts();
    assert!((9..=11).contains(&source) && (9..=11).contains(&relay) && sink == 0, "{:?}", bench.broadcasts());
    // Data frames carry the backlogs in their headers.
    (2..200).for_each(|number| bench.carry(0, number));
    bench.relay(2300);
    assert!(bench.broadcasts()[0] <= source + 1, "{:?}", bench.broadcasts());
}

/// A data frame has two bytes for each flow that crosses its sender.
#[test]
fn headers_take_their_bytes() {
    let mut bench = Bench::new(&row(Threshold::Shared, 100), 1);
    assert_eq!([bench.wifi.overhead(0), bench.wifi.overhead(1)], [36, 36]);
    bench.carry(0, 1);
    assert_eq!([0, 1, 2].map(|at| bench.wifi.overhead(at)), [38, 38, 36]);
}

/// A link that loses every frame loses no packet: a packet that the MAC gives up returns to the head of its queue, and
/// arrives in order once it can.
#[test]
fn what_the_mac_gives_up_is_kept() {
    let mut bench = Bench::new(&row(Threshold::Shared, 100), 1);
    bench.wifi.ways[0].loss = 1.0;
    (0..5).for_each(|number| bench.carry(0, number));
    bench.relay(1000);
    assert!(bench.world.arrived.is_empty() && bench.world.lost.is_empty());
    assert!(bench.wifi.ways[0].counts.failures > 50);
    let backlog: usize = (0..4).map(|way| bench.wifi.see(bench.now, way).backlog).sum();
    assert_eq!(bench.wifi.held() + backlog as u64, 5);
    bench.wifi.ways[0].loss = 0.0;
    bench.relay(2000);
    assert_eq!(bench.delivered(), [0, 1, 2, 3, 4]);
    assert_eq!(bench.wifi.held(), 0);
}

/// The relay cannot send and holds 3 packets. Its frames announce that it is full, so its neighbour keeps the rest, for
/// every K. When the relay can send again all packets arrive.
#[test]
fn a_full_relay_is_sent_nothing() {
    let mut bench = Bench::new(&row(Threshold::Fixed(1000.0), 3), 1);
    bench.wifi.ways[2].loss = 1.0;
    (0..40).for_each(|number| bench.carry(0, number));
    bench.relay(3000);
    let came = bench.world.arrived.len();
    assert!((3..=4).contains(&came), "{came}");
    assert_eq!(bench.world.lost.len(), came - 3);
    bench.wifi.ways[2].loss = 0.0;
    bench.relay(6000);
    assert!(bench.delivered().len() >= 35, "{}", bench.delivered().len());
}

/// The classical rule sends only to a smaller backlog: of two packets the second waits until a report announces that
/// the relay is empty again.
#[test]
fn the_classical_rule_waits_for_reports() {
    let mut bench = Bench::new(&row(Threshold::Fixed(0.0), 100), 1);
    bench.wifi.ways[2].loss = 1.0;
    (0..9).for_each(|number| bench.carry(0, number));
    bench.relay(3000);
    let came = bench.world.arrived.len();
    // The packet in transmission is not announced: the relay announces 4 of its 5 packets.
    assert!((4..=5).contains(&came), "{came}");
    assert!(bench.world.lost.is_empty());
}

/// Station B of the diamond: ACKs over a link that loses half of the frames keep their queue at the relay full, ten
/// data packets wait for the other link. ACKs that precede data let none of them pass; in line with them all ten pass.
/// A frame of an ACK with its answer takes more than 1 ms, so three ACKs in 2 ms are too many.
#[test]
fn acks_in_line_do_not_starve_data() {
    for (acks, passed) in [(Acks::Shortest, 0), (Acks::Fifo, 10)] {
        let mut bench = Bench::new(&row_with(acks, Threshold::Shared), 1);
        bench.wifi.ways[1].loss = 0.5;
        (0..50).for_each(|number| bench.acknowledge(1000 + number));
        (0..10).for_each(|number| bench.carry(1, number));
        for millis in (2..4000).step_by(2) {
            (0..3).for_each(|one| bench.acknowledge(10_000 + 3 * millis + one));
            bench.relay(u64::from(millis));
        }
        assert_eq!(bench.delivered().len(), passed, "{acks:?}");
        assert!(bench.wifi.stations[1].queue.len() > 95, "{acks:?}");
        let acknowledged = bench.world.arrived.iter().filter(|(_, way, _)| *way == 1).count();
        assert!(acknowledged > 500, "{acks:?}: {acknowledged}");
    }
}

/// Data and ACKs of a station leave in the order of their arrival; ACKs that precede data leave first.
#[test]
fn a_line_keeps_the_order_of_arrival() {
    let order = |acks| {
        let mut bench = Bench::new(&row_with(acks, Threshold::Shared), 1);
        for (number, is_ack) in [(1, false), (2, false), (101, true), (3, false), (102, true), (103, true), (4, false)]
        {
            if is_ack { bench.acknowledge(number) } else { bench.carry(1, number) }
        }
        bench.relay(1000);
        bench.world.arrived.iter().map(|&(_, _, number)| number).collect::<Vec<_>>()
    };
    assert_eq!(order(Acks::Fifo), [1, 2, 101, 3, 102, 103, 4]);
    assert_eq!(order(Acks::Shortest), [101, 102, 103, 1, 2, 3, 4]);
}

/// Data that the rule does not send holds up no ACK: behind packets for a full neighbour an ACK leaves at once.
#[test]
fn an_ack_does_not_wait_for_trapped_data() {
    let mut bench = Bench::new(&row_with(Acks::Fifo, Threshold::Fixed(0.0)), 1);
    bench.wifi.ways[2].loss = 1.0;
    (0..9).for_each(|number| bench.carry(0, number));
    bench.relay(3000);
    // Station 0 holds packets that the classical rule keeps there. An ACK of its own for station 2 goes to the relay.
    let came = bench.world.arrived.len();
    let packet = Packet { number: 100, to: 2, ..Packet::new(Kind::Ack, bench.now, 1, 0, 40) };
    bench.wifi.carry(bench.now, 0, packet, &mut bench.world);
    bench.relay(3050);
    assert_eq!(
        bench.world.arrived[came..].iter().map(|&(_, way, number)| (way, number)).collect::<Vec<_>>(),
        [(0, 100)]
    );
}

/// A link that loses every frame: ACKs in line stay at the station as data do, in their order, and let the data behind
/// them pass. ACKs that precede data are lost.
#[test]
fn a_line_keeps_acks_that_the_mac_gives_up() {
    for (acks, kept) in [(Acks::Shortest, vec![]), (Acks::Fifo, vec![101, 102, 103])] {
        let mut bench = Bench::new(&row_with(acks, Threshold::Shared), 1);
        bench.wifi.ways[1].loss = 1.0;
        (101..104).for_each(|number| bench.acknowledge(number));
        (0..5).for_each(|number| bench.carry(1, number));
        bench.relay(1000);
        assert_eq!(bench.delivered(), [0, 1, 2, 3, 4], "{acks:?}");
        assert_eq!(bench.world.lost.len(), 3 - kept.len(), "{acks:?}");
        assert_eq!(bench.wifi.see(bench.now, 1).backlog, kept.len(), "{acks:?}");
        bench.wifi.ways[1].loss = 0.0;
        bench.relay(2000);
        let arrived = bench.world.arrived.iter().filter(|(_, way, _)| *way == 1).map(|(_, _, number)| *number);
        assert_eq!(arrived.collect::<Vec<_>>(), kept, "{acks:?}");
        assert_eq!(bench.wifi.see(bench.now, 1).backlog, 0, "{acks:?}");
    }
}
