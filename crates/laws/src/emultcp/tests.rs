//! By hand from the paper's numbers, and what every controller keeps to.

use super::{Controller, Kind, Params, Sample};

/// A host that calls every period with a constant RTT of `rtt` over a base of 0.1 s.
fn sample(now: f64, rtt: Option<f64>) -> Sample {
    Sample { now, rtt, rtt_min: 0.1, rate: 1e6, connections: 1, remaining: None }
}

fn paper(tau: f64) -> Controller {
    Controller::new(Params { tau, ..Params::of(Kind::Paper) }, None)
}

/// §IV with α = ¼, β = ¾ without congestion: 1 + .25/1 = 1.25; 1.25 + .25/1.25 = 1.45; 1.45 + .25/1.45 = 1.6224. Then a
/// queue of 50 ms over the least mean of 100 ms, more than 0.2 of it: .75·1.6224 + .25/1.6224 = 1.3709.
#[test]
fn three_updates_up_and_one_down_by_hand() {
    let mut controller = paper(20.0);
    let mut seen = vec![];
    for second in 0..=80 {
        let rtt = if second > 60 { 0.15 } else { 0.1 };
        let before = controller.connections();
        controller.update(sample(f64::from(second), Some(rtt)));
        if controller.connections() != before {
            seen.push((second, (controller.connections() * 1e4).round() / 1e4));
        }
    }
    assert_eq!(seen, [(20, 1.25), (40, 1.45), (60, 1.6224), (80, 1.3709)]);
}
