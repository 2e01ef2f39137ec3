//! Stations that move, step by step.

use super::mac::{Timer, Wifi};
use super::propagation::Neighbour;
use crate::medium::interface::Out;
use windward_units::Time;

impl Wifi {
    /// Schedules the first step.
    pub(super) fn begin_motion(&mut self, out: &mut impl Out) {
        if let Some(motion) = &self.config.motion {
            out.wake_at(Time::ZERO + motion.every, Timer::Move.of(0));
        }
    }

    /// Who hears whom is worked out again. A frame that is on the air is heard to its end by those who heard its beginning.
    pub(super) fn step(&mut self, now: Time, out: &mut impl Out) {
        let Some(motion) = &self.config.motion else { return };
        out.wake_at(now + motion.every, Timer::Move.of(0));
        let places = motion.places(now);
        let lists = motion.reach(now).into_lists();
        for ((id, list), place) in (0..).zip(lists).zip(places) {
            self.config.stations[id as usize].place = place;
            if self.frames[id as usize].end > now {
                self.next_reach[id as usize] = Some(list);
            } else {
                self.config.reach.replace(id, list);
                self.next_reach[id as usize] = None;
            }
        }
    }

    /// A station's frame has ended, which those of `list` could hear: those who are in reach by now hear the next one.
    #[inline]
    pub(super) fn end_of_reach(&mut self, id: u32, list: Box<[Neighbour]>) {
        let next = self.next_reach.get_mut(id as usize).and_then(Option::take);
        self.config.reach.replace(id, next.unwrap_or(list));
    }
}
