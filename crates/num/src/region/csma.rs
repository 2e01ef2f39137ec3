//! Ideal CSMA on a conflict graph (wang2013 §II): independent sets and their product-form mixture.

use crate::dense::first_max;

/// Limit of enumerated independent sets, the empty one included.
pub const MAX_INDEPENDENT_SETS: usize = 1 << 16;

/// Every independent set of a graph on `links` vertices as a bit mask (bit l: link l is active), the empty set first;
/// `None` beyond 64 links or [`MAX_INDEPENDENT_SETS`] sets.
pub fn independent_sets(links: usize, conflicts: &[(u32, u32)]) -> Option<Vec<u64>> {
    if links > 64 {
        return None;
    }
    let neighbours = neighbours(links, conflicts);
    let mut sets = vec![0_u64];
    for (l, &barred) in neighbours.iter().enumerate() {
        for i in 0..sets.len() {
            if sets[i] & barred == 0 {
                sets.push(sets[i] | 1 << l);
                if sets.len() > MAX_INDEPENDENT_SETS {
                    return None;
                }
            }
        }
    }
    Some(sets)
}

/// Every set of a checked graph.
pub(crate) fn all_sets(links: usize, conflicts: &[(u32, u32)]) -> Vec<u64> {
    independent_sets(links, conflicts).expect("a checked conflict graph can be enumerated")
}

/// Maximal independent sets: the only relevant vertices where idling gains nothing.
pub(crate) fn maximal_sets(links: usize, conflicts: &[(u32, u32)]) -> Vec<u64> {
    let neighbours = neighbours(links, conflicts);
    let is_maximal = |set: &u64| (0..links).all(|l| set >> l & 1 == 1 || set & neighbours[l] != 0);
    all_sets(links, conflicts).into_iter().filter(is_maximal).collect()
}

fn neighbours(links: usize, conflicts: &[(u32, u32)]) -> Vec<u64> {
    let mut masks = vec![0_u64; links];
    for &(a, b) in conflicts {
        masks[a as usize] |= 1 << b;
        masks[b as usize] |= 1 << a;
    }
    masks
}

/// max_u Σ_i u_i (a_i − T ln u_i) over the simplex, a_i = Σ_l q_l b_l r_l^i: h(q) = T ln Σ exp(a_i/T).
#[derive(Clone, Debug)]
pub(crate) struct Entropic {
    rates: Vec<f64>,
    sets: Vec<u64>,
    /// T.
    temperature: f64,
}

impl Entropic {
    pub(crate) fn new(rates: &[f64], conflicts: &[(u32, u32)], temperature: f64) -> Self {
        Self { rates: rates.to_vec(), sets: all_sets(rates.len(), conflicts), temperature }
    }

    /// a_i for every set.
    fn values<'a>(&'a self, q: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.sets.iter().map(move |&set| bits(set).map(|l| q[l] * self.rates[l]).sum())
    }

    /// u_i = exp(a_i/T)/Σ_j exp(a_j/T): (wang2013 (7)), shifted by the largest exponent.
    pub(crate) fn stationary(&self, q: &[f64]) -> Vec<f64> {
        let mut u: Vec<f64> = self.values(q).collect();
        let largest = u.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for v in &mut u {
            *v = libm::exp((*v - largest) / self.temperature);
            sum += *v;
        }
        u.iter_mut().for_each(|v| *v /= sum);
        u
    }

    /// Writes r(q) at T > 0, and optionally ∂r/∂q = b_l b_n Cov(r_l, r_n)/T; returns h(q).
    pub(crate) fn evaluate(&self, q: &[f64], rates: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = q.len();
        let u = self.stationary(q);
        rates.fill(0.0);
        let (mut mean, mut entropy) = (0.0, 0.0);
        for ((&set, &u), a) in self.sets.iter().zip(&u).zip(self.values(q)) {
            mean += u * a;
            if u > 0.0 {
                entropy -= u * libm::log(u);
            }
            bits(set).for_each(|l| rates[l] += u * self.rates[l]);
        }
        if let Some(hessian) = hessian {
            // Centred sums: with one set near certainty the difference of raw moments would lose every digit.
            hessian.fill(0.0);
            let mut centred = vec![0.0; n];
            for (&set, &u) in self.sets.iter().zip(&u) {
                if u == 0.0 {
                    continue;
                }
                for l in 0..n {
                    centred[l] = if set >> l & 1 == 1 { self.rates[l] } else { 0.0 } - rates[l];
                }
                for i in 0..n {
                    let scaled = u / self.temperature * centred[i];
                    for j in 0..n {
                        hessian[i * n + j] += scaled * centred[j];
                    }
                }
            }
        }
        mean + self.temperature * entropy
    }

    /// Rates of the heaviest set, the first of equals.
    pub(crate) fn best_set(&self, q: &[f64], rates: &mut [f64]) {
        let best = first_max(self.values(q));
        rates.fill(0.0);
        bits(self.sets[best]).for_each(|l| rates[l] = self.rates[l]);
    }
}

/// Indices of the bits of a mask, ascending.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let l = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (l < 64).then_some(l)
    })
}
