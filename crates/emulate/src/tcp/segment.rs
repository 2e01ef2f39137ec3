//! Header of a TCP segment in an IPv4 packet.

use super::{ACK, FIN, Options, RST, SYN};
use std::ops::Range;

/// A TCP segment in an IPv4 packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Source and destination.
    pub from: u32,
    pub to: u32,
    /// The ports there.
    pub ports: [u16; 2],
    /// Sequence number of the first of its bytes, or of the SYN.
    pub sequence: u32,
    /// The sequence number that its sender expects next.
    pub acknowledged: u32,
    /// Control bits: [`SYN`] and its like.
    pub flags: u8,
    /// The window field, not shifted.
    pub window: u16,
    /// Bytes of data in it.
    pub payload: u32,
    /// Range of its options in the packet.
    pub options: [u8; 2],
}

impl Segment {
    /// Reads a packet; `None` for anything else, and for what says that it holds more than there is.
    pub(crate) fn read(packet: &[u8]) -> Option<Self> {
        let half = |at: usize| Some(u16::from_be_bytes(packet.get(at..at + 2)?.try_into().ok()?));
        let word = |at: usize| Some(u32::from_be_bytes(packet.get(at..at + 4)?.try_into().ok()?));
        let is_tcp = packet.first()? >> 4 == 4 && i32::from(*packet.get(9)?) == libc::IPPROTO_TCP;
        if !is_tcp {
            return None;
        }
        let tcp = usize::from(packet[0] & 15) * 4;
        let data = tcp + usize::from(packet.get(tcp + 12)? >> 4) * 4;
        let payload = u32::from(half(2)?).checked_sub(data as u32)?;
        Some(Self {
            from: word(12)?,
            to: word(16)?,
            ports: [half(tcp)?, half(tcp + 2)?],
            sequence: word(tcp + 4)?,
            acknowledged: word(tcp + 8)?,
            flags: *packet.get(tcp + 13)?,
            window: half(tcp + 14)?,
            payload,
            options: [(tcp + 20) as u8, data as u8],
        })
    }

    /// True if it opens a connection.
    pub(crate) fn is_syn(&self) -> bool {
        self.flags & SYN != 0
    }

    /// True for a pure ACK.
    pub(crate) fn is_pure_ack(&self) -> bool {
        self.payload == 0 && self.flags & (SYN | FIN | RST | ACK) == ACK
    }

    /// The sequence numbers that it takes: those of its data, of its SYN and of its FIN.
    pub(crate) fn numbers(&self) -> Range<u32> {
        let count = self.payload + u32::from(self.flags & SYN != 0) + u32::from(self.flags & FIN != 0);
        self.sequence..self.sequence.wrapping_add(count)
    }

    /// Its options; `packet` is what it was read from.
    pub(crate) fn options(&self, packet: &[u8]) -> Options {
        let [begin, end] = self.options.map(usize::from);
        packet.get(begin..end).map(Options::read).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn a_segment_is_read_and_noise_is_not() {
        let mut packet = vec![0u8; 60];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&60u16.to_be_bytes());
        packet[9] = 6;
        packet[12..16].copy_from_slice(&[10, 0, 0, 16]);
        packet[16..20].copy_from_slice(&[10, 0, 0, 17]);
        packet[20..24].copy_from_slice(&[1, 0, 2, 0]);
        packet[24..28].copy_from_slice(&70_000u32.to_be_bytes());
        packet[28..32].copy_from_slice(&80_000u32.to_be_bytes());
        packet[32] = 8 << 4;
        packet[35] = 99;
        packet[40..44].copy_from_slice(&[2, 4, 3, 192]);
        let segment = Segment {
            from: 0x0a00_0010,
            to: 0x0a00_0011,
            ports: [256, 512],
            payload: 8,
            sequence: 70_000,
            acknowledged: 80_000,
            flags: 0,
            window: 99,
            options: [40, 52],
        };
        assert_eq!(Segment::read(&packet), Some(segment));
        assert_eq!(segment.options(&packet).maximum_segment, Some(960));
        assert_eq!((segment.numbers(), segment.is_pure_ack()), (70_000..70_008, false));
        packet[33] = 0x12;
        let answer = Segment::read(&packet).expect("it is a segment");
        assert_eq!((answer, answer.is_syn()), (Segment { flags: 0x12, ..segment }, true));
        assert_eq!(answer.numbers(), 70_000..70_009);
        packet[9] = 17;
        assert_eq!(Segment::read(&packet), None);
        packet[9] = 6;
        packet[3] = 10;
        for end in 0..60 {
            // Too short, or a header that says more than there is: refused, not read past its end.
            assert_eq!(Segment::read(&packet[..end]), None);
        }
    }
}
