//! Pieces of several segments that a paced sender sends at once.

use windward_units::{Duration, Time};

/// Segments that go out at once, as Linux hands several to the device in one piece and then waits as long as all of them take
/// (`tcp_update_skb_after_send`). What comes late may make up for at most half of that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Burst {
    pub at: Time,
    pub late: Duration,
    pub count: u32,
    pub most: u32,
}

impl Burst {
    /// Whether another segment belongs to it.
    pub fn goes_on(&self, now: Time) -> bool {
        self.at == now && self.count < self.most
    }
}
