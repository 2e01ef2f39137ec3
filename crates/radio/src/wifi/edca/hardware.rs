//! PPDUs that the driver composes before they are sent, as ath9k does (Linux 6.18, `drivers/net/wireless/ath/ath9k`).
//!
//! The hardware holds two PPDUs of a category. A third is composed when the first has ended. MPDUs that failed go back
//! to the driver, and out again in the third: the second was composed without them.

use super::ahead::Composed;
use super::exchange::asks_first;
use super::mac::Edca;
use super::mpdu::Attempt;
use super::station::Frame;
use crate::interface::Out;
use crate::wifi::category::CATEGORIES;
use crate::wifi::minstrel::Chain;
use crate::wifi::ppdu::Mode;
use std::mem;
use windward_units::{Duration, Time};

/// PPDUs of a category in the hardware (`ATH_AGGR_MIN_QDEPTH`).
const HELD: usize = 2;

/// Slowest rate of a chain.
fn slowest(chain: &Chain) -> Mode {
    let used = chain.stages.iter().filter(|stage| stage.attempts > 0);
    used.map(|stage| stage.mode).min_by_key(|mode| mode.bits_per_sec()).unwrap_or(chain.stages[0].mode)
}

impl Edca {
    /// Composes PPDUs of a category as long as the hardware has room and there are packets.
    pub(super) fn fill_hardware(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let mut begins = true;
        while self.has_place(id, of) {
            let Some(index) = self.choose(id, of, begins) else { return };
            begins = false;
            self.compose_ahead(now, id, index, out);
            self.end_turn(now, id, index);
        }
    }

    /// True if the hardware of a station takes another PPDU of a category.
    fn has_place(&self, id: u32, of: usize) -> bool {
        let Some(ahead) = self.stations[id as usize].ahead.as_deref() else { return false };
        ahead.queues[of].iter().filter(|composed| !composed.numbers.is_empty()).count() < HELD
    }

    /// True if a session has MPDUs for another PPDU, or packets and room in its window.
    pub(super) fn can_compose(&self, index: u32) -> bool {
        let session = &self.sessions[index as usize];
        let window = if self.config.ampdu.is_some() { self.config.block_ack.window } else { 1 };
        let from = self.ways[index as usize / CATEGORIES].from;
        let may_leave = self.stations[from as usize].may_leave(index);
        let has_new = !self.queues[index as usize].is_empty() && may_leave && session.has_room(window);
        has_new || session.unacknowledged().next().is_some()
    }

    /// Composes a PPDU of a session for the hardware, if it has MPDUs. Each rate of the chain carries it within the
    /// limits.
    fn compose_ahead(&mut self, now: Time, id: u32, index: u32, out: &mut impl Out) {
        let of = index as usize % CATEGORIES;
        let limit = self.stations[id as usize].functions[of].contention.txop;
        let most = if limit == Duration::ZERO { Duration::MAX } else { limit };
        let attempt = Attempt::new(self.ways[index as usize / CATEGORIES].control.chain(now));
        let mode = slowest(&attempt.chain);
        self.note_mode(id, index, attempt.chain.stages[attempt.stage].mode);
        let control = self.times.control(mode);
        let room = most.saturating_sub(self.times.sifs + control.block_ack.max(control.ack));
        self.swap_scratch(id);
        let is_composed = self.compose(now, id, index, (mode, room, attempt.chain.probe), out);
        self.swap_scratch(id);
        let Some(ahead) = self.stations[id as usize].ahead.as_deref_mut().filter(|_| is_composed) else { return };
        let numbers = ahead.scratch.take_numbers(ahead.spare.pop().unwrap_or_default());
        let session = &mut self.sessions[index as usize];
        numbers.iter().for_each(|&number| session.hold(number));
        ahead.queues[of].push_back(Composed { session: index, numbers, attempt: Some(attempt) });
    }

    /// Exchanges the PPDU in progress with the room for compositions.
    fn swap_scratch(&mut self, id: u32) {
        let station = &mut self.stations[id as usize];
        if let Some(ahead) = station.ahead.as_deref_mut() {
            mem::swap(&mut station.sending, &mut ahead.scratch);
        }
    }

    /// Frame that begins the exchange of the first PPDU or request in the hardware, and its air time.
    pub(super) fn prepare_held(
        &mut self,
        now: Time,
        id: u32,
        of: usize,
        out: &mut impl Out,
    ) -> Option<(Frame, Duration)> {
        loop {
            self.fill_hardware(now, id, of, out);
            let ahead = self.stations[id as usize].ahead.as_deref_mut()?;
            let front = ahead.queues[of].front_mut()?;
            let index = front.session;
            let session = &mut self.sessions[index as usize];
            let asks = session.wants_request || asks_first(&self.config.block_ack, session);
            if asks && let Some(mode) = self.ways[index as usize / CATEGORIES].mode {
                return Some(self.request(now, id, index, mode));
            }
            if let Some(attempt) = front.attempt {
                let attempt = *session.attempt.get_or_insert(attempt);
                let stage = attempt.chain.stages[attempt.stage];
                let numbers = mem::take(&mut front.numbers);
                self.note_mode(id, index, stage.mode);
                let is_composed = self.compose_again(id, index, stage.mode, &numbers);
                let ahead = self.stations[id as usize].ahead.as_deref_mut()?;
                ahead.queues[of].front_mut()?.numbers = numbers;
                if is_composed {
                    return Some(self.first_frame(now, id, index, &stage));
                }
                self.sessions[index as usize].attempt = None;
            }
            // A request that nothing asks for any more, or a PPDU of which nothing is left.
            self.remove_first(id, of);
        }
    }

    /// Removes the first PPDU or request of a category from the hardware. Its MPDUs that are neither acknowledged nor
    /// given up return to the driver.
    fn remove_first(&mut self, id: u32, of: usize) {
        let Some(ahead) = self.stations[id as usize].ahead.as_deref_mut() else { return };
        let Some(Composed { session: index, mut numbers, .. }) = ahead.queues[of].pop_front() else { return };
        let session = &mut self.sessions[index as usize];
        numbers.drain(..).for_each(|number| session.let_go(number));
        ahead.spare.push(numbers);
        if self.can_compose(index) {
            self.list(index);
        }
    }

    /// Ends the exchange of the first PPDU in the hardware, which leaves it if it `ends`, or of a request; the driver
    /// composes another.
    pub(super) fn leave_hardware(&mut self, now: Time, id: u32, index: u32, ends: bool, out: &mut impl Out) {
        let of = index as usize % CATEGORIES;
        let first = self.stations[id as usize].ahead.as_deref().and_then(|ahead| ahead.queues[of].front());
        let is_request = first.is_some_and(|first| first.numbers.is_empty());
        if ends || is_request {
            self.remove_first(id, of);
        }
        if self.sessions[index as usize].wants_request
            && let Some(ahead) = self.stations[id as usize].ahead.as_deref_mut()
        {
            ahead.queues[of].push_front(Composed { session: index, numbers: Vec::new(), attempt: None });
        }
        self.fill_hardware(now, id, of, out);
    }
}
