//! Problems solved by hand. The solver stops at a gap of 1e-10; with strict complementarity rates follow to about that,
//! so 1e-8 leaves room.

use crate::{assert_near, best};
use windward_num::region::independent_sets;
use windward_num::{Coupling, Link, Mixture, Network, Problem, Region, Utility, subgradient};

const TIGHT: f64 = 1e-8;

fn fair(weight: f64) -> Utility {
    Utility::ProportionalFair { weight }
}

/// One link of 10 and weights 1, 3, 4: x = p c/Σp, λ = Σp/c.
#[test]
fn single_link() {
    let p = Problem::wired(&[10.0], vec![vec![0]; 3], vec![fair(1.0), fair(3.0), fair(4.0)]);
    let s = best(&p);
    assert_near(&s.rates, &[1.25, 3.75, 5.0], TIGHT);
    assert_near(&s.prices, &[0.8], TIGHT);
}

/// Parking lot, n links of 1, one long flow, one short on each: Kelly's x = 1/(n+1) and n/(n+1), λ = (n+1)/n.
#[test]
fn parking_lot() {
    for n in [2_u32, 3, 10] {
        let routes: Vec<Vec<u32>> = std::iter::once((0..n).collect()).chain((0..n).map(|l| vec![l])).collect();
        let s = best(&Problem::wired(&vec![1.0; n as usize], routes, vec![fair(1.0); n as usize + 1]));
        let n = f64::from(n);
        let mut expected = vec![n / (n + 1.0); n as usize + 1];
        expected[0] = 1.0 / (n + 1.0);
        assert_near(&s.rates, &expected, TIGHT);
        assert_near(&s.prices, &vec![(n + 1.0) / n; n as usize], TIGHT);
    }
}

/// Parking lot with (p, α): the long flow pays n prices, so (x_short/x_long)^α = n and x_long + x_short = 1.
#[test]
fn parking_lot_of_every_alpha() {
    for alpha in [0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 12.0] {
        let routes = vec![vec![0, 1], vec![0], vec![1]];
        let s = best(&Problem::wired(&[1.0; 2], routes, vec![Utility::AlphaFair { weight: 1.0, alpha }; 3]));
        let long = 1.0 / (1.0 + libm::pow(2.0, 1.0 / alpha));
        assert_near(&s.rates, &[long, 1.0 - long, 1.0 - long], TIGHT);
    }
}

/// α = 0 is throughput: the long flow pays two prices and gets nothing; with weight 3 it gets all.
#[test]
fn throughput() {
    let linear = |weight| Utility::AlphaFair { weight, alpha: 0.0 };
    let routes = || vec![vec![0, 1], vec![0], vec![1]];
    let s = best(&Problem::wired(&[1.0, 1.0], routes(), vec![linear(1.0); 3]));
    assert!(s.rates[0] < 1e-8 && (s.objective.unwrap() - 2.0).abs() < TIGHT);
    let s = best(&Problem::wired(&[1.0, 1.0], routes(), vec![linear(3.0), linear(1.0), linear(1.0)]));
    assert_near(&s.rates[..1], &[1.0], TIGHT);
}

/// Reno on one link: x ∝ 1/T, so 20 ms and 80 ms share 100 as 80 and 20 (chen2007 (5)).
#[test]
fn reno_is_unfair_to_long_paths() {
    let reno = |rtt| Utility::Reno { segment: 1.0, rtt, loss: 0.0 };
    let s = best(&Problem::wired(&[100.0], vec![vec![0]; 2], vec![reno(0.02), reno(0.08)]));
    assert_near(&s.rates, &[80.0, 20.0], TIGHT);
    // λ = 2/(T²x²) = 2/(0.0004·6400).
    assert_near(&s.prices, &[0.78125], TIGHT);
}

/// A lossy path keeps Reno below the link: x̄ = √2/(T√ε) = 141.42 of 1000 (chen2007 (8)).
#[test]
fn reno_underuses_a_lossy_link() {
    let lossy = Utility::Reno { segment: 1.0, rtt: 0.1, loss: 0.01 };
    let s = best(&Problem::wired(&[1000.0], vec![vec![0]], vec![lossy]));
    assert_near(&s.rates, &[20_000f64.sqrt()], TIGHT);
    assert!(s.prices[0] < 1e-9);
}

/// chen2007 Theorem 1, with f inside the root: x* = √2 S/(T √(f(z)(ε+z))), f(z) = tanh(βz/2), at the price found; and
/// the link is full, which plain TCP (8) would leave at 84.2 of 125.
#[test]
fn emultcp_fills_a_lossy_link() {
    let (rtt, loss, beta) = (0.168, 0.01, 50.0);
    let s = best(&Problem::wired(&[125.0], vec![vec![0]], vec![Utility::Emultcp { segment: 1.0, rtt, loss, beta }]));
    assert_near(&s.rates, &[125.0], TIGHT);
    let z = s.prices[0];
    let x = 2f64.sqrt() / (rtt * (libm::tanh(beta * z / 2.0) * (loss + z)).sqrt());
    assert_near(&[x], &[125.0], TIGHT);
    // n* = 1/√f: about the 1.5 connections that make up for 84.2.
    assert!(1.0 / libm::tanh(beta * z / 2.0).sqrt() > 1.0);
}

