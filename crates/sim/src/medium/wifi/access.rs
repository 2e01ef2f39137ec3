//! How often a station tries: the contention window after a success.
//!
//! The standard goes back to the least window. wang2013 (18) makes it follow the queue instead: with the transmission
//! aggressiveness ρ_l of the way that was served, the mean backoff shall be exp(−ρ_l)/b_l, which a window of
//! CW = 2·exp(−ρ_l)/(b_l·T_slot) + 1 values has.

use windward_units::{Duration, Time};

/// What the contention window after a success follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Access {
    /// The distributed coordination function: the least window.
    Dcf,
    /// ρ_l = β·b_l·q̂_l with the queueing delay q̂_l = backlog/average rate (wang2013 (18)).
    QueueingDelay(Aggressiveness),
    /// ρ_l = β·backlog, in packets: what wang2013 compares with.
    QueueLength(Aggressiveness),
}

/// How queues become windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aggressiveness {
    /// β, 1 as printed; not negative.
    pub scale: f64,
    /// What is done with the fraction of a window.
    pub rounding: Rounding,
}

/// What is done with the fraction of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// It is cut off.
    #[default]
    Floor,
    /// The window is one larger with the probability of the fraction: right in the mean.
    Random,
}

/// Time constant of the average rate, in packets: the 1/256 filter of wang2013 (18).
const AVERAGE_PACKETS: f64 = 256.0;

/// The average rate at which a way is served.
///
/// The paper filters the served rate with weight 1/256 and leaves the clock of the filter open. Here it ticks once in the time
/// that one packet takes, 1/b_l, served or not: a first-order filter with time constant 256/b_l.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    rate: f64,
    last: Time,
}

impl Served {
    /// Before the first packet the average is b_l, the rate of the way alone.
    pub fn new(alone: f64) -> Self {
        Self { rate: alone, last: Time::ZERO }
    }

    /// A packet was served at `now` on a way that alone would serve `alone` a second.
    pub fn serve(&mut self, now: Time, alone: f64) {
        let constant = AVERAGE_PACKETS / alone;
        let kept = libm::exp(-now.since(self.last).as_secs() / constant);
        // Never below 1/constant: an idle way's first packet does not find an average of nothing.
        self.rate = self.rate * kept + 1.0 / constant;
        self.last = now;
    }

    /// Packets a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

impl Access {
    /// The mean number of backoff slots times two after a success: the window's largest value, before rounding. `alone` is b_l,
    /// in packets a second; `None`: the standard's least window.
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

    /// wang2013, §3 of the notes: b·T = 0.014 gives windows of 144, 54, 20, 8.1, 3.6, 1.96 and 1.05 values at ρ = 0 … 5, 8.
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

    /// A way served at a constant rate x has the average x: with gaps 1/x the filter settles at (1/T)/(1 − e^(−1/(xT))), which is
    /// x(1 + 1/(2xT)) to first order, half a packet in 256·x/b.
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
