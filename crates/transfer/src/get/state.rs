//! What is known of a download and its server, and what follows when a connection fails.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::plan::{LEAST_LEASE, Owner, Plan};
use super::retry::{LONGEST, LONGEST_ASKED, Retry};
use crate::common::Error;
use crate::http::Address;

/// A lease lasts about so many seconds: long enough that requests cost nothing, short enough that little is lost with
/// a connection.
const LEASE_SECONDS: f64 = 2.0;
/// A lease before the rate is known, and the least one until the end nears.
pub(super) const FIRST_LEASE: u64 = 256 << 10;
/// The longest lease.
const MOST_LEASE: u64 = 8 << 20;
/// So long without trouble, and one more connection is allowed again.
const FORGIVENESS: Duration = Duration::from_secs(30);

/// What changes.
pub(super) struct State {
    pub plan: Plan,
    /// The connections, by who holds their leases.
    pub slots: BTreeMap<Owner, Slot>,
    issued: Owner,
    /// Where the file is now.
    pub url: Address,
    /// Redirects since the last progress.
    pub hops: u32,
    /// Requests on their way at once on a connection.
    pub depth: usize,
    /// Whether `If-Range` is sent: some servers answer it with the whole file.
    pub has_if_range: bool,
    /// Most connections that the server seems to allow, and since when.
    pub cap: u32,
    capped_at: Instant,
    /// Failures in a row without progress, and when the last one was counted.
    failures: u32,
    failed_at: Instant,
    /// No connection is opened before.
    pub opens_at: Instant,
    /// Nothing is asked before.
    pub asks_at: Instant,
    /// The bound on the receive window of each connection, in bytes.
    pub window: Option<u32>,
    /// Bytes of the file that arrived.
    pub received: u64,
    /// The bytes of a file whose length was not known.
    pub ended: Option<u64>,
    /// Why it cannot go on.
    pub error: Option<Error>,
    pub is_over: bool,
    /// For the user.
    pub notices: Vec<String>,
    /// Failures of any kind.
    pub retries: u32,
}

/// One connection, or an attempt at one.
pub(super) struct Slot {
    begun: Instant,
    /// When it could first be asked anything; its socket from then on.
    pub open: Option<(Instant, TcpStream)>,
    pub received: u64,
    /// Whether the server has answered it with bytes of the file, which may be still on their way.
    pub is_served: bool,
    /// When something last arrived.
    pub heard: Instant,
    pub is_idle: bool,
    /// It is to end, and its end is no failure.
    pub is_retired: bool,
}

/// What may go wrong with a connection.
pub(super) enum Trouble {
    /// Nothing can be done.
    Fatal(Error),
    /// Another try may help.
    Again(Error),
    /// The server has too much to do; it may have said for how long.
    Busy(Error, Option<Duration>),
    /// The file is elsewhere.
    Moved(Address),
    /// The server answers `If-Range` with the whole of the same version.
    NoIfRange,
    /// The answers to requests sent ahead cannot be used.
    NoPipeline,
}

impl State {
    /// A download that begins at `now`.
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

    /// Adds a connection; `is_served`: the server has answered it already.
    pub fn enlist(&mut self, now: Instant, is_served: bool) -> Owner {
        self.issued += 1;
        let slot =
            Slot { begun: now, open: None, received: 0, is_served, heard: now, is_idle: false, is_retired: false };
        self.slots.insert(self.issued, slot);
        self.issued
    }

    /// How many bytes a connection should ask for.
    pub fn next_lease(&self, owner: Owner, now: Instant) -> u64 {
        let rate = self.slots.get(&owner).and_then(|slot| {
            let (since, _) = slot.open.as_ref()?;
            Some(slot.received as f64 / now.saturating_duration_since(*since).as_secs_f64().max(0.1))
        });
        let usual = ((rate.unwrap_or(0.0) * LEASE_SECONDS) as u64).clamp(FIRST_LEASE, MOST_LEASE);
        // Guided self-scheduling: towards the end leases shrink, so that all connections end together.
        let share = self.plan.unassigned() / (2 * self.slots.len().max(1) as u64);
        usual.min(share).max(LEAST_LEASE)
    }

    /// A connection has failed.
    pub fn suffer(&mut self, trouble: Trouble, slot: &Slot, retry: &Retry, now: Instant) {
        self.retries += 1;
        match trouble {
            Trouble::Fatal(error) => self.error = Some(error),
            Trouble::Moved(url) => self.url = url,
            Trouble::NoIfRange => self.has_if_range = false,
            Trouble::NoPipeline => self.depth = 1,
            Trouble::Again(error) => {
                // What had begun well broke off: the others are none the worse for it.
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

    /// Counts a failure, and waits; many connections that fail together are one failure.
    fn fail(&mut self, error: Error, asked: Option<Duration>, slot: &Slot, retry: &Retry, now: Instant) {
        if self.failures > 0 && slot.begun <= self.failed_at {
            return;
        }
        self.failures += 1;
        self.failed_at = now;
        // Others that are served are progress, however this one fares.
        let wait = retry.after(self.failures, asked).or_else(|| self.is_serving().then_some(LONGEST));
        match wait {
            Some(wait) => {
                self.opens_at = now + wait;
                self.notices.push(format!("{error}; retrying in {:.0} s", wait.as_secs_f64()));
            }
            None => self.error = Some(error),
        }
    }

    /// Whether the server serves some of the connections.
    pub fn is_serving(&self) -> bool {
        self.slots.values().any(|slot| slot.is_served)
    }

    /// The server, or something before it, will not have so many connections.
    fn lower_cap(&mut self, now: Instant) {
        let served = self.slots.values().filter(|slot| slot.is_served).count();
        self.cap = u32::try_from(served).unwrap_or(u32::MAX).clamp(1, self.cap);
        self.capped_at = now;
    }

    /// What went wrong before is over.
    pub fn progress(&mut self) {
        self.failures = 0;
        self.hops = 0;
    }

    /// One more connection may be tried, if all went well for long.
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

    /// Connections that begin and fail, each so many seconds after `start`.
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
        // No more of them than the server serves; later one more.
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
        // A server that is busy means it all the same.
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
