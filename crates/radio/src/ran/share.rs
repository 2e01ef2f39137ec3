//! Division of a slot's resource-block groups among stations.
//!
//! Groups are assigned one after the other, each to the station that the rule chooses with its backlog less what the
//! groups so far carry. With flat channels all groups of a slot are alike; with a delay spread the rule sees the rate
//! and the ratio of each station on the group.

use super::channel::GROUPS;
use crate::cell::{Candidate, Choose, Scheduler, SchedulerConfig, Slot};
use std::fmt;
use windward_units::Time;

/// Scheduling rule of a direction.
pub(super) enum Rule {
    /// In turn, one group each; the turn continues in the next slot.
    RoundRobin {
        /// Least station that comes next.
        next: u32,
    },
    /// A rule of the slotted cell, called for each group.
    Largest(Scheduler),
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rule")
    }
}

impl Rule {
    pub fn new(config: SchedulerConfig, own: impl FnOnce(u32) -> Box<dyn Choose + Send>) -> Self {
        match config {
            SchedulerConfig::RoundRobin { .. } => Self::RoundRobin { next: 0 },
            other => Self::Largest(Scheduler::new(other, own)),
        }
    }

    fn choose(&mut self, slot: &Slot<'_>, legs: &[u32]) -> Option<usize> {
        match self {
            Self::Largest(rule) => {
                rule.choose(slot).filter(|&at| slot.stations.get(at).is_some_and(Candidate::is_servable))
            }
            Self::RoundRobin { next } => {
                let servable = |at: &usize| slot.stations[*at].is_servable();
                // Legs are in order.
                let from = legs.partition_point(|leg| *leg < *next);
                let at = (from..legs.len()).chain(0..from).find(servable)?;
                *next = legs[at] + 1;
                Some(at)
            }
        }
    }
}

/// Groups of resource blocks that are free in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    /// Resource blocks that are free.
    pub free: u32,
    all: u32,
    size: u32,
}

impl Groups {
    pub fn new(prbs: u32, size: u32) -> Self {
        Self { free: prbs, all: prbs, size }
    }

    /// Takes the groups that hold `prbs` resource blocks, and returns the first of these; `None` if there are too few.
    pub fn take(&mut self, prbs: u32) -> Option<u32> {
        if prbs > self.free {
            return None;
        }
        let first = self.first();
        self.free = self.free.saturating_sub(prbs.div_ceil(self.size) * self.size);
        Some(first)
    }

    /// First resource block that is free.
    pub fn first(&self) -> u32 {
        self.all - self.free
    }

    /// Number of the next group.
    fn number(&self) -> u32 {
        self.first() / self.size
    }

    /// Groups that hold `prbs` resource blocks from `first` on, a bit each.
    pub fn holding(first: u32, prbs: u32, size: u32) -> u32 {
        let count = prbs.div_ceil(size);
        (u32::MAX >> (u32::BITS - count)) << (first / size)
    }

    /// Resource blocks of the next group; the last one may be smaller.
    fn next(&self) -> u32 {
        self.size.min(self.free)
    }
}

/// Stations that want a part of a slot, and what they get.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub views: Vec<Candidate>,
    /// Leg of each view.
    pub legs: Vec<u32>,
    /// Resource blocks of each.
    pub prbs: Vec<u32>,
    /// Backlog of each in bits, before the slot.
    backlogs: Vec<f64>,
    /// Priority of each, and its packets that wait.
    levels: Vec<(u32, u64)>,
    /// Groups of each, a bit each; zero where no channel is selective.
    pub groups: Vec<u32>,
    /// Rate and ratio of each on each group; empty where no channel is selective.
    pub bands: Vec<[(f64, f64); GROUPS]>,
}

impl Share {
    pub fn with_capacity(stations: usize, is_selective: bool) -> Self {
        Self {
            views: Vec::with_capacity(stations),
            legs: Vec::with_capacity(stations),
            prbs: Vec::with_capacity(stations),
            backlogs: Vec::with_capacity(stations),
            levels: Vec::with_capacity(stations),
            groups: Vec::with_capacity(stations),
            bands: Vec::with_capacity(if is_selective { stations } else { 0 }),
        }
    }

    pub fn clear(&mut self) {
        self.views.clear();
        self.legs.clear();
        self.prbs.clear();
        self.backlogs.clear();
        self.levels.clear();
        self.groups.clear();
        self.bands.clear();
    }

    /// Adds a station of this weight and priority. All rules but that in turn are linear in the rate, or in the ratio.
    pub fn add(&mut self, leg: u32, view: Candidate, (weight, priority): (f64, u32)) {
        self.legs.push(leg);
        self.views.push(Candidate { rate: weight * view.rate, snr: weight * view.snr, ..view });
        self.levels.push((priority, view.backlog_packets));
        self.prbs.push(0);
        self.groups.push(0);
        self.backlogs.push(view.backlog_bits);
    }

    /// Gives the last station its rate and its ratio on each group.
    pub fn add_bands(&mut self, weight: f64, band: impl Fn(usize) -> (f64, f64)) {
        self.bands.push(std::array::from_fn(|group| {
            let (rate, snr) = band(group);
            (weight * rate, weight * snr)
        }));
    }

