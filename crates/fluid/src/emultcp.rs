//! E-MULTCP's fluid model: rates and numbers of connections on two time scales.
//!
//! M. Chen, A. Zakhor and R. Fujita, "Flow Control in Wireless Networks", University of California at Berkeley, 2007.
//! Rates x and capacities C in packets per second (or any one unit), S one packet, T the round-trip time in seconds, ε
//! the loss of the wireless links of the path, n connections, y_j = Σ x over link j:
//!
//! * ẋ = (2S²n²/T² − x²·(ε + Σ g_j)) / (2·S·n) (9), the sum of n connections of (7)
//! * ṅ = c·(1/n − n·I) (10): slow increase while the path is not congested, fast decrease while it is
//! * discontinuous: g_j = (y_j − C_j)⁺/y_j (2), I = 1 where some g_j > 0, else 0 (11)
//! * smooth: g_j = ln(1 + e^(β(y_j − C_j)/y_j))/β (12), I = tanh(β·Σg/2) (13)
//!
//! The equilibrium of the smooth form is n² tanh(βg/2) = 1 and x = √2·S/(T·√(tanh(βg/2)·(ε + g))), g the price Σ g_j of
//! the path (Theorem 1), which maximises Σ U − Σ ∫g_j with U of [`windward_num::Utility::Emultcp`].
//!
//! **Where we differ** from the text: (7) and (9) print ½ for 1/(2S), which has the wrong dimension; (18) leaves tanh
//! outside the root.

use crate::integrate::flow;
use std::convert::Infallible;
use windward_num::{Error, Network};

/// One user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmultcpUser {
    /// Size S of a packet, in the unit of rate times a second.
    pub segment: f64,
    /// Round-trip time T, seconds; constant, without queueing.
    pub rtt: f64,
    /// Loss Σε of the wireless links of the path.
    pub loss: f64,
    /// Speed c of the number of connections, per second; α/τ in the algorithm, 0 for plain TCP.
    pub speed: f64,
}

/// Congestion signal of links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Congestion {
    /// (2) and (11): a jump.
    Discontinuous,
    /// (12) and (13).
    Smooth {
        /// β: the larger, the nearer to the discontinuous form.
        beta: f64,
    },
}

/// Users over links.
#[derive(Clone, Debug)]
pub struct Emultcp {
    network: Network,
    capacities: Vec<f64>,
    users: Vec<EmultcpUser>,
    congestion: Congestion,
}

/// Samples of a run, one entry per instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmultcpTrajectory {
    /// Seconds.
    pub time: Vec<f64>,
    /// x of each user.
    pub rates: Vec<Vec<f64>>,
    /// n of each user.
    pub connections: Vec<Vec<f64>>,
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
}

impl Emultcp {
    /// Users on links of these capacities, each with a route.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a route over a link that does not exist, or for a value out of range.
    pub fn new(
        capacities: &[f64],
        routes: Vec<Vec<u32>>,
        users: Vec<EmultcpUser>,
        congestion: Congestion,
    ) -> Result<Self, Error> {
        let network = Network::wired(capacities, routes);
        network.check()?;
        let refuse = |at: String, reason: &str| Err(Error::Invalid { at, reason: reason.into() });
        if users.len() != network.routes.len() {
            return refuse("users".into(), "there must be one for each route");
        }
        let is_above_zero = |value: f64| value > 0.0 && value.is_finite();
        for (at, user) in users.iter().enumerate() {
            if !(is_above_zero(user.segment) && is_above_zero(user.rtt)) {
                return refuse(format!("users[{at}]"), "segment and rtt must be above 0");
            }
            if !((0.0..1.0).contains(&user.loss) && user.speed >= 0.0 && user.speed.is_finite()) {
                return refuse(format!("users[{at}]"), "loss must be from 0 to below 1, speed from 0");
            }
        }
        match congestion {
            Congestion::Smooth { beta } if !is_above_zero(beta) => refuse("beta".into(), "it must be above 0"),
            _ => Ok(Self { network, capacities: capacities.to_vec(), users, congestion }),
        }
    }

