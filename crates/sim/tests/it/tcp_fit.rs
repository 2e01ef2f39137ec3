//! TCP-FIT that meets loss in packets: the growth of N, the decrease, and what both are worth.

use crate::common::{flow, interval, law, link, network, plain_tcp, simulate};
use serde_json::json;
use windward_sim::{Buffer, LawChoice, Loss, Network, Output};
use windward_units::Duration;

/// One flow over 1 Gbit/s and 100 ms that loses a thousandth of its packets: a link that it does not fill.
fn lossy(law: LawChoice, warmup: u64, end: u64) -> Network {
    let mut out = link(1, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    out.loss = Loss::Bernoulli(0.001);
    let back = link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    Network {
        internals: true,
        ..network(vec![out, back], vec![flow(1, law, vec![0], vec![1], plain_tcp())], warmup, end)
    }
}

/// N once a second.
fn connections(output: &Output) -> Vec<f64> {
    let internals = &output.internals;
    let n = internals.names.iter().position(|name| *name == "n").expect("the law shows it") as u32;
    internals
        .samples
        .name
        .iter()
        .zip(&internals.samples.value)
        .filter(|(name, _)| **name == n)
        .map(|(_, value)| *value)
        .collect()
}

/// (8) without a queue: N grows by β each 500 ms, losses or not. An update waits for the next ACK that counts, and
/// those of a recovery do not; and the packets of a burst queue behind each other for microseconds. Both together cost
/// less than a seventh.
#[test]
fn n_grows_by_beta_each_period_while_there_is_no_queue() {
    for beta in [0.05, 0.1] {
        let output = simulate(&lossy(law("tcp-fit", json!({ "beta": beta })), 0, 60), 1);
        let n = connections(&output);
        // Congestion avoidance begins with the first loss, within a second or two.
        let grown = (n[30] - n[5]) / (2.0 * beta * 25.0);
        assert!((0.85..1.01).contains(&grown), "β = {beta}: {grown} of the updates");
        assert!(output.flows[0].recoveries > 20, "too few losses");
    }
}

/// N held at 1, 2 and 5: (22) promises N times Reno's rate for losses at equal distances. Under random ones it is less,
/// by √1.5/1.31 = 0.935 in the limit of small decreases (Ott, Kemperman, Mathis 1996), and whole packets of a small
/// window cost Reno more: half a packet of 39 is 1.3 %. With three standard errors.
#[test]
fn a_held_n_is_worth_n_renos() {
    // Goodput after 210 of 400 s, and N then and at the end: it is 1 + β after the first period of 200 s.
    let run = |choice: LawChoice, seed: u64| {
        let output = simulate(&lossy(choice, 210, 400), seed);
        let n = connections(&output);
        (output.flows[0].goodput_pps, n.get(211).copied(), n.last().copied())
    };
    let reno: Vec<f64> =
        (1..=16).map(|seed| simulate(&lossy(law("reno", json!({})), 210, 400), seed).flows[0].goodput_pps).collect();
    for n in [1.0, 2.0, 5.0] {
        let fit = law("tcp-fit", json!({ "beta": f64::max(n - 1.0, 1e-6), "period": 200.0 }));
        // What bursts queue takes a few per cent of β; a timeout begins the period again: where there was one N moves
        // too late.
        let ratios: Vec<f64> = (1..=16)
            .zip(&reno)
            .filter_map(|(seed, reno)| {
                let (rate, begin, end) = run(fit, seed);
                let held = begin.filter(|begin| end == Some(*begin) && (begin / n - 1.0).abs() < 0.05)?;
                Some(rate / reno / held)
            })
            .collect();
        assert!(ratios.len() >= 8, "N = {n} was held in {} of 16 runs", ratios.len());
        let (mean, three_errors) = interval(&ratios, 3.0);
        let lowest = if n > 1.0 { 0.935 } else { 1.0 };
        assert!(three_errors < 0.06, "N = {n}: the runs scatter too much to say anything, {three_errors}");
        let range = lowest - three_errors - 1e-4..1.013 + three_errors;
        assert!(range.contains(&mean), "N = {n}: {mean} times N Renos is not in {range:?}");
    }
}

/// (5): in a link of 20 Mbit/s that losses leave half empty N grows until the queue shows, and no further: (25) bounds
/// the queue of a resting N, and what the rule swings beyond it stays below twice the 10 ms that α allows one Reno.
#[test]
fn n_stops_where_the_queue_shows() {
    let mut network = lossy(law("tcp-fit", json!({})), 60, 180);
    network.topology = windward_sim::Topology::of_links(vec![
        {
            let mut out = link(1, 20_000_000, Duration::from_millis(50), Buffer::Packets(500));
            out.loss = Loss::Bernoulli(0.001);
            out
        },
        link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited),
    ]);
    let output = simulate(&network, 1);
    let n = connections(&output);
    let most = n.iter().copied().fold(0.0, f64::max);
    let delay = output.links[0].mean_queue_delay_s;
    assert!((3.0..40.0).contains(&most) && delay < 0.02, "N up to {most}, a queue of {delay} s");
    assert!(output.flows[0].goodput_pps > 1.5 * 387.0, "no more than Reno's √(1.5/p)/RTT");
}