    /// Divides the free groups among at most `most` stations, those of a higher priority first. `carried` gives the
    /// bits that a leg sends on a number of resource blocks and these groups, or `None` if it must not have as many.
    pub fn divide(
        &mut self,
        rule: &mut Rule,
        slot: (u64, Time),
        groups: &mut Groups,
        most: u32,
        carried: impl Fn(u32, u32, u32) -> Option<f64>,
    ) {
        let below =
            |levels: &[(u32, u64)], limit: u32| levels.iter().map(|level| level.0).filter(|&level| level < limit).max();
        let Some(first) = below(&self.levels, u32::MAX) else { return };
        if below(&self.levels, first).is_none() {
            self.divide_level(rule, slot, groups, most, &carried);
            return;
        }
        let (mut level, mut left) = (Some(first), most);
        while let Some(of) = level
            && left > 0
        {
            for (view, &(priority, packets)) in self.views.iter_mut().zip(&self.levels) {
                view.backlog_packets = if priority == of { packets } else { 0 };
            }
            left -= self.divide_level(rule, slot, groups, left, &carried);
            level = below(&self.levels, of);
        }
    }

    /// Divides the free groups among the stations whose packets wait, and returns the number of those served.
    fn divide_level(
        &mut self,
        rule: &mut Rule,
        (number, now): (u64, Time),
        groups: &mut Groups,
        most: u32,
        carried: &impl Fn(u32, u32, u32) -> Option<f64>,
    ) -> u32 {
        let mut served = 0;
        while groups.free > 0 {
            let group = groups.number();
            for (view, band) in self.views.iter_mut().zip(&self.bands) {
                (view.rate, view.snr) = band[group as usize];
            }
            let slot = Slot { number, now, stations: &self.views };
            let Some(at) = rule.choose(&slot, &self.legs) else {
                // With bands, a later group may do.
                if self.bands.is_empty() || !self.views.iter().any(|view| view.backlog_packets > 0) {
                    break;
                }
                groups.free -= groups.next();
                continue;
            };
            let prbs = self.prbs[at] + groups.next();
            let mask = if self.bands.is_empty() { 0 } else { self.groups[at] | 1 << group };
            // The power of an uplink ends here: the station keeps what it has, and others get the group.
            let Some(bits) = carried(self.legs[at], prbs, mask) else {
                self.views[at].backlog_packets = 0;
                continue;
            };
            groups.free -= groups.next();
            served += u32::from(self.prbs[at] == 0);
            self.prbs[at] = prbs;
            self.groups[at] = mask;
            let left = self.backlogs[at] - bits;
            self.views[at].backlog_bits = left.max(0.0);
            if left <= 0.0 {
                self.views[at].backlog_packets = 0;
            }
            if served == most {
                // The control channel names no further station.
                for (view, prbs) in self.views.iter_mut().zip(&self.prbs) {
                    if *prbs == 0 {
                        view.backlog_packets = 0;
                    }
                }
            }
        }
        served
    }
}

#[cfg(test)]
mod tests {
    use super::super::channel::{Channel, Selectivity};
    use super::*;
    use crate::cell::channel::Fading;
    use windward_elements::engine::{Purpose, Stream};

    /// Multi-user diversity on groups: of n stations with Rayleigh channels of one mean the best has Σ1/k of it, 1.5 of
    /// two and 2.717 of eight, on each group. The mean is over 25 groups at 1500 instants 20 ms apart, whose gains
    /// under 1 µs and 100 Hz are nearly independent: a standard error of some 0.5 %.
    #[test]
    fn the_best_of_each_group_gains_the_harmonic_sum() {
        let centres: Vec<f64> = (0..25).map(|group| 0.72e6 * (f64::from(group) + 0.5)).collect();
        for count in [1, 2, 8] {
            let fading = Fading::Jakes { doppler: 100.0, sinusoids: 16 };
            let selectivity = Selectivity { spread: 1e-6, centres: &centres };
            let channel = |key| Channel::new(&fading, 0.0, Stream::new(5, key, Purpose::Fading), Some(selectivity));
            let mut channels: Vec<Channel> = (0..count).filter_map(channel).collect();
            let mut rule =
                Rule::new(SchedulerConfig::MaxSnr { is_oblivious: false }, |_| unreachable!("it is built in"));
            let mut share = Share::with_capacity(count as usize, true);
            let mut sum = 0.0;
            for step in 0..1500 {
                let now = Time::from_nanos(step * 20_000_000);
                share.clear();
                for (leg, channel) in (0..).zip(&mut channels) {
                    let view = Candidate { backlog_packets: 9, backlog_bits: 1e9, rate: 1.0, ..Candidate::default() };
                    share.add(leg, view, (1.0, 1));
                    let gains = channel.gains(now).expect("it is selective");
                    share.add_bands(1.0, |group| (1.0, gains[group]));
                }
                let mut groups = Groups::new(100, 4);
                share.divide(&mut rule, (step, now), &mut groups, 8, |_, _, _| Some(1.0));
                let of_leg = |(of, bands): (&u32, &[(f64, f64); GROUPS])| {
                    super::super::channel::each_group(*of).map(|group| bands[group].1).sum::<f64>()
                };
                sum += share.groups.iter().zip(&share.bands).map(of_leg).sum::<f64>();
                assert_eq!((share.prbs.iter().sum::<u32>(), groups.free), (100, 0));
            }
            let gain = sum / 25.0 / 1500.0;
            let right: f64 = (1..=count).map(|k| 1.0 / f64::from(k as u32)).sum();
            assert!((gain / right - 1.0).abs() < 0.02, "{count}: {gain} for {right}");
        }
    }
}
