//! The segments of a flow as the source's kernel sends them: their numbers, their bytes.

use std::collections::VecDeque;
use std::ops::Range;
use windward_units::Time;

/// Bytes that tell the length of a packet in its symbol.
const LENGTH: usize = 2;

/// The segments that may still be combined or acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    /// The number of the first of them.
    base: u32,
    all: VecDeque<Segment>,
    /// The sequence number that the next new one begins with; `None` before the SYN.
    next: Option<u32>,
    /// Times and timestamps of sent segments, both rising.
    stamps: VecDeque<(Time, u32)>,
    /// Bytes of a symbol.
    size: usize,
}

#[derive(Clone, Debug)]
struct Segment {
    sequence: u32,
    symbol: Vec<u8>,
}

/// Bytes of the symbol of packets of at most `mtu` bytes.
pub(super) const fn symbol_size(mtu: u32) -> usize {
    LENGTH + mtu as usize
}

/// True if a sequence number comes before another (RFC 9293 §3.4).
fn is_before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}

/// The packet in a symbol.
pub(super) fn packet(symbol: &[u8]) -> Option<&[u8]> {
    let (length, rest) = symbol.split_first_chunk::<LENGTH>()?;
    rest.get(..usize::from(u16::from_be_bytes(*length)))
}

impl Segments {
    /// None yet; symbols have `size` bytes.
    pub(super) fn new(size: usize) -> Self {
        Self { base: 0, all: VecDeque::new(), next: None, stamps: VecDeque::new(), size }
    }

    /// The SYN tells where the data begin.
    pub(super) fn open(&mut self, sequence: u32) {
        self.next.get_or_insert(sequence.wrapping_add(1));
    }

    /// The numbers of the segments that have bytes from `begin` to `end`, of those sent before. The kernel may cut what
    /// it sends again otherwise than the first time.
    pub(super) fn known(&self, begin: u32, end: u32) -> Range<u32> {
        let begins_by = |limit: u32| self.all.partition_point(|segment| is_before(segment.sequence, limit)) as u32;
        let from = begins_by(begin.wrapping_add(1)).saturating_sub(1);
        let is_over = self.next.is_none_or(|next| !is_before(begin, next));
        if is_over { 0..0 } else { self.base + from..self.base + begins_by(end).max(from) }
    }

    /// True if the range from `begin` to `end` continues the previous segment.
    pub(super) fn has_news(&self, begin: u32, end: u32) -> bool {
        self.next.is_some_and(|next| !is_before(next, begin) && is_before(next, end))
    }

    /// Adds the next one; its packet has the sequence numbers up to `end`.
    pub(super) fn push(&mut self, end: u32, packet: &[u8]) {
        let mut symbol = vec![0; self.size];
        symbol[..LENGTH].copy_from_slice(&(packet.len() as u16).to_be_bytes());
        symbol[LENGTH..LENGTH + packet.len()].copy_from_slice(packet);
        self.all.push_back(Segment { sequence: self.next.unwrap_or_default(), symbol });
        self.next = Some(end);
    }

    /// The symbols of `count` segments from `first` on.
    pub(super) fn symbols(&self, first: u32, count: u32) -> Vec<&[u8]> {
        let begin = first.saturating_sub(self.base) as usize;
        self.all.iter().skip(begin).take(count as usize).map(|segment| &segment.symbol[..]).collect()
    }

    /// First sequence number of the segment `number`, or of the first segment not yet sent.
    pub(super) fn sequence(&self, number: u32) -> u32 {
        let known = number.checked_sub(self.base).and_then(|at| self.all.get(at as usize));
        known.map_or_else(|| self.next.unwrap_or_default(), |segment| segment.sequence)
    }

    /// Segments before `number` are not needed any more.
    pub(super) fn forget(&mut self, number: u32) {
        while self.base < number && self.all.pop_front().is_some() {
            self.base += 1;
        }
    }

    /// A segment was sent with a timestamp.
    pub(super) fn stamp(&mut self, now: Time, value: u32) {
        self.stamps.push_back((now, value));
    }

    /// The timestamp of what was sent at `sent_at`; nobody asks for earlier ones after that.
    pub(super) fn stamp_of(&mut self, sent_at: Time) -> Option<u32> {
        while self.stamps.get(1).is_some_and(|(time, _)| *time <= sent_at) {
            self.stamps.pop_front();
        }
        self.stamps.front().map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of 10, 20 and 5 bytes across the wrap of the sequence numbers; then some of them again, cut otherwise.
    #[test]
    fn a_segment_is_known_by_its_sequence_numbers() {
        let start = u32::MAX - 15;
        let at = |offset: u32| start.wrapping_add(offset);
        let mut segments = Segments::new(symbol_size(30));
        assert!(!segments.has_news(at(0), at(10)), "nothing is known before the SYN");
        segments.open(start.wrapping_sub(1));
        segments.open(77);
        for (begin, length) in [(0, 10), (10, 20), (30, 5)] {
            assert!(segments.has_news(at(begin), at(begin + length)));
            assert!(segments.known(at(begin), at(begin + length)).is_empty());
            segments.push(at(begin + length), &vec![begin as u8; length as usize]);
        }
        let known = |segments: &Segments, begin, end| segments.known(at(begin), at(end));
        assert_eq!(known(&segments, 10, 30), 1..2);
        assert_eq!((known(&segments, 10, 35), known(&segments, 15, 20), known(&segments, 5, 31)), (1..3, 1..2, 0..3));
        // With something new behind it; after a gap; all of it new.
        assert_eq!((known(&segments, 30, 40), segments.has_news(at(30), at(40))), (2..3, true));
        assert!(known(&segments, 36, 40).is_empty() && !segments.has_news(at(36), at(40)));
        assert!(known(&segments, 35, 40).is_empty() && segments.has_news(at(35), at(40)));
        let symbols = segments.symbols(1, 2);
        let packets: Vec<_> = symbols.iter().map(|symbol| packet(symbol)).collect();
        assert_eq!(packets, [Some(&[10; 20][..]), Some(&[30; 5][..])]);
        segments.forget(1);
        assert_eq!(known(&segments, 10, 30), 1..2);
        assert_eq!([1, 2, 3, 9].map(|number| segments.sequence(number)), [at(10), at(30), at(35), at(35)]);
    }

    #[test]
    fn timestamps_are_found_by_the_time_of_sending() {
        let mut segments = Segments::new(10);
        (0..5).for_each(|n| segments.stamp(Time::from_nanos(10 * n), 100 + n as u32));
        assert_eq!(segments.stamp_of(Time::from_nanos(10)), Some(101));
        assert_eq!(segments.stamp_of(Time::from_nanos(10)), Some(101));
        assert_eq!(segments.stamp_of(Time::from_nanos(40)), Some(104));
    }

    #[test]
    fn noise_is_no_packet() {
        assert_eq!(packet(&[0, 3, 1, 2, 3, 0]), Some(&[1, 2, 3][..]));
        assert_eq!((packet(&[0, 3, 1, 2]), packet(&[0])), (None, None));
    }
}
