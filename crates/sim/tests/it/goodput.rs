//! Goodput is what arrived: no flow gets more than its link carries, whenever one begins to count.

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{Buffer, Network, Output, TcpOptions};
use windward_units::{Duration, Time};

/// A link of 10 Mbit/s and segments of 1448 bytes in packets of 1500: 833⅓ packets a second.
const RATE: u64 = 10_000_000;
const CEILING_BPS: f64 = 1e7 * 1448.0 / 1500.0;
/// Measured time after the warm-up, shorter than the time to the next loss.
const MEASURED: Duration = Duration::from_millis(500);
const PACKET_S: f64 = 1500.0 * 8.0 / 1e7;

/// One CUBIC flow whose slow start ends in the loss of half a window, which takes some round trips to repair.
fn overshoot(warmup: Duration) -> Network {
    let delay = Duration::from_millis(20);
    let links = vec![link(0, RATE, delay, Buffer::Packets(50)), link(1, RATE, delay, Buffer::Packets(50))];
    let flow = flow(0, law("cubic", serde_json::json!({})), vec![0], vec![1], TcpOptions::default());
    let mut network = network(links, vec![flow], 0, 3);
    network.timing.warmup = Time::ZERO + warmup;
    network.timing.duration = network.timing.warmup + MEASURED;
    network.timing.sample_interval = Duration::from_millis(10);
    network
}

/// Returns true if the warm-up ends within a recovery: segments retransmitted afterwards were lost before.
fn is_in_recovery(output: &Output) -> bool {
    let flow = &output.flows[0];
    flow.retransmits > 0 && flow.recoveries == 0 && flow.timeouts == 0
}

#[test]
fn a_warm_up_in_a_recovery_adds_nothing() {
    let mut in_recovery = 0;
    for millis in (100..1500).step_by(20) {
        let warmup = Duration::from_millis(millis);
        let output = simulate(&overshoot(warmup), 1);
        in_recovery += u32::from(is_in_recovery(&output));
        // The packet of which the last bit, not the first, crosses within the time counts whole.
        let most = CEILING_BPS * (1.0 + PACKET_S / MEASURED.as_secs());
        let goodput = output.flows[0].goodput_bps;
        assert!(goodput <= most, "{goodput} bit/s after a warm-up of {millis} ms");
    }
    assert!(in_recovery >= 5, "{in_recovery} warm-ups within a recovery");
}

#[test]
fn no_sample_exceeds_the_link_and_all_add_up() {
    let mut network = overshoot(Duration::ZERO);
    network.timing.duration = Time::ZERO + Duration::from_millis(3000);
    let output = simulate(&network, 1);
    let series = &output.flow_series.unpack().goodput_bps;
    let most = CEILING_BPS * (1.0 + PACKET_S / 0.010);
    let peak = series.iter().copied().fold(0.0, f64::max);
    assert!(peak <= most, "{peak} bit/s in a sample of 10 ms, {most} fit through the link");
    let bytes = series.iter().sum::<f64>() * 0.010 / 8.0;
    assert_eq!(bytes.round() as u64, output.flows[0].delivered_bytes);
}
