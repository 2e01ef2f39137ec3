//! A problem has no scale: the same network in slower or faster links has the same shares.

use windward_num::{
    Coupling, Demand, Error, Link, Network, Options, Problem, Region, RoutingProblem, Stop, Utility, solve,
    solve_routing, solve_until,
};

/// Packets of 1500 bytes a second at 10 Mbit/s to 10 Tbit/s.
const CAPACITIES: [f64; 7] = [8.333e2, 8.333e3, 8.333e4, 8.333e5, 8.333e6, 8.333e7, 8.333e8];
const ALPHAS: [f64; 9] = [0.25, 1.0, 2.0, 3.5, 8.0, 20.0, 50.0, 64.0, 100.0];

fn fair(flows: usize, alpha: f64) -> Vec<Utility> {
    vec![Utility::AlphaFair { weight: 1.0, alpha }; flows]
}

fn parking_lot(capacity: f64, alpha: f64) -> Problem {
    Problem::wired(&[capacity; 2], vec![vec![0, 1], vec![0], vec![1]], fair(3, alpha))
}

#[test]
fn a_long_path_has_the_same_share_at_every_rate() {
    // U'(x) = 2·U'(c − x): x = c/(1 + 2^(1/α)).
    for alpha in ALPHAS {
        for capacity in CAPACITIES {
            let best = solve(&parking_lot(capacity, alpha), &Options::default())
                .unwrap_or_else(|e| panic!("{capacity} {alpha}: {e}"));
            let share = 1.0 / (1.0 + libm::exp2(1.0 / alpha));
            assert!((best.rates[0] / capacity / share - 1.0).abs() < 1e-9, "{capacity} {alpha}: {:?}", best.rates);
            assert!(best.certificate.worst() < 1e-9, "{capacity} {alpha}: {:?}", best.certificate);
        }
    }
}

/// Scales with free routing, which leaves the last digits to cutting planes.
#[test]
fn free_routing_has_the_same_shares_at_every_rate() {
    for alpha in [0.5, 1.0, 2.0, 8.0, 32.0] {
        for capacity in CAPACITIES {
            let demand = |source, sink| Demand { source, sink, links: vec![0, 1] };
            let problem = RoutingProblem {
                network: Network::wired(&[capacity; 2], Vec::new()),
                ends: vec![(0, 1), (1, 2)],
                demands: vec![demand(0, 2), demand(0, 1), demand(1, 2)],
                utilities: fair(3, alpha),
            };
            let best = solve_routing(&problem).unwrap_or_else(|e| panic!("{capacity} {alpha}: {e}"));
            let share = 1.0 / (1.0 + libm::exp2(1.0 / alpha));
            let rates = &best.solution.rates;
            assert!((rates[0] / capacity / share - 1.0).abs() < 1e-6, "{capacity} {alpha}: {rates:?}");
            assert!((best.paths[0][0].rate / rates[0] - 1.0).abs() < 1e-12, "{capacity} {alpha}: {:?}", best.paths);
        }
    }
}

/// Every region with two links of capacity `c`, and what the flow over the first and the wire of capacity 2·c is paid
/// for.
fn regions(c: f64) -> Vec<(&'static str, Region)> {
    let draws = vec![vec![c, 0.4 * c], vec![0.5 * c, c], vec![0.9 * c, 0.7 * c]];
    vec![
        ("box", Region::Box { capacity: vec![c, 0.7 * c] }),
        ("time sharing", Region::Norm { capacity: vec![c, 0.7 * c], exponent: 1.0 }),
        ("norm", Region::Norm { capacity: vec![c, 0.7 * c], exponent: 2.5 }),
        (
            "ellipsoid",
            Region::Ellipsoid { matrix: vec![vec![1.0 / (c * c), 0.3 / (c * c)], vec![0.3 / (c * c), 2.0 / (c * c)]] },
        ),
        (
            "half-spaces",
            Region::HalfSpaces { normals: vec![vec![1.0, 2.0], vec![2.0, 1.0]], offsets: vec![c, 1.2 * c] },
        ),
        ("fading", Region::Fading { rates: draws, probabilities: None }),
        ("csma", Region::Csma { rates: vec![c, 0.6 * c], conflicts: vec![(0, 1)], entropy: 0.0 }),
    ]
}

