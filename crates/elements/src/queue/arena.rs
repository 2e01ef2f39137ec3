//! FIFO queues of packets as linked lists in one arena.

use super::discipline::Waiting;

/// No packet.
const NONE: u32 = u32::MAX;

/// Slot of the arena: a packet and the index of the next one.
#[derive(Clone, Copy, Debug)]
struct Place {
    waiting: Waiting,
    behind: u32,
}

/// All queued packets, and the free slots.
#[derive(Debug)]
pub(super) struct Arena {
    places: Vec<Place>,
    free: Vec<u32>,
}

impl Arena {
    #[inline]
    pub fn with_room(room: usize) -> Self {
        Self { places: Vec::with_capacity(room), free: Vec::with_capacity(room) }
    }

    #[inline]
    fn put(&mut self, waiting: Waiting) -> u32 {
        let place = Place { waiting, behind: NONE };
        if let Some(at) = self.free.pop() {
            self.places[at as usize] = place;
            return at;
        }
        self.places.push(place);
        self.places.len() as u32 - 1
    }
}

/// A FIFO queue in the arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    first: u32,
    last: u32,
    pub packets: u32,
    pub bytes: u64,
}

impl Chain {
    pub const EMPTY: Self = Self { first: NONE, last: NONE, packets: 0, bytes: 0 };

    /// Appends a packet.
    #[inline]
    pub fn join(&mut self, arena: &mut Arena, waiting: Waiting) {
        let at = arena.put(waiting);
        match self.first {
            NONE => self.first = at,
            _ => arena.places[self.last as usize].behind = at,
        }
        self.last = at;
        self.packets += 1;
        self.bytes += u64::from(waiting.packet.size);
    }

    /// Removes the first packet.
    #[inline]
    pub fn leave(&mut self, arena: &mut Arena) -> Option<Waiting> {
        if self.first == NONE {
            return None;
        }
        let Place { waiting, behind } = arena.places[self.first as usize];
        arena.free.push(self.first);
        self.first = behind;
        self.packets -= 1;
        self.bytes -= u64::from(waiting.packet.size);
        Some(waiting)
    }

    /// Arrival time of the first packet.
    #[inline]
    pub fn since(&self, arena: &Arena) -> Option<windward_units::Time> {
        (self.first != NONE).then(|| arena.places[self.first as usize].waiting.since)
    }
}
