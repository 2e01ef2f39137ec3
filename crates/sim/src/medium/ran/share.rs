//! Division of a slot's resource-block groups among stations.
//!
//! Groups are assigned one after the other, each to the station that the rule chooses with its backlog less what the
//! groups so far carry. Channels are flat, so all groups of a slot are alike.

use crate::medium::cell::{Candidate, Choose, Scheduler, SchedulerConfig, Slot};
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
}

impl Share {
    pub fn with_capacity(stations: usize) -> Self {
        Self {
            views: Vec::with_capacity(stations),
            legs: Vec::with_capacity(stations),
            prbs: Vec::with_capacity(stations),
            backlogs: Vec::with_capacity(stations),
            levels: Vec::with_capacity(stations),
        }
    }

    pub fn clear(&mut self) {
        self.views.clear();
        self.legs.clear();
        self.prbs.clear();
        self.backlogs.clear();
        self.levels.clear();
    }

    /// Adds a station of this weight and priority. All rules but that in turn are linear in the rate, or in the ratio.
    pub fn add(&mut self, leg: u32, view: Candidate, (weight, priority): (f64, u32)) {
        self.legs.push(leg);
        self.views.push(Candidate { rate: weight * view.rate, snr: weight * view.snr, ..view });
        self.levels.push((priority, view.backlog_packets));
        self.prbs.push(0);
        self.backlogs.push(view.backlog_bits);
    }

    /// Divides the free groups among at most `most` stations, those of a higher priority first. `carried` gives the
    /// bits that a leg sends on a number of resource blocks, or `None` if it must not have as many.
    pub fn divide(
        &mut self,
        rule: &mut Rule,
        slot: (u64, Time),
        groups: &mut Groups,
        most: u32,
        carried: impl Fn(u32, u32) -> Option<f64>,
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
        carried: &impl Fn(u32, u32) -> Option<f64>,
    ) -> u32 {
        let mut served = 0;
        while groups.free > 0 {
            let slot = Slot { number, now, stations: &self.views };
            let Some(at) = rule.choose(&slot, &self.legs) else { break };
            let prbs = self.prbs[at] + groups.next();
            let Some(bits) = carried(self.legs[at], prbs) else {
                self.views[at].backlog_packets = 0;
                continue;
            };
            groups.free -= groups.next();
            served += u32::from(self.prbs[at] == 0);
            self.prbs[at] = prbs;
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
