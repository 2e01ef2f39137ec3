//! Where a ray leaves a region of vertices: max t subject to p + t d ≤ r, r ∈ R, by the revised simplex method. Its columns
//! are vertices r of R, found by MaxWeight at the basis's prices as they are needed (Dantzig, Wolfe 1960).
//!
//! A point walks on from where the last ray ended. A ray that ends at the boundary leaves prices λ; from then on r has to stay
//! on the face that they expose, and links with a price stay full: what is left is a smaller region. That is progressive
//! filling, one linear program a level, without inequalities that hold by rounding alone.

use super::Vertices;
use crate::dense;

/// A point of a region, with a mixture of vertices that reaches it.
#[derive(Clone)]
pub(crate) struct Walk<'v> {
    vertices: &'v Vertices,
    /// What each link gets if it is always served: its rates are measured in it.
    alone: Vec<f64>,
    /// p.
    point: Vec<f64>,
    /// One column per link and one for the weights' sum.
    basis: Vec<Column>,
    /// By vertex: whether it lies on the face; and by link, whether it stays full.
    is_open: Vec<bool>,
    is_full: Vec<bool>,
    /// Prices that expose the face, of the links measured in `alone`.
    exposing: Vec<f64>,
}

/// Where a ray ended.
pub(crate) struct Exit {
    /// t.
    pub length: f64,
    /// λ ≥ 0 of the links, λᵀd = 1, where it ended at the boundary: no p + t d with a larger t is in the region.
    pub prices: Option<Vec<f64>>,
}

#[derive(Clone)]
enum Column {
    /// A vertex of the region: the vertex of each group, and its rates.
    Served(Vec<u32>, Vec<f64>),
    /// What the link gets beyond its load.
    Spare(usize),
    /// Length along a direction; of earlier rays, that it stays 0.
    Length(Vec<f64>),
}

impl<'v> Walk<'v> {
    /// At p = 0.
    pub(crate) fn new(vertices: &'v Vertices, links: usize) -> Self {
        let mut alone = vec![0.0; links];
        for (h, mass) in vertices.mass.iter().enumerate() {
            let mut most = vec![0.0_f64; links];
            vertices.group(h).flat_map(|i| vertices.vertex(i)).for_each(|(l, v)| most[l] = most[l].max(v));
            alone.iter_mut().zip(&most).for_each(|(alone, v)| *alone += mass * v);
        }
        let mut out = Self {
            vertices,
            alone,
            point: vec![0.0; links],
            basis: Vec::new(),
            is_open: vec![true; vertices.len()],
            is_full: vec![false; links],
            exposing: vec![0.0; links],
        };
        out.basis = (0..links).map(Column::Spare).chain([out.serve(&vec![1.0; links])]).collect();
        out
    }

    /// Walks along `direction` (≥ 0, and 0 on links without rate or with a price at an earlier end) to the boundary, or `most` far. `None` where rounding stops
    /// the simplex method.
    pub(crate) fn advance(&mut self, direction: &[f64], most: f64) -> Option<Exit> {
        let k = self.alone.len();
        let direction: Vec<f64> =
            direction.iter().zip(&self.alone).map(|(d, c)| if *d > 0.0 { d / c } else { 0.0 }).collect();
        // Measured so that lengths are about 1.
        let unit = direction.iter().copied().fold(0.0, f64::max);
        let direction: Vec<f64> = direction.iter().map(|d| d / unit).collect();
        let most = most * unit;
        let mut entering = Column::Length(direction.iter().map(|d| -d).collect());
        let mut position = None;
        for _ in 0..MAX_PIVOTS {
            let values = self.values();
            let change = self.solve(self.column(&entering));
            // Entering by θ, basic variables fall by θ `change`.
            let (mut step, mut leaving) = (f64::INFINITY, None);
            let largest = change.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
            for (i, column) in self.basis.iter().enumerate() {
                let is_bound = !matches!(column, Column::Length(_)) && change[i] > PIVOT * largest;
                if is_bound {
                    let reach = values[i].max(0.0) / change[i];
                    let is_better =
                        reach < step || (reach == step && leaving.is_some_and(|j: usize| change[i] > change[j]));
                    if is_better {
                        (step, leaving) = (reach, Some(i));
                    }
                }
            }
            let (length, gain) = position.map_or((0.0, 1.0), |i: usize| (values[i], -change[i]));
            if length + gain * step >= most {
                if let Some(i) = position {
                    self.basis[i] = entering;
                }
                self.point.iter_mut().zip(&direction).for_each(|(p, d)| *p += most * d);
                return Some(Exit { length: most / unit, prices: None });
            }
            let leaving = leaving?;
            self.basis[leaving] = entering;
            let at = *position.get_or_insert(leaving);
            let prices = self.prices(at);
            match self.improving(&prices) {
                Some(column) => entering = column,
                None => {
                    let length = self.values()[at].max(0.0);
                    self.point.iter_mut().zip(&direction).for_each(|(p, d)| *p += length * d);
                    let prices = self.expose(&prices[..k]);
                    let prices =
                        prices.iter().zip(&self.alone).map(|(l, c)| if *l > 0.0 { l / (unit * c) } else { 0.0 });
                    return Some(Exit { length: length / unit, prices: Some(prices.collect()) });
                }
            }
        }
        None
    }

