//! What timeouts make of CUBIC's window, in packets: an outage of three seconds, of which nothing is lost.

mod common;

use common::{flow, law, link, network, simulate};
use std::sync::Arc;
use windward_sim::{Buffer, LinkConfig, Opportunities, Output, Rate, TcpOptions};
use windward_units::Duration;

const RTT_S: f64 = 0.101;
const SAMPLE_S: f64 = 0.02;
/// What the receiver takes: 100 packets are on the path, 30 wait.
const WINDOW: u32 = 130;

/// A thousand packets a second but for the seconds 20 to 23, and 100 ms.
fn over_an_outage() -> Output {
    let millis: Vec<u64> = (1..=60_000).filter(|at| !(20_000..23_000).contains(at)).collect();
    let trace = Opportunities::from_millis(&millis).expect("a recording");
    let delay = Duration::from_millis(50);
    let forward =
        LinkConfig { buffer: Buffer::Unlimited, ..LinkConfig::new(0, Rate::Recorded(Arc::new(trace)), delay) };
    let tcp = TcpOptions { delayed_ack: None, receive_window: WINDOW, ..TcpOptions::default() };
    let links = vec![forward, link(1, 1_000_000_000, delay, Buffer::Unlimited)];
    let flow = flow(0, law("cubic", serde_json::json!({})), vec![0], vec![1], tcp);
    let mut network = network(links, vec![flow], 0, 29);
    network.timing.sample_interval = Duration::from_millis(20);
    simulate(&network, 1)
}

/// RFC 9438: ssthresh = β·flight (§4.6); then the curve begins at its plateau (§4.8), ssthresh + C·(t + rtt)³, or Reno's window
/// is above it, 3(1−β)/(1+β) packets a round trip (§4.3). A curve towards the old window would be at 113 packets, not 96, after a second.
#[test]
fn cubic_begins_at_the_plateau_of_a_new_curve() {
    let output = over_an_outage();
    assert!(output.flows[0].timeouts >= 3, "{} timeouts", output.flows[0].timeouts);
    let cwnd = &output.flow_series.cwnd;
    let ssthresh = 0.7 * f64::from(WINDOW);
    let outage = (23.0 / SAMPLE_S) as usize;
    let begin = outage + cwnd[outage..].iter().position(|&w| w >= ssthresh).expect("slow start ends");
    let span = (4.5 / SAMPLE_S) as usize;
    for (at, &found) in cwnd[begin..begin + span].iter().enumerate() {
        let t = at as f64 * SAMPLE_S;
        let reno = 3.0 * 0.3 / 1.7 * t / RTT_S;
        let curve = 0.4 * (t + RTT_S) * (t + RTT_S) * (t + RTT_S);
        // The window follows the curve within the round trip, in which that grows by 3Ct²·rtt, 2.5 packets at the end.
        let slack = 1.0 + 3.0 * 0.4 * t * t * RTT_S;
        let expected = ssthresh + reno.max(curve);
        assert!((found - expected).abs() < slack, "{found} packets {t} s after slow start, {expected} expected");
    }
}
