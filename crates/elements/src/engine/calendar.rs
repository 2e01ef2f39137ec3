//! Calendar of pending events: a sorted list of the few that a small network has, or a 4-ary heap of integers.
//!
//! The list has up to [`FEW`] events, the earliest at its end. Taking it moves nothing, and a new one passes those
//! before it.
//!
//! In the heap four children share a cache line, and the tree is half as deep as a binary one. Taking the first event
//! leaves a hole at the root. The usual event schedules exactly one other, which drops into the hole and costs one sift
//! instead of two. A calendar that once had more than a few events stays a heap.

use super::Event;
use windward_units::Time;

const CHILDREN: usize = 4;

/// Events up to which a sorted list is faster than a heap: runs of one to eight flows take 6 to 9 % less time.
const FEW: usize = 40;

const _: () = assert!(FEW.is_multiple_of(CHILDREN), "the root and its descendants, four each, and one place more");

/// Pending events; the earliest one leaves first.
#[derive(Debug, Default)]
pub struct Calendar {
    /// The list, or the heap, followed by [`Event::NEVER`], so that every node has either no children or four.
    events: Vec<Event>,
    /// Number of pending events of the heap, including the free root.
    pending: usize,
    is_root_free: bool,
    is_heap: bool,
}

impl Calendar {
    /// An empty calendar with room for `capacity` events.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { events: Vec::with_capacity(capacity.max(FEW) + CHILDREN), ..Self::default() }
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if !self.is_heap {
            self.insert(event);
        } else if self.is_root_free {
            self.is_root_free = false;
            self.sift_down(event);
        } else {
            self.push_last(event);
        }
    }

    /// Adds an event to the list.
    #[inline]
    fn insert(&mut self, event: Event) {
        if self.events.len() == FEW {
            return self.become_heap(event);
        }
        self.events.push(event);
        let mut at = self.events.len() - 1;
        while at > 0 && self.events[at - 1] < event {
            self.events[at] = self.events[at - 1];
            at -= 1;
        }
        self.events[at] = event;
    }

    /// Makes a heap of the list, in place, with one more event: a list whose earliest event stands first is one.
    #[cold]
    fn become_heap(&mut self, event: Event) {
        self.is_heap = true;
        self.events.reverse();
        self.events.push(Event::NEVER);
        self.pending = FEW;
        self.push_last(event);
    }

    /// Adds an event at the end of the heap, whose root is not free.
    #[inline]
    fn push_last(&mut self, event: Event) {
        if self.pending == self.events.len() {
            self.grow();
        }
        self.pending += 1;
        self.sift_up(self.pending - 1, event);
    }

    /// Adds room for the root, or for four children.
    #[cold]
    fn grow(&mut self) {
        let more = if self.events.is_empty() { 1 } else { CHILDREN };
        self.events.resize(self.events.len() + more, Event::NEVER);
    }

    /// Time of the first event.
    pub fn next_time(&mut self) -> Option<Time> {
        if !self.is_heap {
            return self.events.last().map(|first| first.time());
        }
        if self.is_root_free {
            self.close_root();
        }
        (self.pending > 0).then(|| self.events[0].time())
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        if !self.is_heap {
            return self.events.pop();
        }
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
