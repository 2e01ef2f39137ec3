//! Periodic position updates of moving stations.

use super::mac::{Edca, Timer};
use crate::medium::interface::Out;
use crate::medium::wifi::propagation::Neighbour;
use windward_units::Time;

impl Edca {
    /// Schedules the first update.
    pub(super) fn begin_motion(&mut self, out: &mut impl Out) {
        if let Some(motion) = &self.config.motion {
            out.wake_at(Time::ZERO + motion.every, Timer::Move.of(0));
        }
    }

    /// Updates positions and reach. A frame on the air keeps the reach of its beginning.
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

    /// Ends a frame that the stations of `list` could hear; a new reach takes effect with the next frame.
    #[inline]
    pub(super) fn end_of_reach(&mut self, id: u32, list: Box<[Neighbour]>) {
        let next = self.next_reach.get_mut(id as usize).and_then(Option::take);
        self.config.reach.replace(id, next.unwrap_or(list));
    }
}
