//! Contention of four EDCA functions (IEEE 802.11-2020, §10.23.2).
//!
//! A function decrements its backoff at the boundary that ends AIFS and at each slot boundary after it, and does one
//! thing at a boundary: decrement or transmit. A slot in which another station begins therefore counts. As in the
//! distributed coordination function of this crate, the end of a signal is known at its beginning, and a station that
//! defers to many frames costs a few events.

use super::mac::{Edca, Timer};
use super::station::{Frame, Stage, Station};
use super::times::Times;
use crate::air::FrameKind;
use crate::interface::Out;
use crate::wifi::category::{CATEGORIES, Contention};
use windward_units::{Duration, Time};

/// First boundary not before `now` among `first`, `first + slot`, …
fn boundary(first: Time, now: Time, slot: Duration) -> Time {
    if now <= first {
        return first;
    }
    let behind = now.since(first).as_nanos();
    first + slot * behind.div_ceil(slot.as_nanos())
}

/// Indices of the bits set.
fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..CATEGORIES).filter(move |bit| mask >> bit & 1 == 1)
}

impl Station {
    /// Start of the idle time that it knows of, from which interframe spaces count.
    #[inline]
    pub(super) fn idle_from(&self) -> Time {
        let own = self.sends_until.max(self.waited_until);
        self.busy_until.max(self.nav.until).max(own).max(self.error_until)
    }

    /// Draws a function's backoff.
    pub(super) fn draw(&mut self, of: usize) {
        let function = &mut self.functions[of];
        function.slots = (self.backoff.uniform() * f64::from(function.cw + 1)) as u32;
        self.counting |= 1 << of;
    }

    /// Computes the end of all backoffs on an undisturbed medium.
    #[inline]
    pub(super) fn arm(&mut self, now: Time, id: u32, times: &Times, out: &mut impl Out) {
        if self.stage != Stage::Contend || self.counting == 0 {
            return;
        }
        self.armed_for = self.idle_from();
        let mut first = Time::NEVER;
        for of in bits(self.counting) {
            first = first.min(self.start(now, of, times.slot));
        }
        self.acts_at = first;
        self.wake(id, out);
    }

    /// Computes the end of all backoffs again if the medium turns idle at another time than they were computed for.
    #[inline]
    pub(super) fn arm_if_moved(&mut self, now: Time, id: u32, times: &Times, out: &mut impl Out) {
        if self.counting != 0 && self.idle_from() != self.armed_for {
            self.arm(now, id, times, out);
        }
    }

    /// Starts counting a function's slots. Returns the end of its backoff on an undisturbed medium.
    #[inline]
    fn start(&mut self, now: Time, of: usize, slot: Duration) -> Time {
        let idle = self.idle_from();
        let function = &mut self.functions[of];
        function.counts_from = boundary(idle + function.aifs, now, slot);
        function.acts_at = function.counts_from + slot * u64::from(function.slots);
        function.acts_at
    }

    /// Widens a function's window after a failure; past the limit of failures in a row it returns to CWmin.
    #[inline]
    pub(super) fn widen(&mut self, of: usize, retries: u32) {
        let function = &mut self.functions[of];
        let Contention { cw_min, cw_max, .. } = function.contention;
        function.failures += 1;
        if function.failures > retries {
            function.failures = 0;
            function.cw = cw_min;
        } else {
            function.cw = (((cw_min + 1) << function.failures.min(16)) - 1).min(cw_max);
        }
    }

    /// Returns a function's window to CWmin after a success.
    pub(super) fn narrow(&mut self, of: usize) {
        let function = &mut self.functions[of];
        function.failures = 0;
        function.cw = function.contention.cw_min;
    }

    /// Schedules an event for the station's next action.
    #[inline]
    pub(super) fn wake(&mut self, id: u32, out: &mut impl Out) {
        if self.acts_at < self.wakes_at {
            self.wakes_at = self.acts_at;
            out.wake_at(self.acts_at, Timer::Act.of(id));
        }
    }

