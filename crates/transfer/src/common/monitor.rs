//! State that threads share, and wait for changes of.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A state behind a lock, and word of its changes. A thread that panicked while it held the lock leaves the state as it
/// was; the others go on with it.
#[derive(Debug, Default)]
pub(crate) struct Monitor<S> {
    state: Mutex<S>,
    changed: Condvar,
}

impl<S> Monitor<S> {
    pub fn new(state: S) -> Self {
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The state, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the state up until it changes, or for at most `patience`.
    pub fn wait<'a>(&self, state: MutexGuard<'a, S>, patience: Duration) -> MutexGuard<'a, S> {
        self.changed.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes all that wait.
    pub fn notify(&self) {
        self.changed.notify_all();
    }
}
