//! Links on which a commodity is allowed.

use super::graph::{Graph, UNREACHED};

/// The links on which a commodity is allowed, L_s; none leaves its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// Links that lead a hop closer to the destination.
    Downstream,
    /// Links that do not lead farther from the destination.
    NotFarther,
    /// Links of loop-free directed paths: in the direction of the current from source to destination if every link were
    /// a resistor of one ohm. No packet can return to a node, and every useful link is used in one direction, except
    /// those between points of equal potential.
    #[default]
    LoopFree,
    /// All links.
    All,
}

/// Difference below which potentials (source 1, destination 0) count as equal.
const EQUAL: f64 = 1e-9;

impl Graph {
    /// True for each link on which a commodity from one node to another is allowed and which it can reach.
    pub fn allowed(&self, from: u32, to: u32, rule: Links) -> Vec<bool> {
        let hops = self.hops_to(to);
        let potential = if rule == Links::LoopFree { self.potential(from, to) } else { Vec::new() };
        let follows = |link: u32| {
            let (tail, head) = self.ends(link);
            let [near, far] = [head, tail].map(|node| hops[node as usize]);
            let leads = near != UNREACHED && tail != to;
            leads
                && match rule {
                    Links::Downstream => near < far,
                    Links::NotFarther => near <= far,
                    Links::LoopFree => potential[tail as usize] > potential[head as usize] + EQUAL,
                    Links::All => true,
                }
        };
        let mut allowed = vec![false; self.links() as usize];
        let mut is_reached = vec![false; self.nodes() as usize];
        let mut open = vec![from];
        is_reached[from as usize] = true;
        while let Some(node) = open.pop() {
            for &link in self.leaving(node).iter().filter(|&&link| follows(link)) {
                allowed[link as usize] = true;
                let (_, head) = self.ends(link);
                if !std::mem::replace(&mut is_reached[head as usize], true) {
                    open.push(head);
                }
            }
        }
        allowed
    }

    /// Potential of every node: 1 at `from`, 0 at `to`, elsewhere the mean of the neighbours' potentials. Solved by
    /// conjugate gradients.
    fn potential(&self, from: u32, to: u32) -> Vec<f64> {
        let nodes = self.nodes() as usize;
        let is_free = |node: usize| node != from as usize && node != to as usize;
        // The Laplacian of the undirected graph, on the free nodes.
        let apply = |v: &[f64]| {
            let mut image = vec![0.0; nodes];
            for &(a, b) in &self.ends {
                let (a, b) = (a as usize, b as usize);
                // A link that also exists in the other direction counts from both ends.
                image[a] += v[a] - v[b];
                image[b] += v[b] - v[a];
            }
            (0..nodes).filter(|&node| !is_free(node)).for_each(|node| image[node] = 0.0);
            image
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut v = vec![0.0; nodes];
        v[from as usize] = 1.0;
        let mut residual: Vec<f64> = apply(&v).iter().map(|image| -image).collect();
        let mut direction = residual.clone();
        let mut norm = product(&residual, &residual);
        let enough = norm * 1e-28;
        for _ in 0..4 * nodes {
            if norm <= enough {
                break;
            }
            let image = apply(&direction);
            let step = norm / product(&direction, &image);
            for node in 0..nodes {
                v[node] += step * direction[node];
                residual[node] -= step * image[node];
            }
            let last = std::mem::replace(&mut norm, product(&residual, &residual));
            (0..nodes).for_each(|node| direction[node] = residual[node] + norm / last * direction[node]);
        }
        v
    }
}
