//! State of a download and its server, and the reaction to failed connections.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::plan::{LEAST_LEASE, Owner, Plan};
use super::retry::{LONGEST, LONGEST_ASKED, Retry};
use crate::error::Error;
use crate::http::Address;

/// Target duration of a lease in seconds: long enough to make requests cheap, short enough to lose little with a
/// connection.
const LEASE_SECONDS: f64 = 2.0;
/// First lease, before the rate is known, and smallest lease until the end nears.
pub(super) const FIRST_LEASE: u64 = 256 << 10;
/// Largest lease.
const MOST_LEASE: u64 = 8 << 20;
/// Time without failures after which one more connection is allowed.
const FORGIVENESS: Duration = Duration::from_secs(30);

/// Mutable state of a download.
pub(super) struct State {
    pub plan: Plan,
    /// Connections by the owner of their leases.
    pub slots: BTreeMap<Owner, Slot>,
    issued: Owner,
    /// Current address of the file.
    pub url: Address,
    /// Redirects since the last progress.
    pub hops: u32,
    /// Number of pipelined requests on a connection.
    pub depth: usize,
    /// True if `If-Range` is sent: some servers answer it with the whole file.
    pub has_if_range: bool,
    /// Maximum number of connections that the server seems to allow, and the time of the last change.
    pub cap: u32,
    capped_at: Instant,
    /// Consecutive failures without progress, and the time of the last one counted.
    failures: u32,
    failed_at: Instant,
    /// No connection is opened before this time.
    pub opens_at: Instant,
    /// No request is sent before this time.
    pub asks_at: Instant,
    /// Bound on the receive window of each connection, in bytes.
    pub window: Option<u32>,
    /// Received bytes of the file.
    pub received: u64,
    /// Final length of a file whose length was not known.
    pub ended: Option<u64>,
    /// Error that ends the download.
    pub error: Option<Error>,
    pub is_over: bool,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Failures of any kind.
    pub retries: u32,
}

/// A connection, or an attempt to open one.
pub(super) struct Slot {
    begun: Instant,
    /// Time at which it was first usable, and its socket.
    pub open: Option<(Instant, TcpStream)>,
    pub received: u64,
    /// True if the server has answered it with bytes of the file, which may still be in flight.
    pub is_served: bool,
    /// Time of the last arrival.
    pub heard: Instant,
    pub is_idle: bool,
    /// True if it should end, and its end is not a failure.
    pub is_retired: bool,
}

/// Failures of a connection.
pub(super) enum Trouble {
    /// No retry can help.
    Fatal(Error),
    /// A retry may help.
    Again(Error),
    /// The server is overloaded; it may have given a wait.
    Busy(Error, Option<Duration>),
    /// The file is at another address.
    Moved(Address),
    /// The server answers `If-Range` with the whole file of the same version.
    NoIfRange,
    /// Responses to pipelined requests are unusable.
    NoPipeline,
}

impl State {
    /// State of a download that begins at `now`.
    pub fn new(plan: Plan, url: Address, now: Instant) -> Self {
        Self {
            plan,
            slots: BTreeMap::new(),
            issued: 0,
            url,
            hops: 0,
            depth: 2,
            has_if_range: true,
            cap: u32::MAX,
            capped_at: now,
            failures: 0,
            failed_at: now,
            opens_at: now,
            asks_at: now,
            window: None,
            received: 0,
            ended: None,
            error: None,
            is_over: false,
            notices: Vec::new(),
            retries: 0,
        }
    }

    /// Adds a connection; `is_served`: the server has already answered it.
    pub fn enlist(&mut self, now: Instant, is_served: bool) -> Owner {
        self.issued += 1;
        let slot =
            Slot { begun: now, open: None, received: 0, is_served, heard: now, is_idle: false, is_retired: false };
        self.slots.insert(self.issued, slot);
        self.issued
    }

    /// Size of the next lease for a connection, in bytes.
    pub fn next_lease(&self, owner: Owner, now: Instant) -> u64 {
        let rate = self.slots.get(&owner).and_then(|slot| {
            let (since, _) = slot.open.as_ref()?;
            Some(slot.received as f64 / now.saturating_duration_since(*since).as_secs_f64().max(0.1))
        });
        let usual = ((rate.unwrap_or(0.0) * LEASE_SECONDS) as u64).clamp(FIRST_LEASE, MOST_LEASE);
        // Guided self-scheduling: towards the end leases shrink, so that all connections finish together.
        let share = self.plan.unassigned() / (2 * self.slots.len().max(1) as u64);
        usual.min(share).max(LEAST_LEASE)
    }

    /// Handles the failure of a connection.
    pub fn suffer(&mut self, trouble: Trouble, slot: &Slot, retry: &Retry, now: Instant) {
        self.retries += 1;
        match trouble {
            Trouble::Fatal(error) => self.error = Some(error),
            Trouble::Moved(url) => self.url = url,
            Trouble::NoIfRange => self.has_if_range = false,
            Trouble::NoPipeline => self.depth = 1,
            Trouble::Again(error) => {
                // A connection broke off after a good start: this says nothing about the others.
                if slot.received < LEAST_LEASE {
                    self.lower_cap(now);
                    self.fail(error, None, slot, retry, now);
                }
            }
            Trouble::Busy(error, asked) => {
                self.lower_cap(now);
                if let Some(asked) = asked {
                    self.asks_at = self.asks_at.max(now + asked.min(LONGEST_ASKED));
                }
                self.fail(error, asked, slot, retry, now);
            }
        }
    }

