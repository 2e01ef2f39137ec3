//! Loss-driven laws against their response functions: every n-th packet is lost, no queue builds, and the rate is that
//! of the periodic sawtooth.

use crate::host::{Bottleneck, Flow, run};
use windward_laws::{
    LawSpec, bic, compound, cubic, highspeed, htcp, hybla, multcp, reno, scalable, tcp_fit, veno, westwood,
};
use windward_units::{Duration, Time};

/// Packets per round trip of 100 ms when one packet in `every` is lost, over 20 cycles of `rounds` after 40
/// in which the first slow start is forgotten.
fn window(flow: Flow, rounds: f64) -> f64 {
    let bottleneck = Bottleneck { rate: 1e6, buffer: 1e6 };
    let cycles = |count: f64| Time::ZERO + Duration::from_secs(count * rounds * 0.1);
    let trace = run(bottleneck, &[flow], cycles(40.0), cycles(60.0)).remove(0);
    assert_eq!(trace.timeouts, 0, "{:?}", flow.law);
    trace.rate * 0.1
}

/// Difference of a packet host from the continuous sawtooth: it sends whole packets and finds a loss when an ACK has
/// just left its flight (half a packet each), and for one of a cycle's `rounds` and the half of another that it waits
/// for the flight to shrink the window stands still in recovery. Twenty cycles are counted to within half a cycle's
/// swing of 15 %.
#[track_caller]
fn meets(flow: Flow, theory: f64, rounds: f64) {
    let measured = window(flow, rounds);
    let tolerance = 1.0 / theory + 1.5 / rounds + 0.15 / 2.0 / 20.0;
    println!("{}: {measured:.1} packets, in theory {theory:.1}, allowed {:.1} %", flow.law.name(), 100.0 * tolerance);
    assert!((measured / theory - 1.0).abs() < tolerance, "{:?}: {measured} packets, in theory {theory}", flow.law);
}

/// Checks a law over 100 ms with one packet in `every` lost.
#[track_caller]
fn agrees(law: LawSpec, every: u64, theory: f64, rounds: f64) {
    let flow = Flow { lose_every: Some(every), ..Flow::new(law, Duration::from_millis(100)) };
    meets(flow, theory, rounds);
}

#[test]
fn reno_follows_the_square_root() {
    // Mathis et al., CCR 1997: W = √(3/(2p)), in cycles of W_max/2 = √(2/(3p)) round trips.
    for every in [300, 3000, 30_000] {
        let p = 1.0 / every as f64;
        agrees(LawSpec::Reno(reno::Params::default()), every, (1.5 / p).sqrt(), (2.0 / (3.0 * p)).sqrt());
    }
}

#[test]
fn cubic_is_reno_friendly_at_small_windows() {
    // RFC 9438 §4.3 (`cubic.rs` checks the cycle of its cubic region): with α = 3(1−β)/(1+β) = 0.529 its average
    // window is Reno's √(3/(2p)). Here 30 packets, where 1.054·(0.1·600)^¾ = 22.7 would be less; W_max = W/0.85, a
    // cycle W_max·(1−β)/α = 20 round trips.
    let theory = (1.5f64 * 600.0).sqrt();
    agrees(LawSpec::Cubic(cubic::Params::default()), 600, theory, theory / 0.85 * 0.3 / 0.529);
}

#[test]
fn compound_follows_its_paper() {
    // Integral of dW = α·W^k per round trip from (1−β)·W to W (Tan et al. 2006, §IV-B): 1/p = (1 −
    // ½^1.25)·W^1.25/(1.25/8) packets in (1 − ½^0.25)·W^0.25/(0.25/8) rounds.
    for every in [10_000, 100_000] {
        let half = |exponent: f64| (1.0 - libm::pow(0.5, exponent)) / (exponent / 8.0);
        let top = libm::pow(every as f64 / half(1.25), 0.8);
        let rounds = half(0.25) * libm::pow(top, 0.25);
        agrees(LawSpec::Compound(compound::Params::default()), every, every as f64 / rounds, rounds);
    }
}

#[test]
fn westwood_falls_to_what_the_path_carries() {
    // 20 of 100 ms are the queues of others. A window that grows by one a round trip is W_m at the loss; the estimate
    // of its rate is that of a/(1−a) = 9 round trips before, and of one more, in which the sample was taken: what is
    // left is W₀ = 0.8·(W_m − 10). A cycle's W_m − W₀ round trips carry (W_m² − W₀²)/2 = 1/p packets.
    let flow = |every| Flow {
        base_rtt: Duration::from_millis(80),
        standing: Duration::from_millis(20),
        is_base_known: true,
        lose_every: Some(every),
        ..Flow::new(LawSpec::Westwood(westwood::Params::default()), Duration::ZERO)
    };
    for every in [10_000, 100_000] {
        // W_m²·(1 − 0.64) + 12.8·W_m − 64 = 2/p.
        let top = (-12.8 + (12.8f64 * 12.8 + 4.0 * 0.36 * (64.0 + 2.0 * every as f64)).sqrt()) / 0.72;
        let rounds = top - 0.8 * (top - 10.0);
        meets(flow(every), every as f64 / rounds, rounds);
    }
}

#[test]
fn multcp_follows_wang2016() {
    // §4.1: a = N, b = 1/(2N) make W = √(a(2−b)/(2b·p)) = √(N(4N−1)/(2p)), in cycles of b·W_max/a round trips,
    // W_max = W/(1 − b/2).
    for connections in [1.0, 2.0, 5.0] {
        let theory = (connections * (4.0 * connections - 1.0) / 2.0 * 10_000.0f64).sqrt();
        let rounds = theory / (1.0 - 0.25 / connections) / (2.0 * connections * connections);
        agrees(LawSpec::Multcp(multcp::Params { connections }), 10_000, theory, rounds);
    }
}

