//! The exponential map from delay to rate keeps its promise: an error of the delay costs the same ratio on any link.

use crate::host::{Bottleneck, Flow, Trace, run};
use windward_laws::{LawSpec, exp_delay};
use windward_units::{Duration, Time};

/// τ in seconds.
const TAU: f64 = 0.0144;

fn law(rate: f64) -> LawSpec {
    LawSpec::ExpDelay(exp_delay::Params { rate, tau: TAU, gamma: 0.5 })
}

fn at(seconds: u64) -> Time {
    Time::from_nanos(seconds * 1_000_000_000)
}

/// A flow of 50 ms that knows its base, behind `hidden` more, which it takes for queueing.
fn behind(hidden: u64) -> Flow {
    let standing = Duration::from_millis(hidden);
    Flow { is_base_known: true, standing, ..Flow::new(law(100_000.0), Duration::from_millis(50)) }
}

fn traces(rate: f64, flows: &[Flow]) -> Vec<Trace> {
    run(Bottleneck { rate, buffer: 100_000.0 }, flows, at(20), at(40))
}

/// x = X·e^(−q/τ) with x = c: q = τ·ln(X/c) waits, 99 ms at 100 packets/s and 33 ms at 10 000. A host sends whole
/// packets: up to one less waits.
#[test]
fn the_queue_is_that_of_the_map() {
    for rate in [100.0, 1000.0, 10_000.0] {
        let trace = traces(rate, &[behind(0)]).remove(0);
        let expected = TAU * libm::log(100_000.0 / rate) * rate;
        println!("{rate}: {:.1} packets wait, {expected:.1} by the map", trace.backlog);
        assert!((trace.backlog - expected).abs() < 1.0 + 0.02 * expected, "{rate}: {}", trace.backlog);
        assert!(trace.rate > 0.995 * rate, "{rate}: {}", trace.rate);
        assert_eq!((trace.losses, trace.timeouts), (0, 0));
    }
}

/// e^(Δ/τ) on a link of 1000 and on one of 10 000 packets/s, where x·q = 20 packets has a + 1/r with a = Δ·c/p: 24 ms
/// cost 1.98 and 12.1. Half a packet of 1000 packets/s is 3.5 % of τ.
#[test]
fn an_error_of_the_delay_costs_the_same_ratio_on_any_link() {
    for hidden in [5, 10, 24, 40] {
        let expected = libm::exp(1e-3 * hidden as f64 / TAU);
        for rate in [1000.0, 10_000.0] {
            let both = traces(rate, &[behind(hidden), behind(0)]);
            let ratio = both[1].rate / both[0].rate;
            println!("{hidden} ms at {rate}: {ratio:.3}, e^(Δ/τ) = {expected:.3}");
            assert!((ratio / expected - 1.0).abs() < 0.05, "{hidden} ms at {rate}: {ratio}");
        }
    }
}

/// Round trips of 20, 60 and 140 ms have equal shares.
#[test]
fn shares_do_not_depend_on_the_round_trip() {
    let flow = |ms| Flow { is_base_known: true, ..Flow::new(law(100_000.0), Duration::from_millis(ms)) };
    for trace in traces(2000.0, &[flow(20), flow(60), flow(140)]) {
        println!("{:.1} of 667", trace.rate);
        assert!((trace.rate * 3.0 / 2000.0 - 1.0).abs() < 0.03, "{}", trace.rate);
    }
}

/// A flow that begins once another is at rest takes its queue q = τ·ln(X/c) for propagation, so that the ratio is
/// e^(q/τ) = X/c: 5 here. With the base known both are alike.
#[test]
fn a_late_flow_has_the_ratio_of_the_range() {
    for (is_base_known, expected) in [(false, 5.0), (true, 1.0)] {
        let flow =
            |start| Flow { start: at(start), is_base_known, ..Flow::new(law(5000.0), Duration::from_millis(50)) };
        let both = run(Bottleneck { rate: 1000.0, buffer: 10_000.0 }, &[flow(0), flow(20)], at(60), at(100));
        let ratio = both[1].rate / both[0].rate;
        println!("base known: {is_base_known}, {ratio:.2}");
        assert!((ratio / expected - 1.0).abs() < 0.1, "{ratio}");
    }
}
