//! Nodes that decide for themselves: packets enter them at one node and leave at another.

use crate::common::{flow, law, link, network, simulate};
use std::collections::BTreeMap;
use std::sync::Arc;
use windward_sim::*;
use windward_units::{BitRate, Bytes, Duration, Time};

/// Ends 0 and 5 on wires; between them the diamond 1 → {2, 3} → 4, whose arms carry 4 Mbit/s each; and a wire back.
/// Ports: 0: 0→1, 1: 1→2, 2: 1→3, 3: 2→4, 4: 3→4, 5: 4→5, 6: 5→0.
fn diamond(first: Forwarding, last: Forwarding) -> Topology {
    let port = |(key, from, to, megabits): (u64, u32, u32, u64)| {
        let link = link(key, megabits * 1_000_000, Duration::from_millis(5), Buffer::Packets(100));
        PortConfig { from, to, kind: PortKind::Link(link) }
    };
    let ports =
        [(0, 0, 1, 100), (1, 1, 2, 4), (2, 1, 3, 4), (3, 2, 4, 4), (4, 3, 4, 4), (5, 4, 5, 100), (6, 5, 0, 100)];
    let table = |port: u32| Forwarding::Table(BTreeMap::from([(4, port)]));
    let node = |(node, forwarding)| NodeConfig { node, forwarding };
    Topology {
        ports: Arc::new(ports.map(port).into()),
        media: Vec::new(),
        nodes: [(1, first), (2, last), (3, table(4))].map(node).into(),
        ..Topology::default()
    }
}

fn table(port: u32) -> Forwarding {
    Forwarding::Table(BTreeMap::from([(4, port)]))
}

fn either() -> Forwarding {
    Forwarding::ShortestQueue(BTreeMap::from([(4, vec![1, 2])]))
}

/// From 0 over a wire to 1, across the nodes to 4, over a wire to 5.
fn across() -> Route {
    Route(vec![Step::Port(0), Step::Across { from: 1, to: 4 }, Step::Port(5)])
}

/// 7500 datagrams of 1000 bytes at 6 Mbit/s, in the first 10 of 12 s.
fn datagrams(topology: Topology) -> Output {
    let pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(6_000_000) };
    let source = SourceConfig {
        stop: Some(Time::from_nanos(9_999_500_000)),
        ..SourceConfig::new(1, (0, 5), across(), pattern, Bytes::new(1000))
    };
    let network = Network { topology, sources: vec![source], ..network(Vec::new(), Vec::new(), 0, 12) };
    simulate(&network, 1)
}

/// Traffic that leaves by one arm alone is limited to its 4 Mbit/s, and a full queue drops the rest; the books balance.
#[test]
fn a_table_sends_all_one_way() {
    let output = datagrams(diamond(table(1), table(3)));
    let Balance { delivered, lost, .. } = output.balance;
    // 10 s of 4 Mbit/s, the packet in transmission and the hundred that waited at the end.
    assert!((5000..=5102).contains(&delivered), "{delivered}");
    assert_eq!(output.sources[0].received, delivered);
    assert_eq!((output.links[2].packets, output.links[4].packets), (0, 0));
    assert_eq!((output.balance.sent, lost, output.balance.under_way), (7500, [7500 - delivered, 0, 0, 0], 0));
}

/// 750 packets a second come, and each arm carries 500. The first arm is chosen whenever nothing waits before either,
/// so it is never idle for long; the other takes the rest, and no packet waits for more than one transmission, of 2 ms.
#[test]
fn the_shortest_queue_uses_both_ways() {
    let output = datagrams(diamond(either(), table(3)));
    assert_eq!(output.sources[0].received, 7500);
    let (first, second) = (output.links[1].packets, output.links[2].packets);
    assert!((4980..=5005).contains(&first) && first + second >= 7499, "{first} {second}");
    assert!(output.links[1].max_backlog <= 1 && output.links[2].max_backlog <= 1);
}

/// 2 sends back to 1, which sends to 2 again: the packets end after 64 hops, not never. A node that knows no way loses
/// them.
#[test]
fn a_loop_ends_and_a_dead_end_is_one() {
    let mut topology = diamond(table(1), table(7));
    let back = link(7, 100_000_000, Duration::from_millis(1), Buffer::Unlimited);
    Arc::make_mut(&mut topology.ports).push(PortConfig { from: 2, to: 1, kind: PortKind::Link(back) });
    for link in topology.links_mut() {
        link.rate = BitRate::bits_per_sec(1_000_000_000).into();
    }
    let output = datagrams(topology);
    assert_eq!(output.balance, Balance { sent: 7500, delivered: 0, lost: [0, 0, 7500, 0], under_way: 0 });
    // The wire to the diamond, then 64 hops inside.
    assert_eq!(output.packet_hops, 7500 * 65);

    let nowhere = Forwarding::Table(BTreeMap::new());
    let output = datagrams(diamond(nowhere, table(3)));
    assert_eq!(output.balance, Balance { sent: 7500, delivered: 0, lost: [0, 0, 0, 7500], under_way: 0 });
}

/// TCP crosses the nodes as it crosses wires: where every node has one way, both are the same network, and so is a
/// queued link that drops at the tail.
#[test]
fn a_flow_sees_no_difference_between_tables_and_a_route() {
    let run = |topology: Topology, forward: Route| {
        let mut flow = flow(3, law("cubic", serde_json::json!({})), vec![0], vec![6], TcpOptions::default());
        flow.forward = forward;
        let network = Network { topology, ..network(Vec::new(), vec![flow], 0, 20) };
        let output = simulate(&network, 1);
        (format!("{:?} {:?}", output.flows, output.flow_series), output.balance)
    };
    let wires = diamond(table(1), table(3));
    // A link with changes costs two events per hop; this one changes nothing.
    let mut changing = wires.clone();
    let step = LinkStep { at: Time::ZERO + Duration::from_secs(1.0), change: LinkChange::default() };
    changing.links_mut().for_each(|link| link.steps = [step.clone()].into());
    let fixed = Route::from(vec![0, 1, 3, 5]);
    let expected = run(wires.clone(), fixed.clone());
    assert!(expected.1.delivered > 10_000, "{:?}", expected.1);
    assert_eq!(run(wires, across()), expected);
    assert_eq!(run(changing, fixed), expected);
}
