//! Random problems, one per seed.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_num::{Coupling, Link, Network, Problem, Region, Utility};

pub type Rng = Xoshiro256PlusPlus;

pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// A value spread evenly in its logarithm over one power of ten around 1.
pub fn around_one(rng: &mut Rng) -> f64 {
    libm::exp10(rng.random_range(-0.5..0.5))
}

/// `count` different values below `below`.
pub fn choose(rng: &mut Rng, count: usize, below: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..below as u32).collect();
    for i in 0..count {
        let j = rng.random_range(i..below);
        all.swap(i, j);
    }
    all.truncate(count);
    all
}

pub const KINDS: [&str; 8] = ["wired", "box", "norm", "ellipsoid", "half_spaces", "fading", "csma", "csma_entropy"];

/// A region of `k` links.
pub fn region(rng: &mut Rng, kind: &str, k: usize) -> Region {
    let mut values = |count: usize| -> Vec<f64> { (0..count).map(|_| around_one(rng)).collect() };
    match kind {
        "box" => Region::Box { capacity: values(k) },
        "norm" => Region::Norm { capacity: values(k), exponent: rng.random_range(1.1..6.0) },
        "ellipsoid" => {
            // B Bᵀ + a diagonal; entries of B of both signs, so rates help and hinder one another.
            let b: Vec<Vec<f64>> = (0..k).map(|_| (0..k).map(|_| rng.random_range(-0.5..0.5)).collect()).collect();
            let dot = |i: usize, j: usize| -> f64 { (0..k).map(|a| b[i][a] * b[j][a]).sum() };
            let entry = |i: usize, j: usize| dot(i.max(j), i.min(j)) + if i == j { 1.0 } else { 0.0 };
            let matrix = (0..k).map(|i| (0..k).map(|j| entry(i, j)).collect()).collect();
            Region::Ellipsoid { matrix }
        }
        "half_spaces" => {
            let normals = (0..k + 2).map(|_| values(k)).collect();
            Region::HalfSpaces { normals, offsets: values(k + 2) }
        }
        "fading" => {
            let draws = rng.random_range(5..40);
            let mode = |rng: &mut Rng| [0.0, 0.5, 1.0, 1.5, 3.0, 4.5][rng.random_range(0..6)];
            let rates = (0..draws).map(|_| (0..k).map(|_| mode(rng)).collect()).chain([vec![0.5; k]]).collect();
            Region::Fading { rates, probabilities: None }
        }
        "csma" | "csma_entropy" => {
            let rates = values(k);
            let pairs = (0..k as u32).flat_map(|a| (0..a).map(move |b| (a, b)));
            let conflicts = pairs.filter(|_| rng.random_bool(0.5)).collect();
            Region::Csma { rates, conflicts, entropy: if kind == "csma" { 0.0 } else { around_one(rng) } }
        }
        _ => panic!("no region called {kind}"),
    }
}

/// Wired links and, but for "wired", one coupled cell; every flow crosses one to four links.
pub fn network(rng: &mut Rng, kind: &str, flows: usize, links: usize) -> Network {
    let wireless = if kind == "wired" { 0 } else { (links / 2).clamp(2, 8) };
    let wired = links.max(wireless + 1) - wireless;
    let mut all: Vec<Link> = (0..wired).map(|_| Link::Wired(around_one(rng) * flows as f64 / links as f64)).collect();
    all.extend(vec![Link::Wireless; wireless]);
    let mut couplings = Vec::new();
    if wireless > 0 {
        let links = (wired as u32..(wired + wireless) as u32).collect();
        couplings.push(Coupling { links, region: region(rng, kind, wireless) });
    }
    let routes = (0..flows)
        .map(|_| {
            let hops = rng.random_range(1..=all.len().min(4));
            choose(rng, hops, all.len())
        })
        .collect();
    Network { links: all, couplings, routes }
}

pub fn problem(seed: u64, kind: &str, flows: usize, links: usize, utility: impl Fn(&mut Rng) -> Utility) -> Problem {
    let mut rng = rng(seed);
    let network = network(&mut rng, kind, flows, links);
    let utilities = (0..flows).map(|_| utility(&mut rng)).collect();
    Problem { network, utilities }
}