    /// Freezes the backoffs as the medium turns busy at `from`. Returns true if one is frozen. Those that have ended by
    /// then transmit: their own frame begins before they can sense the other.
    #[inline]
    pub(super) fn freeze(&mut self, from: Time, times: &Times) -> bool {
        if self.stage != Stage::Contend || self.counting == 0 {
            return false;
        }
        let mut is_frozen = false;
        for of in bits(self.counting) {
            let function = &self.functions[of];
            if function.acts_at <= from {
                continue;
            }
            is_frozen = true;
            // The medium turns busy before AIFS has passed: the packet loses its immediate access and needs a backoff
            // (IEEE 802.11-2020, §10.23.2.2).
            if self.fresh >> of & 1 == 1 {
                self.fresh &= !(1 << of);
                self.draw(of);
            } else if from >= function.counts_from {
                // The boundary that ends AIFS counts as well, unlike in the DCF.
                let passed = from.since(function.counts_from).as_nanos() / times.slot.as_nanos() + 1;
                let slots = u64::from(function.slots);
                self.functions[of].slots = (slots - passed.min(slots)) as u32;
            }
        }
        is_frozen
    }

    /// Sets the NAV from a frame for another station.
    #[inline]
    pub(super) fn reserve(&mut self, now: Time, frame: &Frame, times: &Times) {
        let patience = || now + times.sifs * 2 + times.cts(frame.mbit) + times.preamble + times.slot * 2;
        self.nav.reserve(now + frame.duration, (frame.kind == FrameKind::Rts).then(patience));
    }
}

impl Edca {
    /// Starts contention of a function that has got its first packet.
    pub(super) fn contend_anew(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        if station.counting >> of & 1 == 1
            || !station.has_work(of)
            || station.stage != Stage::Contend && station.owner == of
        {
            // A backoff continues, or one follows the exchange in progress.
            return;
        }
        if station.stage == Stage::Contend && station.idle_from() <= now {
            // A packet at an idle medium needs no backoff.
            station.fresh |= 1 << of;
            station.counting |= 1 << of;
            station.functions[of].slots = 0;
        } else {
            station.draw(of);
        }
        // The others go on counting.
        if station.stage != Stage::Contend {
            return;
        }
        station.acts_at = station.acts_at.min(station.start(now, of, self.times.slot));
        station.wake(id, out);
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
            station.wake(id, out);
        }
    }

    fn act(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.acts_at = Time::NEVER;
        if station.stage != Stage::Contend {
            return match station.lock {
                // The frame in reception may be the answer: waits for its end.
                Some(lock) => {
                    station.acts_at = self.frames[lock.sender as usize].end;
                    station.wake(id, out);
                }
                None => self.fail(now, id, out),
            };
        }
        let counts_retries = self.config.ampdu.is_none();
        let mut winner = None;
        // The highest category wins an internal collision.
        for of in (0..CATEGORIES).rev() {
            if station.counting >> of & 1 == 0 || station.functions[of].acts_at != now {
                continue;
            }
            station.counting &= !(1 << of);
            station.fresh &= !(1 << of);
            // The AQM may have dropped its packets during the backoff.
            if !station.has_work(of) {
                continue;
            }
            if winner.is_none() {
                winner = Some(of);
                continue;
            }
            // An internal collision: as if the frame had collided.
            station.counts.internal_collisions += 1;
            // Under a block ack agreement the MPDU's count is that of its transmissions (§10.25.3).
            station.functions[of].collisions += u32::from(counts_retries);
            station.widen(of, self.config.retries);
            station.draw(of);
            // It counts again from the end of the winner's exchange.
            let loser = &mut station.functions[of];
            (loser.counts_from, loser.acts_at) = (Time::NEVER, Time::NEVER);
        }
        match winner {
            Some(of) => self.begin_opportunity(now, id, of, out),
            None => {
                let left = bits(station.counting).map(|of| station.functions[of].acts_at);
                station.acts_at = left.min().unwrap_or(Time::NEVER);
                station.wake(id, out);
            }
        }
    }
}
