//! Times and losses of datagrams, by closed forms, and equal runs.

use windward_network::{Codepoint, Datagram, Duration, HEADERS, Network, Time};

/// Datagrams of 1000 bytes on the wire take 1 ms at 8 Mbit/s.
const PAYLOAD: usize = 1000 - HEADERS as usize;

fn line(link: &str, more: &str) -> String {
    format!(
        r#"
name = "line"
duration = "100 s"
node = [{{ name = "a" }}, {{ name = "b" }}]
link = [{{ from = "a", to = "b", rate = "8 Mbit/s", delay = "10 ms", {link} }}]
flow = [{{ name = "mine", from = "a", to = "b", law = "cubic" }}{more}]
"#
    )
}

fn network(text: &str, own: &[&str], seed: u64) -> Network {
    Network::from_toml(text, own, seed).unwrap()
}

fn micros(count: u64) -> Time {
    Time::from_nanos(1000 * count)
}

/// Everything that arrives by `end`: time, first byte of the payload, ECN field.
fn arrivals(network: &mut Network, end: Time) -> Vec<(Time, u8, Codepoint)> {
    let mut seen = Vec::new();
    while let Some((at, datagram)) = network.poll(end) {
        seen.push((at, datagram.payload[0], datagram.ecn));
    }
    seen
}

/// Four at once and a buffer of two packets behind the one in transmission: the fourth is dropped. The others need 1, 2
/// and 3 ms, and 10 ms of delay. The way back is free.
#[test]
fn datagrams_take_what_the_link_says() {
    let mut network = network(&line(r#"buffer = "2 packets""#, ""), &[], 1);
    let path = network.path("a", "b").unwrap();
    for first in 0..4 {
        network.send(Time::ZERO, Datagram::new(path, vec![first; PAYLOAD]));
    }
    network.send(Time::ZERO, Datagram::new(path.back(), vec![9; PAYLOAD]));
    assert_eq!(network.poll(micros(10_999)), None);
    assert_eq!(network.next_time(), Some(micros(11_000)));
    let seen: Vec<_> = arrivals(&mut network, micros(50_000)).into_iter().map(|(at, first, _)| (at, first)).collect();
    let mut sorted = seen.clone();
    sorted.sort();
    assert_eq!(sorted, [(micros(11_000), 0), (micros(11_000), 9), (micros(12_000), 1), (micros(13_000), 2)]);
    assert_eq!(network.lost(), 1);
    let totals: Vec<_> =
        network.links(micros(50_000)).map(|(name, stats)| (name.name.clone(), stats.packets, stats.dropped)).collect();
    assert_eq!(totals, [("a->b".to_owned(), 3, 1), ("b->a".to_owned(), 1, 0)]);
}

/// 10 000 datagrams at 1 % loss: 100 ± 40, four deviations. The same seed loses the same, another others.
#[test]
fn equal_seeds_lose_the_same() {
    let lost = |seed| {
        let mut network = network(&line("loss = 0.01", ""), &[], seed);
        let path = network.path("a", "b").unwrap();
        let mut arrived = Vec::new();
        for number in 0..10_000_u64 {
            let now = micros(2000 * number);
            network.send(now, Datagram::new(path, number.to_be_bytes().to_vec()));
            while let Some((at, datagram)) = network.poll(now) {
                arrived.push((at, datagram.payload));
            }
        }
        while let Some((at, datagram)) = network.poll(micros(30_000_000)) {
            arrived.push((at, datagram.payload));
        }
        assert_eq!(arrived.len() as u64 + network.lost(), 10_000);
        assert!((60..=140).contains(&network.lost()), "{} lost", network.lost());
        arrived
    };
    let first = lost(1);
    assert_eq!(first, lost(1));
    assert_ne!(first, lost(2));
}

/// DualPI2 marks what waits for more than 1 ms and says that it is scalable (RFC 9332), and never what cannot bear it.
#[test]
fn queues_mark_and_the_transport_sees_it() {
    let queue = r#"queue = "dualpi2""#;
    let mut network = network(&line(queue, ""), &[], 1);
    let path = network.path("a", "b").unwrap();
    for ecn in [Codepoint::NotCapable, Codepoint::Capable, Codepoint::Scalable] {
        for _ in 0..4 {
            network.send(Time::ZERO, Datagram { ecn, ..Datagram::new(path, vec![ecn as u8; PAYLOAD]) });
        }
    }
    let seen = arrivals(&mut network, micros(50_000));
    let marked = seen.iter().filter(|(_, _, ecn)| *ecn == Codepoint::Marked).count();
    assert!(marked > 0, "{seen:?}");
    assert!(seen.iter().all(|(_, own, ecn)| *own != Codepoint::NotCapable as u8 || *ecn == Codepoint::NotCapable));
}

/// A stream of 4 Mbit/s beside a CUBIC of the file's, which fills the rest of the queue: it waits where it did not
/// without, and the CUBIC carries what is left.
#[test]
fn the_other_flows_of_the_file_run_beside() {
    let longest = |own: &[&str]| {
        let mut network = network(
            &line(r#"buffer = "100 ms""#, r#", { name = "other", from = "a", to = "b", law = "cubic" }"#),
            own,
            1,
        );
        let path = network.flow("mine").unwrap();
        let mut longest = Duration::ZERO;
        let mut sent = Time::ZERO;
        for number in 0..10_000_u64 {
            let now = micros(2000 * number);
            network.send(now, Datagram::new(path, number.to_be_bytes().repeat(PAYLOAD / 8)));
            while let Some((at, datagram)) = network.poll(now) {
                let number = u64::from_be_bytes(datagram.payload[..8].try_into().unwrap());
                longest = longest.max(at.since(micros(2000 * number)));
            }
            sent = now;
        }
        let output = network.finish(sent);
        (longest.as_millis(), output.flows[1].goodput_bps)
    };
    let (alone, _) = longest(&[]);
    let (beside, carried) = longest(&["mine"]);
    assert!(alone < 12.0, "{alone} ms");
    assert!((80.0..125.0).contains(&beside), "{beside} ms");
    assert!((2.5e6..4.5e6).contains(&carried), "{carried} bit/s");
}
