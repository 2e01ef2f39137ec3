//! Schedulers of a cell: the station served in a slot, one file per rule.
//!
//! All rules see the same [`Slot`] and return one station. A station that is empty, or whose channel carries nothing in
//! this slot, is skipped, except by oblivious rules. Of equals the first is served.

mod exp_rule;
mod m_lwdf;
mod max_snr;
mod proportional_fair;
mod queue_length;
mod queueing_delay;
mod round_robin;
mod rule;

pub use crate::choose::{Candidate, Choose, Slot};
use std::fmt;

/// Scheduling rule of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SchedulerConfig {
    /// Queueing-delay MaxWeight: backlog over average rate, times rate (huang2020 (10)).
    QueueingDelay,
    /// Queue-length MaxWeight: backlog times rate (Tassiulas and Ephremides 1992).
    QueueLength,
    /// Best channel.
    MaxSnr {
        /// True if empty stations are chosen too.
        is_oblivious: bool,
    },
    /// Stations in turn.
    RoundRobin {
        /// True if a slot belongs to its station even if its queue is empty; otherwise empty stations are skipped.
        is_oblivious: bool,
    },
    /// Rate over average rate: maximises Σ ln r over backlogged stations.
    ProportionalFair,
    /// Modified largest weighted delay first (Andrews et al. 2001).
    MLwdf,
    /// The exponential rule (Shakkottai and Stolyar 2002).
    ExpRule,
    /// User-defined rule, by its index among the [`Hooks`](crate::Hooks) of the run.
    Own(u32),
}

impl fmt::Debug for SchedulerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let oblivious = |is_oblivious| if is_oblivious { " (oblivious)" } else { "" };
        match self {
            Self::QueueingDelay => f.write_str("queueing-delay"),
            Self::QueueLength => f.write_str("queue-length"),
            Self::MaxSnr { is_oblivious } => write!(f, "max-snr{}", oblivious(*is_oblivious)),
            Self::RoundRobin { is_oblivious } => write!(f, "round-robin{}", oblivious(*is_oblivious)),
            Self::ProportionalFair => f.write_str("proportional-fair"),
            Self::MLwdf => f.write_str("m-lwdf"),
            Self::ExpRule => f.write_str("exp-rule"),
            Self::Own(index) => write!(f, "own {index}"),
        }
    }
}

/// A rule at run time, dispatched statically except for a user-defined one.
pub(crate) enum Scheduler {
    QueueingDelay(queueing_delay::QueueingDelay),
    QueueLength(queue_length::QueueLength),
    MaxSnr(max_snr::MaxSnr),
    RoundRobin(round_robin::RoundRobin),
    ProportionalFair(proportional_fair::ProportionalFair),
    MLwdf(m_lwdf::MLwdf),
    ExpRule(exp_rule::ExpRule),
    Own(Box<dyn Choose + Send>),
}

impl Scheduler {
    pub(crate) fn new(config: SchedulerConfig, own: impl FnOnce(u32) -> Box<dyn Choose + Send>) -> Self {
        match config {
            SchedulerConfig::QueueingDelay => Self::QueueingDelay(queueing_delay::QueueingDelay),
            SchedulerConfig::QueueLength => Self::QueueLength(queue_length::QueueLength),
            SchedulerConfig::MaxSnr { is_oblivious } => Self::MaxSnr(max_snr::MaxSnr { is_oblivious }),
            SchedulerConfig::RoundRobin { is_oblivious } => {
                Self::RoundRobin(round_robin::RoundRobin::new(is_oblivious))
            }
            SchedulerConfig::ProportionalFair => Self::ProportionalFair(proportional_fair::ProportionalFair),
            SchedulerConfig::MLwdf => Self::MLwdf(m_lwdf::MLwdf),
            SchedulerConfig::ExpRule => Self::ExpRule(exp_rule::ExpRule),
            SchedulerConfig::Own(index) => Self::Own(own(index)),
        }
    }
}

impl Choose for Scheduler {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        match self {
            Self::QueueingDelay(rule) => rule.choose(slot),
            Self::QueueLength(rule) => rule.choose(slot),
            Self::MaxSnr(rule) => rule.choose(slot),
            Self::RoundRobin(rule) => rule.choose(slot),
            Self::ProportionalFair(rule) => rule.choose(slot),
            Self::MLwdf(rule) => rule.choose(slot),
            Self::ExpRule(rule) => rule.choose(slot),
            Self::Own(rule) => rule.choose(slot),
        }
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scheduler")
    }
}

#[cfg(test)]
mod tests;
