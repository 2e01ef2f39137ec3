//! The pieces still to be sent, and who is at which.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Shutdown, TcpStream};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use crate::common::{Error, Monitor};

/// A piece on its way for so long may be sent over another connection too: a healthy one takes less at 1 Mbit/s.
const LATE: Duration = Duration::from_secs(3);

/// What main thread and workers share.
pub struct Workers {
    state: Monitor<State>,
}

/// The state of an upload.
#[derive(Default)]
pub struct State {
    /// Pieces that nobody has taken.
    queue: BTreeSet<u64>,
    /// Pieces that were sent and not answered: how many connections are at each, and since when the first of them is.
    flying: BTreeMap<u64, (u32, Instant)>,
    /// Slots below this shall send; the others finish what they have.
    pub wanted: u32,
    /// Slots with a thread, each with its socket and when that opened, if it is open.
    pub slots: BTreeMap<u32, Option<(Instant, TcpStream)>>,
    /// How it ends.
    pub end: Option<End>,
    /// Pieces answered since the workers began.
    pub answered: Vec<u64>,
    /// Failures of connections since a piece was answered.
    failures: u32,
}

/// How an upload ends.
pub enum End {
    /// Every piece is answered.
    All,
    /// The server does not know the upload any more: it must be begun again.
    Forgotten,
    /// It failed.
    Failed(Error),
}

/// What a worker does next.
pub enum Next {
    /// Send this piece.
    Piece(u64),
    /// Nothing to send for now.
    Wait,
    /// Leave: the slot is not wanted, or all is over.
    Leave,
}

impl Workers {
    /// A workers for these pieces.
    pub fn new(pieces: impl Iterator<Item = u64>) -> Self {
        let state = State { queue: pieces.collect(), wanted: 1, ..State::default() };
        Self { state: Monitor::new(state) }
    }

    /// The state.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Takes the wanted slots that have no thread yet.
    pub fn vacant(&self) -> Vec<u32> {
        let mut state = self.lock();
        let vacant: Vec<u32> = (0..state.wanted).filter(|slot| !state.slots.contains_key(slot)).collect();
        state.slots.extend(vacant.iter().map(|slot| (*slot, None)));
        vacant
    }

    /// Whether `slot` shall send.
    pub fn wants(&self, slot: u32) -> bool {
        let state = self.lock();
        state.end.is_none() && slot < state.wanted
    }

    /// What the worker of `slot` does next, which is at the pieces `mine` already. When no piece is left for the taking, one
    /// that a single other connection is at for long is sent once more: the slowest connection would else keep all waiting.
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

    /// A piece was answered.
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

    /// A connection failed with these pieces unanswered. Whether to try again.
    pub fn failed(&self, mine: &[u64], error: Error, most: u32) -> bool {
        let mut state = self.lock();
        for piece in mine {
            // One that another connection has brought is not flying any more.
            if let Some((count, _)) = state.flying.get_mut(piece) {
                *count -= 1;
                if *count == 0 {
                    state.flying.remove(piece);
                    state.queue.insert(*piece);
                }
            }
        }
        state.failures += 1;
        // Of many connections each may fail once before any succeeds.
        if state.failures >= most.max(state.slots.len() as u32) {
            state.end.get_or_insert(End::Failed(error));
        }
        self.state.notify();
        state.end.is_none()
    }

    /// It is over for all.
    pub fn end(&self, end: End) {
        self.lock().end.get_or_insert(end);
        self.state.notify();
    }

    /// Waits for a change, but not longer than this.
    pub fn wait(&self, most: Duration) {
        let state = self.lock();
        if state.end.is_none() {
            // Whether it was a change or the time, the caller looks at the state again.
            drop(self.state.wait(state, most));
        }
    }

    /// Shuts all sockets: whoever waits for one wakes up.
    pub fn cut(&self) {
        for (_, socket) in self.lock().slots.values().flatten() {
            // One that is closed already needs no end.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
