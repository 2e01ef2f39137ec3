//! Queue-length MaxWeight: argmax Q_l R_l (Tassiulas and Ephremides 1992; Lin and Shroff 2004).

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct QueueLength;

impl Choose for QueueLength {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        largest(slot.stations, |s| s.is_servable(), |s| s.backlog_bits * s.rate)
    }
}
