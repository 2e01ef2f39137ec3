//! The bytes of packets on their way: frames of one size, taken and given back by number.

/// Frames that are in use at most: 2^19 of 1500 bytes are 786 MB.
const MOST: usize = 1 << 19;

/// All frames.
pub(crate) struct Frames {
    size: usize,
    frames: Vec<Box<[u8]>>,
    lengths: Vec<u32>,
    free: Vec<u32>,
}

impl Frames {
    /// Frames of `size` bytes, `ready` of them made already.
    pub(crate) fn new(size: usize, ready: usize) -> Self {
        let mut frames = Self { size, frames: Vec::new(), lengths: Vec::new(), free: Vec::new() };
        let taken: Vec<u32> = (0..ready).filter_map(|_| frames.take()).collect();
        taken.into_iter().for_each(|number| frames.give_back(number));
        frames
    }

    /// A frame to write into; `None` where too many are in use.
    pub(crate) fn take(&mut self) -> Option<u32> {
        self.free.pop().or_else(|| {
            let number = u32::try_from(self.frames.len()).ok().filter(|_| self.frames.len() < MOST)?;
            // Written to, so that its memory is there when a packet comes.
            self.frames.push(vec![0xff; self.size].into_boxed_slice());
            self.lengths.push(0);
            Some(number)
        })
    }

    /// The whole frame, to write a packet into.
    pub(crate) fn room(&mut self, number: u32) -> &mut [u8] {
        &mut self.frames[number as usize]
    }

    /// Says how long its packet is.
    pub(crate) fn set_length(&mut self, number: u32, length: usize) {
        self.lengths[number as usize] = length as u32;
    }

    /// The packet in it.
    pub(crate) fn packet(&self, number: u32) -> &[u8] {
        &self.frames[number as usize][..self.lengths[number as usize] as usize]
    }

    /// It is free again.
    pub(crate) fn give_back(&mut self, number: u32) {
        self.free.push(number);
    }
}

/// The bit of a TCP header that opens a connection.
const SYN: u8 = 2;

/// What an IPv4 packet with TCP in it says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Where it goes.
    pub to: u32,
    /// Bytes of data in it.
    pub payload: u32,
    /// Sequence number of the first of them, or of the SYN.
    pub sequence: u32,
    /// Whether it opens a connection.
    pub is_syn: bool,
}

impl Segment {
    /// Reads a packet; `None` for anything else.
    pub(crate) fn read(packet: &[u8]) -> Option<Self> {
        let half = |at: usize| Some(u16::from_be_bytes(packet.get(at..at + 2)?.try_into().ok()?));
        let word = |at: usize| Some(u32::from_be_bytes(packet.get(at..at + 4)?.try_into().ok()?));
        let is_tcp = packet.first()? >> 4 == 4 && *packet.get(9)? == 6;
        if !is_tcp {
            return None;
        }
        let to = word(16)?;
        let ip_header = usize::from(packet[0] & 15) * 4;
        let tcp_header = usize::from(packet.get(ip_header + 12)? >> 4) * 4;
        let payload = u32::from(half(2)?).checked_sub((ip_header + tcp_header) as u32)?;
        let is_syn = packet.get(ip_header + 13)? & SYN != 0;
        Some(Self { to, payload, sequence: word(ip_header + 4)?, is_syn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_used_again() {
        let mut frames = Frames::new(8, 2);
        let first = frames.take().expect("two are ready");
        frames.room(first)[..3].copy_from_slice(b"abc");
        frames.set_length(first, 3);
        assert_eq!(frames.packet(first), b"abc");
        frames.give_back(first);
        assert_eq!(frames.take(), Some(first));
        assert_eq!((0..4).filter_map(|_| frames.take()).count(), 4);
    }

    #[test]
    fn a_segment_is_read_and_noise_is_not() {
        let mut packet = vec![0u8; 60];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&60u16.to_be_bytes());
        packet[9] = 6;
        packet[16..20].copy_from_slice(&[10, 0, 0, 17]);
        packet[24..28].copy_from_slice(&70_000u32.to_be_bytes());
        packet[32] = 8 << 4;
        let segment = Segment { to: 0x0a00_0011, payload: 8, sequence: 70_000, is_syn: false };
        assert_eq!(Segment::read(&packet), Some(segment));
        packet[33] = 0x12;
        assert_eq!(Segment::read(&packet), Some(Segment { is_syn: true, ..segment }));
        packet[9] = 17;
        assert_eq!(Segment::read(&packet), None);
        for end in 0..60 {
            // Too short, or a header that says more than there is: refused, not read past its end.
            packet[9] = 6;
            packet[3] = 10;
            assert_eq!(Segment::read(&packet[..end]), None);
        }
    }
}
