//! State shared by the connections of a download: the plan, the file and the server.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use windward_laws::emultcp::share;

use super::pace::Pace;
use super::part::Part;
use super::plan::{Grant, LEAST_LEASE, LeaseId, Owner};
use super::request::Requests;
use super::retry::Retry;
use super::state::{State, Trouble};
use super::validator::Validator;
use crate::common::{Monitor, bound_window};

/// Payload of a full segment over Ethernet, with timestamps.
const SEGMENT: u32 = 1448;
/// No bound: larger than any window.
const UNBOUNDED: u32 = 1 << 30;

/// State shared by the connections of a download.
pub(super) struct Workers {
    pub requests: Arc<Requests>,
    pub part: Part,
    /// True if the server supports ranges. Otherwise a single connection transfers the whole file.
    pub has_ranges: bool,
    /// Length of the file in bytes, if known.
    pub length: Option<u64>,
    pub validator: Option<Validator>,
    /// Codings of the content, which must be the same in all parts.
    pub coding: Option<String>,
    pub pace: Option<Pace>,
    pub retry: Retry,
    pub state: Monitor<State>,
}

impl Workers {
    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Waits for a change, for at most `patience`.
    pub fn wait(&self, patience: Duration) {
        drop(self.state.wait(self.lock(), patience));
    }

    /// Adds a connection; `is_served`: the server has already answered it.
    pub fn enlist(&self, is_served: bool) -> Owner {
        self.lock().enlist(Instant::now(), is_served)
    }

    /// Registers an open connection. Returns whether it is still wanted.
    pub fn opened(&self, owner: Owner, socket: &TcpStream) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        let is_over = state.is_over;
        let Some(slot) = state.slots.get_mut(&owner) else { return false };
        slot.open = socket.try_clone().ok().map(|socket| (now, socket));
        slot.heard = now;
        slot.open.is_some() && !slot.is_retired && !is_over
    }

    /// Returns the bytes to request next. An idle connection waits for some, until the download ends or it is retired
    /// itself; a busy one gets `None` at once if there are none.
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
            state = self.state.wait(state, if pause.is_zero() { Duration::from_millis(100) } else { pause });
        }
    }

    /// Marks that the bytes of a lease begin to arrive.
    pub fn begin(&self, owner: Owner, lease: LeaseId) {
        let mut state = self.lock();
        state.plan.begin(lease);
        if let Some(slot) = state.slots.get_mut(&owner) {
            slot.is_served = true;
        }
    }

    /// Counts `count` received bytes of a lease. Returns how many of them may be written, and whether they were the
    /// last.
    pub fn arrived(&self, owner: Owner, lease: LeaseId, count: u64) -> (u64, bool) {
        let mut state = self.lock();
        let taken = state.plan.take(lease, count);
        state.received += taken;
        let (is_done, window) = (state.plan.is_done(lease), state.window);
        let Some(slot) = state.slots.get_mut(&owner) else { return (0, true) };
        if slot.received == 0
            && let (Some(window), Some((_, socket))) = (window, &slot.open)
        {
            // The first data resets the bound set before the handshake.
            _ = bound_window(socket, window);
        }
        slot.received += taken;
        slot.heard = Instant::now();
        if slot.received >= LEAST_LEASE {
            state.progress();
        }
        (taken, is_done)
    }

    /// Ends a lease.
    pub fn finish(&self, lease: LeaseId) {
        let mut state = self.lock();
        state.plan.finish(lease);
        if state.plan.left() == 0 {
            state.progress();
        }
        self.state.notify();
    }

    /// Removes a connection that has ended, with its reason.
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
        self.state.notify();
    }

    /// Bounds the receive windows: each connection offers its share of `total` bytes.
    pub fn bound(&self, total: Option<f64>) {
        let mut state = self.lock();
        if total.is_none() && state.window.is_none() {
            return;
        }
        let sockets = state.slots.values().filter(|slot| !slot.is_retired).map(|slot| slot.open.as_ref());
        let count = sockets.clone().count().max(1) as u32;
        let share = |index| total.map(|total| share(total, SEGMENT, count, index));
        for (socket, index) in sockets.zip(0..) {
            if let Some((_, socket)) = socket {
                // If this fails, the connection offers more than its share, as without the bound.
                _ = bound_window(socket, share(index).map_or(UNBOUNDED, |segments| segments * SEGMENT));
            }
        }
        // The last share is the smallest.
        state.window = share(count - 1).map(|segments| segments.max(1) * SEGMENT);
    }

    /// Ends a connection that is no longer wanted.
    pub fn retire(&self, owner: Owner) {
        if let Some(slot) = self.lock().slots.get_mut(&owner) {
            slot.is_retired = true;
            if let Some((_, socket)) = &slot.open {
                // It may already be closed.
                _ = socket.shutdown(Shutdown::Both);
            }
        }
        self.state.notify();
    }

    /// Ends the download: closes every connection at once.
    pub fn end(&self) {
        let owners: Vec<_> = {
            let mut state = self.lock();
            state.is_over = true;
            state.slots.keys().copied().collect()
        };
        owners.into_iter().for_each(|owner| self.retire(owner));
    }
}
