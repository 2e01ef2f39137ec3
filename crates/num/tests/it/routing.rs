//! Free routing: closed forms, and networks where the best routing is known.

use crate::assert_near;
use crate::random::{self, KINDS};
use windward_num::{
    Coupling, Demand, Error, Link, Network, Options, Problem, Region, Routing, RoutingProblem, Utility, solve,
    solve_routing,
};

/// A wireless network whose links conflict as told, all of rate 1.
fn wireless(ends: &[(u32, u32)], conflicts: impl Fn((u32, u32), (u32, u32)) -> bool) -> RoutingProblem {
    let pairs = (0..ends.len()).flat_map(|a| (0..a).map(move |b| (b as u32, a as u32)));
    let conflicts = pairs.filter(|&(a, b)| conflicts(ends[a as usize], ends[b as usize])).collect();
    let region = Region::Csma { rates: vec![1.0; ends.len()], conflicts, entropy: 0.0 };
    let couplings = vec![Coupling { links: (0..ends.len() as u32).collect(), region }];
    let network = Network { links: vec![Link::Wireless; ends.len()], couplings, routes: Vec::new() };
    RoutingProblem { network, ends: ends.to_vec(), demands: Vec::new(), utilities: Vec::new() }
}

fn all(_: (u32, u32), _: (u32, u32)) -> bool {
    true
}

/// Links that share a node conflict.
fn node_exclusive((a, b): (u32, u32), (c, d): (u32, u32)) -> bool {
    a == c || a == d || b == c || b == d
}

impl Flows for RoutingProblem {
    fn flows(mut self, flows: &[(u32, u32)], utility: Utility) -> Self {
        let links: Vec<u32> = (0..self.ends.len() as u32).collect();
        let demand = |&(source, sink): &(u32, u32)| Demand { source, sink, links: links.clone() };
        self.demands = flows.iter().map(demand).collect();
        self.utilities = vec![utility; flows.len()];
        self
    }
}

trait Flows {
    /// Flows that may use every link.
    fn flows(self, flows: &[(u32, u32)], utility: Utility) -> Self;
}

const LOG: Utility = Utility::ProportionalFair { weight: 1.0 };
const FAIREST: Utility = Utility::MaxMin { weight: 1.0 };
const SUM: Utility = Utility::AlphaFair { weight: 1.0, alpha: 0.0 };

/// There and back.
fn both(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect()
}

#[track_caller]
fn best(problem: &RoutingProblem) -> Routing {
    let found = solve_routing(problem).expect("an optimum exists");
    assert!(found.solution.certificate.worst() < 1e-9, "{:?}", found.solution.certificate);
    for (paths, rate) in found.paths.iter().zip(&found.solution.rates) {
        let sum: f64 = paths.iter().map(|path| path.rate).sum();
        assert!((sum - rate).abs() <= 1e-12 * rate);
    }
    found
}

/// The diamond A (0), B (1), C (2), D (3), all in one another's range: an hour of air is shared, a flow over h hops at
/// rate x takes h x. ln x₁ + ln x₂ with x₁ + 2 x₂ = 1: each gets half of the air.
#[test]
fn a_diamond_where_all_links_conflict() {
    let diamond = wireless(&both(&[(0, 1), (0, 2), (1, 3), (2, 3)]), all).flows(&[(0, 1), (0, 3)], LOG);
    let found = best(&diamond);
    assert_near(&found.solution.rates, &[0.5, 0.25], 1e-9);
    assert!(found.paths.iter().flatten().all(|path| path.links.len() <= 2), "{:?}", found.paths);
}

