//! The pieces still to be sent, and their assignment to connections.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Shutdown, TcpStream};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use crate::common::Monitor;
use crate::error::Error;

/// Time after which an unanswered piece may be sent over another connection too: a healthy connection takes less even
/// at 1 Mbit/s.
const LATE: Duration = Duration::from_secs(3);

/// State shared by the main thread and the workers.
pub struct Workers {
    state: Monitor<State>,
}

/// The state of an upload.
#[derive(Default)]
pub struct State {
    /// Unassigned pieces.
    queue: BTreeSet<u64>,
    /// Unanswered pieces: the number of connections that send each, and the time at which the first one began.
    flying: BTreeMap<u64, (u32, Instant)>,
    /// Slots below this number should send; the others finish their pieces.
    pub wanted: u32,
    /// Slots with a thread, each with its socket and opening time if it is connected.
    pub slots: BTreeMap<u32, Option<(Instant, TcpStream)>>,
    /// Outcome of the upload.
    pub end: Option<End>,
    /// Pieces answered since the start.
    pub answered: Vec<u64>,
    /// Failed connections since the last answered piece.
    failures: u32,
}

/// Outcome of an upload.
pub enum End {
    /// Every piece was answered.
    All,
    /// The server no longer knows the upload: it must be restarted.
    Forgotten,
    /// The upload failed.
    Failed(Error),
}

/// Next action of a worker.
pub enum Next {
    /// Send this piece.
    Piece(u64),
    /// Nothing to send at the moment.
    Wait,
    /// Leave: the slot is no longer wanted, or the upload has ended.
    Leave,
}

impl Workers {
    /// The workers for these pieces.
    pub fn new(pieces: impl Iterator<Item = u64>) -> Self {
        let state = State { queue: pieces.collect(), wanted: 1, ..State::default() };
        Self { state: Monitor::new(state) }
    }

    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Claims the wanted slots that have no thread yet.
    pub fn vacant(&self) -> Vec<u32> {
        let mut state = self.lock();
        let vacant: Vec<u32> = (0..state.wanted).filter(|slot| !state.slots.contains_key(slot)).collect();
        state.slots.extend(vacant.iter().map(|slot| (*slot, None)));
        vacant
    }

    /// True if `slot` should send.
    pub fn wants(&self, slot: u32) -> bool {
        let state = self.lock();
        state.end.is_none() && slot < state.wanted
    }

    /// Returns the next action of the worker of `slot`, which already sends the pieces `mine`. When all pieces are
    /// assigned, a piece that a single other connection has held for long is sent again: otherwise the slowest
    /// connection would delay the end.
    pub fn next(&self, slot: u32, mine: &[u64]) -> Next {
        let mut state = self.lock();
        if state.end.is_some() || slot >= state.wanted {
            return Next::Leave;
        }
        let piece = state.queue.pop_first().or_else(|| {
            let is_late = |count: u32, since: &Instant| count == 1 && since.elapsed() > LATE;
            let mut others = state.flying.iter().filter(|(_, (count, since))| is_late(*count, since));
            others.next().map(|(piece, _)| *piece).filter(|_| mine.is_empty())
        });
        let Some(piece) = piece else { return Next::Wait };
        state.flying.entry(piece).or_insert((0, Instant::now())).0 += 1;
        Next::Piece(piece)
    }

    /// Records an answered piece.
    pub fn answered(&self, piece: u64) {
        let mut state = self.lock();
        state.failures = 0;
        if state.flying.remove(&piece).is_some() {
            state.answered.push(piece);
        }
        if state.queue.is_empty() && state.flying.is_empty() {
            state.end.get_or_insert(End::All);
        }
        self.state.notify();
    }

    /// Records a failed connection, whose pieces `mine` are unanswered. Returns whether to try again.
    pub fn failed(&self, mine: &[u64], error: Error, most: u32) -> bool {
        let mut state = self.lock();
        for piece in mine {
            // A piece that another connection has delivered is no longer unanswered.
            if let Some((count, _)) = state.flying.get_mut(piece) {
                *count -= 1;
                if *count == 0 {
                    state.flying.remove(piece);
                    state.queue.insert(*piece);
                }
            }
        }
        state.failures += 1;
        // With many connections, each may fail once before any succeeds.
        if state.failures >= most.max(state.slots.len() as u32) {
            state.end.get_or_insert(End::Failed(error));
        }
        self.state.notify();
        state.end.is_none()
    }

    /// Ends the upload for all workers.
    pub fn end(&self, end: End) {
        self.lock().end.get_or_insert(end);
        self.state.notify();
    }

    /// Waits for a change, for at most `most`.
    pub fn wait(&self, most: Duration) {
        let state = self.lock();
        if state.end.is_none() {
            // The caller checks the state again after a change or a timeout.
            drop(self.state.wait(state, most));
        }
    }

    /// Shuts all sockets down, which wakes the threads that wait for them.
    pub fn cut(&self) {
        for (_, socket) in self.lock().slots.values().flatten() {
            // A socket may already be closed.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
