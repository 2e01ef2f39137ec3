//! What the connections of one download share: the plan, the file, and what is known of the server.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use url::Url;

use super::error::Error;
use super::pace::Pace;
use super::part::Part;
use super::plan::{Grant, LEAST_LEASE, LeaseId, Owner, Plan};
use super::request::Requests;
use super::retry::{LONGEST, LONGEST_ASKED, Retry};
use super::validator::Validator;

/// A lease lasts about so many seconds: long enough that requests cost nothing, short enough that little is lost with
/// a connection.
const LEASE_SECONDS: f64 = 2.0;
/// A lease before the rate is known, and the least one until the end nears.
pub(super) const FIRST_LEASE: u64 = 256 << 10;
/// The longest lease.
const MOST_LEASE: u64 = 8 << 20;
/// So long without trouble, and one more connection is allowed again.
const FORGIVENESS: Duration = Duration::from_secs(30);

/// What the connections share.
pub(super) struct Crew {
    pub requests: Arc<Requests>,
    pub part: Part,
    /// Whether parts can be asked for. If not, the one connection that there is must bring it all.
    pub has_ranges: bool,
    /// Bytes of the file, if known.
    pub length: Option<u64>,
    pub validator: Option<Validator>,
    pub pace: Option<Pace>,
    pub retry: Retry,
    state: Mutex<State>,
    changed: Condvar,
}

/// What changes.
pub(super) struct State {
    pub plan: Plan,
    /// The connections, by who holds their leases.
    pub slots: BTreeMap<Owner, Slot>,
    issued: Owner,
    /// Where the file is now.
    pub url: Url,
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
    asks_at: Instant,
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
    Moved(Url),
    /// The server answers `If-Range` with the whole of the same version.
    NoIfRange,
    /// The answers to requests sent ahead cannot be used.
    NoPipeline,
}

impl Crew {
    pub fn new(
        requests: Arc<Requests>,
        part: Part,
        plan: Plan,
        url: Url,
        has_ranges: bool,
        (length, validator): (Option<u64>, Option<Validator>),
        (pace, retry): (Option<Pace>, Retry),
    ) -> Self {
        let now = Instant::now();
        let state = State {
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
            received: 0,
            ended: None,
            error: None,
            is_over: false,
            notices: Vec::new(),
            retries: 0,
        };
        Self {
            requests,
            part,
            has_ranges,
            length,
            validator,
            pace,
            retry,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// The state, for a moment.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes, at most so long.
    pub fn wait(&self, most: Duration) {
        drop(self.wait_with(self.lock(), most));
    }

    fn wait_with<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Adds a connection.
    pub fn enlist(&self) -> Owner {
        let now = Instant::now();
        let mut state = self.lock();
        state.issued += 1;
        let owner = state.issued;
        let slot = Slot { begun: now, open: None, received: 0, heard: now, is_idle: false, is_retired: false };
        state.slots.insert(owner, slot);
        owner
    }

    /// A connection is open. Whether it is still wanted.
    pub fn opened(&self, owner: Owner, socket: &TcpStream) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        let is_over = state.is_over;
        let Some(slot) = state.slots.get_mut(&owner) else { return false };
        slot.open = socket.try_clone().ok().map(|socket| (now, socket));
        slot.heard = now;
        slot.open.is_some() && !slot.is_retired && !is_over
    }

    /// Bytes to ask for next. A connection that is idle waits for some, up to the end of the download or its own;
    /// another one is told at once that there are none.
    pub fn next(&self, owner: Owner, is_idle: bool) -> Option<Grant> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let is_over = state.is_over || state.error.is_some();
            let slot = state.slots.get_mut(&owner)?;
            slot.is_idle = false;
            if is_over || slot.is_retired {
                return None;
            }
            let pause = state.asks_at.saturating_duration_since(now);
            if pause.is_zero() {
                let most = state.next_lease(owner, now);
                if let Some(grant) = state.plan.lease(owner, most) {
                    return Some(grant);
                }
                if is_idle && let Some(grant) = state.plan.split(owner) {
                    return Some(grant);
                }
                if state.plan.left() == 0 {
                    return None;
                }
            }
            if !is_idle {
                return None;
            }
            state.slots.get_mut(&owner)?.is_idle = true;
            state = self.wait_with(state, if pause.is_zero() { Duration::from_millis(100) } else { pause });
        }
    }

    /// `count` bytes of a lease have arrived; how many of them may be written, and whether they were its last.
    pub fn arrived(&self, owner: Owner, lease: LeaseId, count: u64) -> (u64, bool) {
        let mut state = self.lock();
        let taken = state.plan.take(lease, count);
        state.received += taken;
        let is_done = state.plan.is_done(lease);
        let Some(slot) = state.slots.get_mut(&owner) else { return (0, true) };
        slot.received += taken;
        slot.heard = Instant::now();
        if slot.received >= LEAST_LEASE {
            state.failures = 0;
            state.hops = 0;
        }
        (taken, is_done)
    }

    /// Ends a lease.
    pub fn finish(&self, lease: LeaseId) {
        let mut state = self.lock();
        state.plan.finish(lease);
        if state.plan.left() == 0 {
            state.failures = 0;
        }
        self.changed.notify_all();
    }

    /// A connection has ended, for this reason.
    pub fn leave(&self, owner: Owner, end: Result<(), Trouble>) {
        let now = Instant::now();
        let mut state = self.lock();
        state.plan.release(owner);
        if let Some(slot) = state.slots.remove(&owner)
            && let Err(trouble) = end
            && !slot.is_retired
            && !state.is_over
        {
            match trouble {
                Trouble::Again(error) | Trouble::Busy(error, _) if !self.has_ranges => state.error = Some(error),
                trouble => state.suffer(trouble, &slot, &self.retry, now),
            }
        }
        self.changed.notify_all();
    }

    /// Ends a connection that is not wanted any more.
    pub fn retire(&self, owner: Owner) {
        if let Some(slot) = self.lock().slots.get_mut(&owner) {
            slot.is_retired = true;
            if let Some((_, socket)) = &slot.open {
                // It may be closed already.
                _ = socket.shutdown(Shutdown::Both);
            }
        }
        self.changed.notify_all();
    }

    /// Ends the download: every connection, at once.
    pub fn end(&self) {
        let owners: Vec<_> = {
            let mut state = self.lock();
            state.is_over = true;
            state.slots.keys().copied().collect()
        };
        owners.into_iter().for_each(|owner| self.retire(owner));
    }
}

