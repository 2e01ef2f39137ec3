//! Calendar of pending events: a 4-ary heap of integers.
//!
//! Four children share a cache line, and the tree is half as deep as a binary one. Taking the first event leaves a hole
//! at the root. The usual event schedules exactly one other, which drops into the hole and costs one sift instead of
//! two.

use super::Event;
use windward_units::Time;

const CHILDREN: usize = 4;

/// Pending events; the earliest one leaves first.
#[derive(Debug, Default)]
pub struct Calendar {
    /// The heap, followed by [`Event::NEVER`], so that every node has either no children or four.
    events: Vec<Event>,
    /// Number of pending events, including the free root.
    pending: usize,
    is_root_free: bool,
}

impl Calendar {
    /// An empty calendar with room for `capacity` events.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { events: Vec::with_capacity(capacity + CHILDREN), pending: 0, is_root_free: false }
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if self.is_root_free {
            self.is_root_free = false;
            self.sift_down(event);
        } else {
            if self.pending == self.events.len() {
                self.grow();
            }
            self.pending += 1;
            self.sift_up(self.pending - 1, event);
        }
    }

    /// Adds room for the root, or for four children.
    #[cold]
    fn grow(&mut self) {
        let more = if self.events.is_empty() { 1 } else { CHILDREN };
        self.events.resize(self.events.len() + more, Event::NEVER);
    }

    /// Time of the first event.
    pub fn next_time(&mut self) -> Option<Time> {
        if self.is_root_free {
            self.close_root();
        }
        (self.pending > 0).then(|| self.events[0].time())
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        if self.is_root_free {
            self.close_root();
        }
        if self.pending == 0 {
            return None;
        }
        self.is_root_free = true;
        Some(self.events[0])
    }

    /// Fills the hole at the root with the last event.
    fn close_root(&mut self) {
        self.is_root_free = false;
        self.pending -= 1;
        let last = std::mem::replace(&mut self.events[self.pending], Event::NEVER);
        if self.pending > 0 {
            self.sift_down(last);
        }
    }

    /// Sifts `event` down from the free root to its place.
    #[inline]
    fn sift_down(&mut self, event: Event) {
        let events = &mut self.events[..];
        let mut at = 0;
        while let Some(&[a, b, c, d]) = events.get(at * CHILDREN + 1..).and_then(<[Event]>::first_chunk) {
            let (left, x) = if b < a { (2, b) } else { (1, a) };
            let (right, y) = if d < c { (4, d) } else { (3, c) };
            let (least, first) = if y < x { (right, y) } else { (left, x) };
            if event <= first {
                break;
            }
            events[at] = first;
            at = at * CHILDREN + least;
        }
        events[at] = event;
    }

    /// Sifts `event` up from the free position `at` to its place.
    #[inline]
    fn sift_up(&mut self, mut at: usize, event: Event) {
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.events[parent] <= event {
                break;
            }
            self.events[at] = self.events[parent];
            at = parent;
        }
        self.events[at] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Wake;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use windward_units::Time;

    proptest! {
        /// Any sequence of pushes and pops agrees with a sorted set.
        #[test]
        fn behaves_like_a_sorted_set(steps in prop::collection::vec(prop::option::weighted(0.6, 0u64..1000), 0..400)) {
            let mut calendar = Calendar::default();
            let mut sorted = BTreeSet::new();
            for (entity, step) in steps.into_iter().enumerate() {
                if let Some(nanos) = step {
                    let event = Event::new(Time::from_nanos(nanos), Wake::Source, entity as u32);
                    calendar.push(event);
                    sorted.insert(event);
                } else {
                    prop_assert_eq!(calendar.pop(), sorted.pop_first());
                }
            }
            while let Some(event) = sorted.pop_first() {
                prop_assert_eq!(calendar.pop(), Some(event));
            }
            prop_assert_eq!(calendar.pop(), None);
        }
    }
}
