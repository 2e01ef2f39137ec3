//! Proportional fairness: argmax R_l/r̄_l with the filtered delivery rate r̄_l (Viswanath, Tse, Laroia 2002).

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct ProportionalFair;

impl Choose for ProportionalFair {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        largest(slot.stations, |s| s.is_servable(), |s| s.rate / s.average_rate)
    }
}