    /// g_j of every link at these rates (2), (12).
    pub fn link_prices(&self, rates: &[f64]) -> Vec<f64> {
        let mut prices = vec![0.0; self.capacities.len()];
        self.price_links(rates, &mut prices);
        prices
    }

    /// Writes g_j of every link to `prices`.
    fn price_links(&self, rates: &[f64], prices: &mut [f64]) {
        prices.fill(0.0);
        for (route, rate) in self.network.routes.iter().zip(rates) {
            route.iter().for_each(|&link| prices[link as usize] += rate);
        }
        for (price, &capacity) in prices.iter_mut().zip(&self.capacities) {
            let over = 1.0 - capacity / price.max(f64::MIN_POSITIVE);
            *price = match self.congestion {
                Congestion::Discontinuous => over.max(0.0),
                // ln(1 + e^z) without overflow.
                Congestion::Smooth { beta } => over.max(0.0) + libm::log1p(libm::exp(-(beta * over).abs())) / beta,
            };
        }
    }

    /// Σ g_j of every user's path at these rates.
    pub fn path_prices(&self, rates: &[f64]) -> Vec<f64> {
        let prices = self.link_prices(rates);
        self.network.routes.iter().map(|route| route.iter().map(|&link| prices[link as usize]).sum()).collect()
    }

    /// f of (13), or I of (11), at the price of a path.
    pub fn indicator(&self, price: f64) -> f64 {
        match self.congestion {
            Congestion::Discontinuous => f64::from(u8::from(price > 0.0)),
            Congestion::Smooth { beta } => libm::tanh(beta * price / 2.0),
        }
    }

    /// Writes the time derivative (9), (10) of `state`, all rates followed by all numbers of connections, to `out`.
    pub fn derivative(&self, state: &[f64], out: &mut [f64]) {
        self.slope(state, out, &mut vec![0.0; self.capacities.len()]);
    }

    /// As `derivative`, with space for the prices of the links.
    fn slope(&self, state: &[f64], out: &mut [f64], prices: &mut [f64]) {
        let (rates, connections) = state.split_at(self.users.len());
        let (faster, more) = out.split_at_mut(self.users.len());
        self.price_links(rates, prices);
        for (at, (user, route)) in self.users.iter().zip(&self.network.routes).enumerate() {
            let (x, n) = (rates[at], connections[at]);
            let price: f64 = route.iter().map(|&link| prices[link as usize]).sum();
            let growth = 2.0 * (user.segment * n / user.rtt) * (user.segment * n / user.rtt);
            faster[at] = (growth - x * x * (user.loss + price)) / (2.0 * user.segment * n);
            more[at] = user.speed * (1.0 / n - n * self.indicator(price));
        }
    }

    /// Follows rates and numbers of connections for `duration` seconds, sampled every `interval`; `tolerance` is the
    /// allowed error per step, relative and absolute.
    pub fn follow(
        &self,
        rates: &[f64],
        connections: &[f64],
        duration: f64,
        interval: f64,
        tolerance: f64,
    ) -> EmultcpTrajectory {
        let mut state = [rates, connections].concat();
        let mut run = EmultcpTrajectory::default();
        let mut step = interval / 100.0;
        let samples = (duration / interval).round() as u64;
        let mut prices = vec![0.0; self.capacities.len()];
        for sample in 0..=samples {
            if sample > 0 {
                let right = |at: &[f64], out: &mut [f64]| -> Result<(), Infallible> {
                    self.slope(at, out, &mut prices);
                    Ok(())
                };
                let evaluations = flow(right, &mut state, interval, &mut step, tolerance, |_| ());
                run.evaluations += evaluations.unwrap_or_else(|never| match never {});
            }
            run.time.push(sample as f64 * interval);
            run.rates.push(state[..self.users.len()].to_vec());
            run.connections.push(state[self.users.len()..].to_vec());
        }
        run
    }
}