fn wireless(region: Region, capacity: f64, alpha: f64) -> Problem {
    Problem {
        network: Network {
            links: vec![Link::Wireless, Link::Wireless, Link::Wired(0.8 * capacity)],
            couplings: vec![Coupling { links: vec![0, 1], region }],
            routes: vec![vec![0, 2], vec![1], vec![0], vec![2]],
        },
        utilities: fair(4, alpha),
    }
}

#[test]
fn regions_have_the_same_shares_at_every_rate() {
    for (at, (name, _)) in regions(1.0).iter().enumerate() {
        for alpha in ALPHAS {
            let shares = |capacity: f64| {
                let region = regions(capacity).swap_remove(at).1;
                let best = solve(&wireless(region, capacity, alpha), &Options::default())
                    .unwrap_or_else(|e| panic!("{name} {capacity} {alpha}: {e}"));
                assert!(best.certificate.worst() < 1e-7, "{name} {capacity} {alpha}: {:?}", best.certificate);
                best.rates.iter().map(|rate| rate / capacity).collect::<Vec<f64>>()
            };
            let one = shares(1.0);
            for capacity in CAPACITIES {
                let same = shares(capacity).iter().zip(&one).all(|(a, b)| (a / b - 1.0).abs() < 1e-7);
                assert!(same, "{name} {capacity} {alpha}");
            }
        }
    }
}

/// Alphas of all sizes in one network: the flows do not agree on a unit of utility.
#[test]
fn alphas_of_all_sizes_share_a_link() {
    for capacity in CAPACITIES {
        let utilities: Vec<Utility> = [0.5, 1.0, 2.0, 8.0, 20.0]
            .map(|alpha| Utility::AlphaFair { weight: libm::pow(capacity, alpha), alpha })
            .to_vec();
        let problem = Problem::wired(&[capacity], vec![vec![0]; 5], utilities);
        let best = solve(&problem, &Options::default()).unwrap_or_else(|e| panic!("{capacity}: {e}"));
        assert!(best.certificate.worst() < 1e-9, "{capacity}: {:?}", best.certificate);
        // U'(x) = (c/x)^α is the same for all.
        let price = |s: usize, alpha: f64| alpha * libm::log(capacity / best.rates[s]);
        assert!((price(4, 20.0) / price(0, 0.5) - 1.0).abs() < 1e-9, "{capacity}: {:?}", best.rates);
    }
}

/// A link that carries 10⁷ times the turnover of its poorest flow and more: its load agrees with its capacity to the
/// last digits, and what is missing there is not held against the answer.
#[test]
fn a_full_link_has_no_slack_however_poor_its_poorest_flow() {
    for weight in [1e-9, 1e-12, 1e-15] {
        let utilities = vec![Utility::ProportionalFair { weight: 1.0 }, Utility::ProportionalFair { weight }];
        let problem = Problem::wired(&[0.3], vec![vec![0], vec![0]], utilities);
        let best = solve(&problem, &Options::default()).unwrap();
        assert!((best.rates[1] / (0.3 * weight / (1.0 + weight)) - 1.0).abs() < 1e-9, "{weight}: {:?}", best.rates);
        assert!(best.certificate.worst() < 1e-9, "{weight}: {:?}", best.certificate);
    }
}

#[test]
fn a_search_can_be_given_up() {
    let stopped =
        |when: fn() -> bool| solve_until(&parking_lot(1.0, 2.0), &Options::default(), &Stop::when(when)).err();
    assert_eq!(stopped(|| true), Some(Error::Interrupted));
    assert_eq!(stopped(|| false), None);
}
