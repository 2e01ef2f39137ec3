//! Exponential rule: argmax (a_l/r̄_l) R_l exp((a_l W_l − m)/(1 + √m)), with m the mean of a W over the backlogged
//! stations, and a, W, r̄ as in M-LWDF (Shakkottai and Stolyar, 2002). With similar delays it is proportionally fair by
//! channel; if one delay is far longer, that station goes first.

use super::rule::largest;
use super::{Choose, Slot};

pub(crate) struct ExpRule;

impl Choose for ExpRule {
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
        let wait = |s: &super::Candidate| s.urgency * s.head_wait.as_secs();
        let waiting = slot.stations.iter().filter(|s| s.backlog_packets > 0);
        let (count, sum) = waiting.fold((0.0, 0.0), |(count, sum), s| (count + 1.0, sum + wait(s)));
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let scale = 1.0 + mean.sqrt();
        // Weights are compared by their logarithms: the exponential of a long delay would overflow.
        let weight = |s: &super::Candidate| libm::log(s.urgency * s.rate / s.average_offer) + (wait(s) - mean) / scale;
        largest(slot.stations, |s| s.is_servable(), weight)
    }
}
