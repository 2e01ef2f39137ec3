//! Utilities U(x) of a flow's rate x, each with its derivatives and its inverse derivative.
//!
//! The dual method needs only the *response*: the rate that maximises U(x) − y x at path price y, and how it falls.

mod emultcp;

use emultcp::Emultcp;
use serde::{Deserialize, Serialize};

/// Utility of a flow's rate x (packets per second); prices are U′, so the unit of U is price times rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Utility {
    /// p ln x (Kelly; huang2020 (1)).
    ProportionalFair {
        /// p > 0; with queueing delays as prices, packets kept in the queues.
        weight: f64,
    },
    /// p x^{1−α}/(1−α), and p ln x at α = 1 (Mo, Walrand).
    AlphaFair {
        /// p > 0.
        weight: f64,
        /// α ≥ 0, finite; 0 maximises Σ p x, the limit of large α is [`Utility::MaxMin`].
        alpha: f64,
    },
    /// The limit of [`Utility::AlphaFair`]: the lexicographically largest ordered vector of x/p. All flows or none.
    MaxMin {
        /// p > 0.
        weight: f64,
    },
    /// −2S²/(T²x) − ε x: TCP Reno's square-root law x = √2 S/(T √(q+ε)) (chen2007 (3), (5), (8)).
    Reno {
        /// S > 0, packets.
        segment: f64,
        /// T > 0, seconds.
        rtt: f64,
        /// ε ≥ 0, loss probability along the path that does not indicate congestion.
        loss: f64,
    },
    /// U_r of chen2007 (19): E-MULTCP's equilibrium; see [`Utility::derivative`] for its definition.
    Emultcp {
        /// S > 0, packets.
        segment: f64,
        /// T > 0, seconds.
        rtt: f64,
        /// ε ≥ 0, wireless loss probability along the path.
        loss: f64,
        /// β > 0, sharpness of the congestion indicator tanh(βz/2) (chen2007 (13)).
        beta: f64,
    },
    /// w ln x − d x: the objective whose multipliers are the queueing delays of fixed windows (huang2020 (19)).
    Window {
        /// w > 0, packets.
        window: f64,
        /// d ≥ 0, round-trip propagation delay in seconds; with d = 0 the flow needs a link.
        base_rtt: f64,
    },
}

