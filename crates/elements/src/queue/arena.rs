//! FIFO queues of packets as linked lists in one arena.

use super::discipline::Waiting;

/// No packet.
const NONE: u32 = u32::MAX;

/// Slot of the arena: a packet, what its owner notes of it, and the index of the next one.
#[derive(Clone, Copy, Debug)]
struct Place<Note> {
    waiting: Waiting,
    note: Note,
    behind: u32,
}

/// All queued packets, and the free slots. It grows to the longest queue and never shrinks.
#[derive(Debug, Default)]
pub struct Arena<Note = ()> {
    places: Vec<Place<Note>>,
    free: Vec<u32>,
}

impl<Note: Copy> Arena<Note> {
    /// An empty arena with slots for `room` packets.
    #[inline]
    pub fn with_room(room: usize) -> Self {
        Self { places: Vec::with_capacity(room), free: Vec::with_capacity(room) }
    }

    /// Slots allocated for packets, and for the list of free ones.
    pub const fn capacities(&self) -> [usize; 2] {
        [self.places.capacity(), self.free.capacity()]
    }

    #[inline]
    fn put(&mut self, waiting: Waiting, note: Note) -> u32 {
        let place = Place { waiting, note, behind: NONE };
        if let Some(at) = self.free.pop() {
            self.places[at as usize] = place;
            return at;
        }
        self.places.push(place);
        // A slot is free at most once, so that `free` never grows after this.
        self.free.reserve(self.places.len() - self.free.len());
        self.places.len() as u32 - 1
    }
}

/// A FIFO queue in an arena.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    first: u32,
    last: u32,
    /// Packets in it.
    pub packets: u32,
    /// Bytes in it.
    pub bytes: u64,
}

impl Chain {
    /// Without packets.
    pub const EMPTY: Self = Self { first: NONE, last: NONE, packets: 0, bytes: 0 };

    /// Appends a packet.
    #[inline]
    pub fn join<Note: Copy>(&mut self, arena: &mut Arena<Note>, waiting: Waiting, note: Note) {
        let at = arena.put(waiting, note);
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
    pub fn leave<Note: Copy>(&mut self, arena: &mut Arena<Note>) -> Option<(Waiting, Note)> {
        if self.first == NONE {
            return None;
        }
        let Place { waiting, note, behind } = arena.places[self.first as usize];
        arena.free.push(self.first);
        self.first = behind;
        self.packets -= 1;
        self.bytes -= u64::from(waiting.packet.size);
        Some((waiting, note))
    }

    /// Arrival time of the first packet.
    #[inline]
    pub fn since<Note: Copy>(&self, arena: &Arena<Note>) -> Option<windward_units::Time> {
        (self.first != NONE).then(|| arena.places[self.first as usize].waiting.since)
    }
}
