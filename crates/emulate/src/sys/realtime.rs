//! Time, and being in time.

use super::check;
use std::io;
use windward_units::{Duration, Time};

/// The wall clock of a run: monotonic, zero at the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    zero: u64,
}

impl Clock {
    /// Begins now.
    pub(crate) fn start() -> Self {
        Self { zero: read(libc::CLOCK_MONOTONIC) }
    }

    /// Time since the clock's start.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(read(libc::CLOCK_MONOTONIC) - self.zero)
    }
}

/// Processor time used by this thread.
pub(crate) fn cpu_time() -> Duration {
    Duration::from_nanos(read(libc::CLOCK_THREAD_CPUTIME_ID))
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in `time`.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Lets the calling thread run before all that is not real-time (SCHED_FIFO); fails without the right to.
pub(crate) fn make_realtime() -> io::Result<()> {
    // The least real-time priority: what the machine itself holds to be more urgent stays so.
    let parameters = libc::sched_param { sched_priority: 1 };
    // For those who may not be real-time.
    be_punctual();
    // SAFETY: the call concerns this thread alone.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) }).map(drop)
}

/// Lets the calling thread wake without slack.
pub(crate) fn be_punctual() {
    // SAFETY: the call concerns this thread alone.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}
