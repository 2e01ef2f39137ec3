//! Shared state that threads can wait on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A state behind a lock, with notification of changes. After a panic of a thread that held the lock, the other threads
/// continue with the state as it was left.
#[derive(Debug, Default)]
pub(crate) struct Monitor<S> {
    state: Mutex<S>,
    changed: Condvar,
}

impl<S> Monitor<S> {
    pub fn new(state: S) -> Self {
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the state until it changes, for at most `patience`.
    pub fn wait<'a>(&self, state: MutexGuard<'a, S>, patience: Duration) -> MutexGuard<'a, S> {
        self.changed.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes all waiting threads.
    pub fn notify(&self) {
        self.changed.notify_all();
    }
}