/// Two flows, one on each wireless link, plus nothing else.
fn two_links(region: Region, weights: [f64; 2]) -> Problem {
    let network = Network {
        links: vec![Link::Wireless; 2],
        couplings: vec![Coupling { links: vec![0, 1], region }],
        routes: vec![vec![0], vec![1]],
    };
    Problem { network, utilities: weights.map(fair).to_vec() }
}

/// Σ p ln r on the sphere Σ (r/c)² = 1: (r/c)² = p/Σp. Prices align with the gradient: q = θ ∇f (huang2020 Lemma 2).
#[test]
fn sphere() {
    let region = Region::Norm { capacity: vec![3.0, 5.0], exponent: 2.0 };
    let s = best(&two_links(region, [1.0, 3.0]));
    assert_near(&s.rates, &[1.5, 5.0 * 0.75f64.sqrt()], TIGHT);
    let gradient = [2.0 * s.rates[0] / 9.0, 2.0 * s.rates[1] / 25.0];
    assert_near(&[s.prices[0] / gradient[0]], &[s.prices[1] / gradient[1]], 1e-7);
}

/// On Σ (r/c)^e = 1: (r/c)^e = p/Σp.
#[test]
fn norms() {
    for exponent in [1.0, 1.2, 3.0, 8.0] {
        let s = best(&two_links(Region::Norm { capacity: vec![2.0, 1.0], exponent }, [1.0, 4.0]));
        let expected = [2.0 * libm::pow(0.2, 1.0 / exponent), libm::pow(0.8, 1.0 / exponent)];
        assert_near(&s.rates, &expected, TIGHT);
    }
}

/// An ellipsoid with cross terms, symmetric in both links: r₁ = r₂ with 2r² + 2·½·r² = 1.
#[test]
fn ellipsoid() {
    let region = Region::Ellipsoid { matrix: vec![vec![1.0, 0.5], vec![0.5, 1.0]] };
    let s = best(&two_links(region, [2.0, 2.0]));
    let r = 1.0 / 3f64.sqrt();
    assert_near(&s.rates, &[r, r], TIGHT);
    assert_near(&s.path_prices, &[2.0 / r; 2], TIGHT);
}

/// r₁ + 2r₂ ≤ 4, 3r₁ + r₂ ≤ 6: equal weights on the first face alone would be (2, 1), which the second forbids; on the
/// second alone (1, 3), which the first forbids; so the corner (8/5, 6/5), with both faces priced:
/// 5/8 = a + 3b, 5/6 = 2a + b.
#[test]
fn half_spaces_meet_in_a_corner() {
    let region = Region::HalfSpaces { normals: vec![vec![1.0, 2.0], vec![3.0, 1.0]], offsets: vec![4.0, 6.0] };
    let s = best(&two_links(region, [1.0, 1.0]));
    assert_near(&s.rates, &[1.6, 1.2], TIGHT);
    let Mixture::Faces { prices } = &s.mixtures[0] else { panic!("{:?}", s.mixtures) };
    assert_near(prices, &[0.375, 1.0 / 12.0], 1e-7);
}

/// Two links of equal rates in three draws: (2,0), (0,2), (2,2) with probabilities ¼, ¼, ½. Equal weights split the
/// shared draw: r = ½ + ½ = 1 each. A weight of 9 to 1 takes it all: r = (1.5, 0.5).
#[test]
fn fading_cell() {
    let region = Region::Fading {
        rates: vec![vec![2.0, 0.0], vec![0.0, 2.0], vec![2.0, 2.0]],
        probabilities: Some(vec![1.0, 1.0, 2.0]),
    };
    let s = best(&two_links(region.clone(), [1.0, 1.0]));
    assert_near(&s.rates, &[1.0, 1.0], TIGHT);
    let Mixture::Shares { shares } = &s.mixtures[0] else { panic!("{:?}", s.mixtures) };
    assert_near(&shares[2], &[0.5, 0.5], 1e-7);
    let s = best(&two_links(region, [9.0, 1.0]));
    assert_near(&s.rates, &[1.5, 0.5], TIGHT);
}

/// Path of three links, the middle one in conflict with both: without entropy u(1,3) = θ, u(2) = 1−θ, and
/// 2 ln θ + ln(1−θ) is largest at θ = 2/3.
#[test]
fn csma_without_entropy() {
    let region = Region::Csma { rates: vec![6.0, 3.0, 3.0], conflicts: vec![(0, 1), (1, 2)], entropy: 0.0 };
    let network = Network {
        links: vec![Link::Wireless; 3],
        couplings: vec![Coupling { links: vec![0, 1, 2], region }],
        routes: vec![vec![0], vec![1], vec![2]],
    };
    let s = best(&Problem { network, utilities: vec![fair(1.0); 3] });
    assert_near(&s.rates, &[4.0, 1.0, 2.0], TIGHT);
}

