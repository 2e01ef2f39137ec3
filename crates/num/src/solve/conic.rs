//! Conic form of a problem for a general solver: a linear objective, and rows in cones. Logarithms and
//! entropies become exponential cones, powers and norms power cones, ellipsoids second-order cones.

use crate::answer::Mixture;
use crate::dense;
use crate::error::Error;
use crate::region::{Region, independent_sets};
use crate::utility::Utility;

/// A coupling's variables: each link's rate as an expression, mixture weights, rows of half-spaces.
#[derive(Default)]
pub(crate) struct Coupled {
    pub rates: Vec<Vec<(usize, f64)>>,
    pub mixture: Vec<Vec<usize>>,
    pub faces: Vec<usize>,
}

impl Coupled {
    /// Rates of the links, and the region's mixture; `scale` is the divisor of the objective.
    pub fn reached(&self, region: &Region, found: &Found, unit: f64, scale: f64) -> (Vec<f64>, Mixture) {
        let rate = |expression: &Vec<(usize, f64)>| expression.iter().map(|(v, k)| found.x[*v] * k).sum::<f64>() * unit;
        let shares = |row: &Vec<usize>| row.iter().map(|&v| found.x[v].max(0.0)).collect();
        let mixture = match region {
            Region::Fading { .. } => Mixture::Shares { shares: self.mixture.iter().map(shares).collect() },
            Region::Csma { .. } => Mixture::Sets { probabilities: shares(&self.mixture[0]) },
            region if region.half_spaces().is_some() => {
                let price = |row: &usize| found.z[*row].max(0.0) * scale / unit;
                Mixture::Faces { prices: self.faces.iter().map(price).collect() }
            }
            _ => Mixture::Direct,
        };
        (self.rates.iter().map(rate).collect(), mixture)
    }
}

/// Cone of the next rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cone {
    Zero,
    Nonnegative,
    /// ‖(x₂, …, xₙ)‖ ≤ x₁, of n rows.
    SecondOrder(usize),
    /// e^{x/y} ≤ z/y, of three rows.
    Exponential,
    /// x^e y^{1−e} ≥ |z|, of three rows.
    Power(f64),
}

/// maximise costᵀx subject to rows `constant + Σ terms` in cones.
#[derive(Default)]
pub(crate) struct Builder {
    pub cost: Vec<f64>,
    pub entries: Vec<(usize, usize, f64)>,
    pub constants: Vec<f64>,
    pub cones: Vec<Cone>,
}

/// constant + coefficient·variable, given as (constant, variable, coefficient).
type Row = (f64, usize, f64);

pub(crate) struct Found {
    pub x: Vec<f64>,
    pub z: Vec<f64>,
    pub iterations: usize,
}

impl Builder {
    pub fn variable(&mut self, gain: f64) -> usize {
        self.cost.push(gain);
        self.cost.len() - 1
    }

    fn row(&mut self, constant: f64, terms: &[(usize, f64)]) -> usize {
        let row = self.constants.len();
        self.constants.push(constant);
        self.entries.extend(terms.iter().map(|&(column, k)| (row, column, -k)));
        row
    }

    pub fn at_least_zero(&mut self, constant: f64, terms: &[(usize, f64)]) -> usize {
        self.cones.push(Cone::Nonnegative);
        self.row(constant, terms)
    }

    pub fn zero(&mut self, constant: f64, terms: &[(usize, f64)]) {
        self.cones.push(Cone::Zero);
        self.row(constant, terms);
    }

    /// e^{a/b} ≤ c/b.
    fn exponential(&mut self, a: Row, b: Row, c: Row) {
        self.cones.push(Cone::Exponential);
        self.three([a, b, c]);
    }

    /// a^e b^{1−e} ≥ |c|.
    fn power(&mut self, e: f64, a: Row, b: Row, c: Row) {
        self.cones.push(Cone::Power(e));
        self.three([a, b, c]);
    }

    /// a b ≥ c², as ‖(2c, a − b)‖ ≤ a + b: second-order cones keep more digits than power cones.
    fn product(&mut self, a: Row, b: Row, c: Row) {
        self.cones.push(Cone::SecondOrder(3));
        self.row(a.0 + b.0, &[(a.1, a.2), (b.1, b.2)]);
        self.row(2.0 * c.0, &[(c.1, 2.0 * c.2)]);
        self.row(a.0 - b.0, &[(a.1, a.2), (b.1, -b.2)]);
    }

    /// Three rows of one variable each.
    fn three(&mut self, rows: [Row; 3]) {
        for (constant, variable, k) in rows {
            self.row(constant, &[(variable, k)]);
        }
    }

