//! Max–min fairness by hand, and as the limit of large alpha.

use crate::random::{self, around_one};
use crate::{assert_near, best};
use windward_num::{Coupling, Error, Link, Network, Options, Problem, Region, Utility, solve};

fn even(weight: f64) -> Utility {
    Utility::MaxMin { weight }
}

/// Bertsekas and Gallager's way of filling: links of 1, 2, 4; flows on {0}, {0,1}, {1}, {1,2}, {2}.
/// Level 1/2 stops the first two at link 0; then 2 − 1/2 is shared by two at link 1: 3/4; then 4 − 3/4 = 13/4.
#[test]
fn filling_by_hand() {
    let routes = vec![vec![0], vec![0, 1], vec![1], vec![1, 2], vec![2]];
    let s = best(&Problem::wired(&[1.0, 2.0, 4.0], routes, vec![even(1.0); 5]));
    assert_near(&s.rates, &[0.5, 0.5, 0.75, 0.75, 3.25], 1e-12);
    assert_eq!(s.levels.iter().map(|l| l.flows.clone()).collect::<Vec<_>>(), [vec![0, 1], vec![2, 3], vec![4]]);
}

/// A cell that no flow crosses is no part of any level.
#[test]
fn an_idle_cell() {
    let region = Region::Fading { rates: vec![vec![1.0, 3.0]], probabilities: None };
    let links = vec![Link::Wired(2.0), Link::Wireless, Link::Wireless];
    let network = Network { links, couplings: vec![Coupling { links: vec![1, 2], region }], routes: vec![vec![0]; 2] };
    assert_near(&best(&Problem { network, utilities: vec![even(1.0); 2] }).rates, &[1.0, 1.0], 1e-8);
}

/// Weights 1 and 3 on one link of 8: 2 and 6.
#[test]
fn weights() {
    let s = best(&Problem::wired(&[8.0], vec![vec![0]; 2], vec![even(1.0), even(3.0)]));
    assert_near(&s.rates, &[2.0, 6.0], 1e-12);
}

/// Sphere of radius 1 with a wire of 0.1 before link 0: first both rise to 0.1, then link 1 alone to √0.99.
#[test]
fn on_a_sphere() {
    let network = Network {
        links: vec![Link::Wireless, Link::Wireless, Link::Wired(0.1)],
        couplings: vec![Coupling { links: vec![0, 1], region: Region::Norm { capacity: vec![1.0; 2], exponent: 2.0 } }],
        routes: vec![vec![2, 0], vec![1]],
    };
    let s = best(&Problem { network, utilities: vec![even(1.0); 2] });
    assert_near(&s.rates, &[0.1, 0.99f64.sqrt()], 1e-8);
}

/// A cell that serves one link at a time at rates 1 and 3: t (1 + 1/3) = 1.
#[test]
fn on_a_time_shared_cell() {
    let region = Region::Fading { rates: vec![vec![1.0, 3.0]], probabilities: None };
    let network = Network {
        links: vec![Link::Wireless; 2],
        couplings: vec![Coupling { links: vec![0, 1], region }],
        routes: vec![vec![0], vec![1]],
    };
    let s = best(&Problem { network, utilities: vec![even(1.0); 2] });
    assert_near(&s.rates, &[0.75, 0.75], 1e-8);
}

/// (p, α) approaches it: on two links of 1 and 2, flows on {0}, {0, 1}, {1}, the long one pays both prices. At α = 8
/// the rates are within 2^{1/8} = 9.1 % of 1/2, 1/2, 3/2, and nearer than at α = 2.
#[test]
fn limit_of_large_alpha() {
    let routes = || vec![vec![0], vec![0, 1], vec![1]];
    let problem = |utility| Problem::wired(&[1.0, 2.0], routes(), vec![utility; 3]);
    let limit = best(&problem(even(1.0))).rates;
    assert_near(&limit, &[0.5, 0.5, 1.5], 1e-12);
    let error = |alpha| {
        let near = best(&problem(Utility::AlphaFair { weight: 1.0, alpha })).rates;
        near.iter().zip(&limit).map(|(x, y)| (x / y - 1.0).abs()).fold(0.0, f64::max)
    };
    assert!(error(8.0) < 0.091 && error(8.0) < 0.1 * error(2.0), "{} {}", error(2.0), error(8.0));
}

/// At α = 64 on random wires: prices that differ by a factor of at most 1000 (a flow pays one to four links) bend rates
/// by at most 1000^{1/64} = 11 %.
#[test]
fn very_large_alpha() {
    for seed in 0..10 {
        let problem = |utility| random::problem(seed, "wired", 12, 8, |_| utility);
        let limit = best(&problem(even(1.0))).rates;
        let near = solve(&problem(Utility::AlphaFair { weight: 1.0, alpha: 64.0 }), &Options::default()).unwrap();
        assert!(near.certificate.worst() < 1e-6, "{:?}", near.certificate);
        assert_near(&near.rates, &limit, 0.11);
    }
}

/// Every kind of region: rates stand the certificate, which bounds each level by weak duality.
#[test]
fn random_regions() {
    for kind in random::KINDS.into_iter().filter(|k| *k != "csma_entropy") {
        for seed in 0..10 {
            let p = random::problem(seed, kind, 9, 8, |rng| even(around_one(rng)));
            let s = solve(&p, &Options::default()).unwrap();
            assert!(s.certificate.worst() < 1e-8, "{kind} {seed}: {:?}", s.certificate);
            assert!(s.levels.windows(2).all(|w| w[0].level <= w[1].level * (1.0 + 1e-8)), "{:?}", s.levels);
        }
    }
}

#[test]
fn refusals() {
    let mixed = vec![even(1.0), Utility::ProportionalFair { weight: 1.0 }];
    let p = Problem::wired(&[1.0], vec![vec![0]; 2], mixed);
    assert!(matches!(solve(&p, &Options::default()), Err(Error::Unsupported { .. })));
    let p = random::problem(1, "csma_entropy", 4, 6, |_| even(1.0));
    assert!(matches!(solve(&p, &Options::default()), Err(Error::Unsupported { .. })));
}
