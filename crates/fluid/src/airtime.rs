//! Airtime of a channel, divided among its links: each that has a queue gets its weight, the others what they need.
//!
//! A link whose packets take t seconds of the air carries at most a/t packets a second with a share a of the airtime.
//! The shares are a = θ·φ with weights φ, and θ is the largest with Σ min(x·t, θ·φ) ≤ 1: no airtime is left unused
//! while a link has a queue. Deficit round robin in airtime, as mac80211 has it, reaches these shares.

use windward_num::{Error, FluidMap};

/// A channel whose links are wires of adjustable capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Airtime {
    /// The links, and of each the seconds that a packet takes and its weight; all positive.
    pub links: Vec<(u32, f64, f64)>,
}

/// A channel and its present division.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    air: Airtime,
    /// θ.
    level: f64,
}

impl Division {
    /// The division in which every link has a queue.
    pub fn new(air: Airtime) -> Self {
        let level = 1.0 / air.links.iter().map(|(_, _, weight)| weight).sum::<f64>();
        Self { air, level }
    }

    /// Sets the capacities of the present level.
    pub fn apply(&self, map: &mut FluidMap) {
        for &(link, time, weight) in &self.air.links {
            map.set_capacity(link as usize, (self.level * weight).min(1.0) / time);
        }
    }

    /// Moves the level by Newton's method on Σ min(x·t, θ·φ) = 1, which is concave in θ, from the answer of `map` at
    /// the present level; false where it is reached. `loads` holds the rate on each link, `delays` its queueing delay.
    pub fn adjust(&mut self, loads: &[f64], delays: &[f64]) -> bool {
        let (mut used, mut full, mut highest) = (0.0, 0.0, 0.0_f64);
        for &(link, time, weight) in &self.air.links {
            let airtime = loads[link as usize] * time;
            if delays[link as usize] > 0.0 && self.level * weight < 1.0 {
                full += weight;
            } else {
                used += airtime;
                highest = highest.max(airtime / weight);
            }
        }
        let level = match full > 0.0 {
            true => ((1.0 - used) / full).max(self.level * LEAST_STEP),
            false if used > 1.0 + CLOSE => highest * (1.0 - CLOSE),
            false => return false,
        };
        let is_moved = (level / self.level - 1.0).abs() > CLOSE;
        self.level = level;
        is_moved
    }
}

/// Solves `map` for `windows` at the division of every channel.
///
/// # Errors
/// As [`FluidMap::solve`].
pub(crate) fn solve(
    map: &mut FluidMap,
    divisions: &mut [Division],
    windows: &[f64],
    mut loads: impl FnMut(&FluidMap) -> Vec<f64>,
) -> Result<(), Error> {
    divisions.iter().for_each(|division| division.apply(map));
    map.solve(windows)?;
    for _ in 0..MOST_STEPS {
        if divisions.is_empty() {
            break;
        }
        let (loads, delays) = (loads(map), map.link_delays());
        let mut is_moved = false;
        divisions.iter_mut().for_each(|division| is_moved |= division.adjust(&loads, &delays));
        if !is_moved {
            break;
        }
        divisions.iter().for_each(|division| division.apply(map));
        map.solve(windows)?;
    }
    Ok(())
}

/// Relative accuracy of the level.
const CLOSE: f64 = 1e-9;
/// Largest fall of the level in a step: a share of it remains.
const LEAST_STEP: f64 = 1e-3;
/// Limit of steps; two or three suffice, and one where the same links have queues as before.
const MOST_STEPS: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use windward_num::Network;

    /// Rates of one flow over each of two links of one channel, of 1 and 3 ms a packet, with these windows; round trips
    /// of 100 ms.
    fn rates(windows: [f64; 2], weights: [f64; 2]) -> Vec<f64> {
        let mut map = FluidMap::new(Network::wired(&[1.0, 1.0], vec![vec![0], vec![1]]), &[0.1, 0.1]).unwrap();
        let air = Airtime { links: vec![(0, 0.001, weights[0]), (1, 0.003, weights[1])] };
        let mut divisions = [Division::new(air)];
        solve(&mut map, &mut divisions, &windows, |map| map.rates().to_vec()).unwrap();
        map.rates().to_vec()
    }

    fn near(rates: &[f64], exact: [f64; 2]) {
        assert!(rates.iter().zip(exact).all(|(rate, exact)| (rate / exact - 1.0).abs() < 1e-6), "{rates:?}, {exact:?}");
    }

    #[test]
    fn queues_share_the_airtime_by_weight() {
        // Half of a second each: 500 and 166.7 packets; three quarters and one: 750 and 83.3.
        near(&rates([1000.0, 1000.0], [1.0, 1.0]), [500.0, 500.0 / 3.0]);
        near(&rates([1000.0, 1000.0], [3.0, 1.0]), [750.0, 250.0 / 3.0]);
    }

    #[test]
    fn airtime_that_a_link_does_not_need_is_the_others() {
        // 10 packets in 100 ms are 100 a second and 0.1 s of air; 0.9 s are left for 300 packets.
        near(&rates([10.0, 1000.0], [1.0, 1.0]), [100.0, 300.0]);
        // Both together need 0.4 s.
        near(&rates([10.0, 10.0], [1.0, 1.0]), [100.0, 100.0]);
        // Each alone would fit, and both do not: 0.3 s of the first are less than a half, the second gets 0.7 s.
        near(&rates([30.0, 25.0], [1.0, 1.0]), [300.0, 700.0 / 3.0]);
    }
}
