//! The pending events: a 4-ary heap of integers.
//!
//! Four children lie in one cache line, and the tree is half as deep as a binary one. Taking the first event leaves
//! a hole at the root; the usual event schedules exactly one other, which then drops into the hole and costs one
//! sift instead of two.

use super::Event;
use windward_units::Time;

const CHILDREN: usize = 4;

/// Pending events, first one out.
#[derive(Debug, Default)]
pub struct Calendar {
    events: Vec<Event>,
    is_root_free: bool,
}

impl Calendar {
    /// An empty calendar with room for `capacity` events.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { events: Vec::with_capacity(capacity), is_root_free: false }
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        if self.is_root_free {
            self.is_root_free = false;
            self.sift_down(event);
        } else {
            self.events.push(event);
            self.sift_up(self.events.len() - 1, event);
        }
    }

    /// When the first event is due.
    pub fn next_time(&mut self) -> Option<Time> {
        if self.is_root_free {
            self.close_root();
        }
        self.events.first().map(|event| event.time())
    }

    /// Takes the first event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        if self.is_root_free {
            self.close_root();
        }
        let first = *self.events.first()?;
        self.is_root_free = true;
        Some(first)
    }

    /// Fills the hole at the root with the last event.
    fn close_root(&mut self) {
        self.is_root_free = false;
        if let Some(last) = self.events.pop()
            && !self.events.is_empty()
        {
            self.sift_down(last);
        }
    }

    /// Puts `event` where it belongs, beginning at the root, which is free.
    #[inline]
    fn sift_down(&mut self, event: Event) {
        let events = &mut self.events[..];
        let mut at = 0;
        loop {
            let child = at * CHILDREN + 1;
            let least = if let Some(four) = events.get(child..child + CHILDREN) {
                let left = if four[1] < four[0] { 1 } else { 0 };
                let right = if four[3] < four[2] { 3 } else { 2 };
                child + if four[right] < four[left] { right } else { left }
            } else {
                match (child..events.len()).min_by_key(|&c| events[c]) {
                    Some(least) => least,
                    None => break,
                }
            };
            if event <= events[least] {
                break;
            }
            events[at] = events[least];
            at = least;
        }
        events[at] = event;
    }

    /// Puts `event` where it belongs, beginning at `at`, which is free.
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
        /// Any mix of pushes and pops gives what a sorted set gives.
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
