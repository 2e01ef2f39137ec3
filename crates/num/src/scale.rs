//! Scaling of a problem. A network in Mbit/s and one in Gbit/s are the same problem, but x^(−α) in packets per second
//! leaves f64 at α = 64 from 83 333 on. Rates are therefore measured in a typical rate, and utilities in a typical
//! turnover x U′.
//!
//! Both units are powers of four, so that square roots and common powers are scaled without rounding.

use crate::answer::{Answer, Mixture};
use crate::network::{Coupling, Link, Network, Problem};
use crate::program::{Place, Program};
use crate::region::Region;
use crate::utility::Utility;

/// The units, as exponents of four.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scale {
    /// Exponent of the unit of rates.
    rate: i32,
    /// Exponent of the unit of utilities. For large alpha its power of four is outside f64.
    utility: i32,
}

impl Scale {
    /// Units for a checked network of `routes`, and flows of these utilities over them.
    pub(crate) fn of(network: &Network, routes: &[Vec<u32>], utilities: &[Utility]) -> Self {
        let program = Program::new(network, Vec::new());
        let typical = link_rates(&program);
        let mut crossing = vec![0.0; typical.len()];
        routes.iter().flatten().for_each(|&l| crossing[l as usize] += 1.0);
        let fits = |route: &Vec<u32>| {
            let shares = route.iter().map(|&l| typical[l as usize] / crossing[l as usize]);
            shares.fold(f64::INFINITY, f64::min)
        };
        let is_rate = |x: &f64| *x > 0.0 && x.is_finite();
        let fits: Vec<f64> = routes.iter().map(fits).collect();
        let Some(rate) = mean(fits.iter().filter(|x| is_rate(x)).map(|x| libm::log2(*x))) else {
            return Self::default();
        };
        let pairs = utilities.iter().zip(&fits).filter(|(_, x)| is_rate(x));
        let turnovers = pairs.map(|(utility, &x)| utility.log2_turnover(x)).filter(|log| log.is_finite());
        let mut utility = mean(turnovers).unwrap_or(0.0);
        for coupling in &network.couplings {
            if let Region::Csma { entropy, .. } = coupling.region {
                // Where an entropy counts more than all rates its temperature stays a number.
                utility = if entropy > 0.0 { utility.max(libm::log2(entropy) - FAR) } else { utility };
            }
        }
        Self { rate: (rate / 2.0).round() as i32, utility: (utility / 2.0).round() as i32 }
    }

    /// The problem in these units.
    pub(crate) fn apply(self, problem: &Problem) -> Problem {
        let utilities = problem.utilities.iter().map(|utility| self.utility(utility)).collect();
        Problem { network: self.network(&problem.network), utilities }
    }

    /// A network in these units.
    pub(crate) fn network(self, network: &Network) -> Network {
        let link = |link: &Link| match *link {
            Link::Wired(c) => Link::Wired(self.down(c)),
            Link::Wireless => Link::Wireless,
        };
        let couplings = network.couplings.iter();
        Network {
            links: network.links.iter().map(link).collect(),
            couplings: couplings.map(|c| Coupling { links: c.links.clone(), region: self.region(&c.region) }).collect(),
            routes: network.routes.clone(),
        }
    }

    fn region(self, region: &Region) -> Region {
        let all = |rates: &Vec<f64>| rates.iter().map(|rate| self.down(*rate)).collect::<Vec<f64>>();
        match region {
            Region::Box { capacity } => Region::Box { capacity: all(capacity) },
            Region::Norm { capacity, exponent } => Region::Norm { capacity: all(capacity), exponent: *exponent },
            Region::Ellipsoid { matrix } => {
                let row = |row: &Vec<f64>| row.iter().map(|h| quadrupled(*h, 2 * self.rate)).collect();
                Region::Ellipsoid { matrix: matrix.iter().map(row).collect() }
            }
            Region::HalfSpaces { normals, offsets } => {
                Region::HalfSpaces { normals: normals.clone(), offsets: all(offsets) }
            }
            Region::Fading { rates, probabilities } => {
                Region::Fading { rates: rates.iter().map(all).collect(), probabilities: probabilities.clone() }
            }
            Region::Csma { rates, conflicts, entropy } => Region::Csma {
                rates: all(rates),
                conflicts: conflicts.clone(),
                entropy: quadrupled(*entropy, -self.utility),
            },
        }
    }

