//! What ends a run from within.

use std::sync::{Arc, Mutex, PoisonError};
use windward_sim::Control;

/// Ends the run of a seed when a law or scheduler in it fails: the first failure is kept, and the run is told to stop.
#[derive(Debug)]
pub struct Fuse<F> {
    control: Arc<Control>,
    failure: Mutex<Option<F>>,
}

impl<F> Fuse<F> {
    /// The fuse of the run that `control` ends.
    pub(crate) fn new(control: Arc<Control>) -> Self {
        Self { control, failure: Mutex::new(None) }
    }

    /// Ends the run.
    pub fn blow(&self, failure: F) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.control.cancel();
    }

    /// Why it ended, if it did.
    pub(crate) fn take_failure(&self) -> Option<F> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
