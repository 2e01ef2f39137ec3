//! Queueing-delay MaxWeight: argmax (Q_l/r̄_l) R_l (huang2020 (10)). By Little's law Q_l/r̄_l, with the queue's mean
//! delivery rate r̄_l, is the queueing delay: the price that end-to-end laws of the FAST family see.

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct QueueingDelay;

impl Choose for QueueingDelay {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        // The average of an unserved station is zero, which makes its weight infinite.
        largest(slot.stations, |s| s.is_servable(), |s| s.backlog_bits / s.average_rate * s.rate)
    }
}