/// One link alone with entropy: p/x = λ and x = b e^{bλ}/(1+e^{bλ}); with b = 1 and y = λ: y e^y = p (1+e^y), solved
/// here by bisection.
#[test]
fn csma_with_entropy_by_hand() {
    for p in [0.1, 1.0, 50.0] {
        let region = Region::Csma { rates: vec![1.0], conflicts: vec![], entropy: 1.0 };
        let network = Network {
            links: vec![Link::Wireless],
            couplings: vec![Coupling { links: vec![0], region }],
            routes: vec![vec![0]],
        };
        let s = best(&Problem { network, utilities: vec![fair(p)] });
        let (mut low, mut high) = (0.0, 200.0);
        for _ in 0..100 {
            let y: f64 = 0.5 * (low + high);
            if y < p * (1.0 + libm::exp(-y)) { low = y } else { high = y }
        }
        assert_near(&s.prices, &[low], TIGHT);
    }
}

/// The reference solution of wang2013 for one shared medium: routes of 3, 1, 2, 1 hops (the last two share a link), all
/// used links in conflict; rates in units of b, printed to five digits.
#[test]
fn wang2013_reference_solution() {
    let expected = [
        (1.0, [0.09917, 0.23642, 0.12246, 0.21769]),
        (10.0, [0.08516, 0.24869, 0.12479, 0.24624]),
        (50.0, [0.08370, 0.24974, 0.12496, 0.24923]),
        (200.0, [0.08343, 0.24993, 0.12499, 0.24981]),
    ];
    for (p, rates) in expected {
        let conflicts = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let region = Region::Csma { rates: vec![1.0; 6], conflicts, entropy: 1.0 };
        let network = Network {
            links: vec![Link::Wireless; 6],
            couplings: vec![Coupling { links: (0..6).collect(), region }],
            routes: vec![vec![0, 1, 2], vec![3], vec![4, 5], vec![4]],
        };
        let s = best(&Problem { network, utilities: vec![fair(p); 4] });
        for (found, rate) in s.rates.iter().zip(rates) {
            assert!((found - rate).abs() < 6e-6, "p = {p}: {:?}, {rates:?}", s.rates);
        }
        // (7): u_i follows from the prices.
        let Mixture::Sets { probabilities } = &s.mixtures[0] else { panic!("{:?}", s.mixtures) };
        assert_eq!(probabilities.len(), independent_sets(6, &[]).map_or(0, |_| 7));
        let weights: Vec<f64> = std::iter::once(0.0).chain(s.prices.iter().copied()).collect();
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let total: f64 = weights.iter().map(|w| libm::exp(w - largest)).sum();
        for (u, w) in probabilities.iter().zip(&weights) {
            assert!((u - libm::exp(w - largest) / total).abs() < 1e-6, "{probabilities:?}");
        }
    }
}

/// The sub-gradient iteration converges to the same rates: averaged over 100 000 steps its certificate is below 1e-3.
#[test]
fn subgradient_agrees() {
    let p = Problem::wired(&[1.0, 2.0], vec![vec![0, 1], vec![0], vec![1]], vec![fair(1.0); 3]);
    let steps = subgradient::Steps { first: 0.05, decay: 0.01, iterations: 100_000, price: 1.0 };
    let mut seen = 0;
    let found = subgradient::solve(&p, &steps, |rates| seen += rates.len()).unwrap();
    assert_eq!(seen, 300_000);
    assert_near(&found.rates, &best(&p).rates, 1e-3);
    assert!(found.certificate.worst() < 1e-3, "{:?}", found.certificate);
}

/// Mixtures: a fading cell jumps between corners at every step, the average settles.
#[test]
fn subgradient_agrees_on_a_fading_cell() {
    let rates = (0..64).map(|h| vec![f64::from(1 + h % 8), f64::from(1 + (h / 8) % 8)]).collect();
    let p = two_links(Region::Fading { rates, probabilities: None }, [1.0, 2.0]);
    let steps = subgradient::Steps { first: 0.001, decay: 0.01, iterations: 100_000, price: 0.3 };
    let found = subgradient::solve(&p, &steps, |_| {}).unwrap();
    assert_near(&found.rates, &best(&p).rates, 5e-3);
    assert!(found.certificate.primal < 5e-3 && found.certificate.scheduling < 5e-3, "{:?}", found.certificate);
}

/// A problem given as text; words that are no part of one are named with their line.
#[test]
fn json() {
    let text = r#"{"network": {"links": [{"wired": 2.0}, "wireless", "wireless"],
        "couplings": [{"links": [1, 2], "region": {"kind": "norm", "capacity": [1.0, 1.0], "exponent": 2.0}}],
        "routes": [[0, 1], [0, 2]]},
        "utilities": [{"kind": "proportional_fair", "weight": 1.0}, {"kind": "alpha_fair", "weight": 1.0, "alpha": 1.0}]}"#;
    let problem: Problem = serde_json::from_str(text).unwrap();
    assert_near(&best(&problem).rates, &[0.5f64.sqrt(); 2], TIGHT);
    let wrong = serde_json::from_str::<Problem>(&text.replace("weight", "wait")).unwrap_err().to_string();
    assert!(wrong.contains("wait") && wrong.contains("line"), "{wrong}");
}