    /// Adds U of the scaled rate to the objective.
    pub fn utility(&mut self, utility: &Utility, x: usize, unit: f64) -> Result<(), Error> {
        let of = |v: usize| (0.0, v, 1.0);
        let one = (1.0, 0, 0.0);
        match *utility {
            Utility::ProportionalFair { weight } | Utility::AlphaFair { weight, alpha: 1.0 } => {
                let t = self.variable(weight);
                self.exponential(of(t), one, of(x));
            }
            Utility::AlphaFair { weight, alpha: 0.0 } => {
                self.cost[x] += weight * unit;
                self.at_least_zero(0.0, &[(x, 1.0)]);
            }
            Utility::AlphaFair { weight, alpha } => {
                let t = self.variable(weight * libm::pow(unit, 1.0 - alpha) / (1.0 - alpha));
                match alpha {
                    0.5 => self.product(one, of(x), of(t)),
                    2.0 => self.product(of(t), of(x), one),
                    _ if alpha < 1.0 => self.power(1.0 - alpha, of(x), one, of(t)),
                    _ => self.power(1.0 / alpha, of(t), of(x), one),
                }
            }
            Utility::Reno { segment, rtt, loss } => {
                let t = self.variable(-2.0 * segment * segment / (rtt * rtt) / unit);
                self.cost[x] -= loss * unit;
                self.product(of(t), of(x), one);
            }
            Utility::Window { window, base_rtt } => {
                let t = self.variable(window);
                self.cost[x] -= base_rtt * unit;
                self.exponential(of(t), one, of(x));
            }
            Utility::MaxMin { .. } | Utility::Emultcp { .. } => {
                let what = "max_min or emultcp: they have no conic form".into();
                return Err(Error::Unsupported { method: "the conic reference", what });
            }
        }
        Ok(())
    }

    /// Adds a region's variables; its rates enter the links' rows.
    pub fn region(&mut self, region: &Region, links: &[u32], unit: f64, loads: &mut [Vec<(usize, f64)>]) -> Coupled {
        let mut out = Coupled::default();
        match region {
            Region::Fading { rates, probabilities } => {
                let weight = |h: usize| probabilities.as_ref().map_or(1.0, |p| p[h]);
                let total: f64 = (0..rates.len()).map(weight).sum();
                out.rates = vec![Vec::new(); links.len()];
                for (h, draw) in rates.iter().enumerate() {
                    let shares: Vec<usize> = draw.iter().map(|_| self.variable(0.0)).collect();
                    for (l, (&share, r)) in shares.iter().zip(draw).enumerate() {
                        self.at_least_zero(0.0, &[(share, 1.0)]);
                        out.rates[l].push((share, weight(h) / total * r / unit));
                    }
                    let terms: Vec<(usize, f64)> = shares.iter().map(|&v| (v, -1.0)).collect();
                    self.at_least_zero(1.0, &terms);
                    out.mixture.push(shares);
                }
            }
            Region::Csma { rates, conflicts, entropy } => {
                let sets = independent_sets(rates.len(), conflicts).unwrap_or_default();
                out.rates = vec![Vec::new(); links.len()];
                let probabilities: Vec<usize> = sets.iter().map(|_| self.variable(0.0)).collect();
                for (set, &u) in sets.iter().zip(&probabilities) {
                    for l in (0..links.len()).filter(|l| set >> l & 1 == 1) {
                        out.rates[l].push((u, rates[l] / unit));
                    }
                    match *entropy > 0.0 {
                        true => {
                            let t = self.variable(*entropy);
                            self.exponential((0.0, t, 1.0), (0.0, u, 1.0), (1.0, 0, 0.0));
                        }
                        false => _ = self.at_least_zero(0.0, &[(u, 1.0)]),
                    }
                }
                let terms: Vec<(usize, f64)> = probabilities.iter().map(|&u| (u, -1.0)).collect();
                self.zero(1.0, &terms);
                out.mixture.push(probabilities);
            }
            _ => {
                let rates: Vec<usize> = links.iter().map(|_| self.variable(0.0)).collect();
                self.shape(region, &rates, unit, &mut out);
                out.rates = rates.iter().map(|&r| vec![(r, 1.0)]).collect();
            }
        }
        for (&l, expression) in links.iter().zip(&out.rates) {
            loads[l as usize].extend(expression);
        }
        out
    }

    /// Regions given by a function of the rates.
    fn shape(&mut self, region: &Region, rates: &[usize], unit: f64, out: &mut Coupled) {
        if let Some((normals, offsets)) = region.half_spaces() {
            for (normal, b) in normals.iter().zip(&offsets) {
                let terms: Vec<(usize, f64)> = rates.iter().zip(normal).map(|(&r, n)| (r, -n)).collect();
                out.faces.push(self.at_least_zero(b / unit, &terms));
            }
            return;
        }
        match region {
            Region::Box { capacity } => {
                for (&r, c) in rates.iter().zip(capacity) {
                    self.at_least_zero(c / unit, &[(r, -1.0)]);
                }
            }
            Region::Norm { capacity, exponent } => {
                let parts: Vec<(usize, f64)> = rates.iter().map(|_| (self.variable(0.0), -1.0)).collect();
                for ((&r, c), (part, _)) in rates.iter().zip(capacity).zip(&parts) {
                    self.power(1.0 / exponent, (0.0, *part, 1.0), (1.0, 0, 0.0), (0.0, r, unit / c));
                }
                self.at_least_zero(1.0, &parts);
            }
            Region::Ellipsoid { matrix } => {
                let n = rates.len();
                let mut l = matrix.concat();
                dense::factor(&mut l, n, dense::DEPENDENT);
                self.cones.push(Cone::SecondOrder(n + 1));
                self.row(1.0, &[]);
                for j in 0..n {
                    let column: Vec<(usize, f64)> = (j..n).map(|i| (rates[i], l[i * n + j] * unit)).collect();
                    self.row(0.0, &column);
                }
            }
            _ => unreachable!("mixtures are built by their weights"),
        }
    }
}
