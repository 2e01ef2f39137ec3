//! F: w → (x, q, r) along trajectories, against cold conic solves (1e-7) and its own definition.

use crate::random::{self, KINDS, Rng, around_one};
use crate::{assert_near, best};
use rand::RngExt;
use windward_num::{Coupling, Error, FluidMap, Link, Network, Region, solve_reference};

fn start(seed: u64, kind: &str, flows: usize, links: usize) -> (Rng, FluidMap, Vec<f64>) {
    let mut rng = random::rng(seed);
    let network = random::network(&mut rng, kind, flows, links);
    let base_rtt: Vec<f64> = (0..flows).map(|_| around_one(&mut rng)).collect();
    let windows = (0..flows).map(|_| around_one(&mut rng)).collect();
    (rng, FluidMap::new(network, &base_rtt).unwrap(), windows)
}

/// Random walks of the windows over every kind of region, few links and many: each answer stands its certificate, every
/// tenth agrees with Clarabel wherever Clarabel's own certificate is good enough to say.
#[test]
fn trajectories() {
    for kind in KINDS {
        let (mut compared, mut warm) = (0, 0);
        for seed in 0..16 {
            let (flows, links) = (2 + (seed as usize * 7) % 40, 3 + (seed as usize * 5) % 30);
            let (mut rng, mut map, mut windows) = start(seed, kind, flows, links);
            for step in 0..20 {
                let point = map.solve(&windows).unwrap();
                warm += usize::from(point.interior_steps == 0);
                let certificate = map.certificate();
                assert!(certificate.worst() < 1e-9, "{kind} {seed} {step}: {certificate:?}");
                if step % 10 == 9 {
                    let reference = solve_reference(&map.problem()).unwrap();
                    if reference.certificate.worst() < 1e-8 {
                        compared += 1;
                        assert_near(map.rates(), &reference.rates, 1e-7);
                    }
                }
                windows.iter_mut().for_each(|w| *w *= 1.0 + rng.random_range(-0.05..0.07));
            }
        }
        assert!(compared >= 28, "{kind}: only {compared} of 32 references are good enough to compare with");
        let has_jumps = kind == "fading" || kind == "csma";
        assert_eq!(warm > 200, !has_jumps, "{kind}: {warm} of 320 steps were warm");
    }
}

/// Windows that jump by a factor of 100 are no small steps; the answer is right all the same.
#[test]
fn jumps() {
    for kind in ["wired", "norm", "ellipsoid", "half_spaces", "csma_entropy"] {
        let (mut rng, mut map, mut windows) = start(5, kind, 12, 20);
        for _ in 0..200 {
            map.solve(&windows).unwrap();
            // Turnovers are windows, here 1 to 1000: one link's slackness may be that much above the tolerance of
            // 1e-10.
            assert!(map.certificate().worst() < 1e-7, "{kind}: {:?}", map.certificate());
            windows.iter_mut().for_each(|w| *w = around_one(&mut rng) * libm::exp10(rng.random_range(-1.0..1.0)));
        }
    }
}

/// A warm start and a cold start give the same answer.
#[test]
fn the_path_does_not_matter() {
    let (mut rng, mut map, mut windows) = start(9, "wired", 10, 40);
    for _ in 0..50 {
        map.solve(&windows).unwrap();
        assert_near(map.rates(), &best(&map.problem()).rates, 1e-7);
        windows.iter_mut().for_each(|w| *w *= 1.0 + rng.random_range(-0.1..0.1));
    }
}

/// A flow that no link holds back: q = 0 and x = w/d; then its window grows and the link fills.
#[test]
fn a_flow_without_bottleneck() {
    let mut map =
        FluidMap::new(Network::wired(&[10.0, 1.0], vec![vec![0], vec![1], vec![]]), &[0.5, 0.5, 2.0]).unwrap();
    map.solve(&[2.0, 2.0, 3.0]).unwrap();
    assert_near(map.rates(), &[4.0, 1.0, 1.5], 1e-9);
    assert_eq!((map.path_delays()[0], map.path_delays()[2]), (0.0, 0.0));
    assert_near(&map.path_delays()[1..2], &[1.5], 1e-9);
    // w = 8: q = 8/10 − 0.5.
    map.solve(&[8.0, 2.0, 3.0]).unwrap();
    assert_near(map.rates(), &[10.0, 1.0, 1.5], 1e-9);
    assert_near(&map.link_delays(), &[0.3, 1.5], 1e-8);
}

/// Two equal links in series: q_l is not unique, their sum is (huang2020 claim 8).
#[test]
fn bottlenecks_in_series() {
    let mut map = FluidMap::new(Network::wired(&[2.0, 2.0], vec![vec![0, 1]; 2]), &[1.0, 1.0]).unwrap();
    for w in [3.0, 3.1, 5.0, 2.5, 2.1, 1.5, 4.0] {
        map.solve(&[w, w]).unwrap();
        let q = (w - 1.0_f64).max(0.0);
        assert!((map.path_delays()[0] - q).abs() < 1e-8, "{w}: {:?}", map.path_delays());
        assert!((map.link_delays().iter().sum::<f64>() - q).abs() < 1e-8);
    }
}

