//! Random problems over many powers of ten: every kind of utility and region, mixed within one problem.

use crate::random::{self, Rng, choose};
use rand::RngExt;
use windward_num::{Coupling, Link, Network, Problem, Region, Utility};

/// A value spread evenly in its logarithm over `decades` powers of ten around 1.
pub fn spread(rng: &mut Rng, decades: f64) -> f64 {
    libm::exp10(decades * rng.random_range(-0.5..0.5))
}

/// A utility of any kind but max–min: weights over `decades` powers of ten, alpha from 0.3 to 8, evenly in its
/// logarithm.
pub fn utility(rng: &mut Rng, decades: f64) -> Utility {
    let weight = spread(rng, decades);
    // Reno's weight is 2S²/T².
    let rtt = (2.0 / weight).sqrt();
    let loss = 1e-3 * spread(rng, decades.min(4.0));
    match rng.random_range(0..8) {
        0 => Utility::ProportionalFair { weight },
        1 => Utility::Reno { segment: 1.0, rtt, loss },
        2 => Utility::Emultcp { segment: 1.0, rtt, loss, beta: 100.0 * spread(rng, decades.min(4.0)) },
        3 => Utility::Window { window: weight, base_rtt: 0.1 * spread(rng, decades) },
        _ => Utility::AlphaFair { weight, alpha: 0.3 * libm::pow(8.0 / 0.3, rng.random_range(0.0..1.0)) },
    }
}

/// A region whose links' capacities lie over `decades` powers of ten.
pub fn region(rng: &mut Rng, kind: &str, k: usize, decades: f64) -> Region {
    let c: Vec<f64> = (0..k).map(|_| spread(rng, decades)).collect();
    let scale = |values: &[f64]| values.iter().zip(&c).map(|(v, c)| v * c).collect::<Vec<f64>>();
    match random::region(rng, kind, k) {
        Region::Box { capacity } => Region::Box { capacity: scale(&capacity) },
        Region::Norm { capacity, exponent } => Region::Norm { capacity: scale(&capacity), exponent },
        Region::Ellipsoid { matrix } => {
            let entry = |i: usize, j: usize| matrix[i.max(j)][i.min(j)] / (c[i] * c[j]);
            Region::Ellipsoid { matrix: (0..k).map(|i| (0..k).map(|j| entry(i, j)).collect()).collect() }
        }
        Region::HalfSpaces { normals, offsets } => {
            let row = |n: &Vec<f64>| n.iter().zip(&c).map(|(n, c)| n / c).collect();
            Region::HalfSpaces { normals: normals.iter().map(row).collect(), offsets }
        }
        Region::Fading { rates, probabilities } => {
            Region::Fading { rates: rates.iter().map(|row| scale(row)).collect(), probabilities }
        }
        Region::Csma { rates, conflicts, entropy } => {
            let entropy = if entropy > 0.0 { spread(rng, decades) } else { 0.0 };
            Region::Csma { rates: scale(&rates), conflicts, entropy }
        }
    }
}

/// 2 to 60 flows, of one to four links each, over 2 to 40 links; every sixteenth problem asks for max–min.
pub fn problem(seed: u64, kind: &str, decades: f64) -> Problem {
    let mut rng = random::rng(seed ^ 0x5eed_0000);
    let (flows, links) = (rng.random_range(2..=60_usize), rng.random_range(2..=40_usize));
    let wireless = if kind == "wired" { 0 } else { (links / 2).clamp(2, 8) };
    let wired = links.max(wireless + 1) - wireless;
    let share = flows as f64 / links as f64;
    let mut all: Vec<Link> = (0..wired).map(|_| Link::Wired(spread(&mut rng, decades) * share)).collect();
    all.extend(vec![Link::Wireless; wireless]);
    let mut couplings = Vec::new();
    if wireless > 0 {
        let links = (wired as u32..(wired + wireless) as u32).collect();
        couplings.push(Coupling { links, region: region(&mut rng, kind, wireless, decades) });
    }
    let route = |rng: &mut Rng| {
        let hops = rng.random_range(1..=all.len().min(4));
        choose(rng, hops, all.len())
    };
    let routes = (0..flows).map(|_| route(&mut rng)).collect();
    let is_max_min = kind != "csma_entropy" && rng.random_range(0..16) == 0;
    let utilities = (0..flows)
        .map(|_| match is_max_min {
            true => Utility::MaxMin { weight: spread(&mut rng, decades) },
            false => utility(&mut rng, decades),
        })
        .collect();
    Problem { network: Network { links: all, couplings, routes }, utilities }
}