    /// What each link gets if it is always served.
    pub(crate) fn alone(&self) -> &[f64] {
        &self.alone
    }

    /// u of every vertex.
    pub(crate) fn mixture(&self) -> Vec<f64> {
        let mut u = vec![0.0; self.vertices.len()];
        for (column, weight) in self.basis.iter().zip(self.values()) {
            if let Column::Served(choice, _) = column {
                choice.iter().zip(&self.vertices.mass).for_each(|(i, mass)| u[*i as usize] += mass * weight.max(0.0));
            }
        }
        u
    }

    /// Values of the basic variables.
    fn values(&self) -> Vec<f64> {
        self.solve(self.point.iter().copied().chain([1.0]).collect())
    }

    fn column(&self, column: &Column) -> Vec<f64> {
        match column {
            Column::Served(_, rates) => rates.iter().copied().chain([1.0]).collect(),
            Column::Spare(l) => (0..=self.alone.len()).map(|i| if i == *l { -1.0 } else { 0.0 }).collect(),
            Column::Length(direction) => direction.iter().copied().chain([0.0]).collect(),
        }
    }

    /// B⁻¹ b.
    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        let mut matrix = vec![0.0; n * n];
        for (j, column) in self.basis.iter().enumerate() {
            self.column(column).into_iter().enumerate().for_each(|(i, v)| matrix[i * n + j] = v);
        }
        dense::eliminate(&mut matrix, &mut b);
        b
    }

    /// λ and −σ with λᵀr = σ for the basis's vertices, λ = 0 where a link has a spare rate, λᵀd = 1 for the variable at
    /// `position` and 0 for earlier directions.
    fn prices(&self, position: usize) -> Vec<f64> {
        let n = self.basis.len();
        let mut matrix = Vec::with_capacity(n * n);
        self.basis.iter().for_each(|column| matrix.extend(self.column(column).iter().map(|v| -v)));
        let mut out = vec![0.0; n];
        out[position] = 1.0;
        dense::eliminate(&mut matrix, &mut out);
        for column in &self.basis {
            if let Column::Spare(l) = column {
                out[*l] = 0.0;
            }
        }
        out
    }

    /// A variable that lengthens the ray: a spare rate of negative price, or a vertex that prices prefer to the basis's.
    fn improving(&self, prices: &[f64]) -> Option<Column> {
        let k = self.alone.len();
        let size = prices[..k].iter().fold(0.0_f64, |a, l| a.max(l.abs()));
        let free = (0..k).filter(|&l| !self.is_full[l]);
        if let Some(l) = free.min_by(|&a, &b| prices[a].total_cmp(&prices[b]))
            && prices[l] < -TIE * size
        {
            return Some(Column::Spare(l));
        }
        let column = self.serve(prices);
        let Column::Served(choice, rates) = &column else { unreachable!("a vertex") };
        if self.basis.iter().any(|c| matches!(c, Column::Served(own, _) if own == choice)) {
            return None;
        }
        let sum = rates.iter().zip(prices).map(|(r, l)| (r * l).abs()).sum::<f64>();
        let gain = dense::dot(rates, &prices[..k]) + prices[k];
        (gain > ROUNDING * sum).then_some(column)
    }

    /// MaxWeight on the face.
    fn serve(&self, prices: &[f64]) -> Column {
        let v = self.vertices;
        let mut rates = vec![0.0; self.alone.len()];
        let mut choice = Vec::with_capacity(v.mass.len());
        for (h, mass) in v.mass.iter().enumerate() {
            let open = v.group(h).filter(|&i| self.is_open[i]);
            let best =
                open.map(|i| (i, self.weight(i, prices))).fold(None, |best: Option<(usize, f64)>, next| match best {
                    Some(best) if best.1 >= next.1 => Some(best),
                    _ => Some(next),
                });
            let (best, _) = best.expect("a face has a vertex of every group");
            choice.push(best as u32);
            v.vertex(best).for_each(|(l, x)| rates[l] += mass * x / self.alone[l]);
        }
        Column::Served(choice, rates)
    }

    /// Value of a vertex at prices of rates measured in `alone`.
    fn weight(&self, i: usize, prices: &[f64]) -> f64 {
        self.vertices.vertex(i).map(|(l, x)| x / self.alone[l] * prices[l]).sum()
    }

    /// Restricts the region to the face that `prices` expose on the present one; returns prices that expose it on the whole
    /// region: as many of the former prices are added as no vertex outside can outweigh.
    fn expose(&mut self, prices: &[f64]) -> Vec<f64> {
        let v = self.vertices;
        let size = prices.iter().fold(0.0_f64, |a, l| a.max(l.abs()));
        let prices: Vec<f64> = prices.iter().map(|l| if l.abs() > TIE * size { *l } else { 0.0 }).collect();
        let mut factor = 0.0_f64;
        for (l, own) in prices.iter().enumerate().filter(|(l, _)| self.exposing[*l] > 0.0) {
            factor = factor.max(-own / self.exposing[l]);
        }
        for h in 0..v.mass.len() {
            let most = |of: &dyn Fn(usize) -> f64| {
                v.group(h).filter(|&i| self.is_open[i]).map(of).fold(f64::NEG_INFINITY, f64::max)
            };
            let (top, former) = (most(&|i| self.weight(i, &prices)), most(&|i| self.weight(i, &self.exposing)));
            for i in v.group(h).filter(|&i| !self.is_open[i]) {
                factor = factor.max((self.weight(i, &prices) - top) / (former - self.weight(i, &self.exposing)));
            }
            let size: f64 = v
                .group(h)
                .flat_map(|i| v.vertex(i))
                .map(|(l, x)| (x / self.alone[l] * prices[l]).abs())
                .fold(0.0, f64::max);
            for i in v.group(h) {
                self.is_open[i] &= self.weight(i, &prices) >= top - TIE * size;
            }
        }
        for (l, own) in prices.iter().enumerate() {
            self.is_full[l] |= *own > 0.0;
            self.exposing[l] = (own + 2.0 * factor * self.exposing[l]).max(0.0);
        }
        self.exposing.clone()
    }
}

