//! Problems over many powers of ten: a part of evidence/benches/num/robustness.rs.

use crate::random::KINDS;
use crate::wide;
use windward_num::{Options, solve};

/// Every kind of utility and region in turn.
fn judge(kinds: &[&str], decades: f64, seeds: impl IntoIterator<Item = u64> + Clone) {
    for kind in kinds {
        for seed in seeds.clone() {
            let problem = wide::problem(seed, kind, decades);
            let best = solve(&problem, &Options::default()).unwrap_or_else(|e| panic!("{kind} {seed}: {e}"));
            let c = best.certificate;
            let worst = [c.primal, c.dual, c.scheduling, c.gap].into_iter().fold(0.0, f64::max);
            assert!(worst < 1e-8, "{kind} {seed}: {c:?}");
            assert!(c.slackness < 1e-6, "{kind} {seed}: {c:?}");
        }
    }
}

#[test]
fn rows_and_smooth_regions_over_six_decades() {
    judge(&["wired", "box", "norm", "ellipsoid", "half_spaces"], 6.0, 0..100);
}

#[test]
fn mixtures_over_six_decades() {
    judge(&["fading", "csma", "csma_entropy"], 6.0, 0..40);
}

/// Problems that former versions refused or solved wrongly: levels of max-min behind full links, rows that stick off
/// their path, mixtures whose prices are forty powers of ten apart.
#[test]
fn once_refused() {
    judge(&["box"], 6.0, [1147]);
    judge(&["ellipsoid"], 6.0, [208, 242, 317]);
    judge(&["fading"], 6.0, [60, 66, 86, 140, 384, 395, 618, 686, 692, 824, 1117, 1182]);
    judge(&["csma"], 6.0, [50, 236, 302, 326, 342, 367, 502, 539, 783, 837, 1002, 1044, 1071]);
    judge(&["csma_entropy"], 6.0, [76, 154, 218, 295, 392, 633, 636, 704, 947, 1188, 1208]);
}

#[test]
fn all_regions_over_a_decade_and_a_half() {
    judge(&KINDS[..6], 1.5, 0..50);
    judge(&["csma_entropy"], 1.5, 0..50);
}