/// Only links with a common node conflict: A sends half of the time to each neighbour, B and C forward in the other
/// half. A's own half-space, Σ of A's outgoing rates ≤ 1, binds: A→D and A→B get half each.
#[test]
fn a_diamond_with_node_exclusive_links() {
    let diamond = wireless(&both(&[(0, 1), (0, 2), (1, 3), (2, 3)]), node_exclusive);
    let found = best(&diamond.clone().flows(&[(0, 1), (0, 3)], LOG));
    assert_near(&found.solution.rates, &[0.5, 0.5], 1e-9);
    // Alone, A→D gets all that A can send: while A sends to B, C sends to D.
    let found = best(&diamond.flows(&[(0, 3)], LOG));
    assert_near(&found.solution.rates, &[1.0], 1e-9);
    assert_eq!(found.paths[0].len(), 2);
    found.paths[0].iter().for_each(|path| assert!((path.rate - 0.5).abs() < 1e-9));
}

/// A triangle has one active link at a time: the flow round the corner takes the direct link.
#[test]
fn a_triangle_takes_the_short_way() {
    let triangle = wireless(&both(&[(0, 1), (1, 2), (0, 2)]), node_exclusive);
    let found = best(&triangle.clone().flows(&[(0, 2)], LOG));
    assert_near(&found.solution.rates, &[1.0], 1e-9);
    assert_eq!(found.paths[0][0].links, [4]);
    let found = best(&triangle.flows(&[(0, 1), (1, 2), (2, 0)], LOG));
    assert_near(&found.solution.rates, &[1.0 / 3.0; 3], 1e-9);
}

/// Two wires of 2 and a detour of 1: the flow is the minimal cut.
#[test]
fn wires_carry_what_the_minimal_cut_lets_through() {
    let ends = vec![(0, 1), (1, 3), (0, 2), (2, 3), (1, 2)];
    let network = Network::wired(&[3.0, 1.0, 1.0, 4.0, 1.5], Vec::new());
    let wires = RoutingProblem { network, ends, demands: Vec::new(), utilities: Vec::new() };
    // What leaves 0 by way of 1 is 1 + 1.5, by way of 2 it is 1.
    for utility in [LOG, SUM, FAIREST] {
        let found = best(&wires.clone().flows(&[(0, 3)], utility));
        assert_near(&found.solution.rates, &[3.5], 1e-9);
    }
    // Max–min: 1→2 stops at the 1.5 of its wire, and leaves 0→3 the two other ways.
    let found = best(&wires.flows(&[(0, 3), (1, 2)], FAIREST));
    assert_near(&found.solution.rates, &[2.0, 1.5], 1e-9);
    assert_eq!(found.solution.levels.len(), 2);
}

