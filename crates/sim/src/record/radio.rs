//! 802.11 frames with a radiotap header (radiotap.org; IEEE 802.11-2016, §9.3).

use crate::output::{AirFrame, FrameKind};
use crate::packet::NodeId;

/// Fields of the radiotap header: timestamp, flags, rate.
const PRESENT: u32 = 0b111;
/// Bytes of the radiotap header.
const HEADER: u16 = 18;
/// Bytes of the frame checksum, which is omitted.
pub const CHECKSUM: u32 = 4;

/// Returns a locally administered address for each node.
fn address(node: NodeId) -> [u8; 6] {
    let [_, a, b, c] = (node + 1).to_be_bytes();
    [2, 0, 0, a, b, c]
}

/// Returns the headers of a frame up to its payload, radiotap's included, and the length of the whole on the air with
/// it.
pub fn header(frame: &AirFrame) -> (Vec<u8>, u32) {
    let mut bytes = Vec::with_capacity(128);
    bytes.extend([0, 0]);
    bytes.extend(HEADER.to_le_bytes());
    bytes.extend(PRESENT.to_le_bytes());
    bytes.extend((frame.began.as_nanos() / 1000).to_le_bytes());
    bytes.push(0);
    bytes.push((frame.rate.as_bits_per_sec() / 500_000).min(255) as u8);
    let control: [u8; 2] = match frame.kind {
        FrameKind::Rts => [0xb4, 0],
        FrameKind::Cts => [0xc4, 0],
        FrameKind::Ack => [0xd4, 0],
        FrameKind::BlockAck => [0x94, 0],
        FrameKind::BlockAckRequest => [0x84, 0],
        FrameKind::Data | FrameKind::Broadcast => [0x08, if frame.is_repeated { 0x08 } else { 0 }],
    };
    bytes.extend(control);
    let micros = (frame.duration.as_nanos() / 1000).min(32_767) as u16;
    bytes.extend(micros.to_le_bytes());
    bytes.extend(frame.to.map_or([0xff; 6], address));
    match frame.kind {
        FrameKind::Cts | FrameKind::Ack => {}
        FrameKind::Rts | FrameKind::BlockAck | FrameKind::BlockAckRequest => bytes.extend(address(frame.from)),
        FrameKind::Data | FrameKind::Broadcast => {
            bytes.extend(address(frame.from));
            // Identifier of the independent network (BSSID), and the packet number.
            bytes.extend([2, 0, 0, 0xff, 0xff, 0xff]);
            bytes.extend(((frame.number & 0xfff) << 4).to_le_bytes()[..2].iter());
            // LLC and SNAP: IPv4.
            bytes.extend([0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        }
    }
    (bytes, u32::from(HEADER) + frame.bytes - CHECKSUM)
}
