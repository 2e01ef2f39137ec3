//! Problems that trap solvers, and problems without an answer.

use crate::{assert_near, best};
use windward_num::{Coupling, Error, Link, Network, Options, Problem, Region, Utility, solve, solve_reference};

fn fair() -> Utility {
    Utility::ProportionalFair { weight: 1.0 }
}

/// Ten links in series for two flows: only the narrowest has a price.
#[test]
fn more_links_than_flows() {
    let capacity: Vec<f64> = (0..10).map(|l| 4.0 + f64::from(l)).collect();
    let s = best(&Problem::wired(&capacity, vec![(0..10).collect(); 2], vec![fair(); 2]));
    assert_near(&s.rates, &[2.0, 2.0], 1e-8);
    assert_near(&s.prices[..1], &[0.5], 1e-8);
    assert!(s.prices[1..].iter().all(|p| *p < 1e-9));
}

/// Equal bottlenecks in series: link prices are not unique, path prices are.
#[test]
fn parallel_bottlenecks_in_series() {
    let s = best(&Problem::wired(&[3.0, 3.0, 3.0], vec![vec![0, 1, 2]; 3], vec![fair(); 3]));
    assert_near(&s.rates, &[1.0; 3], 1e-8);
    assert_near(&s.path_prices, &[1.0; 3], 1e-8);
}

/// Capacities over twelve powers of ten.
#[test]
fn scales() {
    let capacity = [1e-3, 1.0, 1e9];
    let s = best(&Problem::wired(&capacity, vec![vec![0], vec![1], vec![2], vec![0, 1, 2]], vec![fair(); 4]));
    assert_near(&s.path_prices[..1], &[1.0 / s.rates[0]], 1e-8);
    assert!((s.rates[0] + s.rates[3] - 1e-3).abs() < 1e-11);
}

/// A link that nobody uses costs nothing; a problem of nobody is solved.
#[test]
fn idle_links_and_no_flows() {
    let s = best(&Problem::wired(&[1.0, 5.0], vec![vec![0]], vec![fair()]));
    assert!(s.prices[1] < 1e-9);
    for region in [
        Region::Norm { capacity: vec![1.0; 2], exponent: 2.0 },
        Region::Fading { rates: vec![vec![1.0, 2.0]], probabilities: None },
        Region::Csma { rates: vec![1.0; 2], conflicts: vec![(0, 1)], entropy: 1.0 },
    ] {
        let couplings = vec![Coupling { links: vec![0, 1], region }];
        let network = Network { links: vec![Link::Wireless; 2], couplings, routes: vec![] };
        let s = best(&Problem { network, utilities: vec![] });
        assert!(s.rates.is_empty() && s.objective.is_some());
    }
}

/// A flow with no link has the rate at which its own price stops it; without one it is unbounded.
#[test]
fn flows_without_links() {
    let window = Utility::Window { window: 8.0, base_rtt: 0.5 };
    let s = best(&Problem::wired(&[1.0], vec![vec![], vec![0]], vec![window, fair()]));
    assert_near(&s.rates, &[16.0, 1.0], 1e-8);
    for growing in
        [fair(), Utility::AlphaFair { weight: 1.0, alpha: 3.0 }, Utility::Window { window: 1.0, base_rtt: 0.0 }]
    {
        let p = Problem::wired(&[1.0], vec![vec![0], vec![]], vec![fair(), growing]);
        assert_eq!(solve(&p, &Options::default()).unwrap_err(), Error::Unbounded { flow: 1 });
    }
}

#[test]
fn dead_links_are_infeasible() {
    let p = Problem::wired(&[1.0, 0.0], vec![vec![0], vec![0, 1]], vec![fair(); 2]);
    assert_eq!(solve(&p, &Options::default()).unwrap_err(), Error::Infeasible { flow: 1, link: 1 });
    let region = Region::Fading { rates: vec![vec![1.0, 0.0]; 5], probabilities: None };
    let couplings = vec![Coupling { links: vec![0, 1], region }];
    let network = Network { links: vec![Link::Wireless; 2], couplings, routes: vec![vec![0], vec![1]] };
    let p = Problem { network, utilities: vec![fair(); 2] };
    let error = solve(&p, &Options::default()).unwrap_err();
    assert_eq!(error, Error::Infeasible { flow: 1, link: 1 });
    assert!(error.to_string().starts_with("infeasible: flow 1 crosses link 1"), "{error}");
}