/// A tree has one way from each node to each: the routes of the fixed problem.
#[test]
fn a_tree_leaves_no_choice() {
    for (entropy, utility) in [
        (0.0, LOG),
        (0.0, FAIREST),
        (0.0, Utility::AlphaFair { weight: 2.0, alpha: 2.0 }),
        (0.3, LOG),
        (0.3, Utility::AlphaFair { weight: 1.0, alpha: 0.5 }),
    ] {
        let mut tree = wireless(&[(0, 1), (0, 2), (2, 3), (2, 4)], node_exclusive)
            .flows(&[(0, 1), (0, 3), (0, 4), (2, 4)], utility);
        let Region::Csma { entropy: weight, .. } = &mut tree.network.couplings[0].region else { unreachable!() };
        *weight = entropy;
        let routes = vec![vec![0], vec![1, 2], vec![1, 3], vec![3]];
        let network = Network { routes, ..tree.network.clone() };
        let fixed = Problem { network, utilities: tree.utilities.clone() };
        let fixed = solve(&fixed, &Options::default()).unwrap();
        let found = best(&tree);
        assert_near(&found.solution.rates, &fixed.rates, 1e-8);
        if let (Some(a), Some(b)) = (found.solution.objective, fixed.objective) {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}

/// Without the other links there is only the way that is left.
#[test]
fn allowed_links_restrict() {
    let mut diamond = wireless(&both(&[(0, 1), (0, 2), (1, 3), (2, 3)]), node_exclusive).flows(&[(0, 3)], LOG);
    diamond.demands[0].links = vec![0, 4];
    assert_near(&best(&diamond).solution.rates, &[0.5], 1e-9);
}

/// Random networks of eight nodes: a ring, so that every node reaches every other, and chords; some wires, the rest in
/// one region.
#[test]
fn random_networks_are_certified() {
    for (seed, kind) in (0..).zip(KINDS.iter().cycle().take(64)) {
        let mut rng = random::rng(seed);
        let chords = random::choose(&mut rng, 8, 8).into_iter().zip(random::choose(&mut rng, 8, 8));
        let mut ends: Vec<(u32, u32)> = (0..8).map(|node| (node, (node + 1) % 8)).collect();
        ends.extend(chords.filter(|(a, b)| a != b));
        let wireless = if *kind == "wired" { 0 } else { 6 };
        let wired = ends.len() - wireless;
        let mut links: Vec<Link> = (0..wired).map(|_| Link::Wired(random::around_one(&mut rng))).collect();
        links.extend(vec![Link::Wireless; wireless]);
        let mut couplings = Vec::new();
        if wireless > 0 {
            let links = (wired as u32..ends.len() as u32).collect();
            couplings.push(Coupling { links, region: random::region(&mut rng, kind, wireless) });
        }
        let network = Network { links, couplings, routes: Vec::new() };
        let nodes = random::choose(&mut rng, 8, 8);
        let flows: Vec<(u32, u32)> = nodes.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let empty = RoutingProblem { network, ends, demands: Vec::new(), utilities: Vec::new() };
        let mut problem = empty.flows(&flows, LOG);
        for utility in &mut problem.utilities {
            let weight = random::around_one(&mut rng);
            *utility = match seed / 8 % 4 {
                0 => Utility::ProportionalFair { weight },
                1 => Utility::AlphaFair { weight, alpha: 2.0 },
                2 => Utility::Reno { segment: 1.0, rtt: weight, loss: 0.1 },
                _ => Utility::AlphaFair { weight, alpha: 0.5 },
            };
        }
        let found = solve_routing(&problem).unwrap_or_else(|error| panic!("{seed} {kind}: {error}"));
        let worst = found.solution.certificate.worst();
        // Elsewhere there are no cutting planes, and Clarabel's own digits remain.
        let is_flat = ["wired", "box", "fading", "csma"].contains(kind);
        assert!(worst < if is_flat { 1e-9 } else { 1e-6 }, "{seed} {kind}: {:?}", found.solution.certificate);
        if is_flat || *kind == "half_spaces" {
            problem.utilities = vec![FAIREST; flows.len()];
            let fairest = solve_routing(&problem).unwrap_or_else(|error| panic!("{seed} {kind}: {error}"));
            let worst = fairest.solution.certificate.worst();
            assert!(worst < 1e-8, "{seed} {kind}: {:?}", fairest.solution.certificate);
        }
    }
}

/// A problem without an answer is named.
#[test]
fn refusals() {
    let line = wireless(&[(0, 1), (1, 2)], all);
    let refused = |problem: RoutingProblem| solve_routing(&problem).unwrap_err();
    assert_eq!(refused(line.clone().flows(&[(2, 0)], LOG)), Error::NoPath { flow: 0 });
    assert_eq!(refused(line.clone().flows(&[(0, 2), (1, 1)], LOG)), Error::Unbounded { flow: 1 });
    let mut twice = line.clone().flows(&[(0, 2)], LOG);
    twice.demands[0].links.push(1);
    assert_eq!(refused(twice).to_string(), "demands[0]: link 1 is named twice");
    let mut silent = line.clone().flows(&[(0, 2)], LOG);
    let Region::Csma { rates, .. } = &mut silent.network.couplings[0].region else { unreachable!() };
    rates[1] = 0.0;
    assert_eq!(refused(silent), Error::NoPath { flow: 0 });
    let many = (0..65).map(|node| (node, node + 1)).collect::<Vec<_>>();
    assert!(matches!(refused(wireless(&many, all).flows(&[(0, 65)], LOG)), Error::TooManySets { .. }));
}
