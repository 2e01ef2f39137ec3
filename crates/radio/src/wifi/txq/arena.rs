//! Packets of all queues of a radio, linked to lists.

use windward_elements::queue::Waiting;

/// No packet.
pub(super) const NONE: u32 = u32::MAX;

/// A packet with its owner's tag, and the index of the next one.
#[derive(Clone, Copy, Debug)]
struct Place {
    waiting: Waiting,
    tag: u32,
    behind: u32,
}

/// All queued packets, and the free places. It grows to the longest queue and never shrinks.
#[derive(Debug, Default)]
pub(super) struct Arena {
    places: Vec<Place>,
    free: Vec<u32>,
}

/// A list of packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
    pub(super) packets: u32,
    pub(super) bytes: u64,
}

impl Arena {
    #[cfg(test)]
    pub(super) const fn capacities(&self) -> [usize; 2] {
        [self.places.capacity(), self.free.capacity()]
    }

    fn put(&mut self, waiting: Waiting, tag: u32) -> u32 {
        let place = Place { waiting, tag, behind: NONE };
        if let Some(at) = self.free.pop() {
            self.places[at as usize] = place;
            return at;
        }
        self.places.push(place);
        // A place is free at most once, so that `free` never grows after this.
        self.free.reserve(self.places.len() - self.free.len());
        self.places.len() as u32 - 1
    }
}

impl List {
    pub(super) const EMPTY: Self = Self { first: NONE, last: NONE, packets: 0, bytes: 0 };

    pub(super) fn push(&mut self, arena: &mut Arena, waiting: Waiting, tag: u32) {
        let at = arena.put(waiting, tag);
        match self.first {
            NONE => self.first = at,
            _ => arena.places[self.last as usize].behind = at,
        }
        self.last = at;
        self.packets += 1;
        self.bytes += u64::from(waiting.packet.size);
    }

    pub(super) fn pop(&mut self, arena: &mut Arena) -> Option<(Waiting, u32)> {
        if self.first == NONE {
            return None;
        }
        let Place { waiting, tag, behind } = arena.places[self.first as usize];
        arena.free.push(self.first);
        self.first = behind;
        self.packets -= 1;
        self.bytes -= u64::from(waiting.packet.size);
        Some((waiting, tag))
    }
}
