//! Built-in laws written as formulas: the same windows to the bit.

use crate::host::{Bottleneck, Flow, run};
use serde_json::json;
use windward_laws::LawSpec;
use windward_units::{Duration, Time};

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
