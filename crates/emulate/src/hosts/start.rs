//! A common start: the clock begins when all threads of a run are ready.

use crate::sys::Clock;
use std::sync::{Barrier, OnceLock};

/// Start of a run, which waits for each of its threads.
pub(super) struct Start {
    ready: Barrier,
    clock: OnceLock<Clock>,
}

impl Start {
    /// Start of `threads` threads. Each of them calls [`Self::wait`] once, even if it failed before.
    pub(super) fn of(threads: usize) -> Self {
        Self { ready: Barrier::new(threads), clock: OnceLock::new() }
    }

    /// Waits for all others, and returns the clock of the run, which begins now.
    pub(super) fn wait(&self) -> Clock {
        self.ready.wait();
        *self.clock.get_or_init(Clock::start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use windward_units::{Duration, Time};

    #[test]
    fn the_clock_begins_when_the_last_thread_is_ready() {
        let (start, waited) = (Start::of(2), Duration::from_millis(30));
        let before = Clock::start();
        let [quick, slow] = thread::scope(|scope| {
            let quick = scope.spawn(|| start.wait());
            thread::sleep(std::time::Duration::from_nanos(waited.as_nanos()));
            let slow = start.wait();
            [quick.join().unwrap(), slow]
        });
        // Both show one time, and it is at least that much less than that of a clock from before.
        let [first, between, last] = [quick.now(), slow.now(), quick.now()];
        assert!(first <= between && between <= last);
        assert!(before.now() >= last + waited && first < Time::NEVER);
    }
}
