//! Periodic position updates of moving stations.

use super::mac::{Router, Timer, Wifi};
use crate::interface::Out;
use windward_units::Time;

impl<R: Router> Wifi<R> {
    /// Schedules the first update.
    pub(super) fn begin_motion(&mut self, out: &mut impl Out) {
        if let Some(motion) = &self.config.motion {
            out.wake_at(Time::ZERO + motion.every, Timer::Move.of(0));
        }
    }

    /// Updates positions and reach.
    pub(super) fn step(&mut self, now: Time, out: &mut impl Out) {
        let Self { config, frames, next_reach, .. } = self;
        let Some(motion) = &config.motion else { return };
        out.wake_at(now + motion.every, Timer::Move.of(0));
        for (station, place) in config.stations.iter_mut().zip(motion.places(now)) {
            station.place = place;
        }
        next_reach.update(now, motion, &mut config.reach, |id| frames[id].end > now);
    }
}
