//! Optimality conditions on whatever proptest thinks of, and a certificate that refuses wrong answers.

use crate::random::{self, KINDS, around_one};
use crate::{assert_near, best};
use proptest::prelude::*;
use rand::RngExt;
use windward_num::{Options, Problem, Region, Utility, solve};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn residuals_are_small(seed: u64, kind in 0..KINDS.len(), flows in 1_usize..60, links in 3_usize..30, alpha in 0.1..10.0) {
        let p = random::problem(seed, KINDS[kind], flows, links, |r| Utility::AlphaFair { weight: around_one(r), alpha });
        let s = solve(&p, &Options::default()).unwrap();
        prop_assert!(s.certificate.worst() < 1e-6, "{:?}", s.certificate);
        // Alpha spreads turnovers over many powers of ten: a single link may be known to three digits less than the
        // whole.
        prop_assert!(s.certificate.gap < 1e-9, "{:?}", s.certificate);
        prop_assert!(s.rates.iter().all(|x| *x > 0.0));
    }

    /// Scaling all capacities scales the rates of (p, α) by as much.
    #[test]
    fn rates_scale_with_capacity(seed: u64, factor in 1e-3..1e3, alpha in 0.5..3.0) {
        let mut p = random::problem(seed, "wired", 20, 10, |r| Utility::AlphaFair { weight: around_one(r), alpha });
        let before = best(&p).rates;
        for link in &mut p.network.links {
            if let windward_num::Link::Wired(c) = link {
                *c *= factor;
            }
        }
        let after: Vec<f64> = best(&p).rates.iter().map(|x| x / factor).collect();
        assert_near(&after, &before, 1e-6);
    }
}

/// A flow of a cell may get more than the typical rate of its link. With large alpha its turnover is then far below
/// that at the typical rate, and a row must be judged by its own: such problems came out with rows a thousandth off.
#[test]
fn cells_whose_turnovers_spread() {
    let drawn = [
        (13_465_312_906_220_098_025, "fading", 5, 26, 8.412_116_045_270_306),
        (7_947_483_113_184_025_406, "fading", 4, 18, 9.754_228_964_487_204),
        (4_019_472_169_422_386_223, "csma", 24, 24, 9.238_957_332_127_67),
        (7_488_640_209_890_472_050, "csma_entropy", 10, 25, 9.323_620_623_158_353),
    ];
    for (seed, kind, flows, links, alpha) in drawn {
        best(&random::problem(seed, kind, flows, links, |r| Utility::AlphaFair { weight: around_one(r), alpha }));
    }
}

/// Utilities of every kind together, large enough for conjugate gradients.
#[test]
fn many_flows() {
    let p = random::problem(7, "wired", 3_000, 700, |r| match r.random_range(0..5) {
        0 => Utility::ProportionalFair { weight: around_one(r) },
        1 => Utility::AlphaFair { weight: around_one(r), alpha: 1.7 },
        2 => Utility::Reno { segment: 1.0, rtt: around_one(r), loss: 0.01 },
        3 => Utility::Emultcp { segment: 1.0, rtt: around_one(r), loss: 0.01, beta: 20.0 },
        _ => Utility::Window { window: around_one(r), base_rtt: 0.1 },
    });
    best(&p);
}

/// A wireless cell behind many wires, above the size of dense factors.
#[test]
fn many_links_and_a_cell() {
    for kind in ["norm", "ellipsoid", "fading", "csma", "csma_entropy"] {
        best(&random::problem(8, kind, 2_000, 800, |r| Utility::ProportionalFair { weight: around_one(r) }));
    }
}

/// A problem solved twice gives the same bits.
#[test]
fn repeatable() {
    let p = || random::problem(3, "csma_entropy", 30, 20, |r| Utility::ProportionalFair { weight: around_one(r) });
    assert_eq!(best(&p()), best(&p()));
}

/// An answer that is only roughly right must not look exact.
#[test]
fn a_loose_tolerance_shows_in_the_certificate() {
    let p = random::problem(5, "fading", 20, 10, |r| Utility::ProportionalFair { weight: around_one(r) });
    let rough = solve(&p, &Options { tolerance: 0.03, ..Options::default() }).unwrap();
    assert!(rough.certificate.worst() > 1e-6, "{:?}", rough.certificate);
    assert!(rough.certificate.worst() < 0.3, "{:?}", rough.certificate);
}

/// Support functions bound every point of the region: h(q) ≥ qᵀr for the rates of other prices.
#[test]
fn the_oracle_maximises() {
    for kind in KINDS.into_iter().filter(|k| *k != "wired") {
        for seed in 0..20 {
            let mut rng = random::rng(seed);
            let region: Region = random::region(&mut rng, kind, 4);
            let mut prices = || -> Vec<f64> { (0..4).map(|_| around_one(&mut rng)).collect() };
            let (q, other) = (prices(), prices());
            let value = |r: &[f64]| -> f64 { r.iter().zip(&q).map(|(r, q)| r * q).sum() };
            let h = region.support(&q);
            assert!(value(&region.rates(&other)) <= h * (1.0 + 1e-9), "{kind}");
            // Entropy adds to h what rates alone do not show.
            assert!(kind == "csma_entropy" || (value(&region.rates(&q)) - h).abs() <= 1e-9 * h, "{kind}");
        }
    }
}

/// Problems survive JSON, and a misspelt key is an error.
#[test]
fn unknown_keys_are_refused() {
    let p = Problem::wired(&[1.0], vec![vec![0]], vec![Utility::ProportionalFair { weight: 1.0 }]);
    let text = serde_json::to_string(&p).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), p);
    assert!(serde_json::from_str::<Problem>(&text.replace("\"utilities\"", "\"utility\"")).is_err());
}
