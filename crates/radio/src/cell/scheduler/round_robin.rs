//! Round robin, independent of the channels.

use super::{Choose, Slot};

pub(crate) struct RoundRobin {
    is_oblivious: bool,
    /// Index of the next station.
    next: usize,
}

impl RoundRobin {
    pub(crate) fn new(is_oblivious: bool) -> Self {
        Self { is_oblivious, next: 0 }
    }
}

impl Choose for RoundRobin {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        let count = slot.stations.len();
        if self.is_oblivious {
            // Slot i belongs to station i mod n.
            return Some((slot.number % count as u64) as usize);
        }
        let turn = (0..count).map(|step| (self.next + step) % count).find(|&at| slot.stations[at].is_servable())?;
        self.next = turn + 1;
        Some(turn)
    }
}
