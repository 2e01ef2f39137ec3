//! Nodes and the links between them.

/// A directed graph; links are identified by their index in the list from which it was made.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(super) ends: Vec<(u32, u32)>,
    /// Links that leave node n: `out[first[n]..first[n + 1]]`, in order.
    first: Vec<u32>,
    out: Vec<u32>,
}

/// Distance of an unreachable node.
pub(super) const UNREACHED: u32 = u32::MAX;

impl Graph {
    /// A graph of `nodes` nodes, with a link from the first to the second of each pair.
    pub fn new(nodes: u32, ends: Vec<(u32, u32)>) -> Self {
        let mut first = vec![0; nodes as usize + 1];
        ends.iter().for_each(|&(from, _)| first[from as usize + 1] += 1);
        for node in 0..nodes as usize {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut out = vec![0; ends.len()];
        for (link, &(from, _)) in (0..).zip(&ends) {
            out[free[from as usize] as usize] = link;
            free[from as usize] += 1;
        }
        Self { ends, first, out }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// Number of links.
    pub fn links(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Start and end node of a link.
    #[inline]
    pub fn ends(&self, link: u32) -> (u32, u32) {
        self.ends[link as usize]
    }

    /// Links that leave a node.
    #[inline]
    pub fn leaving(&self, node: u32) -> &[u32] {
        &self.out[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Link from one node to another.
    pub fn between(&self, from: u32, to: u32) -> Option<u32> {
        self.leaving(from).iter().copied().find(|&link| self.ends(link).1 == to)
    }

    /// For each node, its first link that leads a hop closer to `to`; `none` if there is none.
    pub fn next_links(&self, to: u32, none: u32) -> Vec<u32> {
        let hops = self.hops_to(to);
        let far = |node: u32| hops[node as usize];
        let leads = |&link: &u32| {
            let (tail, head) = self.ends(link);
            far(head) < far(tail)
        };
        (0..self.nodes()).map(|node| self.leaving(node).iter().copied().find(leads).unwrap_or(none)).collect()
    }

    /// For each node, its first link on the path to `to` whose links have the least sum of `costs`, which are above 0;
    /// of equal sums one of the fewest hops, always the same. `none` if there is no path.
    pub fn cheapest_links(&self, to: u32, costs: &[f64], none: u32) -> Vec<u32> {
        let mut far = vec![(f64::INFINITY, 0_u32); self.nodes() as usize];
        far[to as usize] = (0.0, 0);
        let mut first = vec![none; self.nodes() as usize];
        loop {
            let mut is_settled = true;
            for link in 0..self.ends.len() as u32 {
                let (tail, head) = self.ends(link);
                let (cost, hops) = far[head as usize];
                let through = (cost + costs[link as usize], hops + 1);
                if through.0.is_finite() && through < far[tail as usize] {
                    (far[tail as usize], first[tail as usize]) = (through, link);
                    is_settled = false;
                }
            }
            if is_settled {
                return first;
            }
        }
    }

    /// Hops on the shortest path from each node to `to`; [`UNREACHED`] if there is none.
    pub(super) fn hops_to(&self, to: u32) -> Vec<u32> {
        let back = Self::new(self.nodes(), self.ends.iter().map(|&(from, to)| (to, from)).collect());
        let mut hops = vec![UNREACHED; self.nodes() as usize];
        hops[to as usize] = 0;
        let mut level = vec![to];
        while let Some(at) = level.first().copied() {
            let distance = hops[at as usize] + 1;
            let mut next = Vec::new();
            for &node in &level {
                for &link in back.leaving(node) {
                    let (_, other) = back.ends(link);
                    if hops[other as usize] == UNREACHED {
                        hops[other as usize] = distance;
                        next.push(other);
                    }
                }
            }
            level = next;
        }
        hops
    }
}
