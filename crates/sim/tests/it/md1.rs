//! One queue with Poisson arrivals and equal packets against the closed form of M/D/1.

use crate::common::{interval, link, network, page_says, simulate};
use windward_sim::{Buffer, Pattern, SourceConfig};
use windward_units::{BitRate, Bytes, Duration};

/// Mean wait W = ρ / (2 μ (1 − ρ)) (Pollaczek–Khinchine with no variance of service).
///
/// 30 independent runs of 1000 s at μ = 1000 packets a second; the closed form must lie in their 99 % confidence
/// interval (Student, 29 degrees of freedom: 2.756), and the interval must be narrow enough, 2 %, to mean something.
#[test]
fn mean_wait_is_that_of_m_d_1() {
    let service = 1e-3;
    let mut table = vec!["| load | measured / closed form |".to_owned(), "|---|---|".to_owned()];
    for load in [0.5, 0.8, 0.95] {
        let mut queue = network(vec![link(1, 8_000_000, Duration::ZERO, Buffer::Unlimited)], Vec::new(), 20, 1000);
        let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec((8e6 * load) as u64) };
        queue.sources.push(SourceConfig::new(9, (0, 1), vec![0], pattern, Bytes::new(1000)));
        let waits: Vec<f64> = (1..=30).map(|seed| simulate(&queue, seed).links[0].mean_queue_delay_s).collect();
        let (mean, half) = interval(&waits, 2.756);
        let exact = load / (1.0 - load) / 2.0 * service;
        table.push(format!("| {load} | {:.4} ± {:.4} |", mean / exact, half / exact));
        assert!((mean - exact).abs() <= half, "load {load}: {mean} ± {half}, closed form {exact}");
        assert!(half < 0.02 * exact, "load {load}: the interval {half} is too wide");
    }
    page_says("md1", &table);
}

/// Little's law ties what the link counts to what the sink counts: delay − service = wait.
#[test]
fn the_sink_sees_wait_plus_service() {
    let mut queue = network(vec![link(1, 8_000_000, Duration::from_millis(7), Buffer::Unlimited)], Vec::new(), 0, 100);
    let pattern = Pattern::Poisson { rate: BitRate::bits_per_sec(5_000_000) };
    queue.sources.push(SourceConfig::new(9, (0, 1), vec![0], pattern, Bytes::new(1000)));
    let output = simulate(&queue, 1);
    let (link, source) = (&output.links[0], &output.sources[0]);
    // Packets still on the way at the end count at the link only: some 10 of 62 000.
    assert!((source.mean_delay_s - 0.008 - link.mean_queue_delay_s).abs() < 1e-5);
    assert!(link.packets - source.received < 20);
    assert!((link.mean_backlog - link.mean_queue_delay_s * link.packets as f64 / 100.0).abs() < 1e-9);
}
