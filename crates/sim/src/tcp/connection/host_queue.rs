//! Limits of the sending host on what waits at its first link.

use crate::network::TcpOptions;

/// Limit of a sending host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostQueue {
    /// None.
    Unlimited,
    /// Packets waiting for the first link at which the sender stops and reduces its window.
    Device(u32),
    /// TCP small queues with this pacing shift: the sender stops until the first link completes a packet.
    Small(u8),
}

impl HostQueue {
    pub fn new(tcp: &TcpOptions) -> Self {
        match (tcp.device_queue, tcp.small_queues) {
            (Some(packets), _) => Self::Device(packets),
            (None, Some(shift)) => Self::Small(shift),
            (None, None) => Self::Unlimited,
        }
    }
}
