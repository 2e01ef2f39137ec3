//! The corner of a polyhedron that MaxWeight serves: a linear program of a few rows, by the simplex method on a dense
//! tableau.

/// max qᵀr subject to n_kᵀr ≤ b_k, r ≥ 0: the corner of huang2020 Claim 1. Normals and offsets are ≥ 0, and every link
/// has a positive entry somewhere.
///
/// A link's rate is measured in its rate alone, and every row in its offset. Entries are then in [0, 1], the start r =
/// 0 is a corner at any scale, and r stays inside at every step.
pub(super) fn of_half_spaces(normals: &[Vec<f64>], offsets: &[f64], prices: &[f64]) -> Vec<f64> {
    let faces = || normals.iter().zip(offsets);
    let alone = |l: usize| faces().filter(|(n, _)| n[l] > 0.0).map(|(n, b)| b / n[l]).fold(f64::INFINITY, f64::min);
    let alone: Vec<f64> = (0..prices.len()).map(alone).collect();
    let gain: Vec<f64> = prices.iter().zip(&alone).map(|(q, c)| q * c).collect();
    let top = gain.iter().copied().fold(0.0, f64::max);
    if top == 0.0 {
        return vec![0.0; prices.len()];
    }
    // A face with offset 0 holds its links at 0 and says nothing of others.
    let row = |(n, b): (&Vec<f64>, &f64)| -> Vec<f64> {
        n.iter().zip(&alone).map(|(n, c)| if *c > 0.0 { n * c / b } else { 0.0 }).chain([1.0]).collect()
    };
    let rows: Vec<Vec<f64>> = faces().filter(|(_, b)| **b > 0.0).map(row).collect();
    let mut tableau = Tableau::new(rows, gain.iter().map(|g| g / top).collect());
    for _ in 0..MAX_EXCHANGES {
        let Some((column, row)) = tableau.pivot() else { break };
        tableau.exchange(column, row);
    }
    tableau.values(prices.len()).iter().zip(&alone).map(|(share, c)| share * c).collect()
}

/// Rows read Σ entries·outside + basis = last entry. Column j is variable `outside[j]`; variables from the number of
/// columns on are the rows' slacks.
struct Tableau {
    rows: Vec<Vec<f64>>,
    gain: Vec<f64>,
    outside: Vec<usize>,
    basis: Vec<usize>,
}

impl Tableau {
    fn new(rows: Vec<Vec<f64>>, gain: Vec<f64>) -> Self {
        let columns = gain.len();
        Self { outside: (0..columns).collect(), basis: (columns..columns + rows.len()).collect(), rows, gain }
    }

    /// Bland's rule, which never returns to a corner: of the variables that gain the one of least index enters, and of
    /// those that block it first the one of least index leaves.
    fn pivot(&self) -> Option<(usize, usize)> {
        let gains = (0..self.gain.len()).filter(|&j| self.gain[j] > ROUNDING);
        let column = gains.min_by_key(|&j| self.outside[j])?;
        let blocking = (0..self.rows.len()).filter(|&i| self.rows[i][column] > ROUNDING);
        let reach = |i: usize| self.rows[i][self.gain.len()] / self.rows[i][column];
        let row = blocking.min_by(|&a, &b| reach(a).total_cmp(&reach(b)).then(self.basis[a].cmp(&self.basis[b])))?;
        Some((column, row))
    }

    fn exchange(&mut self, column: usize, row: usize) {
        let entry = self.rows[row][column];
        self.rows[row][column] = 1.0;
        self.rows[row].iter_mut().for_each(|v| *v /= entry);
        let pivot = self.rows[row].clone();
        let last = self.gain.len();
        let others = self.rows.iter_mut().enumerate().filter(|(i, _)| *i != row).map(|(_, other)| other);
        for other in others.chain([&mut self.gain]) {
            let factor = std::mem::take(&mut other[column]);
            other.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= factor * p);
            if let Some(room) = other.get_mut(last) {
                *room = room.max(0.0);
            }
        }
        std::mem::swap(&mut self.outside[column], &mut self.basis[row]);
    }

    /// The first variables' values.
    fn values(&self, count: usize) -> Vec<f64> {
        let mut values = vec![0.0; count];
        for (row, &variable) in self.rows.iter().zip(&self.basis).filter(|(_, v)| **v < count) {
            values[variable] = row[count];
        }
        values
    }
}

/// Far beyond the needs of a few rows; if rounding caused a cycle, every corner on it would be inside the region.
const MAX_EXCHANGES: usize = 100_000;
/// Rounding in entries that are 0 after elimination; the largest of a column is 1 at the start.
const ROUNDING: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::of_half_spaces;

    /// r_1 + 2 r_2 ≤ 4, 3 r_1 + r_2 ≤ 6 meet in (8/5, 6/5), independent of scales of a million between links and rows.
    #[test]
    fn two_faces() {
        let scaled = |a: f64, b: f64| {
            let (normals, offsets) = ([vec![a, 2.0 * b], vec![3e6 * a, 1e6 * b]], [4.0, 6e6]);
            let r = of_half_spaces(&normals, &offsets, &[a, b]);
            [r[0] * a, r[1] * b]
        };
        for (a, b) in [(1.0, 1.0), (1e-6, 1.0), (1e6, 1e-6)] {
            for (r, expected) in scaled(a, b).iter().zip([1.6, 1.2]) {
                assert!((r - expected).abs() < 1e-14, "{a}, {b}: {r}");
            }
        }
    }

    /// Offsets of 0 hold all or some links at 0; without prices nothing is served.
    #[test]
    fn dead_links() {
        let normals = [vec![1.0, 0.0], vec![1.0, 1.0]];
        assert_eq!(of_half_spaces(&normals, &[0.0, 2.0], &[5.0, 1.0]), [0.0, 2.0]);
        assert_eq!(of_half_spaces(&normals, &[0.0, 0.0], &[5.0, 1.0]), [0.0, 0.0]);
        assert_eq!(of_half_spaces(&normals, &[1.0, 2.0], &[0.0, 0.0]), [0.0, 0.0]);
    }

    /// Two equal faces leave degenerate corners on the way, at which a careless rule may cycle. x + z ≤ 1, y + z ≤ 1
    /// and 2x + y ≤ 2, priced 1/3, 2/3, 1/3, bound x + y + z by 5/3, reached at (2/3, 2/3, 1/3).
    #[test]
    fn degenerate_corner() {
        let normals = [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0], vec![2.0, 1.0, 0.0], vec![1.0, 0.5, 0.0]];
        let r = of_half_spaces(&normals, &[1.0, 1.0, 2.0, 1.0], &[1.0, 1.0, 1.0]);
        for (r, expected) in r.iter().zip([2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]) {
            assert!((r - expected).abs() < 1e-14, "{r}");
        }
    }
}
