//! Problems over many powers of ten: a part of benches/num/robustness.rs.

use crate::random::KINDS;
use crate::wide;
use windward_num::{Options, solve};

/// Every kind of utility and region in turn; what slackness cannot show in f64 is left out.
fn judge(kinds: &[&str], decades: f64, seeds: u64) {
    for kind in kinds {
        for seed in 0..seeds {
            let problem = wide::problem(seed, kind, decades);
            let best = solve(&problem, &Options::default()).unwrap_or_else(|e| panic!("{kind} {seed}: {e}"));
            let c = best.certificate;
            let worst = [c.primal, c.dual, c.scheduling, c.gap].into_iter().fold(0.0, f64::max);
            assert!(worst < 1e-8, "{kind} {seed}: {c:?}");
            assert!(c.slackness < 1e-6 || wide::is_beyond(&problem, &best), "{kind} {seed}: {c:?}");
        }
    }
}

#[test]
fn rows_and_smooth_regions_over_six_decades() {
    judge(&["wired", "box", "norm", "ellipsoid", "half_spaces"], 6.0, 100);
}

#[test]
fn all_regions_over_a_decade_and_a_half() {
    judge(&KINDS[..6], 1.5, 50);
    judge(&["csma_entropy"], 1.5, 50);
}