impl State {
    /// How many bytes a connection should ask for.
    fn next_lease(&self, owner: Owner, now: Instant) -> u64 {
        let rate = self.slots.get(&owner).and_then(|slot| {
            let (since, _) = slot.open.as_ref()?;
            Some(slot.received as f64 / now.saturating_duration_since(*since).as_secs_f64().max(0.1))
        });
        let usual = ((rate.unwrap_or(0.0) * LEASE_SECONDS) as u64).clamp(FIRST_LEASE, MOST_LEASE);
        // Guided self-scheduling: towards the end leases shrink, so that all connections end together.
        let share = self.plan.unassigned() / (2 * self.slots.len().max(1) as u64);
        usual.min(share).max(LEAST_LEASE)
    }

    fn suffer(&mut self, trouble: Trouble, slot: &Slot, retry: &Retry, now: Instant) {
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
        // Others that still receive are progress, however this one fares.
        let is_alone = !self.slots.values().any(|slot| slot.received > 0);
        let wait = retry.after(self.failures, asked).or_else(|| (!is_alone).then_some(LONGEST));
        match wait {
            Some(wait) => {
                self.opens_at = now + wait;
                self.notices.push(format!("{error}; trying again in {:.0} s", wait.as_secs_f64()));
            }
            None => self.error = Some(error),
        }
    }

    /// The server, or something before it, will not have so many connections.
    fn lower_cap(&mut self, now: Instant) {
        let served = self.slots.values().filter(|slot| slot.received > 0).count();
        self.cap = u32::try_from(served).unwrap_or(u32::MAX).clamp(1, self.cap);
        self.capped_at = now;
    }

    /// One more connection may be tried, if all went well for long.
    pub fn forgive(&mut self, now: Instant) {
        if self.cap < u32::MAX && now.saturating_duration_since(self.capped_at) > FORGIVENESS {
            self.cap += 1;
            self.capped_at = now;
        }
    }
}