    /// U(R x)/u.
    pub(crate) fn utility(self, utility: &Utility) -> Utility {
        let (r, u) = (self.rate, self.utility);
        let per_rate = |price: f64| quadrupled(price, r - u);
        // 2S²/(T²x): S² goes with R u, of which S has the root.
        let segment = |segment: f64| libm::ldexp(segment, -r - u);
        match *utility {
            Utility::ProportionalFair { weight } => Utility::ProportionalFair { weight: quadrupled(weight, -u) },
            Utility::AlphaFair { weight, alpha: 1.0 } => {
                Utility::AlphaFair { weight: quadrupled(weight, -u), alpha: 1.0 }
            }
            Utility::AlphaFair { weight, alpha } => {
                // The exponent is whole, and 2^exponent exact, for every multiple of ½.
                let exponent = 2.0 * ((1.0 - alpha) * f64::from(r) - f64::from(u));
                let whole = exponent.floor();
                let weight = libm::ldexp(weight * libm::exp2(exponent - whole), clamped(whole));
                Utility::AlphaFair { weight: weight.max(f64::MIN_POSITIVE), alpha }
            }
            Utility::MaxMin { weight } => Utility::MaxMin { weight },
            Utility::Reno { segment: s, rtt, loss } => Utility::Reno { segment: segment(s), rtt, loss: per_rate(loss) },
            Utility::Emultcp { segment: s, rtt, loss, beta } => {
                Utility::Emultcp { segment: segment(s), rtt, loss: per_rate(loss), beta: quadrupled(beta, u - r) }
            }
            Utility::Window { window, base_rtt } => {
                Utility::Window { window: quadrupled(window, -u), base_rtt: per_rate(base_rtt) }
            }
        }
    }

    /// Converts a rate to these units.
    fn down(self, rate: f64) -> f64 {
        quadrupled(rate, -self.rate)
    }

    /// Converts a rate to the problem's unit.
    pub(crate) fn rate(self, rate: f64) -> f64 {
        quadrupled(rate, self.rate)
    }

    /// Converts a price to the problem's unit; 0 below the least f64.
    pub(crate) fn price(self, price: f64) -> f64 {
        quadrupled(price, self.utility - self.rate)
    }

    /// Converts an answer to the units of the problem on `network`.
    pub(crate) fn undo(self, network: &Network, answer: Answer) -> Answer {
        let mixtures = network.couplings.iter().zip(answer.mixtures).map(|(coupling, mixture)| match mixture {
            // A norm's half-space is scaled to 1 by its normal, all others' by their offsets.
            Mixture::Faces { prices } if matches!(coupling.region, Region::Norm { .. }) => {
                Mixture::Faces { prices: prices.into_iter().map(|price| quadrupled(price, self.utility)).collect() }
            }
            Mixture::Faces { prices } => {
                Mixture::Faces { prices: prices.into_iter().map(|price| self.price(price)).collect() }
            }
            other => other,
        });
        Answer {
            mixtures: mixtures.collect(),
            rates: answer.rates.into_iter().map(|rate| self.rate(rate)).collect(),
            prices: answer.prices.into_iter().map(|price| self.price(price)).collect(),
            link_rates: answer.link_rates.into_iter().map(|rate| self.rate(rate)).collect(),
        }
    }
}

/// Rate of each link beside others of its region.
fn link_rates(program: &Program) -> Vec<f64> {
    let rows = program.typical_rates();
    let rate = |place: &Place| match place {
        Place::Row(row) => rows[*row as usize],
        Place::Faces(faces) => faces.iter().map(|(row, n)| rows[*row as usize] / n).fold(f64::INFINITY, f64::min),
    };
    program.places.iter().map(rate).collect()
}

/// `value`·4^`exponent`.
fn quadrupled(value: f64, exponent: i32) -> f64 {
    libm::ldexp(value, clamped(2.0 * f64::from(exponent)))
}

/// Exponent clamped to the range of f64.
fn clamped(exponent: f64) -> i32 {
    exponent.clamp(-4000.0, 4000.0) as i32
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// Powers of two by which the temperature of an entropy may exceed a typical turnover.
const FAR: f64 = 400.0;
