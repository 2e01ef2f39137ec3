//! Regions given by their vertices: r = Σ_h Σ_i u_{h,i} v_{h,i}, u ≥ 0, Σ_i u_{h,i} = π_h. A fading cell has one group
//! h per channel draw and one vertex per link; CSMA without entropy one group of independent sets.

use super::csma;

/// Groups of sparse vertices, flat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vertices {
    /// T, weight of the mixture's entropy.
    pub temperature: f64,
    /// π_h.
    pub mass: Vec<f64>,
    /// Vertices of group h: `group[h]..group[h + 1]`.
    pub group: Vec<u32>,
    /// Entries of vertex i: `entry[i]..entry[i + 1]`.
    pub entry: Vec<u32>,
    /// Coordinate of an entry.
    pub coordinate: Vec<u32>,
    /// Value of an entry, positive.
    pub value: Vec<f64>,
    /// For a fading cell: the group of each channel draw; `u32::MAX` if no rate is positive.
    pub draw_group: Vec<u32>,
    /// For CSMA: the independent set of each vertex.
    pub masks: Vec<u64>,
}

impl Vertices {
    /// Groups draws with equal rates: adaptive modulation leaves few different ones.
    pub(crate) fn fading(rates: &[Vec<f64>], probabilities: Option<&[f64]>) -> Self {
        let mut order: Vec<usize> = (0..rates.len()).collect();
        let compare = |a: &usize, b: &usize| {
            let pairs = rates[*a].iter().zip(&rates[*b]);
            pairs.map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(compare);
        let weight = |h: usize| probabilities.map_or(1.0, |p| p[h]);
        let total: f64 = (0..rates.len()).map(weight).sum();
        let mut out = Self::empty();
        out.draw_group = vec![u32::MAX; rates.len()];
        for same in order.chunk_by(|a, b| compare(a, b).is_eq()) {
            let row = &rates[same[0]];
            let mass = same.iter().map(|&h| weight(h)).sum::<f64>() / total;
            if mass > 0.0 && row.iter().any(|&r| r > 0.0) {
                same.iter().for_each(|&h| out.draw_group[h] = out.mass.len() as u32);
                let serving = row.iter().enumerate().filter(|(_, r)| **r > 0.0);
                out.push(mass, serving.map(|(l, &r)| vec![(l as u32, r)]));
            }
        }
        out
    }

    /// Vertices of all sets with entropy, of the maximal ones without.
    pub(crate) fn csma(rates: &[f64], conflicts: &[(u32, u32)], entropy: f64) -> Self {
        let mut out = Self::empty();
        out.temperature = entropy;
        out.masks = match entropy > 0.0 {
            true => csma::all_sets(rates.len(), conflicts),
            false => csma::maximal_sets(rates.len(), conflicts),
        };
        let vertex = |&set: &u64| csma::bits(set).filter(|&l| rates[l] > 0.0).map(|l| (l as u32, rates[l])).collect();
        let vertices: Vec<Vec<(u32, f64)>> = out.masks.iter().map(vertex).collect();
        out.push(1.0, vertices.into_iter());
        out
    }

    fn empty() -> Self {
        Self { group: vec![0], entry: vec![0], ..Self::default() }
    }

    fn push(&mut self, mass: f64, vertices: impl Iterator<Item = Vec<(u32, f64)>>) {
        for vertex in vertices {
            for (l, v) in vertex {
                self.coordinate.push(l);
                self.value.push(v);
            }
            self.entry.push(self.value.len() as u32);
        }
        self.mass.push(mass);
        self.group.push(self.entry.len() as u32 - 1);
    }

    pub(crate) fn len(&self) -> usize {
        self.entry.len() - 1
    }

    /// Vertices of group h.
    pub(crate) fn group(&self, h: usize) -> std::ops::Range<usize> {
        self.group[h] as usize..self.group[h + 1] as usize
    }

    /// Entries of vertex i as (coordinate, value).
    pub(crate) fn vertex(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let entries = self.entry[i] as usize..self.entry[i + 1] as usize;
        entries.map(|e| (self.coordinate[e] as usize, self.value[e]))
    }

    /// v_iᵀq.
    pub(crate) fn weight(&self, i: usize, q: &[f64]) -> f64 {
        self.vertex(i).map(|(l, v)| v * q[l]).sum()
    }

    /// Σ u_i v_i.
    pub(crate) fn mix(&self, u: &[f64], rates: &mut [f64]) {
        rates.fill(0.0);
        for (i, u) in u.iter().enumerate() {
            self.vertex(i).for_each(|(l, v)| rates[l] += u * v);
        }
    }
}
