//! Rate limit for wrong tokens.
//!
//! After a few wrong tokens, the next ones from the same address wait before they are compared. They wait one after the
//! other, each longer than the previous one. This limits an address to a few guesses a minute, over any number of
//! connections. A connection that has once shown the right token does not wait.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of wrong tokens that cause no wait, for typing errors.
const FREE: u32 = 3;
/// Wait after the first wrong token beyond them; doubled with each further one, up to the longest.
const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(4);
/// Maximum total wait; a request that would wait longer is refused.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time after which a wrong token is forgotten.
const MEMORY: Duration = Duration::from_secs(600);
/// Maximum number of remembered addresses.
const MOST: usize = 4096;

/// Addresses that have sent wrong tokens.
#[derive(Default)]
pub struct Guard {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    blamed: BTreeMap<IpAddr, Blame>,
    is_over: bool,
}

struct Blame {
    failures: u32,
    last: Instant,
    /// Time from which the next token of the address is compared.
    free_at: Instant,
}

impl Guard {
    /// Waits for the address's turn.
    ///
    /// # Errors
    /// The wait would be too long; its length in seconds.
    pub fn turn(&self, address: IpAddr) -> Result<(), u64> {
        let now = Instant::now();
        let mut state = self.lock();
        let until = state.turn(key(address), now).map_err(|wait| wait.as_secs() + 1)?;
        while !state.is_over {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Records a wrong token from the address.
    pub fn blame(&self, address: IpAddr) {
        self.lock().blame(key(address), Instant::now());
    }

    /// Clears the address after a right token.
    pub fn forgive(&self, address: IpAddr) {
        self.lock().blamed.remove(&key(address));
    }

    /// Ends all waits.
    pub fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Time of the address's turn, or the wait if it is too long.
    fn turn(&mut self, address: IpAddr, now: Instant) -> Result<Instant, Duration> {
        let Some(blame) = self.blamed.get_mut(&address) else { return Ok(now) };
        if now.saturating_duration_since(blame.last) > MEMORY {
            self.blamed.remove(&address);
            return Ok(now);
        }
        let wait = blame.free_at.saturating_duration_since(now);
        if wait > PATIENCE {
            return Err(wait);
        }
        let turn = now + wait;
        blame.free_at = turn + delay(blame.failures);
        Ok(turn)
    }

    fn blame(&mut self, address: IpAddr, now: Instant) {
        if self.blamed.len() >= MOST && !self.blamed.contains_key(&address) {
            let oldest = self.blamed.iter().min_by_key(|(_, blame)| blame.last).map(|(address, _)| *address);
            oldest.map(|address| self.blamed.remove(&address));
        }
        let blame = self.blamed.entry(address).or_insert(Blame { failures: 0, last: now, free_at: now });
        blame.failures = blame.failures.saturating_add(1);
        blame.last = now;
        blame.free_at = blame.free_at.max(now + delay(blame.failures));
    }
}

/// Wait before the next token after `failures` wrong ones.
fn delay(failures: u32) -> Duration {
    match failures.checked_sub(FREE) {
        None | Some(0) => Duration::ZERO,
        Some(more) => FIRST.saturating_mul(1 << (more - 1).min(16)).min(LONGEST),
    }
}

/// Key of an address: in IPv6 its /64 network, in which a host can use any number of addresses.
pub fn key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_become_few() {
        let start = Instant::now();
        let (own, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let mut state = State::default();
        let mut now = start;
        let mut guesses = 0;
        while now < start + Duration::from_secs(600) {
            match state.turn(own, now) {
                Ok(turn) => {
                    now = turn;
                    guesses += 1;
                    state.blame(own, now);
                }
                Err(wait) => now += wait,
            }
            assert_eq!(state.turn(other, now), Ok(now), "another address does not wait");
        }
        assert!((100..=200).contains(&guesses), "{guesses} in ten minutes");
        // Several simultaneous connections gain nothing: one waits, the others are refused.
        assert!(state.turn(own, now).is_ok() && state.turn(own, now).is_err());
        // After ten minutes everything is forgotten.
        now += MEMORY + Duration::from_secs(1);
        assert_eq!(state.turn(own, now), Ok(now));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let now = Instant::now();
        let mut state = State::default();
        for number in 0..2 * MOST as u32 {
            state.blame(IpAddr::V4(number.into()), now + Duration::from_secs(number.into()));
        }
        assert_eq!(state.blamed.len(), MOST);
        let one = |text: &str| key(text.parse().unwrap());
        assert_eq!(one("2001:db8::1"), one("2001:db8::ffff:1"));
        assert_ne!(one("2001:db8::1"), one("2001:db8:0:1::1"));
        assert_eq!(one("::ffff:192.0.2.1"), one("192.0.2.1"));
        assert_ne!(one("192.0.2.1"), one("192.0.2.2"));
    }
}
