//! State beside that of an honest receiver.

use super::misbehaving::Misbehaving;
use super::rtt::ReceiverRtt;

/// State beside that of an honest receiver.
#[derive(Debug)]
pub enum Beside {
    /// Round-trip estimate.
    Rtt(ReceiverRtt),
    /// Divided or optimistic ACKs.
    Misbehaving(Misbehaving),
}

impl Default for Beside {
    fn default() -> Self {
        Self::Rtt(ReceiverRtt::default())
    }
}
