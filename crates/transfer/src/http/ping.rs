//! RTT where the kernel does not know it, or what late ACKs add to it: how long a HEAD request takes, on a connection of its
//! own.
//!
//! Their median is used: under loss a retransmission makes single answers late, and the mean with them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Connection, Error};

/// Time between an answer and the next request.
const INTERVAL: Duration = Duration::from_millis(200);
/// The median is of so many answers.
const WINDOW: usize = 7;
/// Failures in a row after which the server is left alone.
const MOST_FAILURES: u32 = 3;

/// Answers to pings.
#[derive(Debug, Default)]
pub struct Pings(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    latest: VecDeque<Duration>,
    least: Option<Duration>,
}

impl Pings {
    /// The median of the latest answers.
    pub fn rtt(&self) -> Option<Duration> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut latest: Vec<_> = answers.latest.iter().copied().collect();
        latest.sort_unstable();
        latest.get(latest.len() / 2).copied()
    }

    /// The least of all answers.
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

/// Pings a server in a thread of its own until its `owner` is gone or over; `dial` gives a connection and a request.
pub fn start<T: Send + Sync + 'static>(
    owner: &Arc<T>,
    is_over: impl Fn(&T) -> bool + Send + 'static,
    dial: impl Fn(&T) -> Result<(Connection, Vec<u8>), Error> + Send + 'static,
) -> Arc<Pings> {
    let pings = Arc::new(Pings::default());
    let (owner, answers) = (Arc::downgrade(owner), Arc::clone(&pings));
    let working = move || owner.upgrade().filter(|owner| !is_over(owner));
    // Without it there are no answers; there is nothing to tell the user.
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

/// Pings on one connection until it ends or all is over.
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
        // Only the latest count: seven later ones displace all of these.
        (0..WINDOW).for_each(|_| pings.add(Duration::from_millis(150)));
        assert_eq!(pings.rtt(), Some(Duration::from_millis(150)));
    }
}
