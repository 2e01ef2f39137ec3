//! Ends a run from within.

use std::sync::{Arc, Mutex, PoisonError};
use windward_units::Control;

/// Ends the run of a seed when one of its laws or schedulers fails. Keeps the first failure and stops the run.
#[derive(Debug)]
pub struct Fuse<F> {
    control: Arc<Control>,
    failure: Mutex<Option<F>>,
}

impl<F> Fuse<F> {
    /// A fuse for the run that `control` ends.
    pub(crate) fn new(control: Arc<Control>) -> Self {
        Self { control, failure: Mutex::new(None) }
    }

    /// Ends the run.
    pub fn blow(&self, failure: F) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.control.cancel();
    }

    /// Takes the failure that ended the run, if any.
    pub(crate) fn take_failure(&self) -> Option<F> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
