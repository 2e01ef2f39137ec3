//! Agreement with a general conic solver. It shares with ours the problem's description, the list of independent sets,
//! the certificate, and a typical rate as unit; the formulation and the arithmetic are its own. Of its five passes the
//! one with the best certificate counts.
//!
//! Tolerances are Clarabel's: with logarithms its rates are good to about 1e-7; for squares and roots only to a few
//! 1e-6 on these instances (an objective within ε leaves rates within √ε), so rates are checked to 1e-5 there, not
//! 1e-6, and the objective to 1e-8 everywhere.

use crate::best;
use crate::random::{self, KINDS, around_one};
use windward_num::{Problem, Solution, Utility, solve_reference};

#[track_caller]
fn compare(problem: &Problem, rates: f64) -> (Solution, Solution) {
    let ours = best(problem);
    let theirs = solve_reference(problem).expect("a conic form exists");
    let (a, b) = (ours.objective.unwrap(), theirs.objective.unwrap());
    assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "objectives {a} and {b}");
    for (x, y) in ours.rates.iter().zip(&theirs.rates) {
        assert!((x - y).abs() < rates * y, "rates {x} and {y}");
    }
    (ours, theirs)
}

fn sizes(seed: u64) -> (usize, usize) {
    (2 + (seed as usize * 17) % 60, 3 + (seed as usize * 5) % 20)
}

#[test]
fn proportional_fairness() {
    for kind in KINDS {
        for seed in 0..12 {
            let (flows, links) = sizes(seed);
            let p = random::problem(seed, kind, flows, links, |r| Utility::ProportionalFair { weight: around_one(r) });
            compare(&p, 1e-6);
        }
    }
}

#[test]
fn roots_and_inverses() {
    for kind in KINDS {
        for seed in 20..24 {
            let (flows, links) = sizes(seed);
            let weighted = |alpha| move |r: &mut random::Rng| Utility::AlphaFair { weight: around_one(r), alpha };
            compare(&random::problem(seed, kind, flows, links, weighted(0.5)), 1e-5);
            compare(&random::problem(seed, kind, flows, links, weighted(2.0)), 1e-5);
        }
    }
}

/// α = 0 leaves rates open; the objective is not.
#[test]
fn throughput() {
    for kind in KINDS {
        for seed in 30..34 {
            let (flows, links) = sizes(seed);
            let weighted = |r: &mut random::Rng| Utility::AlphaFair { weight: around_one(r), alpha: 0.0 };
            let p = random::problem(seed, kind, flows, links, weighted);
            let (ours, theirs) = (best(&p).objective.unwrap(), solve_reference(&p).unwrap().objective.unwrap());
            assert!((ours - theirs).abs() < 1e-8 * (1.0 + ours.abs()), "{kind}: {ours}, {theirs}");
        }
    }
}

/// All utilities with a conic form in one network.
#[test]
fn mixtures_of_utilities() {
    for kind in KINDS {
        for seed in 40..44 {
            let mut next = 0;
            let mut p = random::problem(seed, kind, 16, 10, |r| Utility::ProportionalFair { weight: around_one(r) });
            for utility in &mut p.utilities {
                let Utility::ProportionalFair { weight } = *utility else { unreachable!("just made") };
                next += 1;
                *utility = match next % 4 {
                    0 => *utility,
                    1 => Utility::AlphaFair { weight, alpha: 2.0 },
                    2 => Utility::Reno { segment: 1.0, rtt: weight, loss: 0.1 },
                    _ => Utility::Window { window: weight, base_rtt: 0.3 },
                };
            }
            compare(&p, 1e-5);
        }
    }
}
