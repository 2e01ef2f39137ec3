//! Modified largest weighted delay first: argmax (a_l/r̄_l) W_l R_l, with the head-of-line delay W_l, a_l = −ln δ_l/T_l
//! for a delay above T_l with probability δ_l, and the mean rate r̄_l that the channel offers (Andrews, Kumaran,
//! Ramanan, Stolyar, Whiting, Vijayakumar, IEEE Communications Magazine 39(2), 2001).

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct MLwdf;

impl Choose for MLwdf {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        let weight = |s: &super::Candidate| s.urgency * s.head_wait.as_secs() * s.rate / s.average_offer;
        largest(slot.stations, |s| s.is_servable(), weight)
    }
}
