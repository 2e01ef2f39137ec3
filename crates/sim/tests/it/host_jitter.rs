//! Phase effects of drop-tail, and the random time in the host that ends them (Floyd and Jacobson, 1992).

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{Buffer, TcpOptions};
use windward_units::Duration;

/// A packet's time at the bottleneck: 1500 bytes at 20 Mbit/s.
const PACKET_TIME: Duration = Duration::from_micros(600);

/// Rate of the far flows in packets a second, mean of three seeds: four and four Renos without delayed ACKs over 20
/// Mbit/s and a buffer of 60 packets, with round trips of 40 ms and `far_ms`.
fn far(far_ms: u64, host_jitter: Duration) -> f64 {
    let tcp = TcpOptions { delayed_ack: None, host_jitter, ..TcpOptions::default() };
    let mut links = vec![link(0, 20_000_000, Duration::ZERO, Buffer::Packets(60))];
    let mut flows = Vec::new();
    for index in 0..8 {
        let half_ms = if index < 4 { 20.0 } else { far_ms as f64 / 2.0 };
        let access = links.len() as u32;
        for key in [access, access + 1] {
            links.push(link(key.into(), 1_000_000_000, Duration::from_secs(half_ms / 1e3), Buffer::Unlimited));
        }
        flows.push(flow(index, law("reno", serde_json::json!({})), vec![0, access], vec![access + 1], tcp.clone()));
    }
    let network = network(links, flows, 20, 120);
    let rate = |seed| simulate(&network, seed).flows[4..].iter().map(|flow| flow.goodput_pps).sum::<f64>() / 4.0;
    [1, 2, 3].map(rate).iter().sum::<f64>() / 3.0
}

/// Hosts that take no time lock the flows in phase: a millisecond of round trip changes shares by a factor. With a
/// random time of up to a packet's at the bottleneck both have what Linux has there, 79 packets a second.
#[test]
fn a_host_that_takes_time_ends_phase_effects() {
    assert!(far(158, Duration::ZERO) > 3.0 * far(157, Duration::ZERO));
    for far_ms in [157, 158] {
        let rate = far(far_ms, PACKET_TIME);
        assert!((rate / 79.0 - 1.0).abs() < 0.1, "{rate} packets a second at {far_ms} ms");
    }
}
