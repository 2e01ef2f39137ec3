//! RTT from HEAD requests on a separate connection. It replaces the kernel's RTT where that is missing, and shows how
//! much delayed ACKs add to it.
//!
//! The median is used: under loss, retransmissions delay single answers and distort the mean.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Connection, Error};

/// Interval between an answer and the next request.
const INTERVAL: Duration = Duration::from_millis(200);
/// Number of answers in the median.
const WINDOW: usize = 7;
/// Number of consecutive failures after which pinging stops.
const MOST_FAILURES: u32 = 3;

/// RTTs from the answers to pings.
#[derive(Debug, Default)]
pub struct Pings(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    latest: VecDeque<Duration>,
    least: Option<Duration>,
}

impl Pings {
    /// Median of the latest answers.
    pub fn rtt(&self) -> Option<Duration> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut latest: Vec<_> = answers.latest.iter().copied().collect();
        latest.sort_unstable();
        latest.get(latest.len() / 2).copied()
    }

    /// Minimum of all answers.
    pub fn rtt_min(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).least
    }

    fn add(&self, rtt: Duration) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.least = Some(answers.least.map_or(rtt, |least| least.min(rtt)));
        answers.latest.push_back(rtt);
        if answers.latest.len() > WINDOW {
            answers.latest.pop_front();
        }
    }
}

/// Pings a server in a separate thread until its `owner` is dropped or done; `dial` returns a connection and a request.
pub fn start<T: Send + Sync + 'static>(
    owner: &Arc<T>,
    is_over: impl Fn(&T) -> bool + Send + 'static,
    dial: impl Fn(&T) -> Result<(Connection, Vec<u8>), Error> + Send + 'static,
) -> Arc<Pings> {
    let pings = Arc::new(Pings::default());
    let (owner, answers) = (Arc::downgrade(owner), Arc::clone(&pings));
    let working = move || owner.upgrade().filter(|owner| !is_over(owner));
    // Without the thread there are no answers, which is no error for the user.
    _ = thread::Builder::new().name("ping".to_owned()).stack_size(256 << 10).spawn(move || {
        let mut failures = 0;
        while failures < MOST_FAILURES
            && let Some(owner) = working()
        {
            let dialled = dial(&owner);
            drop(owner);
            let is_working = || working().is_some();
            if dialled.and_then(|(connection, request)| series(connection, &request, &is_working, &answers)).is_err() {
                failures += 1;
            }
            thread::sleep(INTERVAL);
        }
    });
    pings
}

/// Pings on one connection until it fails or the owner is done.
fn series(
    mut connection: Connection,
    request: &[u8],
    is_working: &impl Fn() -> bool,
    answers: &Pings,
) -> Result<(), Error> {
    while is_working() {
        let begun = Instant::now();
        connection.send(request)?;
        let (head, _) = connection.head(true)?;
        answers.add(begun.elapsed());
        if head.is_last() {
            return Ok(());
        }
        thread::sleep(INTERVAL);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_does_not_move_the_median() {
        let pings = Pings::default();
        assert_eq!(pings.rtt(), None);
        for milliseconds in [100, 101, 1300, 99, 102, 98, 100] {
            pings.add(Duration::from_millis(milliseconds));
        }
        assert_eq!(pings.rtt(), Some(Duration::from_millis(100)));
        assert_eq!(pings.rtt_min(), Some(Duration::from_millis(98)));
        // Only the latest answers count: seven later ones displace all of these.
        (0..WINDOW).for_each(|_| pings.add(Duration::from_millis(150)));
        assert_eq!(pings.rtt(), Some(Duration::from_millis(150)));
    }
}
