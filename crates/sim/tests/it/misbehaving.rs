//! Receivers that cheat: ACK division and optimistic ACKs (Savage et al., CCR 29(5), 1999).

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{Buffer, Loss, Network, TcpOptions};
use windward_units::{Duration, Time};

const HALF: Duration = Duration::from_millis(50);

/// One flow of a law over 100 ms, forth and back alike, on 10 Gbit/s.
fn alone(name: &str, parameters: serde_json::Value, tcp: TcpOptions) -> Network {
    let links = [0, 1].map(|key| link(key, 10_000_000_000, HALF, Buffer::Unlimited)).to_vec();
    let mut network = network(links, vec![flow(0, law(name, parameters), vec![0], vec![1], tcp)], 0, 2);
    network.timing.sample_interval = HALF;
    network
}

/// One segment at first, each acknowledged at once.
fn from_one() -> TcpOptions {
    TcpOptions { initial_window: 1, delayed_ack: None, ..TcpOptions::default() }
}

/// Windows at the times of a run that lasts to the last of them, in milliseconds.
fn windows(mut network: Network, times_ms: &[u64]) -> Vec<f64> {
    let last = times_ms.last().expect("times");
    network.timing.duration = Time::ZERO + Duration::from_millis(*last);
    let cwnd = simulate(&network, 1).flow_series.unpack().cwnd;
    times_ms.iter().map(|time| cwnd[(time / 50 - 1) as usize]).collect()
}

/// Half a round trip after each reply: the handshake ends at 100 ms, and the k-th window leaves at k·100 ms.
const ROUNDS: [u64; 5] = [150, 250, 350, 450, 550];

/// A sender that counts ACKs multiplies its window by 1 + M in a round trip of slow start, whether the host counts them
/// or Reno does. An honest receiver has it double.
#[test]
fn a_sender_that_counts_acks_grows_by_the_number_of_pieces() {
    for (pieces, expected) in [(1, [1.0, 2.0, 4.0, 8.0, 16.0]), (3, [1.0, 4.0, 16.0, 64.0, 256.0])] {
        let tcp = TcpOptions { ack_division: pieces, ..from_one() };
        let by_law = alone("reno", serde_json::json!({"byte_counting": false}), tcp.clone());
        assert_eq!(windows(by_law, &ROUNDS), expected);
        let by_host = alone("reno", serde_json::json!({}), TcpOptions { ack_counting: true, ..tcp });
        assert_eq!(windows(by_host, &ROUNDS), expected);
    }
}

/// With delayed ACKs, M pieces for two segments: 1 + M/2 once windows are even.
#[test]
fn delayed_acks_are_divided_too() {
    let tcp = TcpOptions { ack_division: 4, initial_window: 2, ..TcpOptions::default() };
    let network = alone("reno", serde_json::json!({"byte_counting": false}), tcp);
    assert_eq!(windows(network, &ROUNDS[..3]), [2.0, 6.0, 18.0]);
}

/// RFC 3465 and Linux count what is acknowledged: pieces bring nothing.
#[test]
fn byte_counting_gains_nothing() {
    for (name, tcp) in [
        ("reno", from_one()),
        ("cubic", from_one()),
        ("reno", TcpOptions { sack: false, ..from_one() }),
        ("reno", TcpOptions { initial_window: 1, delayed_ack: None, ..TcpOptions::linux(true) }),
        ("reno", TcpOptions { initial_window: 1, delayed_ack: None, ack_counting: true, ..TcpOptions::linux(false) }),
    ] {
        let divided = alone(name, serde_json::json!({}), TcpOptions { ack_division: 100, ..tcp.clone() });
        let honest = TcpOptions { ack_counting: false, ..tcp };
        assert_eq!(windows(divided, &ROUNDS), windows(alone(name, serde_json::json!({}), honest), &ROUNDS), "{name}");
    }
}

/// In congestion avoidance each of W·M ACKs adds 1/W: M packets a round trip in the place of one.
#[test]
fn congestion_avoidance_grows_by_the_number_of_pieces() {
    let growth = |ack_division| {
        let tcp = TcpOptions { ack_division, delayed_ack: None, ..TcpOptions::default() };
        let mut network = alone("reno", serde_json::json!({"byte_counting": false}), tcp);
        network.topology.links_mut().next().expect("forward").lose = [100..=100].into();
        let [early, late] = windows(network, &[1050, 1550])[..] else { unreachable!() };
        (late - early) / 5.0
    };
    // Only whole segments are sent, and 1/W falls while W grows within the round.
    for (pieces, least) in [(1, 0.95), (4, 3.8)] {
        let found = growth(pieces);
        assert!((least..=f64::from(pieces)).contains(&found), "{found} with {pieces}");
    }
}

/// ACKs that leave with the departures of their segments take half the round trip: the window doubles twice as often.
/// At 100 ms ten segments leave.
#[test]
fn optimistic_acks_halve_the_round_trip() {
    let honest = alone("reno", serde_json::json!({}), TcpOptions { delayed_ack: None, ..TcpOptions::default() });
    assert_eq!(windows(honest, &ROUNDS[..2]), [10.0, 20.0]);
    let times = [140, 190, 240, 290];
    let tcp = |ms| TcpOptions { optimistic_acks: Some(Duration::from_millis(ms)), ..TcpOptions::default() };
    let mut network = alone("reno", serde_json::json!({}), tcp(0));
    network.timing.sample_interval = Duration::from_millis(10);
    network.timing.duration = Time::ZERO + Duration::from_millis(300);
    let output = simulate(&network, 1);
    assert_eq!(times.map(|time| output.flow_series.unpack().cwnd[time / 10 - 1]), [10.0, 20.0, 40.0, 80.0]);
    // 10 ms later: 60 ms. The base is what it is told.
    let mut late = alone("reno", serde_json::json!({}), tcp(10));
    late.timing.duration = network.timing.duration;
    let min_rtt = simulate(&late, 1).flows[0].min_rtt_s;
    assert!((min_rtt - 0.06).abs() < 1e-5, "{min_rtt}");
}

/// Nobody hears of losses: no recovery, and one segment in ten is missing for ever.
#[test]
fn optimistic_acks_hide_losses() {
    let tcp =
        TcpOptions { optimistic_acks: Some(Duration::from_millis(50)), receive_window: 100, ..TcpOptions::default() };
    let mut network = alone("reno", serde_json::json!({}), tcp);
    network.topology.links_mut().next().expect("forward").loss = Loss::Bernoulli(0.1);
    network.timing.duration = Time::ZERO + Duration::from_millis(20_000);
    let output = simulate(&network, 1);
    let flow = &output.flows[0];
    assert_eq!((flow.recoveries, flow.timeouts, flow.retransmits), (0, 0, 0));
    let share = flow.goodput_pps / (100.0 / 0.1);
    assert!((share - 0.9).abs() < 0.01, "{share}");
}
