//! Received ranges of a connection's data, each byte once.

use crate::tcp::Segment;
use std::collections::BTreeMap;

/// The bytes of one direction of a flow's connection that have arrived, as ranges of its sequence numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    /// Sequence number of the first byte; `None` before the SYN.
    first: Option<u32>,
    /// Bytes that have arrived without a gap, since the connection began.
    next: u64,
    /// Ranges received beyond the first gap: begin and end, counted as `next` is.
    beyond: BTreeMap<u64, u64>,
}

impl Arrivals {
    /// A segment arrives. How many of its bytes had not arrived before.
    pub(super) fn add(&mut self, segment: &Segment) -> u64 {
        let first = segment.sequence.wrapping_add(1);
        // A repeated SYN has the same number; another number is that of a new connection.
        if segment.is_syn() && self.first != Some(first) {
            *self = Self { first: Some(first), ..Self::default() };
        }
        let Some(first) = self.first.filter(|_| segment.payload > 0) else { return 0 };
        // Sequence numbers wrap around: what lies within 2 GiB of the first gap is meant, as in RFC 9293 §3.4.
        let distance = segment.sequence.wrapping_sub(first.wrapping_add(self.next as u32)).cast_signed();
        let end = (self.next + u64::from(segment.payload)).saturating_add_signed(i64::from(distance));
        let from = self.next.saturating_add_signed(i64::from(distance)).max(self.next);
        if end <= from {
            return 0;
        }
        if from == self.next && self.beyond.is_empty() {
            self.next = end;
            return end - from;
        }
        self.insert(from, end)
    }

    /// Adds a range to those beyond the gap, and moves the gap where it is filled.
    fn insert(&mut self, from: u64, end: u64) -> u64 {
        let (mut merged, mut known) = ((from, end), 0);
        // Ranges are disjoint, so the last ones that begin before the end are those that can touch.
        while let Some((&start, &stop)) = self.beyond.range(..=merged.1).next_back()
            && stop >= from
        {
            known += stop.min(end).saturating_sub(start.max(from));
            merged = (merged.0.min(start), merged.1.max(stop));
            self.beyond.remove(&start);
        }
        if merged.0 == self.next {
            self.next = merged.1;
        } else {
            self.beyond.insert(merged.0, merged.1);
        }
        end - from - known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::SYN;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const ISN: u32 = u32::MAX - 40;

    fn segment(at: u32, payload: u32) -> Segment {
        Segment { payload, sequence: ISN.wrapping_add(1).wrapping_add(at), ..Segment::default() }
    }

    fn open() -> Arrivals {
        let mut arrivals = Arrivals::default();
        assert_eq!(arrivals.add(&segment(0, 10)), 0, "nothing is known before the SYN");
        assert_eq!(arrivals.add(&Segment { sequence: ISN, flags: SYN, ..Segment::default() }), 0);
        arrivals
    }

    /// 10 in order, 20 beyond a gap of 10, 10 of them again with 5 more, then the gap.
    #[test]
    fn each_byte_counts_when_it_arrives_first() {
        let mut arrivals = open();
        let counted = [(0, 10), (20, 20), (30, 15), (10, 10), (0, 45), (45, 1)].map(|(at, size)| {
            let fresh = arrivals.add(&segment(at, size));
            (fresh, arrivals.next)
        });
        assert_eq!(counted, [(10, 10), (20, 10), (5, 10), (10, 45), (0, 45), (1, 46)]);
        assert!(arrivals.beyond.is_empty());
    }

    /// 10 bytes of each of two connections, the second with a SYN that is repeated.
    #[test]
    fn another_syn_begins_anew() {
        let mut arrivals = open();
        assert_eq!(arrivals.add(&segment(0, 10)), 10);
        let syn = Segment { sequence: 7, flags: SYN, ..Segment::default() };
        let data = Segment { sequence: 8, payload: 10, ..Segment::default() };
        assert_eq!([syn, data, syn, data].map(|segment| arrivals.add(&segment)), [0, 10, 0, 0]);
    }

    proptest! {
        /// Around the wrap of the sequence numbers, it agrees with a plain set of bytes.
        #[test]
        fn behaves_like_a_set(steps in prop::collection::vec((0u32..100, 1u32..20), 1..60)) {
            let (mut arrivals, mut set) = (open(), BTreeSet::new());
            for (at, size) in steps {
                let before = set.len();
                set.extend(at..at + size);
                prop_assert_eq!(arrivals.add(&segment(at, size)) as usize, set.len() - before);
                let ranges: Vec<_> = arrivals.beyond.iter().map(|(a, b)| (*a, *b)).collect();
                prop_assert!(ranges.iter().all(|r| r.0 < r.1 && r.0 > arrivals.next));
                prop_assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
