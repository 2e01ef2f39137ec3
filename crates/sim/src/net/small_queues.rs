//! Bytes of flows below TCP, for TCP small queues.
//!
//! Linux counts the memory of segments that a socket has handed down and the driver has not completed
//! (`sk_wmem_alloc`). On Wi-Fi a packet is completed by its acknowledgement, or when it is given up or dropped.

use crate::medium::wifi::txq::truesize;
use crate::packet::{Kind, Packet};

/// Flows with small queues, by index.
#[derive(Debug, Default)]
pub struct SmallQueues(Vec<SmallQueue>);

/// Segments of a flow that its first link has not completed.
#[derive(Clone, Copy, Debug)]
struct SmallQueue {
    /// Start of the flow's route.
    hop: u32,
    /// True while the flow waits for a completion.
    is_waiting: bool,
    /// Their memory.
    bytes: u64,
}

impl SmallQueue {
    /// A flow without small queues: no route has this hop, nor the one after it.
    const OFF: Self = Self { hop: u32::MAX - 1, is_waiting: false, bytes: 0 };
}

impl SmallQueues {
    /// Counts the segments of a flow whose route starts at `hop`, from now on.
    pub fn watch(&mut self, flow: u32, hop: u32) {
        let at = flow as usize;
        self.0.resize(self.0.len().max(at + 1), SmallQueue::OFF);
        self.0[at] = SmallQueue { hop, ..SmallQueue::OFF };
    }

    /// Memory of a flow's segments that are not completed.
    pub fn bytes(&self, flow: u32) -> u64 {
        self.0[flow as usize].bytes
    }

    /// Counts a segment of `size` bytes that a flow sends.
    pub fn send(&mut self, flow: u32, size: u32) {
        self.0[flow as usize].bytes += truesize(size);
    }

    /// Notes that a flow waits for a completion.
    pub fn wait(&mut self, flow: u32) {
        self.0[flow as usize].is_waiting = true;
    }

    /// Counts a completed packet. Returns true if its flow waited for one.
    #[inline]
    pub fn complete(&mut self, packet: &Packet) -> bool {
        let Some(queue) = self.0.get_mut(packet.flow as usize) else { return false };
        if packet.kind != Kind::Data || !packet.is_at_source(queue.hop) {
            return false;
        }
        let size = truesize(packet.size);
        debug_assert!(queue.bytes >= size, "a segment is completed once");
        queue.bytes -= size;
        std::mem::take(&mut queue.is_waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Time;

    /// A packet of 1500 bytes takes 256 + 2048 bytes of memory.
    #[test]
    fn only_segments_at_the_start_of_their_route_count() {
        let mut queues = SmallQueues::default();
        queues.watch(3, 40);
        queues.send(3, 1500);
        queues.send(3, 1500);
        assert_eq!(queues.bytes(3), 4608);
        let packet = |kind, flow, hop| Packet::new(kind, Time::ZERO, flow, hop, 1500);
        queues.wait(3);
        for other in [packet(Kind::Data, 2, 40), packet(Kind::Data, 3, 41), packet(Kind::Ack, 3, 40)] {
            assert!(!queues.complete(&other));
        }
        assert!(!queues.complete(&packet(Kind::Data, 9, 0)), "flows beyond the last one have none");
        assert_eq!(queues.bytes(3), 4608);
        assert!(queues.complete(&packet(Kind::Data, 3, 40)));
        assert!(!queues.complete(&packet(Kind::Data, 3, 40)), "the flow is told once");
        assert_eq!(queues.bytes(3), 0);
    }
}