    /// Counts a failure, and waits; simultaneous failures of many connections count as one.
    fn fail(&mut self, error: Error, asked: Option<Duration>, slot: &Slot, retry: &Retry, now: Instant) {
        if self.failures > 0 && slot.begun <= self.failed_at {
            return;
        }
        self.failures += 1;
        self.failed_at = now;
        // Progress on other connections counts, even if this one fails.
        let wait = retry.after(self.failures, asked).or_else(|| self.is_serving().then_some(LONGEST));
        match wait {
            Some(wait) => {
                self.opens_at = now + wait;
                self.notices.push(format!("{error}; retrying in {:.0} s", wait.as_secs_f64()));
            }
            None => self.error = Some(error),
        }
    }

    /// True if the server serves some of the connections.
    pub fn is_serving(&self) -> bool {
        self.slots.values().any(|slot| slot.is_served)
    }

    /// Lowers the cap: the server, or a device before it, does not allow this many connections.
    fn lower_cap(&mut self, now: Instant) {
        let served = self.slots.values().filter(|slot| slot.is_served).count();
        self.cap = u32::try_from(served).unwrap_or(u32::MAX).clamp(1, self.cap);
        self.capped_at = now;
    }

    /// Records progress: earlier failures no longer count.
    pub fn progress(&mut self) {
        self.failures = 0;
        self.hops = 0;
    }

    /// Allows one more connection after a long time without failures.
    pub fn forgive(&mut self, now: Instant) {
        if self.cap < u32::MAX && now.saturating_duration_since(self.capped_at) > FORGIVENESS {
            self.cap += 1;
            self.capped_at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRY: Retry = Retry { tries: 3, wait: Duration::from_secs(1) };

    fn state(now: Instant) -> State {
        State::new(Plan::new(100 * LEAST_LEASE, &[]), Address::parse("http://a.example/").unwrap(), now)
    }

    fn refused() -> Error {
        Error::Refused { status: 503, reason: String::new() }
    }

    /// Fails connections that begin and fail at the given seconds after `start`.
    fn fail(state: &mut State, start: Instant, times: &[(u64, u64)]) {
        for (begun, failed) in times {
            let owner = state.enlist(start + Duration::from_secs(*begun), false);
            let slot = state.slots.remove(&owner).unwrap();
            state.suffer(Trouble::Again(refused()), &slot, &RETRY, start + Duration::from_secs(*failed));
        }
    }

    #[test]
    fn connections_that_fail_together_are_one_failure() {
        let now = Instant::now();
        let mut state = state(now);
        fail(&mut state, now, &[(0, 1), (0, 1), (1, 2), (1, 2), (0, 3)]);
        assert!(state.error.is_none());
        assert_eq!(state.opens_at, now + Duration::from_secs(2));
        fail(&mut state, now, &[(3, 4)]);
        assert_eq!(state.opens_at, now + Duration::from_secs(6));
        fail(&mut state, now, &[(6, 7)]);
        assert!(state.error.is_some());
    }

    #[test]
    fn progress_begins_a_new_count() {
        let now = Instant::now();
        let mut state = state(now);
        fail(&mut state, now, &[(0, 1), (2, 3)]);
        state.progress();
        fail(&mut state, now, &[(4, 5), (6, 7)]);
        assert!(state.error.is_none());
    }

    #[test]
    fn while_others_are_served_nobody_gives_up() {
        let now = Instant::now();
        let mut state = state(now);
        state.enlist(now, true);
        fail(&mut state, now, &[(0, 1), (2, 3), (4, 5), (6, 7)]);
        assert!(state.error.is_none());
        assert_eq!(state.opens_at, now + Duration::from_secs(7) + LONGEST);
        // At most as many as the server serves; later one more.
        assert_eq!(state.cap, 1);
        state.forgive(now + Duration::from_secs(7) + FORGIVENESS);
        assert_eq!(state.cap, 1);
        state.forgive(now + Duration::from_secs(8) + FORGIVENESS);
        assert_eq!(state.cap, 2);
    }

    #[test]
    fn who_had_begun_well_is_replaced_at_once() {
        let now = Instant::now();
        let mut state = state(now);
        let owner = state.enlist(now, false);
        let mut slot = state.slots.remove(&owner).unwrap();
        slot.received = LEAST_LEASE;
        state.suffer(Trouble::Again(refused()), &slot, &RETRY, now);
        assert_eq!((state.opens_at, state.cap), (now, u32::MAX));
        // A busy server lowers the cap all the same.
        state.suffer(Trouble::Busy(refused(), Some(Duration::from_secs(30))), &slot, &RETRY, now);
        assert_eq!((state.asks_at, state.cap), (now + Duration::from_secs(30), 1));
    }

    #[test]
    fn leases_shrink_towards_the_end() {
        let now = Instant::now();
        let mut state = state(now);
        let owner = state.enlist(now, false);
        state.enlist(now, false);
        let mut sizes = Vec::new();
        loop {
            let most = state.next_lease(owner, now);
            let Some(grant) = state.plan.lease(owner, most) else { break };
            sizes.push(grant.end - grant.start);
        }
        assert_eq!(sizes[0], FIRST_LEASE);
        assert!(sizes.is_sorted_by(|a, b| a >= b));
        assert_eq!(sizes[sizes.len() - 2], LEAST_LEASE);
    }
}
