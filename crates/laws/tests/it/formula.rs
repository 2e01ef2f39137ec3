//! Built-in laws written as formulas: the same windows to the bit.

#![expect(clippy::disallowed_types, reason = "the cost of an ACK is measured by the clock")]

use crate::host::{Bottleneck, Flow, run};
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use windward_laws::{Ack, Congestion, CongestionKind, LawSpec, Sample};
use windward_units::{Duration, Packets, Time};

fn law(name: &str, parameters: serde_json::Value) -> LawSpec {
    LawSpec::from_json(name, parameters).unwrap()
}

/// Reno: the default.
pub fn reno() -> LawSpec {
    law("formula", json!({}))
}

/// QUIC-TCP with ρ = ½ and κ = ½.
pub fn quic_tcp(backlog: f64) -> LawSpec {
    let step = "acked * (-kappa * share * (w - share * w - p) / w)";
    let constants = json!({ "kappa": 0.5, "p": backlog });
    law("formula", json!({ "step": step, "start": "", "exit": backlog, "constants": constants }))
}

#[test]
fn formulas_have_the_windows_of_the_laws_that_they_write() {
    let pairs = [
        (law("reno", json!({})), reno()),
        (law("quic-tcp", json!({ "backlog": 20 })), quic_tcp(20.0)),
        (law("quic-tcp", json!({ "backlog": 60 })), quic_tcp(60.0)),
    ];
    let mut events = 0;
    for (built_in, formula) in pairs {
        for (rtts, lose_every, buffer) in [
            ([20, 20], None, 40.0),
            ([100, 30], None, 100.0),
            ([50, 50], Some(700), 200.0),
            ([10, 200], Some(37), 15.0),
        ] {
            let flow = |law| {
                rtts.map(|rtt| Flow {
                    lose_every,
                    start: Time::from_nanos(rtt * 7_000_000),
                    ..Flow::new(law, Duration::from_millis(rtt))
                })
            };
            let bottleneck = Bottleneck { rate: 1000.0, buffer };
            let end = Time::from_nanos(30_000_000_000);
            let traces = [built_in, formula].map(|law| run(bottleneck, &flow(law), Time::ZERO, end));
            for (own, of_formula) in traces[0].iter().zip(&traces[1]) {
                let bits = |windows: &[f64]| windows.iter().map(|window| window.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&own.cwnd), bits(&of_formula.cwnd), "{built_in:?}, {rtts:?}, {lose_every:?}");
                assert_eq!((own.losses, own.timeouts), (of_formula.losses, of_formula.timeouts));
                events += own.losses + own.timeouts;
            }
        }
    }
    assert!(events > 1000, "{events} losses and timeouts");
}

/// Prints the time of an ACK (`cargo test --release -p windward-laws --test it cost -- --ignored --nocapture`).
#[test]
#[ignore = "a measurement"]
fn the_cost_of_an_ack() {
    let cubic =
        "c = cbrt(last * 0.75); w_next = 0.4 * (since + rtt - c) ^ 3 + last; acked * clamp((w_next - w) / w, 0, 0.5)";
    let laws = [
        ("reno", law("reno", json!({}))),
        ("reno as a formula", reno()),
        ("quic-tcp", law("quic-tcp", json!({}))),
        ("quic-tcp as a formula", quic_tcp(200.0)),
        ("cubic", law("cubic", json!({}))),
        ("cubic's curve as a formula", law("formula", json!({ "step": cubic, "loss": "0.7 * w" }))),
    ];
    for (name, spec) in laws {
        let mut law = spec.build(Packets::new(400.0));
        let (base_rtt, rtt) = (Duration::from_millis(100), Duration::from_millis(130));
        let flight = Packets::new(400.0);
        law.on_congestion(&Congestion {
            now: Time::ZERO,
            kind: CongestionKind::Loss,
            flight,
            lost: Packets::ONE,
            srtt: rtt,
            base_rtt,
        });
        let mut ack = |at: u64| {
            law.on_ack(black_box(&Ack {
                now: Time::from_nanos(at * 100_000),
                acked: Packets::new(2.0),
                counts_acks: false,
                marked: Packets::ZERO,
                lost: Packets::ZERO,
                rtt: Some(rtt),
                srtt: rtt,
                base_rtt,
                flight,
                sent_at: Time::from_nanos(at * 100_000),
                flight_at_send: flight,
                delivery_rate: None,
                app_limited: false,
                recovering: false,
                round: at / 200,
                sample: Sample::default(),
            }));
            law.cwnd()
        };
        for at in 1..10_000 {
            black_box(ack(at));
        }
        // The best of many short stretches: other programs disturb the longer ones.
        let mut best = f64::INFINITY;
        for stretch in 0..2000 {
            let begin = Instant::now();
            for at in 0..1000 {
                black_box(ack(10_000 + stretch * 1000 + at));
            }
            best = best.min(begin.elapsed().as_nanos() as f64 / 1000.0);
        }
        println!("{name}: {best:.1} ns an ACK, window {:.1}", law.cwnd().count());
    }
}