/// Far beyond what a few dozen links need.
const MAX_PIVOTS: usize = 10_000;
/// Relative: entries of B⁻¹a that are rounding.
const PIVOT: f64 = 1e-11;
/// Relative: prices that are 0, and vertices of equal weight.
const TIE: f64 = 1e-11;
/// Relative error of a sum of rates times prices.
const ROUNDING: f64 = 1e-14;

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell that serves links of rates 1, 3 and 2 one at a time. Along (1, 1, 0): t (1 + 1/3) = 1, at prices in proportion to
    /// 1, 1/3, which add up to 1: 3/4 and 1/4. Link 2 gets
    /// nothing, at a price of at most 3/4 / 2, at which it would be served as well.
    #[test]
    fn time_shared() {
        let vertices = Vertices::fading(&[vec![1.0, 3.0, 2.0]], None);
        let mut walk = Walk::new(&vertices, 3);
        let first = walk.advance(&[1.0, 1.0, 0.0], 0.25).unwrap();
        assert!(first.prices.is_none() && first.length == 0.25);
        let exit = walk.advance(&[1.0, 1.0, 0.0], 10.0).unwrap();
        assert!((exit.length - 0.5).abs() < 1e-15, "{}", exit.length);
        let prices = exit.prices.unwrap();
        assert!((prices[0] - 0.75).abs() < 1e-15 && (prices[1] - 0.25).abs() < 1e-15, "{prices:?}");
        assert!((0.0..=0.375 + 1e-15).contains(&prices[2]), "{prices:?}");
        let shares = walk.mixture();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-15 && (shares[0] - 0.75).abs() < 1e-15, "{shares:?}");
    }

    /// Two draws, (1, 0) and (1, 2). Along (1, 1) link 1 gets 2/3 of the second draw, and both rates are 2/3.
    #[test]
    fn two_draws() {
        let vertices = Vertices::fading(&[vec![1.0, 0.0], vec![1.0, 2.0]], None);
        let mut walk = Walk::new(&vertices, 2);
        assert!((walk.advance(&[1.0, 1.0], 10.0).unwrap().length - 2.0 / 3.0).abs() < 1e-15);
    }
}
