//! Reno under Bernoulli loss against the full formula of Padhye, Firoiu, Towsley and Kurose (1998).

use crate::common::{flow, interval, law, link, network, page_says, plain_tcp, simulate};
use windward_sim::{Buffer, Loss, TcpOptions};
use windward_units::Duration;

/// Each (loss, delayed ACK) over 8 runs of 4000 s of SACK Reno, so that the standard error is about half a per cent.
///
/// The tolerance is derived, not chosen:
///
/// * **Above**: the formula takes the expected window at a loss for the window at every loss, as if losses came evenly.
///   For independent losses and an ideal window the rate is 1.3098/√p instead of √(3/2)/√p (Ott, Kemperman, Mathis
///   1996), which is 6.95 % more. Rarely lost windows (SACK repairs several losses in one round) stay below that.
/// * **Below**: whole packets are sent, which leaves half a packet of the window unused on average; and with delayed
///   ACKs every other round leaves a segment over that waits for its ACK, the delay or a round trip, whichever is
///   shorter (here both are 100 ms): another half packet. Of a mean window W̄ = ¾ E[W] of the formula that is ½ / W̄,
///   or 1 / W̄. And the three duplicates that announce a loss open no window (RFC 5681 §3.2): 3/W of the W/2 that it
///   grows between losses, and the rate goes by the root of that growth: 3 / E[W]².
/// * On either side three standard errors of the runs themselves.
#[test]
fn reno_meets_the_full_formula() {
    const LOSSES: [f64; 4] = [0.001, 0.003, 0.01, 0.03];
    let mut rows = LOSSES.map(|p| format!("| {} % |", p * 100.0));
    for (delayed_ack, b) in [(None, 1.0), (Some(Duration::from_millis(100)), 2.0)] {
        for (row, p) in rows.iter_mut().zip(LOSSES) {
            let ratios: Vec<f64> = (1..=8).map(|seed| ratio(p, b, delayed_ack, seed)).collect();
            let (mean, three_errors) = interval(&ratios, 3.0);
            let unused = if delayed_ack.is_some() { 1.0 } else { 0.5 };
            let w = expected_window(p, b);
            let below = 1.0 - unused / (0.75 * w) - 3.0 / (w * w) - three_errors;
            let above = 1.3098 / 1.5_f64.sqrt() + three_errors;
            row.push_str(&format!(" {mean:.3} | {below:.3}–{above:.3} |"));
            assert!((below..above).contains(&mean), "b {b}, loss {p}: {mean} is not in {below}..{above}");
            assert!(three_errors < 0.02, "b {b}, loss {p}: the runs scatter too much to say anything, {three_errors}");
        }
    }
    let head = ["| loss | b = 1 | allowed | b = 2 | allowed |", "|---|---|---|---|---|"];
    page_says("padhye", &head.map(str::to_owned).into_iter().chain(rows).collect::<Vec<_>>());
}

/// Goodput of one run over the formula's, at the round trip that the run had.
fn ratio(p: f64, b: f64, delayed_ack: Option<Duration>, seed: u64) -> f64 {
    let mut out = link(1, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    out.loss = Loss::Bernoulli(p);
    let back = link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    let tcp = TcpOptions { delayed_ack, timestamps: false, ..plain_tcp() };
    let reno = law("reno", serde_json::json!({ "byte_counting": false }));
    let lossy = network(vec![out, back], vec![flow(1, reno, vec![0], vec![1], tcp)], 100, 4100);
    let flow = &simulate(&lossy, seed).flows[0];
    // The timeout: srtt and four deviations, at least the minimum of 200 ms; the round trip is constant.
    let timeout = (flow.mean_rtt_s).max(0.2);
    flow.goodput_pps / padhye(p, flow.mean_rtt_s, timeout, b)
}

/// Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998: E[W].
fn expected_window(p: f64, b: f64) -> f64 {
    let k = (2.0 + b) / (3.0 * b);
    k + (8.0 * (1.0 - p) / (3.0 * b * p) + k * k).sqrt()
}

/// Theirs: the full formula without a window limit: packets a second.
fn padhye(p: f64, rtt: f64, timeout: f64, b: f64) -> f64 {
    let w = expected_window(p, b);
    let survive = |n: f64| libm::pow(1.0 - p, n);
    let is_timeout =
        ((1.0 - survive(3.0)) * (1.0 + survive(3.0) * (1.0 - survive(w - 3.0))) / (1.0 - survive(w))).min(1.0);
    let backoffs = 1.0 + p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p)))));
    ((1.0 - p) / p + w + is_timeout / (1.0 - p))
        / (rtt * (b / 2.0 * w + 1.0) + is_timeout * timeout * backoffs / (1.0 - p))
}

/// Numbers of the formula, computed apart from this code.
#[test]
fn the_formula_gives_its_published_numbers() {
    for (p, rate) in [(0.001, 381.6), (0.01, 111.0), (0.02, 72.5), (0.05, 37.9), (0.1, 21.1)] {
        assert!((padhye(p, 0.1, 0.4, 1.0) - rate).abs() < 0.051, "{p}: {}", padhye(p, 0.1, 0.4, 1.0));
    }
}