#[test]
fn impossible_descriptions_are_refused() {
    let refuse = |p: Problem, says: &str| {
        let text = solve(&p, &Options::default()).unwrap_err().to_string();
        assert!(text.contains(says), "{text} does not say {says}");
    };
    let wired = |routes| Problem::wired(&[1.0, 2.0], routes, vec![fair()]);
    refuse(wired(vec![vec![2]]), "routes[0]: link 2 does not exist");
    refuse(wired(vec![vec![1, 1]]), "crossed twice");
    refuse(wired(vec![vec![0], vec![1]]), "1 utilities for 2 routes");
    refuse(Problem::wired(&[-1.0], vec![vec![0]], vec![fair()]), "capacity -1");
    let weight = f64::NAN;
    refuse(Problem::wired(&[1.0], vec![vec![0]], vec![Utility::ProportionalFair { weight }]), "utilities[0].weight");
    let coupled = |links: Vec<u32>, region| Problem {
        network: Network {
            links: vec![Link::Wireless, Link::Wireless, Link::Wired(1.0)],
            couplings: vec![Coupling { links, region }],
            routes: vec![vec![0]],
        },
        utilities: vec![fair()],
    };
    let norm = |exponent| Region::Norm { capacity: vec![1.0, 1.0], exponent };
    refuse(coupled(vec![0, 2], norm(2.0)), "link 2 is wired");
    refuse(coupled(vec![0, 0], norm(2.0)), "already belongs");
    refuse(coupled(vec![0], Region::Box { capacity: vec![1.0] }), "a wireless link that no coupling names");
    refuse(coupled(vec![0, 1], norm(0.5)), "0.5 is not a number from 1");
    refuse(coupled(vec![0, 1], Region::Box { capacity: vec![1.0] }), "1 entries for 2 links");
    let matrix = vec![vec![1.0, 2.0], vec![2.0, 1.0]];
    refuse(coupled(vec![0, 1], Region::Ellipsoid { matrix }), "not symmetric and positive definite");
    let half = Region::HalfSpaces { normals: vec![vec![1.0, 0.0]], offsets: vec![1.0] };
    refuse(coupled(vec![0, 1], half), "its rate would be unlimited");
    let csma = Region::Csma { rates: vec![1.0; 2], conflicts: vec![(0, 2)], entropy: 0.0 };
    refuse(coupled(vec![0, 1], csma), "(0, 2)");
}

/// Thirty links without conflicts have 2³⁰ sets.
#[test]
fn too_many_independent_sets() {
    let region = Region::Csma { rates: vec![1.0; 30], conflicts: vec![], entropy: 1.0 };
    let couplings = vec![Coupling { links: (0..30).collect(), region }];
    let network = Network { links: vec![Link::Wireless; 30], couplings, routes: vec![vec![0]] };
    let error = Problem { network, utilities: vec![fair()] }.check().unwrap_err();
    assert!(matches!(error, Error::TooManySets { links: 30, .. }), "{error}");
    assert!(error.to_string().contains("65536"), "{error}");
}

#[test]
fn too_few_steps_are_said() {
    let p = Problem::wired(&[1.0, 2.0], vec![vec![0], vec![0, 1]], vec![fair(); 2]);
    let error = solve(&p, &Options { max_iterations: 2, ..Options::default() }).unwrap_err();
    assert!(matches!(error, Error::NotConverged { iterations: 2, .. }), "{error}");
}

#[test]
fn the_reference_says_what_it_does_not_take() {
    let p = Problem::wired(&[1.0], vec![vec![0]], vec![Utility::MaxMin { weight: 1.0 }]);
    assert!(matches!(solve_reference(&p), Err(Error::Unsupported { .. })));
}
