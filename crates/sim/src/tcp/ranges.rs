//! A set of segment numbers, as sorted disjoint half-open ranges.
//!
//! Receiver and sender each have one set: the segments that arrived beyond the first gap. It grows at its end and
//! shrinks from its front, so the usual insertion touches one entry.

use std::collections::VecDeque;
use windward_elements::packet::Range;

/// Sorted, disjoint, non-adjacent ranges.
#[derive(Clone, Debug, Default)]
pub struct Ranges(VecDeque<Range>);

impl Ranges {
    /// Takes out the storage of the set as an empty one.
    pub fn take_storage(&mut self) -> Self {
        let mut ranges = std::mem::take(&mut self.0);
        ranges.clear();
        Self(ranges)
    }

    /// True if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One past the largest number; zero when empty.
    pub fn end(&self) -> u32 {
        self.0.back().map_or(0, |r| r.1)
    }

    /// The smallest number.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.0.front().map(|range| range.0)
    }

    /// Number of elements.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|r| r.1 - r.0).sum()
    }

    /// The ranges in descending order.
    pub fn descending(&self) -> impl Iterator<Item = Range> {
        self.0.iter().rev().copied()
    }

    /// Adds `range` and calls `fresh` with each part of it that was not in the set. Returns the whole range that now
    /// contains it.
    pub fn insert(&mut self, range: Range, mut fresh: impl FnMut(Range)) -> Range {
        let (from, to) = range;
        // The first range that ends at or after `from` is the first that can overlap or adjoin.
        let first = match self.0.back() {
            Some(last) if last.1 < from => self.0.len(),
            _ => self.0.partition_point(|r| r.1 < from),
        };
        let mut merged = range;
        let mut gap_from = from;
        let mut last = first;
        while let Some(&(start, end)) = self.0.get(last)
            && start <= to
        {
            if gap_from < start {
                fresh((gap_from, start));
            }
            gap_from = gap_from.max(end);
            merged = (merged.0.min(start), merged.1.max(end));
            last += 1;
        }
        if gap_from < to {
            fresh((gap_from, to));
        }
        if first == last {
            self.0.insert(first, merged);
        } else {
            self.0[first] = merged;
            if last > first + 1 {
                self.0.drain(first + 1..last);
            }
        }
        merged
    }

    /// Removes everything below `floor`.
    pub fn remove_below(&mut self, floor: u32) {
        while let Some(front) = self.0.front_mut()
            && front.0 < floor
        {
            if front.1 > floor {
                front.0 = floor;
                break;
            }
            self.0.pop_front();
        }
    }

    /// Removes and returns the range that begins at `from`, if there is one; it must be the first.
    pub fn take_from(&mut self, from: u32) -> Option<Range> {
        if self.0.front()?.0 == from { self.0.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Insertions and removals agree with a plain set, and `fresh` reports exactly the new numbers.
        #[test]
        fn behaves_like_a_set(steps in prop::collection::vec((0u32..60, 1u32..9, prop::bool::weighted(0.2)), 1..60)) {
            let mut ranges = Ranges::default();
            let mut set = BTreeSet::new();
            for (from, length, is_removal) in steps {
                if is_removal {
                    ranges.remove_below(from);
                    set = set.split_off(&from);
                } else {
                    let mut fresh = BTreeSet::new();
                    let whole = ranges.insert((from, from + length), |(a, b)| fresh.extend(a..b));
                    let expected: BTreeSet<u32> = (from..from + length).filter(|n| !set.contains(n)).collect();
                    prop_assert_eq!(&fresh, &expected);
                    set.extend(from..from + length);
                    prop_assert!((whole.0..whole.1).all(|n| set.contains(&n)));
                    prop_assert!(!set.contains(&whole.1));
                }
                let held: BTreeSet<u32> = ranges.0.iter().flat_map(|r| r.0..r.1).collect();
                prop_assert_eq!(&held, &set);
                prop_assert_eq!(ranges.count() as usize, set.len());
                prop_assert!(ranges.0.iter().zip(ranges.0.iter().skip(1)).all(|(a, b)| a.1 < b.0));
            }
        }
    }
}
