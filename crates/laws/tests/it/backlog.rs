//! FAST and QUIC-TCP on one bottleneck rest where their theory says: `backlog` packets of each flow in the queue, equal
//! rates whatever the round-trip times.

use crate::host::{Bottleneck, Flow, Trace, run};
use windward_laws::{LawSpec, Mode, fast, quic_tcp};
use windward_units::{Duration, Time};

const BACKLOG: f64 = 40.0;

fn quic(rho: f64, kappa: f64, mode: Mode) -> LawSpec {
    LawSpec::QuicTcp(quic_tcp::Params { rho, kappa, backlog: BACKLOG, mode })
}

fn fast(gamma: f64, mode: Mode) -> LawSpec {
    LawSpec::Fast(fast::Params { gamma, alpha: BACKLOG, mode })
}

fn seconds(s: u64) -> Time {
    Time::from_nanos(s * 1_000_000_000)
}

/// Flows of `law` with base RTTs of 20, 60 and 140 ms over 2000 packets a second, the last half of `end` seconds.
fn three_flows(law: LawSpec, end: u64) -> Vec<Trace> {
    let flow = |ms| Flow { is_base_known: true, ..Flow::new(law, Duration::from_millis(ms)) };
    let bottleneck = Bottleneck { rate: 2000.0, buffer: 1000.0 };
    run(bottleneck, &[flow(20), flow(60), flow(140)], seconds(end / 2), seconds(end))
}

/// In theory x·q = p for each flow, so 40 packets and 2000/3 packets a second. `tolerance` is in packets; rates at one
/// common q are in proportion to backlogs.
#[track_caller]
fn rests_at_the_backlog(law: LawSpec, end: u64, tolerance: f64) {
    let fair = 2000.0 / 3.0;
    for trace in three_flows(law, end) {
        println!("{law:?}: backlog {:.2}, rate {:.4} of fair", trace.backlog, trace.rate / fair);
        assert!((trace.backlog - BACKLOG).abs() < tolerance, "{law:?}: backlog {}", trace.backlog);
        assert!((trace.rate - fair).abs() < fair * tolerance / BACKLOG, "{law:?}: rate {}", trace.rate);
        assert_eq!((trace.losses, trace.timeouts), (0, 0), "{law:?}");
    }
}

/// A host sends whole packets: less than one packet of the window stays behind.
const WHOLE_PACKETS: f64 = 1.0;

#[test]
fn quic_tcp_keeps_its_backlog_at_every_rho() {
    // κ so that κ·W^(1−2ρ) is about ½ at the windows of some hundred packets.
    for (rho, kappa) in [(0.25, 0.05), (0.5, 0.5), (0.75, 5.0), (1.0, 50.0)] {
        rests_at_the_backlog(quic(rho, kappa, Mode::Paper), 60, WHOLE_PACKETS);
    }
}

#[test]
fn fast_keeps_its_backlog() {
    rests_at_the_backlog(fast(0.5, Mode::Paper), 60, WHOLE_PACKETS);
}

#[test]
fn the_ns2_module_keeps_it_but_for_steps_below_a_packet() {
    // The module makes no increase below one packet: γ·v < 1 leaves it up to 1/γ short; with QUIC-TCP κ·(d/d̄)·v < 1,
    // where d/d̄ is at least 0.02/(0.02 + 3·40/2000) = 1/4.
    rests_at_the_backlog(fast(0.5, Mode::Ns2), 60, WHOLE_PACKETS + 2.0);
    rests_at_the_backlog(quic(0.5, 1.5, Mode::Ns2), 60, WHOLE_PACKETS + 4.0 / 1.5);
}

#[test]
fn slow_start_ends_once_the_queue_is_seen() {
    // 2000 packets a second × 0.1 s + 40 = 240 packets. 10, 20, … 320 passes it; the queue shows in the samples of the
    // round after, while the window goes to 640. Then the window is set to where it belongs: no more than the drift of
    // a few packets is left two seconds after the start.
    for law in [quic(0.5, 0.5, Mode::Paper), fast(0.5, Mode::Paper)] {
        let flow = Flow::new(law, Duration::from_millis(100));
        let trace = run(Bottleneck { rate: 2000.0, buffer: 1000.0 }, &[flow], Time::ZERO, seconds(2)).remove(0);
        let peak = trace.cwnd.iter().copied().fold(0.0, f64::max);
        assert!((640.0..660.0).contains(&peak), "{law:?}: {:?}", trace.cwnd);
        let last = trace.cwnd.last().copied().unwrap_or_default();
        assert!((last - 240.0).abs() < 5.0, "{law:?}: {:?}", trace.cwnd);
    }
}

#[test]
fn a_late_flow_that_takes_the_queue_for_its_path_gets_more_than_its_share() {
    // Two flows, p = 40, c = 2000. The first knows q₁ = 40/c = 20 ms alone. The second measures base + q₁ and so keeps
    // 40 packets above a queue that it cannot see: with q the whole queueing delay, x₁·q = 40, x₂·(q − q₁) = 40 and x₁
    // + x₂ = c give c·q² − 3·40·q + 40²/c = 0, q = (40/c)·(3 + √5)/2, x₁ = c·2/(3 + √5) = 0.381 97·c.
    let flow =
        |start| Flow { start: seconds(start), ..Flow::new(quic(0.5, 0.5, Mode::Paper), Duration::from_millis(100)) };
    let flows = [flow(0), flow(20)];
    let traces = run(Bottleneck { rate: 2000.0, buffer: 1000.0 }, &flows, seconds(60), seconds(100));
    println!("the first keeps {:.4}, the formula says 0.3820", traces[0].rate / 2000.0);
    // As above, a packet of 40 either way.
    assert!((traces[0].rate / 2000.0 - 0.381_97).abs() < 0.381_97 / 40.0, "{}", traces[0].rate);
}

#[test]
fn the_damping_of_quic_tcp_bears_larger_steps_than_fast_does() {
    // huang2020, Fig. 7: FAST is steady up to γ = 2.5, QUIC-TCP with ρ = ½ up to κ = 3.3. One flow with the paper's p =
    // 200 and its share of the bottleneck, 781 packets a second, at 0.69 s, the delay that its Vegas figures imply.
    let steady = |law| {
        let flow = Flow { is_base_known: true, ..Flow::new(law, Duration::from_millis(690)) };
        let bottleneck = Bottleneck { rate: 781.0, buffer: 4000.0 };
        let trace = run(bottleneck, &[flow], seconds(200), seconds(400)).remove(0);
        trace.rate > 0.995 * 781.0 && (trace.backlog - 200.0).abs() < WHOLE_PACKETS
    };
    let fast = |gamma| LawSpec::Fast(fast::Params { gamma, alpha: 200.0, mode: Mode::Paper });
    let quic = |kappa| LawSpec::QuicTcp(quic_tcp::Params { rho: 0.5, kappa, backlog: 200.0, mode: Mode::Paper });
    assert!(steady(fast(2.5)) && steady(quic(3.3)));
    assert!(!steady(fast(3.3)) && !steady(quic(4.5)));
}
