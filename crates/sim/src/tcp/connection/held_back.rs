//! Segments that the sending host holds back.

use super::Connection;
use super::host_queue::HostQueue;
use crate::net::Net;
use crate::tcp::sender::Turn;
use windward_radio::wifi::txq::truesize;

/// Most memory of a socket's segments below TCP (Linux 6.18: `tcp_limit_output_bytes`).
const MOST_BYTES: u64 = 4 << 20;

impl Connection {
    /// True if the host holds back the segment `number`. Otherwise the segment counts as sent.
    #[cold]
    pub(super) fn is_held_back(&mut self, net: &mut Net, turn: Turn, number: u32) -> bool {
        match self.host_queue {
            HostQueue::Unlimited => false,
            HostQueue::Device(limit) => {
                let is_full = net.waiting_at_source(self.forward) >= limit as usize;
                if is_full && let Some(until) = self.sender.on_device_full(net.now) {
                    self.wait(net, until);
                }
                is_full
            }
            HostQueue::Small(shift) => {
                let size = self.headers.data() + self.payload(number).0;
                let is_full = self.sender.unacknowledged() > 1
                    && net.small_queues.amount(self.index) > self.small_limit(shift, turn, size);
                if is_full {
                    net.small_queues.wait(self.index);
                    self.sender.on_small_queue_full();
                } else {
                    net.small_queues.send(self.index, size);
                }
                is_full
            }
        }
    }

    /// Memory below TCP above which a segment of `size` bytes waits (Linux: `tcp_small_queue_check`).
    fn small_limit(&self, shift: u8, turn: Turn, size: u32) -> u64 {
        let rate = self.sender.linux_pacing_rate() * f64::from(self.segment);
        let paced = (rate / f64::from(1_u32 << shift)) as u64;
        let limit = paced.max(2 * truesize(size)).min(MOST_BYTES);
        limit << u32::from(matches!(turn, Turn::Again(_)))
    }
}