/// A strictly convex region queues on all its links or on none (huang2020 App. E); crossing over and back.
#[test]
fn all_or_no_wireless_queues() {
    let network = Network {
        links: vec![Link::Wireless; 2],
        couplings: vec![Coupling { links: vec![0, 1], region: Region::Norm { capacity: vec![1.0; 2], exponent: 2.0 } }],
        routes: vec![vec![0], vec![1]],
    };
    let mut map = FluidMap::new(network, &[1.0, 1.0]).unwrap();
    for scale in [0.5, 0.69, 0.72, 1.0, 3.0, 0.8, 0.7, 0.4] {
        map.solve(&[scale, scale]).unwrap();
        let x = f64::min(scale, 0.5f64.sqrt());
        assert_near(map.rates(), &[x, x], 1e-9);
        let queues = map.link_delays().iter().filter(|q| **q > 0.0).count();
        assert_eq!(queues, if scale > 0.5f64.sqrt() { 2 } else { 0 });
    }
}

/// ∂x/∂w against central differences; 0 ≤ ∂x_s/∂w_s ≤ 1/d̄_s (huang2020 App. A, Property 2).
#[test]
fn jacobian() {
    for kind in ["wired", "norm", "ellipsoid", "half_spaces", "csma_entropy"] {
        for seed in 0..6 {
            let (_, mut map, windows) = start(seed, kind, 6, 8);
            map.solve(&windows).unwrap();
            let rtt: Vec<f64> = windows.iter().zip(map.rates()).map(|(w, x)| w / x).collect();
            let jacobian = map.rate_jacobian().unwrap();
            for n in 0..windows.len() {
                let h = 1e-5 * windows[n];
                let mut at = |change: f64| {
                    let mut moved = windows.clone();
                    moved[n] += change;
                    map.solve(&moved).unwrap();
                    map.rates().to_vec()
                };
                let (up, down) = (at(h), at(-h));
                for s in 0..windows.len() {
                    let slope = (up[s] - down[s]) / (2.0 * h);
                    assert!(
                        (slope - jacobian[s][n]).abs() < 1e-4 / rtt[s],
                        "{kind} {seed}: {slope}, {}",
                        jacobian[s][n]
                    );
                }
                assert!(jacobian[n][n] > -1e-12 && jacobian[n][n] <= (1.0 + 1e-12) / rtt[n]);
            }
        }
    }
    let (_, mut map, windows) = start(1, "fading", 6, 8);
    map.solve(&windows).unwrap();
    assert!(map.rate_jacobian().is_none());
}

#[test]
fn refusals() {
    let network = || Network::wired(&[1.0], vec![vec![0], vec![]]);
    assert_eq!(FluidMap::new(network(), &[0.0, 0.0]).unwrap_err(), Error::Unbounded { flow: 1 });
    let mut map = FluidMap::new(network(), &[0.0, 1.0]).unwrap();
    assert!(map.solve(&[1.0]).unwrap_err().to_string().contains("1 windows for 2 routes"));
    assert!(map.solve(&[1.0, 0.0]).unwrap_err().to_string().contains("windows[1]"));
    map.solve(&[1.0, 1.0]).unwrap();
    assert_near(map.rates(), &[1.0, 1.0], 1e-9);
}

/// Thousands of flows, each over links of its own and one that all share: only the shared one has a queue, then all
/// have.
#[test]
fn thousands_of_private_links() {
    let flows = 2000_u32;
    let count = flows as usize;
    let routes: Vec<Vec<u32>> = (0..flows).map(|s| vec![1 + s, 0, 1 + flows + s]).collect();
    let mut links = vec![1000.0 * f64::from(flows)];
    links.extend(vec![10_000.0; 2 * count]);
    let mut map = FluidMap::new(Network::wired(&links, routes), &vec![0.1; count]).unwrap();
    let mut windows: Vec<f64> = (0..count).map(|s| 110.0 + (s % 7) as f64).collect();
    for _ in 0..5 {
        map.solve(&windows).unwrap();
        // q = Σw/c − d on the shared link alone.
        let delay = windows.iter().sum::<f64>() / links[0] - 0.1;
        let is_right = map.path_delays().iter().all(|q| (q / delay - 1.0).abs() < 1e-8);
        assert!(is_right, "{delay}, {:?}", &map.path_delays()[..3]);
        windows.iter_mut().for_each(|w| *w *= 1.03);
    }
    // 1600 packets on a private link of 1000 a second: q = 1.6 − 0.1 s on every one, and the shared link idles.
    let routes: Vec<Vec<u32>> = (0..flows).map(|s| vec![0, 1 + s]).collect();
    let mut links = vec![2000.0 * f64::from(flows)];
    links.extend(vec![1000.0; count]);
    let mut map = FluidMap::new(Network::wired(&links, routes), &vec![0.1; count]).unwrap();
    for window in [1600.0, 1650.0, 1500.0] {
        let point = map.solve(&vec![window; count]).unwrap();
        let delay = window / 1000.0 - 0.1;
        assert!(map.path_delays().iter().all(|q| (q / delay - 1.0).abs() < 1e-8), "{:?}", &map.path_delays()[..3]);
        assert!(window == 1600.0 || point.interior_steps == 0, "{point:?}");
    }
}
