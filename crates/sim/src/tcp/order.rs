//! Segments in flight, in the order in which they were sent last.
//!
//! RFC 8985 §6.2 step 5 asks which segments were sent before one that was delivered. Kept in that order, each segment is looked
//! at once: what is first is lost first, and one place in the list marks how far the delivered segment has come. So an ACK costs
//! the same whatever is in flight.

/// In place of a segment, at either end.
const NONE: u32 = u32::MAX;
/// In place of a neighbour: the segment is not in the list.
const OUT: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Place {
    before: u32,
    after: u32,
}

const NOWHERE: Place = Place { before: OUT, after: OUT };

/// The list. Segments of a window of at most its capacity are told apart.
#[derive(Clone, Debug)]
pub struct SendOrder {
    places: Vec<Place>,
    first: u32,
    last: u32,
    /// The last one known to have been sent before what was delivered.
    overtaken: u32,
}

impl SendOrder {
    /// No list: nothing is kept.
    pub const fn off() -> Self {
        Self { places: Vec::new(), first: NONE, last: NONE, overtaken: NONE }
    }

    /// An empty list for `capacity` segments, a power of two.
    pub fn new(capacity: usize) -> Self {
        Self { places: vec![NOWHERE; capacity], ..Self::off() }
    }

    /// Whether the order is kept.
    #[inline]
    pub fn is_on(&self) -> bool {
        !self.places.is_empty()
    }

    #[inline]
    fn at(&mut self, number: u32) -> &mut Place {
        let slot = number as usize & (self.places.len() - 1);
        &mut self.places[slot]
    }

    /// A segment that is not in the list is sent.
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

    /// Takes a segment out, if it is in.
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

    /// The segment that has been on its way longest.
    #[inline]
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// The last segment of which `is_before` holds: it holds for all up to one, and from call to call for no fewer.
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

    /// All of it, the one sent first at first.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let slot = |number: u32| number as usize & (self.places.len() - 1);
        std::iter::successors(self.first(), move |&number| {
            Some(self.places[slot(number)].after).filter(|next| *next != NONE)
        })
    }

    /// The same list with room for `capacity` segments.
    #[cold]
    pub fn grow(&mut self, capacity: usize) {
        let mut larger = Self::new(capacity);
        let mut next = self.first;
        while next != NONE {
            larger.append(next);
            next = self.at(next).after;
        }
        larger.overtaken = self.overtaken;
        *self = larger;
    }

    /// The list anew, of `segments` in the order in which they were sent.
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
        // Sent again: it is the last now.
        order.remove(0);
        order.append(0);
        assert_eq!((order.first(), listed(&order)), (Some(1), vec![1, 3, 4, 5, 0]));
        order.remove(1);
        assert_eq!(order.overtaken(|number| number == 3), Some(3));
    }

    proptest! {
        /// The list is what a plain vector would be.
        #[test]
        fn behaves_like_a_vector(steps in prop::collection::vec((0u8..4, 0u32..16), 1..80)) {
            let (mut order, mut plain) = (SendOrder::new(16), Vec::new());
            for (kind, number) in steps {
                match kind {
                    0 if !plain.contains(&number) => { order.append(number); plain.push(number); }
                    1 => { order.remove(number); plain.retain(|n| *n != number); }
                    2 => { order.refill(plain.iter().copied()); }
                    _ => { order.grow(order.places.len()); }
                }
                prop_assert_eq!(&listed(&order), &plain);
                prop_assert_eq!(order.last, plain.last().copied().unwrap_or(NONE));
            }
        }
    }
}
