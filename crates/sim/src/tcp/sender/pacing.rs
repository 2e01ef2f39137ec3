//! Bursts of a paced sender: several segments sent at once.

use windward_units::{Duration, Time};

/// Segments sent at once. Linux hands several segments to the device in one piece and then waits for the pacing time of
/// all of them (`tcp_update_skb_after_send`). A late burst may catch up by at most half of that time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Burst {
    pub at: Time,
    pub late: Duration,
    pub count: u32,
    pub most: u32,
}

impl Burst {
    /// True if another segment belongs to the burst.
    pub fn goes_on(&self, now: Time) -> bool {
        self.at == now && self.count < self.most
    }
}
