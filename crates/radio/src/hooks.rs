//! User-defined schedulers and forwarding rules: media refer to them by index, and the caller of a run makes them.

use super::choose::Choose;
use std::fmt;
use std::sync::Arc;
use windward_elements::backpressure::Rank;

/// Makes a fresh scheduler.
pub type MakeScheduler = Arc<dyn Fn() -> Box<dyn Choose + Send> + Send + Sync>;

/// Makes a fresh forwarding rule.
pub type MakeRule = Arc<dyn Fn() -> Box<dyn Rank + Send> + Send + Sync>;

/// Makers of the schedulers and rules that media refer to by index; empty if all of them are built in.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Makers for [`SchedulerConfig::Own`](crate::cell::SchedulerConfig::Own).
    pub schedulers: Vec<MakeScheduler>,
    /// Makers for [`BackpressureConfig::rule`](crate::wifi::BackpressureConfig::rule).
    pub rules: Vec<MakeRule>,
}

impl Hooks {
    /// Makes a fresh rule of this index.
    pub(super) fn rule(&self, index: u32) -> Box<dyn Rank + Send> {
        self.rules[index as usize]()
    }

    /// Makes a fresh scheduler of this index.
    pub(super) fn scheduler(&self, index: u32) -> Box<dyn Choose + Send> {
        self.schedulers[index as usize]()
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooks for {} schedulers and {} rules", self.schedulers.len(), self.rules.len())
    }
}
