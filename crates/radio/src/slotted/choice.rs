//! Maximum-weight independent set by branch and bound (Balas and Yu 1986). The bound on a set's gain is the sum over a
//! clique partition of the candidates of each clique's largest weight. Links of one node form a clique, so the bound is
//! tight there.

/// Heaviest independent set of at most 64 vertices, as bits; vertices without a positive weight are left out. Of sets
/// of equal weight the first in `order`, a list of all vertices, wins.
pub(super) fn heaviest(weights: &[f64], conflicts: &[u64], order: &[u32]) -> u64 {
    let candidates = order.iter().copied().filter(|&v| weights[v as usize] > 0.0).collect();
    let mut search = Search { weights, conflicts, best: (0.0, 0) };
    search.extend(0, 0.0, candidates);
    search.best.1
}

struct Search<'a> {
    weights: &'a [f64],
    conflicts: &'a [u64],
    /// Heaviest set so far.
    best: (f64, u64),
}

impl Search<'_> {
    fn extend(&mut self, set: u64, weight: f64, mut candidates: Vec<u32>) {
        if weight > self.best.0 {
            self.best = (weight, set);
        }
        while !candidates.is_empty() {
            if weight + self.bound(&candidates) <= self.best.0 {
                return;
            }
            let next = candidates.remove(0);
            let barred = self.conflicts[next as usize];
            let open = candidates.iter().copied().filter(|v| barred >> v & 1 == 0).collect();
            self.extend(set | 1 << next, weight + self.weights[next as usize], open);
        }
    }

    /// Sum over the cliques of a greedy partition of their largest weight.
    fn bound(&self, candidates: &[u32]) -> f64 {
        let mut cliques: Vec<(u64, f64)> = Vec::new();
        for &v in candidates {
            let weight = self.weights[v as usize];
            match cliques.iter_mut().find(|(members, _)| members & !self.conflicts[v as usize] == 0) {
                Some((members, largest)) => {
                    *members |= 1 << v;
                    *largest = largest.max(weight);
                }
                None => cliques.push((1 << v, weight)),
            }
        }
        cliques.iter().map(|clique| clique.1).sum()
    }
}
