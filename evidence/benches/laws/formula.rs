//! Cost of an ACK by built-in laws and by the same laws as formulas, in nanoseconds.

#![expect(clippy::disallowed_types, reason = "the cost of an ACK is measured by the clock")]

use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use windward_laws::{Ack, Congestion, CongestionKind, LawSpec, Sample};
use windward_units::{Duration, Packets, Time};

fn law(name: &str, parameters: serde_json::Value) -> LawSpec {
    LawSpec::from_json(name, parameters).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

fn main() {
    let cubic =
        "c = cbrt(last * 0.75); w_next = 0.4 * (since + rtt - c) ^ 3 + last; acked * clamp((w_next - w) / w, 0, 0.5)";
    let step = "acked * (-kappa * share * (w - share * w - p) / w)";
    let constants = json!({ "kappa": 0.5, "p": 200.0 });
    let quic_tcp = json!({ "step": step, "start": "", "exit": 200.0, "constants": constants });
    let laws = [
        ("reno", law("reno", json!({}))),
        ("reno as a formula", law("formula", json!({}))),
        ("quic-tcp", law("quic-tcp", json!({}))),
        ("quic-tcp as a formula", law("formula", quic_tcp)),
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
