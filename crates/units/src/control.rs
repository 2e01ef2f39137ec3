//! Progress and cancellation of a computation.

use crate::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Handle on a computation for other threads: reports its progress and ends it.
#[derive(Debug, Default)]
pub struct Control {
    is_cancelled: AtomicBool,
    simulated: AtomicU64,
    look: Option<fn(&Self)>,
}

impl Control {
    /// A handle on a computation that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle for a computation without other threads, which calls `look` at each of its checks.
    pub fn watched(look: fn(&Self)) -> Self {
        Self { look: Some(look), ..Self::default() }
    }

    /// Asks the computation to end soon.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// True if the computation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Sets the simulated time reached.
    pub fn set_simulated(&self, time: Time) {
        self.simulated.store(time.as_nanos(), Ordering::Relaxed);
        if let Some(look) = self.look {
            look(self);
        }
    }

    /// Simulated time reached.
    pub fn simulated(&self) -> Time {
        Time::from_nanos(self.simulated.load(Ordering::Relaxed))
    }
}
