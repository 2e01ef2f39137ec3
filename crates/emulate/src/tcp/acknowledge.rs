//! ACKs that no kernel has sent.

use super::options::{PADDING, SACK, TIMESTAMPS};
use super::{ACK, Timestamps, checksum};

/// An ACK without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Acknowledgement<'a> {
    /// Apparent sender, and receiver.
    pub from: u32,
    pub to: u32,
    pub ports: [u16; 2],
    /// Next sequence number of its sender.
    pub sequence: u32,
    /// First byte that its sender has not received.
    pub acknowledged: u32,
    /// The window field, shifted as the connection has agreed.
    pub window: u16,
    /// Timestamps, if the connection has negotiated them.
    pub timestamps: Option<Timestamps>,
    /// Beginnings and ends of what has arrived beyond `acknowledged`, the latest first (RFC 2018 §4); those that find
    /// no room are left out.
    pub sack: &'a [(u32, u32)],
}

/// IPv4 and TCP without options.
const LEAST: usize = 40;

/// Most bytes of options (RFC 9293 §3.1).
const OPTIONS: usize = 40;

impl Acknowledgement<'_> {
    /// Most bytes that one takes.
    pub(crate) const MOST: usize = LEAST + OPTIONS;

    /// Writes it as an IPv4 packet to the beginning of `room`, which has [`Self::MOST`] bytes. Returns how many it
    /// took.
    pub(crate) fn write(&self, room: &mut [u8]) -> usize {
        debug_assert!(room.len() >= Self::MOST, "options find room");
        let options = self.write_options(&mut room[LEAST..]);
        let length = LEAST + options;
        let (ip, tcp) = room[..length].split_at_mut(20);
        ip.fill(0);
        ip[0] = 0x45;
        ip[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        // Do not fragment; 64 hops.
        ip[6] = 0x40;
        ip[8] = 64;
        ip[9] = libc::IPPROTO_TCP as u8;
        ip[12..16].copy_from_slice(&self.from.to_be_bytes());
        ip[16..20].copy_from_slice(&self.to.to_be_bytes());
        let sum = checksum::of_header(ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        tcp[..20].fill(0);
        tcp[..2].copy_from_slice(&self.ports[0].to_be_bytes());
        tcp[2..4].copy_from_slice(&self.ports[1].to_be_bytes());
        tcp[4..8].copy_from_slice(&self.sequence.to_be_bytes());
        tcp[8..12].copy_from_slice(&self.acknowledged.to_be_bytes());
        tcp[12] = (((20 + options) / 4) << 4) as u8;
        tcp[13] = ACK;
        tcp[14..16].copy_from_slice(&self.window.to_be_bytes());
        let sum = checksum::of_segment([self.from, self.to], tcp);
        tcp[16..18].copy_from_slice(&sum.to_be_bytes());
        length
    }

    /// Padding stands before each option, as Linux writes them, so that words stand at multiples of four.
    fn write_options(&self, room: &mut [u8]) -> usize {
        let mut length = 0;
        let mut put = |bytes: &[u8]| {
            room[length..length + bytes.len()].copy_from_slice(bytes);
            length += bytes.len();
        };
        if let Some(Timestamps { value, echo }) = self.timestamps {
            put(&[PADDING, PADDING, TIMESTAMPS, 10]);
            put(&value.to_be_bytes());
            put(&echo.to_be_bytes());
        }
        let most = if self.timestamps.is_some() { 3 } else { 4 };
        let blocks = &self.sack[..self.sack.len().min(most)];
        if !blocks.is_empty() {
            put(&[PADDING, PADDING, SACK, 2 + 8 * blocks.len() as u8]);
            for (begin, end) in blocks {
                put(&begin.to_be_bytes());
                put(&end.to_be_bytes());
            }
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Segment;

    const BLOCKS: [(u32, u32); 5] = [(70, 80), (20, 30), (40, 50), (1, 2), (3, 4)];

    fn written(ack: &Acknowledgement<'_>) -> Vec<u8> {
        let mut room = vec![0xff; Acknowledgement::MOST];
        let length = ack.write(&mut room);
        room.truncate(length);
        room
    }

    fn ack(timestamps: Option<Timestamps>, blocks: usize) -> Acknowledgement<'static> {
        Acknowledgement {
            from: 0x0a00_0011,
            to: 0x0a00_0010,
            ports: [5001, 40_000],
            sequence: 7,
            acknowledged: 10,
            window: 501,
            timestamps,
            sack: &BLOCKS[..blocks],
        }
    }

    /// Three blocks beside timestamps, four without; checksums come out as zero where they are part of the sum.
    #[test]
    fn what_is_written_is_read_again() {
        let stamps = Some(Timestamps { value: 1_000_000, echo: 2_000_000 });
        for (timestamps, blocks, length) in
            [(None, 0, 40), (stamps, 0, 52), (stamps, 2, 72), (stamps, 5, 80), (None, 5, 76)]
        {
            let ack = ack(timestamps, blocks);
            let packet = written(&ack);
            assert_eq!(packet.len(), length);
            let segment = Segment::read(&packet).expect("it is a segment");
            assert!(segment.is_pure_ack());
            assert_eq!((segment.from, segment.to, segment.ports), (ack.from, ack.to, ack.ports));
            assert_eq!((segment.sequence, segment.acknowledged, segment.window), (7, 10, 501));
            assert_eq!(segment.options(&packet).timestamps, timestamps);
            assert_eq!(checksum::of_header(&packet[..20]), 0);
            assert_eq!(checksum::of_segment([ack.from, ack.to], &packet[20..]), 0);
        }
    }

    /// Byte for byte, by hand: 12 bytes of timestamps, then two blocks.
    #[test]
    fn options_stand_where_linux_has_them() {
        let packet = written(&ack(Some(Timestamps { value: 258, echo: 3 }), 2));
        let expected = [
            &[1, 1, 8, 10, 0, 0, 1, 2, 0, 0, 0, 3, 1, 1, 5, 18][..],
            &[0, 0, 0, 70, 0, 0, 0, 80, 0, 0, 0, 20, 0, 0, 0, 30],
        ];
        assert_eq!(packet[40..], expected.concat());
    }
}
