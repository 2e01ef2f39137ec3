//! PPDUs that the hardware of a station holds.

use super::mpdu::Attempt;
use super::sending::Sending;
use crate::wifi::category::CATEGORIES;
use std::collections::VecDeque;

/// A composed PPDU, or a BlockAck request if it has no MPDUs.
#[derive(Debug)]
pub(super) struct Composed {
    pub session: u32,
    /// Numbers of its MPDUs.
    pub numbers: Vec<u32>,
    /// Rates of a PPDU.
    pub attempt: Option<Attempt>,
}

/// PPDUs that the hardware of a station holds.
#[derive(Debug)]
pub(super) struct Ahead {
    /// By category, in the order of transmission.
    pub queues: [VecDeque<Composed>; CATEGORIES],
    /// Room of PPDUs that have ended.
    pub spare: Vec<Vec<u32>>,
    /// Room for a composition while another PPDU is on the air.
    pub scratch: Sending,
}

impl Ahead {
    pub fn new() -> Self {
        let queues = Default::default();
        Self { queues, spare: Vec::new(), scratch: Sending::new() }
    }

    /// True if a category has something in the hardware.
    pub fn has_ppdus(&self, of: usize) -> bool {
        !self.queues[of].is_empty()
    }
}