#[test]
fn veno_follows_wang2016() {
    // Table 4: W = √((1+γ)/(2(1−γ)p)), in cycles of (1−γ)·W_max round trips.
    let law = LawSpec::Veno(veno::Params::default());
    for every in [300, 3000] {
        let theory = (4.5 * every as f64).sqrt();
        agrees(law, every, theory, 0.2 * theory / 0.9);
    }
    // Behind 20 of 100 ms of others' queue N = W/5 > 3: half a packet a round trip and a half lost make √(3/(4p)).
    let flow = Flow {
        base_rtt: Duration::from_millis(80),
        standing: Duration::from_millis(20),
        is_base_known: true,
        lose_every: Some(3000),
        ..Flow::new(law, Duration::ZERO)
    };
    let theory = (0.75 * 3000.0f64).sqrt();
    meets(flow, theory, 0.5 * theory / 0.75 / 0.5);
}

#[test]
fn hybla_has_the_rate_of_a_short_round_trip() {
    // ρ = 4 times Reno's √(3/(2p)) in 100 ms is Reno's rate in 25 ms; cycles of ½·W_max/16 round trips.
    for every in [3000, 10_000] {
        let theory = 4.0 * (1.5 * every as f64).sqrt();
        agrees(LawSpec::Hybla(hybla::Params::default()), every, theory, 0.5 * theory / 0.75 / 16.0);
    }
}

#[test]
fn scalables_losses_are_thirteen_round_trips_apart() {
    // Kelly 2003, §3: from 7/8 of W to W takes ln(8/7)/ln(1.01) = 13.42 round trips at any rate; 1/p packets in them.
    let rounds = libm::log(8.0 / 7.0) / libm::log(1.01);
    for every in [3000, 10_000] {
        agrees(LawSpec::Scalable(scalable::Params::default()), every, every as f64 / rounds, rounds);
    }
}

#[test]
fn highspeed_follows_its_rfc() {
    // The table's sawtooth at 10⁻⁴, by hand: 376.4 packets lose 93/256, and climb from 239.7 to 347 by four a round
    // trip and from there by five: 7868 + 2127 packets in 26.8 + 5.9 round trips.
    let law = LawSpec::HighSpeed(highspeed::Params {});
    agrees(law, 10_000, 10_000.0 / 32.7, 32.7);
    // RFC 3649 §5: W = 0.12/p^0.835. The table's a is half a packet of six above the equations' on average, and W grows
    // with its root.
    let theory = 0.12 * libm::pow(30_000.0, 0.835);
    agrees(law, 30_000, theory * (6.5f64 / 6.0).sqrt(), 30_000.0 / theory);
}

#[test]
fn h_tcp_follows_its_cycle() {
    // Without a queue β = 0.8. In a cycle of T seconds, G(t) the integral of f from 0 to t: W(t) = β·W_max +
    // 2(1−β)·G(t)/0.1, W(T) = W_max = 2·G(T)/0.1, and ∫W dt/0.1 = 1/p packets. With x = T − 1: G = 1 + x + 5x² + x³/12.
    let (beta, rtt) = (0.8, 0.1);
    let packets = |x: f64| {
        let g = 1.0 + x + 5.0 * x * x + x * x * x / 12.0;
        let integral = 0.5 + x + x * x / 2.0 + 5.0 * x * x * x / 3.0 + libm::pow(x, 4.0) / 48.0;
        (beta * 2.0 * g / rtt * (1.0 + x) + 2.0 * (1.0 - beta) * integral / rtt) / rtt
    };
    for x in [1.0, 2.0] {
        let every = packets(x).round();
        let rounds = (1.0 + x) / rtt;
        agrees(LawSpec::Htcp(htcp::Params::default()), every as u64, every / rounds, rounds);
    }
}

#[test]
fn bic_climbs_a_small_window_in_as_many_round_trips() {
    // A loss at 36.3 packets finds one less in flight and leaves 28.2: back by a fifth a round trip takes 40.3 of them
    // about 32.3, 1300 packets. (Larger windows take hundreds of cycles to come to rest: `bic.rs` has one climb.)
    let law = LawSpec::Bic(bic::Params { fast_convergence: false, ..Default::default() });
    agrees(law, 1300, 32.3, 40.3);
}

#[test]
fn tcp_fit_is_reno_where_the_queue_never_shrinks() {
    // A standing queue of 20 in 100 ms is the longest it has seen: α = min{1/10, 20/200}, N = max{1, α·100/20} = ½ is 1
    // (wang2016 (8), (25)), and (3) with N = 1 is Reno's law. On a path that it takes for empty N grows instead.
    let flow = |law, standing| Flow {
        base_rtt: Duration::from_millis(100 - standing),
        standing: Duration::from_millis(standing),
        is_base_known: true,
        lose_every: Some(3000),
        ..Flow::new(law, Duration::ZERO)
    };
    let (fit, reno) = (LawSpec::TcpFit(tcp_fit::Params::default()), LawSpec::Reno(reno::Params::default()));
    let windows = |law, standing| {
        let end = Time::ZERO + Duration::from_secs(100.0);
        let bottleneck = Bottleneck { rate: 1e6, buffer: 1e6 };
        run(bottleneck, &[flow(law, standing)], Time::ZERO, end).remove(0).cwnd
    };
    assert_eq!(windows(fit, 20), windows(reno, 20));
    assert!(windows(fit, 0).last() > windows(reno, 0).last());
}