impl Utility {
    /// Refuses values outside their range, naming the field.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        let positive = |name, v: f64| match v > 0.0 && v.is_finite() {
            true => Ok(()),
            false => Err((name, format!("{v} is not a positive number"))),
        };
        let from_zero = |name, v: f64| match v >= 0.0 && v.is_finite() {
            true => Ok(()),
            false => Err((name, format!("{v} is not a number from 0"))),
        };
        match *self {
            Self::ProportionalFair { weight } | Self::MaxMin { weight } => positive("weight", weight),
            Self::AlphaFair { weight, alpha } => {
                positive("weight", weight)?;
                from_zero("alpha", alpha).map_err(|(f, why)| (f, why + "; for its limit use max_min"))
            }
            Self::Reno { segment, rtt, loss } => {
                positive("segment", segment)?;
                positive("rtt", rtt)?;
                from_zero("loss", loss)
            }
            Self::Emultcp { segment, rtt, loss, beta } => {
                positive("segment", segment)?;
                positive("rtt", rtt)?;
                from_zero("loss", loss)?;
                positive("beta", beta)
            }
            Self::Window { window, base_rtt } => {
                positive("window", window)?;
                from_zero("base_rtt", base_rtt)
            }
        }
    }

    /// U(x), for x > 0. [`Utility::Emultcp`] is defined up to a constant and is 0 at x = √2 S/T: the lower limit 0 of
    /// the paper's integral makes it infinite. [`Utility::MaxMin`] has no value: NaN.
    pub fn value(&self, x: f64) -> f64 {
        match *self {
            Self::ProportionalFair { weight } => weight * libm::log(x),
            Self::AlphaFair { weight, alpha: 1.0 } => weight * libm::log(x),
            Self::AlphaFair { weight, alpha } => weight * libm::pow(x, 1.0 - alpha) / (1.0 - alpha),
            Self::MaxMin { .. } => f64::NAN,
            Self::Reno { segment, rtt, loss } => -reno_scale(segment, rtt) / x - loss * x,
            Self::Emultcp { segment, rtt, loss, beta } => Emultcp::new(reno_scale(segment, rtt), loss, beta).value(x),
            Self::Window { window, base_rtt } => window * libm::log(x) - base_rtt * x,
        }
    }

    /// U′(x), for x > 0: the path price at which the flow sends at rate x.
    ///
    /// [`Utility::Emultcp`]: h⁻¹(2S²/(T²x²)) with h(z) = (ε+z) tanh(βz/2).
    pub fn derivative(&self, x: f64) -> f64 {
        match *self {
            Self::ProportionalFair { weight } => weight / x,
            Self::AlphaFair { weight, alpha } => weight * power(x, -alpha),
            Self::MaxMin { .. } => f64::NAN,
            Self::Reno { segment, rtt, loss } => reno_scale(segment, rtt) / (x * x) - loss,
            Self::Emultcp { segment, rtt, loss, beta } => {
                Emultcp::new(reno_scale(segment, rtt), loss, beta).derivative(x)
            }
            Self::Window { window, base_rtt } => window / x - base_rtt,
        }
    }

    /// U″(x), for x > 0; never positive.
    pub fn second_derivative(&self, x: f64) -> f64 {
        match *self {
            Self::ProportionalFair { weight } => -weight / (x * x),
            Self::AlphaFair { alpha: 0.0, .. } => 0.0,
            Self::AlphaFair { weight, alpha } => -alpha * weight * power(x, -alpha - 1.0),
            Self::MaxMin { .. } => f64::NAN,
            Self::Reno { segment, rtt, .. } => -2.0 * reno_scale(segment, rtt) / (x * x * x),
            Self::Emultcp { segment, rtt, loss, beta } => {
                let law = Emultcp::new(reno_scale(segment, rtt), loss, beta);
                -1.0 / law.response(law.derivative(x)).1
            }
            Self::Window { window, .. } => -window / (x * x),
        }
    }

    /// Rate that maximises U(x) − y x at path price y: U′⁻¹(y), infinite where no price is high enough to stop growth.
    ///
    /// For α = 0 it is 0 above the weight and infinite at or below it.
    pub fn inverse_derivative(&self, y: f64) -> f64 {
        match *self {
            Self::AlphaFair { weight, alpha: 0.0 } if y > weight => 0.0,
            Self::AlphaFair { alpha: 0.0, .. } => f64::INFINITY,
            _ if y + self.own_price() <= 0.0 => f64::INFINITY,
            _ => self.response(y).0,
        }
    }

    /// The rate at price `y` and −dx/dy, for strictly concave utilities and `y` + own price > 0.
    #[inline]
    pub(crate) fn response(&self, y: f64) -> (f64, f64) {
        match *self {
            Self::ProportionalFair { weight } => {
                let x = weight / y;
                (x, x / y)
            }
            Self::AlphaFair { weight, alpha } => {
                let x = power(weight / y, 1.0 / alpha);
                (x, x / (alpha * y))
            }
            Self::MaxMin { .. } => (f64::NAN, f64::NAN),
            Self::Reno { segment, rtt, loss } => {
                let x = (reno_scale(segment, rtt) / (y + loss)).sqrt();
                (x, x / (2.0 * (y + loss)))
            }
            Self::Emultcp { segment, rtt, loss, beta } => {
                Emultcp::new(reno_scale(segment, rtt), loss, beta).response(y)
            }
            Self::Window { window, base_rtt } => {
                let x = window / (base_rtt + y);
                (x, x / (base_rtt + y))
            }
        }
    }

    /// Price that a flow pays in addition to its path's: −U′ at infinite rate.
    pub(crate) fn own_price(&self) -> f64 {
        match *self {
            Self::Reno { loss, .. } => loss,
            Self::Window { base_rtt, .. } => base_rtt,
            _ => 0.0,
        }
    }

    /// Rate of a flow that crosses no link.
    pub(crate) fn free_rate(&self) -> f64 {
        self.inverse_derivative(0.0)
    }

    /// x times the size of the terms of U′(x), the reference for relative errors of prices and of the gap.
    pub(crate) fn turnover(&self, x: f64) -> f64 {
        match *self {
            Self::Window { window, .. } => window,
            Self::Reno { segment, rtt, .. } => reno_scale(segment, rtt) / x,
            _ => x * self.derivative(x),
        }
    }

    /// Base-2 logarithm of x U′, also where the power of a large alpha is outside f64.
    pub(crate) fn log2_turnover(&self, x: f64) -> f64 {
        match *self {
            Self::AlphaFair { weight, alpha } => libm::log2(weight) + (1.0 - alpha) * libm::log2(x),
            _ => libm::log2(self.turnover(x)),
        }
    }

    /// True if x U′ falls with x: small differences in rates cause large differences in turnovers.
    pub(crate) fn is_steep(&self) -> bool {
        match *self {
            Self::ProportionalFair { .. } | Self::Window { .. } | Self::MaxMin { .. } => false,
            Self::AlphaFair { alpha, .. } => alpha > 1.0,
            Self::Reno { .. } | Self::Emultcp { .. } => true,
        }
    }

    /// True if α = 0: the rate is not a function of the price.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, Self::AlphaFair { alpha: 0.0, .. })
    }
}

/// 2S²/T², in (packets a second)².
fn reno_scale(segment: f64, rtt: f64) -> f64 {
    2.0 * segment * segment / (rtt * rtt)
}

/// x^e, exact for common exponents.
#[inline]
fn power(x: f64, e: f64) -> f64 {
    match e {
        0.0 => 1.0,
        0.5 => x.sqrt(),
        1.0 => x,
        2.0 => x * x,
        -0.5 => 1.0 / x.sqrt(),
        -1.0 => 1.0 / x,
        -2.0 => 1.0 / (x * x),
        _ => libm::pow(x, e),
    }
}

#[cfg(test)]
mod tests;
