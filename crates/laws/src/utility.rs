//! Utilities that laws maximise.

use windward_units::Packets;

/// Utility U(x) of a rate of x packets per second. Laws that share a network rest where the sum of their utilities is
/// greatest; U′ is the price to which the law responds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Utility {
    /// b·ln x, b being the packets that the flow keeps in queues: the price b/x is the queueing delay in seconds (Low,
    /// Peterson and Wang, J. ACM 49(2), 2002).
    Backlog(Packets),
    /// (√k/T)·arctan(x·T/√k), T being the round-trip time in seconds: the price k/(k + x²·T²) is the loss probability.
    /// Where losses are rare this is −k/(T²·x) up to a constant, and x = √k/(T·√p).
    SquareRoot {
        /// k, x²·T² times the odds p/(1−p) of a loss; 2 for Reno.
        k: f64,
    },
    /// (k/T)·ln(1 + x·T/k), T being the round-trip time in seconds: the price k/(k + x·T) is the loss probability.
    /// Where losses are rare this is (k/T)·ln x up to a constant, and x = k/(T·p).
    Logarithm {
        /// k, x·T times the odds p/(1−p) of a loss.
        k: f64,
    },
    /// w·x^(1−α)/(1−α): the price w·x^(−α) is the loss probability.
    Power {
        /// w.
        weight: f64,
        /// α, positive and not 1.
        alpha: f64,
    },
    /// τ·x·(1 + ln(X/x)): the price τ·ln(X/x) is the queueing delay in seconds, and x = X·e^(−q/τ).
    Entropy {
        /// X, the rate without a queue, in packets per second.
        peak: f64,
        /// τ, seconds.
        scale: f64,
    },
}

/// Price of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// The queueing delay along the path, in seconds.
    QueueDelay,
    /// The loss probability along the path.
    Loss,
}

impl Utility {
    /// U(x) at rate `x` packets a second and round-trip time `rtt` seconds.
    pub fn value(&self, x: f64, rtt: f64) -> f64 {
        match *self {
            Self::Backlog(backlog) => backlog.count() * libm::log(x),
            Self::SquareRoot { k } => {
                let root = k.sqrt();
                root / rtt * libm::atan(x * rtt / root)
            }
            Self::Logarithm { k } => k / rtt * libm::log1p(x * rtt / k),
            Self::Power { weight, alpha } => weight * libm::pow(x, 1.0 - alpha) / (1.0 - alpha),
            Self::Entropy { peak, scale } => scale * x * (1.0 + libm::log(peak / x)),
        }
    }

    /// Price that its derivative represents.
    pub const fn price(&self) -> Price {
        match self {
            Self::Backlog(_) | Self::Entropy { .. } => Price::QueueDelay,
            Self::SquareRoot { .. } | Self::Logarithm { .. } | Self::Power { .. } => Price::Loss,
        }
    }
}
