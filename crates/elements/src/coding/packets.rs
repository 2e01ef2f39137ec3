//! Encoding of a coding layer's messages in packets.

use super::message::{Combination, Feedback, Request};
use crate::packet::Packet;
use windward_units::Duration;

/// Placeholder in a combination without an associated segment.
const NO_SEGMENT: u32 = u32::MAX;

impl Combination {
    /// Writes this header into a packet.
    pub fn write(&self, packet: Packet) -> Packet {
        let Self { block, id, size, columns, segment, rtt } = *self;
        let rtt = (rtt.as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
        let sack = [(block, id), (size, columns), (rtt, 0)];
        Packet { number: segment.unwrap_or(NO_SEGMENT), sack, ..packet }
    }

    /// Reads the header of a packet.
    pub fn read(packet: &Packet) -> Self {
        let [(block, id), (size, columns), (rtt, _)] = packet.sack;
        let segment = (packet.number != NO_SEGMENT).then_some(packet.number);
        Self { block, id, size, columns, segment, rtt: Duration::from_micros(u64::from(rtt)) }
    }
}

impl Feedback {
    /// Writes this message into a packet.
    pub fn write(&self, packet: Packet) -> Packet {
        let Self { block, rank, below, request } = *self;
        let request = request.map_or((0, 0), |request| (request.block, request.missing));
        Packet { number: below, sack: [(block, rank), request, (0, 0)], ..packet }
    }

    /// Reads the message of a packet.
    pub fn read(packet: &Packet) -> Self {
        let [(block, rank), (asked, missing), _] = packet.sack;
        let request = (missing > 0).then_some(Request { block: asked, missing });
        Self { block, rank, below: packet.number, request }
    }
}
