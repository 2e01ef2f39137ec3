//! Contention: carrier sense, backoff and the time of transmission.
//!
//! A backoff counts idle slots after an interframe space. The end of a signal is known at its beginning, and with it
//! the earliest end of the backoff. The calendar holds one event at or before that time; a station woken too early
//! waits again. A station that defers to a hundred frames therefore costs a few events, not a hundred.

use super::mac::{Router, Timer, Wifi};
use super::station::{Frame, Stage, Station};
use super::times::Times;
use crate::air::FrameKind;
use crate::interface::Out;
use windward_units::Time;

impl Station {
    /// Draws a backoff from the contention window.
    #[inline]
    pub(super) fn draw(&mut self, is_ns2: bool) -> u32 {
        let values = if is_ns2 { self.cw.max(1) } else { self.cw + 1 };
        (self.backoff.uniform() * f64::from(values)) as u32
    }

    /// End of the busy time that it knows of: its own frames, sensed signals and the NAV.
    #[inline]
    pub(super) fn busy(&self) -> Time {
        self.busy_until.max(self.nav.until).max(self.sends_until)
    }

    /// Sets the NAV from a frame for another station. ns-2 never resets that of an RTS.
    #[inline]
    pub(super) fn reserve(&mut self, now: Time, frame: &Frame, times: &Times, is_ns2: bool) {
        let is_announced = frame.kind == FrameKind::Rts && !is_ns2;
        self.nav.reserve(now + frame.duration, is_announced.then(|| now + times.reservation));
    }

    /// Computes the end of the backoff on an undisturbed medium.
    #[inline]
    pub(super) fn arm(&mut self, now: Time, id: u32, times: &Times, out: &mut impl Out) {
        if let (Stage::Contend, Some(slots)) = (self.stage, self.slots) {
            self.counts_from = (self.busy() + times.difs).max(self.error_until).max(now);
            self.acts_at = self.counts_from + times.slot * u64::from(slots);
            self.wake_at(id, out);
        }
    }

    /// Schedules an event for the station's next action.
    #[inline]
    pub(super) fn wake_at(&mut self, id: u32, out: &mut impl Out) {
        if self.acts_at < self.wakes_at {
            self.wakes_at = self.acts_at;
            out.wake_at(self.acts_at, Timer::Act.of(id));
        }
    }

    /// Freezes the backoff as the medium turns busy at `from`. Returns false without a backoff, or if it has ended by
    /// then: the station's own frame begins before it can sense the other.
    #[inline]
    pub(super) fn freeze(&mut self, from: Time, times: &Times, counts_busy_slots: bool, is_ns2: bool) -> bool {
        let (Stage::Contend, Some(slots)) = (self.stage, self.slots) else { return false };
        if self.acts_at <= from {
            return false;
        }
        if self.is_fresh {
            self.is_fresh = false;
            self.slots = Some(self.draw(is_ns2));
        } else if from > self.counts_from {
            let passed = from.since(self.counts_from).as_nanos() / times.slot.as_nanos();
            let passed = passed + u64::from(counts_busy_slots);
            self.slots = Some(slots - passed.min(u64::from(slots)) as u32);
        }
        true
    }
}

impl<R: Router> Wifi<R> {
    /// Starts contention for a packet that found an idle MAC.
    pub(super) fn contend_anew(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let is_ns2 = self.config.mac.is_ns2;
        let station = &mut self.stations[id as usize];
        if station.slots.is_some() {
            // The backoff after its last packet continues.
            return;
        }
        // A packet at an idle medium needs no backoff, except in ns-2.
        station.is_fresh = !is_ns2 && station.busy() <= now;
        let slots = if station.is_fresh { 0 } else { station.draw(is_ns2) };
        station.slots = Some(slots);
        station.arm(now, id, &self.times, out);
        if station.acts_at == now {
            self.act(now, id, out);
        }
    }

    /// Handles a station's own event; its time may have moved since.
    pub(super) fn wake_up(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        if station.wakes_at <= now {
            station.wakes_at = Time::NEVER;
        }
        if station.acts_at == now {
            self.act(now, id, out);
        } else if station.acts_at > now {
            station.wake_at(id, out);
        }
    }

    fn act(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.acts_at = Time::NEVER;
        match station.stage {
            Stage::Contend => {
                station.slots = None;
                station.is_fresh = false;
                if station.head.is_some() || self.overhears && R::choose(self, now, id) {
                    self.try_to_send(now, id, out);
                }
            }
            Stage::AwaitCts | Stage::AwaitAck => match station.lock {
                // The frame in reception may be the answer: waits for its end.
                Some(lock) => {
                    station.acts_at = self.frames[lock.sender as usize].end;
                    station.wake_at(id, out);
                }
                None => self.fail(now, id, out),
            },
            Stage::Broadcast => self.next(now, id, self.config.phy.cw_min, out),
            Stage::SendData => debug_assert!(false, "who is about to send data does not wait"),
        }
    }
}
