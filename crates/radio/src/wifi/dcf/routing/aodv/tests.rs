//! AODV stations whose messages reach their neighbours after a millisecond.

use super::message::{Message, Reply, Request};
use super::{Aodv, AodvConfig, Order};
use std::collections::BTreeSet;
use windward_elements::packet::{Kind, Packet, TIME_TO_LIVE};
use windward_units::{Duration, Time};

struct Network {
    aodv: Aodv,
    now: Time,
    links: BTreeSet<(u32, u32)>,
    /// Messages in flight: time, receiver, sender, message.
    air: Vec<(Time, u32, u32, Message)>,
    sent: Vec<(u32, Message)>,
    ready: Vec<(u32, u32)>,
    lost: Vec<u32>,
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn packet(number: u32, ttl: u8) -> Packet {
    Packet { number, ttl, ..Packet::new(Kind::Datagram, Time::ZERO, 0, 0, 100) }
}

impl Network {
    /// Stations 0 – 1 – … in a row.
    fn row(config: AodvConfig, stations: u32) -> Self {
        let links = (1..stations).flat_map(|at| [(at - 1, at), (at, at - 1)]).collect();
        let aodv = Aodv::new(AodvConfig { jitter: Duration::ZERO, ..config }, stations as usize);
        let (air, sent, ready, lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { aodv, now: Time::ZERO, links, air, sent, ready, lost }
    }

    fn obey(&mut self) {
        for order in self.aodv.orders() {
            match order {
                Order::Broadcast { at, message, after } => {
                    let heard: Vec<u32> = self.links.iter().filter(|link| link.0 == at).map(|link| link.1).collect();
                    let when = self.now + after + millis(1);
                    self.air.extend(heard.into_iter().map(|to| (when, to, at, message.clone())));
                    self.sent.push((at, message));
                }
                Order::Unicast { at, next, message } => {
                    self.sent.push((at, message.clone()));
                    if self.links.contains(&(at, next)) {
                        self.air.push((self.now + millis(1), next, at, message));
                    }
                }
                Order::Send { at, packet } => self.ready.push((at, packet.number)),
                Order::Lose(packet) => self.lost.push(packet.number),
            }
        }
    }

    fn run(&mut self, span: Duration) {
        self.obey();
        let end = self.now + span;
        loop {
            let stations = 0..self.aodv.stations.len() as u32;
            let due = stations.map(|at| (self.aodv.due(at), at)).min().unwrap();
            let first = self.air.iter().map(|message| message.0).min().unwrap_or(Time::NEVER);
            if due.0.min(first) > end {
                break;
            }
            if first <= due.0 {
                let at = self.air.iter().position(|message| message.0 == first).unwrap();
                let (when, to, from, message) = self.air.remove(at);
                self.now = when;
                self.aodv.hear(when, to, from, &message, 0.0);
            } else {
                self.now = due.0;
                self.aodv.tick(due.0, due.1);
            }
            self.obey();
        }
        self.now = end;
    }

    fn requests_of(&self, at: u32) -> Vec<u8> {
        let request = |(from, message): &(u32, Message)| match message {
            Message::Request(request) if *from == at && request.origin == at => Some(request.ttl),
            _ => None,
        };
        self.sent.iter().filter_map(request).collect()
    }

    fn next(&mut self, at: u32, to: u32) -> Option<u32> {
        self.aodv.next_hop(self.now, at, to)
    }
}

/// Rings of 1, 3, 5 and 7 hops: the fourth finds a station six hops away, after 2·40 ms·(1 + 2), (3 + 2) and (5 + 2),
/// and six hops there and back for request and reply. Routes exist in both directions.
#[test]
fn rings_grow_until_the_destination_is_found() {
    let mut network = Network::row(AodvConfig::STANDARD, 8);
    network.aodv.seek(network.now, 0, 6, packet(1, TIME_TO_LIVE));
    network.run(millis(240 + 400 + 560 + 11));
    assert_eq!((network.requests_of(0), network.ready.len()), (vec![1, 3, 5, 7], 0));
    network.run(millis(1));
    assert_eq!(network.ready, [(0, 1)]);
    let forth: Vec<_> = (0..6).map(|at| network.next(at, 6)).collect();
    let back: Vec<_> = (1..=6).map(|at| network.next(at, 0)).collect();
    assert_eq!(forth, (1..=6).map(Some).collect::<Vec<_>>());
    assert_eq!(back, (0..6).map(Some).collect::<Vec<_>>());
}

/// Beyond seven hops the whole network is searched, and again twice, after 2.8 s and 5.6 s; 11.2 s later the packets
/// are lost.
#[test]
fn a_search_that_finds_nothing_ends() {
    let mut network = Network::row(AodvConfig::STANDARD, 3);
    network.links.clear();
    network.aodv.seek(network.now, 0, 2, packet(1, TIME_TO_LIVE));
    let rings = 240 + 400 + 560 + 720;
    network.run(millis(rings + 2800 + 5600 + 11_199));
    assert_eq!((network.requests_of(0), network.lost.len()), (vec![1, 3, 5, 7, 35, 35, 35], 0));
    network.run(millis(1));
    assert_eq!(network.lost, [1]);
    assert_eq!(network.aodv.held(), 0);
}

/// ns-2 begins with five hops and searches the network of 30 hops three times more; its rings have no timeout buffer.
#[test]
fn ns_2_has_other_numbers() {
    let mut network = Network::row(AodvConfig::NS2, 2);
    network.links.clear();
    network.aodv.seek(network.now, 0, 1, packet(1, TIME_TO_LIVE));
    network.run(millis(60 * (5 + 7) + 1800 + 3600 + 7200 + 10_000));
    assert_eq!((network.requests_of(0), network.lost.len()), (vec![5, 7, 30, 30, 30, 30], 1));
}

/// Link 2 – 3 of a row 0 … 4 breaks: 2 sends an error to 1, which sends it to 0. Each loses the route to 4 but not to
/// 2. A packet of station 2's own waits for a new search.
#[test]
fn a_broken_link_is_told_to_those_who_use_it() {
    let mut network = Network::row(AodvConfig { repairs: false, ..AodvConfig::STANDARD }, 5);
    network.aodv.seek(network.now, 0, 4, packet(1, TIME_TO_LIVE));
    network.run(millis(2000));
    assert_eq!(network.next(0, 4), Some(1));
    let broken = [(4, packet(2, TIME_TO_LIVE - 2)), (4, packet(3, TIME_TO_LIVE))];
    network.links.retain(|&(from, to)| from.min(to) != 2 || from.max(to) != 3);
    network.sent.clear();
    network.aodv.break_link(network.now, 2, 3, broken);
    network.run(millis(5));
    let errors = network.sent.iter().filter(|(_, message)| matches!(message, Message::Error(_))).count();
    assert_eq!((errors, network.lost.as_slice()), (2, [2].as_slice()));
    assert_eq!([network.next(0, 4), network.next(1, 4), network.next(2, 4)], [None; 3]);
    assert_eq!(network.next(0, 1), Some(1));
    // A station that lost its route requests a fresher number than that of the failed one.
    assert_eq!(network.requests_of(2), [4], "hops of the lost way and two more");
}

/// A station within the route repairs it locally: 0 – 1 – 2 – 3 and 1 – 4 – 3; 0 receives no error.
#[test]
fn a_station_in_the_middle_repairs_a_route() {
    let mut network = Network::row(AodvConfig::STANDARD, 4);
    network.aodv = Aodv::new(AodvConfig { jitter: Duration::ZERO, ..AodvConfig::STANDARD }, 5);
    network.aodv.seek(network.now, 0, 3, packet(1, TIME_TO_LIVE));
    network.run(millis(1500));
    assert_eq!(network.next(1, 3), Some(2));
    network.links.retain(|&(from, to)| from != 2 && to != 2);
    network.links.extend([(1, 4), (4, 1), (4, 3), (3, 4)]);
    network.sent.clear();
    network.aodv.break_link(network.now, 1, 2, [(3, packet(2, TIME_TO_LIVE - 1))]);
    network.run(millis(20));
    assert_eq!(network.ready, [(0, 1), (1, 2)]);
    assert_eq!([network.next(0, 3), network.next(1, 3), network.next(4, 3)], [Some(1), Some(4), Some(3)]);
    // 0 receives an error for 2, to which it has a route, but none for 3.
    let gone = network.sent.iter().filter_map(|(_, message)| match message {
        Message::Error(gone) => Some(gone.iter().map(|(to, _)| *to).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(gone.collect::<Vec<_>>(), [[2]]);
}

/// Between replies with one sequence number the shorter route wins, between two numbers the fresher one; a duplicate
/// request is not forwarded.
#[test]
fn fresher_routes_win_and_then_shorter_ones() {
    let mut aodv = Aodv::new(AodvConfig::STANDARD, 6);
    let reply = |number, hops| Message::Reply(Reply { to: 5, number, origin: 0, hops, lifetime: 3_000_000_000 });
    let mut after = |number, hops, from| {
        aodv.hear(Time::ZERO, 0, from, &reply(number, hops), 0.0);
        aodv.next_hop(Time::ZERO, 0, 5)
    };
    assert_eq!(after(10, 4, 1), Some(1));
    assert_eq!(after(10, 5, 2), Some(1));
    assert_eq!(after(10, 2, 3), Some(3));
    assert_eq!(after(9, 1, 1), Some(3));
    assert_eq!(after(11, 9, 4), Some(4));
    let request = Request { id: 7, origin: 2, origin_number: 1, to: 5, to_number: Some(99), hops: 0, ttl: 5 };
    aodv.orders();
    aodv.hear(Time::ZERO, 0, 2, &Message::Request(request), 0.5);
    aodv.hear(Time::ZERO, 0, 3, &Message::Request(request), 0.5);
    let passed_on = Request { hops: 1, ttl: 4, ..request };
    let orders = aodv.orders();
    assert!(
        matches!(orders.as_slice(), [Order::Broadcast { at: 0, message: Message::Request(one), after }]
            if *one == passed_on && *after == millis(5)),
        "{orders:?}"
    );
}

/// A station with a fresh route replies in the destination's place and informs it; one with an older route than the
/// request does not.
#[test]
fn stations_with_a_fresh_route_answer() {
    let mut network = Network::row(AodvConfig::STANDARD, 5);
    network.aodv.seek(network.now, 1, 4, packet(1, TIME_TO_LIVE));
    network.run(millis(1000));
    network.sent.clear();
    network.aodv.seek(network.now, 0, 4, packet(2, TIME_TO_LIVE));
    network.run(millis(10));
    assert_eq!(network.ready, [(1, 1), (0, 2)]);
    assert_eq!((network.next(0, 4), network.next(4, 0)), (Some(1), Some(3)));
    let passed_on = network.sent.iter().filter(|(at, message)| *at != 0 && matches!(message, Message::Request(_)));
    assert_eq!(passed_on.count(), 0);
}

/// A neighbour is lost after two missing hellos.
#[test]
fn silence_breaks_a_link() {
    let config = AodvConfig { hello: Some(millis(1000)), asks_mac: false, ..AodvConfig::STANDARD };
    let mut network = Network::row(config, 3);
    (0..3).for_each(|at| network.aodv.begin(at, 0.1));
    network.aodv.seek(network.now, 0, 2, packet(1, TIME_TO_LIVE));
    let used = |network: &mut Network, steps: u32| {
        for _ in 0..steps {
            network.run(millis(500));
            let _ = (network.next(0, 2), network.next(1, 2));
        }
    };
    used(&mut network, 10);
    assert_eq!(network.next(0, 2), Some(1));
    network.links.retain(|&(from, to)| from != 2 && to != 2);
    used(&mut network, 8);
    assert_eq!([network.next(1, 2), network.next(0, 2)], [None, None]);
}

/// A station may send ten requests in a second; further ones wait.
#[test]
fn requests_are_limited() {
    let mut network = Network::row(AodvConfig::STANDARD, 30);
    for to in 2..22 {
        network.aodv.seek(network.now, 0, to, packet(to, TIME_TO_LIVE));
    }
    network.obey();
    assert_eq!(network.requests_of(0).len(), 10);
}
