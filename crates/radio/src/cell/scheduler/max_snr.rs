//! Best channel of the slot: largest total throughput, starvation of distant stations (Knopp and Humblet 1995).

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct MaxSnr {
    pub is_oblivious: bool,
}

impl Choose for MaxSnr {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        let is_oblivious = self.is_oblivious;
        largest(slot.stations, |s| is_oblivious || s.is_servable(), |s| s.snr)
    }
}
