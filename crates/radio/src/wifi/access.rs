//! Access rules: the contention window after a success.
//!
//! The standard returns to CWmin. wang2013 (18) makes the window follow the queue: with the transmission aggressiveness
//! ρ_l of the link served, the mean backoff is exp(−ρ_l)/b_l, which corresponds to a window of CW =
//! 2·exp(−ρ_l)/(b_l·T_slot) + 1 values.

use windward_units::{Duration, Time};

/// Rule for the contention window after a success.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Access {
    /// Distributed coordination function: CWmin.
    Dcf,
    /// ρ_l = β·b_l·q̂_l with the queueing delay q̂_l = backlog/average rate (wang2013 (18)).
    QueueingDelay(Aggressiveness),
    /// ρ_l = β·backlog in packets, the rule that wang2013 compares with.
    QueueLength(Aggressiveness),
}

/// Mapping from queues to windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aggressiveness {
    /// β, 1 as printed; not negative.
    pub scale: f64,
    /// Rounding of the window.
    pub rounding: Rounding,
}

/// Rounding of a window to an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// Rounds down.
    #[default]
    Floor,
    /// Rounds up with the probability of the fraction, exact in the mean.
    Random,
}

/// Time constant of the average rate, in packets: the 1/256 filter of wang2013 (18).
const AVERAGE_PACKETS: f64 = 256.0;

/// Average service rate of a link.
///
/// The paper filters the served rate with weight 1/256 and leaves the clock of the filter open. Here it ticks once per
/// packet time 1/b_l, with or without a packet: a first-order filter with time constant 256/b_l.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    rate: f64,
    last: Time,
}

impl Served {
    /// Starts the average at b_l, the rate of the link alone.
    pub fn new(alone: f64) -> Self {
        Self { rate: alone, last: Time::ZERO }
    }

    /// Counts a packet served at `now` on a link that alone would serve `alone` packets a second.
    #[inline]
    pub fn serve(&mut self, now: Time, alone: f64) {
        let constant = AVERAGE_PACKETS / alone;
        let kept = libm::exp(-now.since(self.last).as_secs() / constant);
        // Never below 1/constant: the first packet of an idle link does not find an average of zero.
        self.rate = self.rate * kept + 1.0 / constant;
        self.last = now;
    }

    /// Average rate in packets a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

impl Access {
    /// Window after a success: its largest value before rounding, twice the mean number of backoff slots. `alone` is
    /// b_l in packets a second. `None`: the standard's CWmin.
    #[inline]
    pub fn window(&self, backlog: usize, served: &Served, alone: f64, slot: Duration) -> Option<(f64, Rounding)> {
        let (rho, rounding) = match self {
            Self::Dcf => return None,
            Self::QueueingDelay(by) => (by.scale * alone * backlog as f64 / served.rate(), by.rounding),
            Self::QueueLength(by) => (by.scale * backlog as f64, by.rounding),
        };
        Some((2.0 * libm::exp(-rho) / (alone * slot.as_secs()), rounding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// wang2013, notes §3: b·T = 0.014 gives windows of 144, 54, 20, 8.1, 3.6, 1.96 and 1.05 values at ρ = 0 … 5, 8.
    #[test]
    fn windows_are_those_of_the_paper() {
        let access = Access::QueueLength(Aggressiveness { scale: 1.0, rounding: Rounding::Floor });
        let alone = 0.014 / 20e-6;
        let values = |backlog| {
            let served = Served::new(alone);
            access.window(backlog, &served, alone, Duration::from_micros(20)).unwrap().0 + 1.0
        };
        let printed = [(0, 143.9), (1, 53.6), (2, 20.3), (3, 8.11), (4, 3.62), (5, 1.963), (8, 1.048)];
        for (backlog, window) in printed {
            assert!((values(backlog) / window - 1.0).abs() < 0.005, "{backlog}: {}", values(backlog));
        }
    }

    /// At a constant rate x the average is x: with gaps 1/x the filter settles at (1/T)/(1 − e^(−1/(xT))). To first
    /// order that is x(1 + 1/(2xT)), a bias of half a packet in 256·x/b.
    #[test]
    fn the_average_is_the_served_rate() {
        let alone = 700.0;
        let mut served = Served::new(alone);
        for packet in 1..=20_000 {
            served.serve(Time::from_nanos(packet * 10_000_000), alone);
        }
        let constant = AVERAGE_PACKETS / alone;
        assert!((served.rate() / (100.0 * (1.0 + 0.5 / (100.0 * constant))) - 1.0).abs() < 1e-4, "{}", served.rate());
    }
}
