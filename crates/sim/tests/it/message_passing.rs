//! Source-rate control by message passing: the rest x = V·p/ΣQ, and what its messages take.

use crate::common::{link, network, simulate, stream};
use windward_sim::*;
use windward_units::{BitRate, Bytes, Duration};

/// Two flows over three links of 10, 1 and 0.5 Mbit/s: one over all, one over the second alone. Packets have 1000
/// bytes, messages 32, and a message returns over a link of its own for each hop.
fn chain(weights: [f64; 2], slot: Duration) -> Network {
    let forth = [(0, 10_000_000), (1, 1_000_000), (2, 500_000)];
    let delay = Duration::from_millis(5);
    let links = forth.map(|(key, rate)| link(key, rate, delay, Buffer::Unlimited)).into_iter();
    let back = [3, 4].map(|key| link(key, 1_000_000, delay, Buffer::Unlimited));
    let pattern = |weight| Pattern::MessagePassing { weight, slot, limit: BitRate::bits_per_sec(2_000_000) };
    let told = |port, every| Pattern::Lengths { port, every };
    let sources = vec![
        SourceConfig::new(10, (0, 3), vec![0, 1, 2], pattern(weights[0]), Bytes::new(1000)),
        stream(3, (1, 0), told(1, None), 32),
        stream(4, (2, 1), told(2, Some(slot)), 32),
        SourceConfig::new(11, (1, 2), vec![1], pattern(weights[1]), Bytes::new(1000)),
    ];
    Network { sources, ..network(links.chain(back).collect(), Vec::new(), 100, 400) }
}

/// The second link is full, and the third where the first flow has its 62.5 packets a second. With V·p of 4000 and
/// 1000 the second link alone would divide its 125 as 100 and 25, so that the third is full: 62.5 for each. The rest
/// has Q1 = 1000/62.5 = 16 and Q1 + Q2 = 4000/62.5 = 64.
#[test]
fn rates_and_queues_are_those_of_the_dual() {
    let slot = Duration::from_millis(20);
    let output = simulate(&chain([4000.0, 1000.0], slot), 1);
    let rate = |source: usize| output.sources[source].received as f64 / 300.0;
    assert!((rate(0) - 62.5).abs() < 1.0 && (rate(3) - 62.5).abs() < 1.0, "{} and {}", rate(0), rate(3));
    let [second, third] = [1, 2].map(|port: usize| output.links[port].mean_backlog);
    assert!((second - 16.0).abs() < 1.5, "{second}");
    assert!((second + third - 64.0).abs() < 2.0, "{second} and {third}");
}

/// Two messages in each slot of 20 ms for the route of three hops, none for that of one.
#[test]
fn each_hop_has_a_message_in_each_slot() {
    let output = simulate(&chain([4000.0, 1000.0], Duration::from_millis(20)), 1);
    for source in [1, 2] {
        let sent = output.sources[source].sent;
        assert!((14_999..=15_001).contains(&sent), "{sent} messages of source {source}");
    }
    let message = output.links[3].bytes as f64 / output.links[3].packets as f64;
    assert!((message - 32.0).abs() < 1e-9, "{message} bytes");
}

/// Messages that come late leave the source with an old sum: with a slot of 5 s queues swing, and rates with them.
#[test]
fn rare_messages_let_queues_swing() {
    let [often, rarely] = [20, 5_000].map(|ms| {
        let output = simulate(&chain([4000.0, 1000.0], Duration::from_millis(ms)), 1);
        output.links[1].max_backlog
    });
    assert!(rarely > 3 * often, "{often} and {rarely}");
}
