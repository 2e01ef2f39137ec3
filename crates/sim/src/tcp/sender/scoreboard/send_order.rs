//! Segments in flight, in the order in which they were sent last.
//!
//! RFC 8985 §6.2 step 5 needs the segments that were sent before a delivered one. In this order each segment is
//! examined once: the first in the list is the first to be lost, and one position marks the progress of deliveries. The
//! cost of an ACK does not depend on the number of segments in flight.

/// Placeholder for a missing segment at either end.
const NONE: u32 = u32::MAX;
/// Placeholder for a neighbour of a segment that is not in the list.
const OUT: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Place {
    before: u32,
    after: u32,
}

const NOWHERE: Place = Place { before: OUT, after: OUT };

/// The list. It distinguishes segments within a window of at most its capacity.
#[derive(Clone, Debug)]
pub struct SendOrder {
    places: Vec<Place>,
    first: u32,
    last: u32,
    /// Last segment known to have been sent before a delivered one.
    overtaken: u32,
}

impl SendOrder {
    /// A disabled list that stores nothing.
    pub const fn off() -> Self {
        Self { places: Vec::new(), first: NONE, last: NONE, overtaken: NONE }
    }

    /// An empty list for `capacity` segments, a power of two.
    pub fn new(capacity: usize) -> Self {
        Self { places: vec![NOWHERE; capacity], ..Self::off() }
    }

    /// Takes out the storage of the list as an empty one.
    pub fn take_storage(&mut self) -> Self {
        let mut places = std::mem::take(&mut self.places);
        places.fill(NOWHERE);
        Self { places, ..Self::off() }
    }

    /// True if the order is recorded.
    #[inline]
    pub fn is_on(&self) -> bool {
        !self.places.is_empty()
    }

    #[inline]
    fn at(&mut self, number: u32) -> &mut Place {
        let slot = number as usize & (self.places.len() - 1);
        &mut self.places[slot]
    }

    /// Appends a segment that is sent now and is not in the list.
    #[inline]
    pub fn append(&mut self, number: u32) {
        let last = self.last;
        *self.at(number) = Place { before: last, after: NONE };
        if last == NONE {
            self.first = number;
        } else {
            self.at(last).after = number;
        }
        self.last = number;
    }

    /// Removes a segment, if it is in the list.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let Place { before, after } = std::mem::replace(self.at(number), NOWHERE);
        if before == OUT {
            return;
        }
        if before == NONE {
            self.first = after;
        } else {
            self.at(before).after = after;
        }
        if after == NONE {
            self.last = before;
        } else {
            self.at(after).before = before;
        }
        if self.overtaken == number {
            self.overtaken = before;
        }
    }

    /// Segment that has been in flight longest.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Last segment for which `is_before` holds. It must hold for all segments up to some position, which never moves
    /// back between calls.
    pub fn overtaken(&mut self, is_before: impl Fn(u32) -> bool) -> Option<u32> {
        loop {
            let next = if self.overtaken == NONE { self.first } else { self.at(self.overtaken).after };
            if next == NONE || !is_before(next) {
                break;
            }
            self.overtaken = next;
        }
        (self.overtaken != NONE).then_some(self.overtaken)
    }

    /// All segments, oldest transmission first.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let slot = |number: u32| number as usize & (self.places.len() - 1);
        std::iter::successors(self.first(), move |&number| {
            Some(self.places[slot(number)].after).filter(|next| *next != NONE)
        })
    }

    /// Resizes the list for `capacity` segments.
    #[cold]
    pub fn resize(&mut self, capacity: usize) {
        let mut other = Self::new(capacity);
        let mut next = self.first;
        while next != NONE {
            other.append(next);
            next = self.at(next).after;
        }
        other.overtaken = self.overtaken;
        *self = other;
    }

    /// Rebuilds the list from `segments`, in the order in which they were sent.
    #[cold]
    pub fn refill(&mut self, segments: impl Iterator<Item = u32>) {
        self.places.fill(NOWHERE);
        (self.first, self.last, self.overtaken) = (NONE, NONE, NONE);
        segments.for_each(|number| self.append(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn listed(order: &SendOrder) -> Vec<u32> {
        order.iter().collect()
    }

    #[test]
    fn the_mark_moves_past_what_was_overtaken_only() {
        let mut order = SendOrder::new(8);
        (0..6).for_each(|number| order.append(number));
        assert_eq!(order.overtaken(|number| number < 3), Some(2));
        order.remove(2);
        assert_eq!(order.overtaken(|number| number < 3), Some(1));
        // Sent again, it is the last now.
        order.remove(0);
        order.append(0);
        assert_eq!((order.first(), listed(&order)), (Some(1), vec![1, 3, 4, 5, 0]));
        order.remove(1);
        assert_eq!(order.overtaken(|number| number == 3), Some(3));
    }

    proptest! {
        /// The list behaves like a plain vector.
        #[test]
        fn behaves_like_a_vector(steps in prop::collection::vec((0u8..4, 0u32..16), 1..80)) {
            let (mut order, mut plain) = (SendOrder::new(16), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 if !plain.contains(&number) => { order.append(number); plain.push(number); }
                    1 => { order.remove(number); plain.retain(|n| *n != number); }
                    2 => { order.refill(plain.iter().copied()); }
                    _ => { order.resize(order.places.len()); }
                }
                prop_assert_eq!(&listed(&order), &plain);
                prop_assert_eq!(order.last, plain.last().copied().unwrap_or(NONE));
            }
        }
    }
}
