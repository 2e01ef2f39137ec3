//! Time, and being in time.

use super::check;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
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

/// Rank of a real-time thread. They are the lowest ones: what the machine itself holds to be more urgent stays so.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rank {
    /// An application between kernels: before all programs, after the network.
    Application = 1,
    /// The network.
    Network = 2,
}

/// Lets the calling thread run before all that is not real-time (SCHED_FIFO); fails without the right to.
pub(crate) fn make_realtime(rank: Rank) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: rank as libc::c_int };
    // For those who may not be real-time.
    be_punctual();
    // SAFETY: the call concerns this thread alone.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) }).map(drop)
}

/// Lets the calling thread wake without slack.
fn be_punctual() {
    // SAFETY: the call concerns this thread alone.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

/// Keeps all processors from sleeping while it lives, where this process may (Linux, admin-guide/pm/cpuidle, "PM QoS").
///
/// A virtual machine's processor that sleeps is lent to others, and may come back milliseconds late.
#[derive(Debug)]
pub(crate) struct Awake {
    _held: Option<File>,
}

impl Awake {
    /// From now on.
    pub(crate) fn begin() -> Self {
        Self::by("/dev/cpu_dma_latency")
    }

    fn by(device: &str) -> Self {
        // The longest time to wake up that is accepted, in microseconds, for as long as the file is open.
        let ask = |mut file: File| file.write_all(&0_i32.to_ne_bytes()).map(|()| file);
        Self { _held: OpenOptions::new().write(true).open(device).and_then(ask).ok() }
    }
}

/// Time that a thread waits for a processor, by the kernel's count.
#[derive(Debug)]
pub(crate) struct RunDelay {
    /// `None` where the kernel does not count.
    file: Option<File>,
    counted: u64,
}

impl RunDelay {
    /// That of the calling thread from now on.
    pub(crate) fn of_this_thread() -> Self {
        let mut delay = Self { file: File::open("/proc/thread-self/schedstat").ok(), counted: 0 };
        delay.lap();
        delay
    }

    /// Wait since the last call; zero where the kernel does not count.
    pub(crate) fn lap(&mut self) -> Duration {
        let mut text = [0; 64];
        let read = self.file.as_ref().and_then(|file| file.read_at(&mut text, 0).ok());
        let waited = read.and_then(|length| run_delay(&text[..length])).unwrap_or(self.counted);
        Duration::from_nanos(waited - std::mem::replace(&mut self.counted, waited).min(waited))
    }
}

/// The wait in the text of a schedstat file: processor time, wait, and number of turns.
fn run_delay(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_wait_for_a_processor_is_the_second_number() {
        assert_eq!(run_delay(b"30712 43094 7\n"), Some(43_094));
        assert_eq!(run_delay(b""), None);
        let mut delay = RunDelay { file: None, counted: 0 };
        assert_eq!(delay.lap(), Duration::ZERO);
    }

    /// The kernel's answer is the least that anybody accepts.
    #[test]
    fn processors_stay_awake_where_they_may() {
        let awake = Awake::begin();
        if awake._held.is_some() {
            let mut accepted = [255; 4];
            File::open("/dev/cpu_dma_latency").unwrap().read_exact(&mut accepted).unwrap();
            assert_eq!(i32::from_ne_bytes(accepted), 0);
        }
        assert!(Awake::by("/nowhere")._held.is_none());
    }

    /// More threads that compute than processors wait for one, where the kernel counts it.
    #[test]
    fn threads_that_share_a_processor_wait() {
        let busy = || {
            let mut delay = RunDelay::of_this_thread();
            let clock = Clock::start();
            while clock.now() < Time::ZERO + Duration::from_millis(100) {}
            (delay.file.is_some(), delay.lap())
        };
        let count = 4 * std::thread::available_parallelism().map_or(1, usize::from);
        let waited = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(busy)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        if waited.iter().all(|(counts, _)| *counts) {
            let all = waited.iter().fold(Duration::ZERO, |sum, (_, wait)| sum + *wait);
            assert!(all > Duration::from_millis(10), "{all}");
        }
    }
}
