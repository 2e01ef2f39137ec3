//! Exchange of a PPDU: protection, data, answer; what follows success and failure; bursts within a TXOP.

use super::config::AfterLoss;
use super::mac::{Edca, Timer};
use super::session::{Fate, most_attempts};
use super::station::{Frame, Stage};
use super::times::Control;
use crate::medium::interface::Out;
use crate::medium::wifi::ppdu::{ACK, BAR_BYTES, CTS, RTS};
use crate::output::FrameKind;
use crate::status::Cause;
use windward_units::{Duration, Time};

/// Duration field in whole microseconds, rounded up.
fn whole_micros(span: Duration) -> Duration {
    Duration::from_micros(span.as_nanos().div_ceil(1000))
}

/// Requests for a BlockAck in a row without an answer, after which the sender stops asking.
const MOST_REQUESTS: u32 = 7;

impl Edca {
    /// Begins a TXOP of a function.
    pub(super) fn begin_opportunity(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        let limit = station.functions[of].contention.txop;
        station.owner = of;
        station.is_first = true;
        station.txop_until = now + limit;
        station.counts.txops[of] += 1;
        let most = if limit == Duration::ZERO { Duration::MAX } else { limit };
        if let Some((frame, time)) = self.prepare(now, id, of, most) {
            self.send_first(now, id, frame, time, out);
        }
    }

    /// Frame that begins the next exchange of a function within `most`, and its air time. `None` if nothing fits.
    fn prepare(&mut self, now: Time, id: u32, of: usize, most: Duration) -> Option<(Frame, Duration)> {
        loop {
            let session = *self.stations[id as usize].turns[of].front()?;
            let found = self.prepare_session(now, id, of, session, most);
            if found.is_some() {
                return found;
            }
            // Its packets are gone.
            self.stations[id as usize].turns[of].pop_front();
            self.sessions[session as usize].is_listed = false;
        }
    }

    fn prepare_session(
        &mut self,
        now: Time,
        id: u32,
        of: usize,
        session: u32,
        most: Duration,
    ) -> Option<(Frame, Duration)> {
        let way = session / 4;
        let to = self.ways[way as usize].to;
        let mode = self.ways[way as usize].rate;
        let control = *self.times.control(mode);
        let sifs = self.times.sifs;
        let frame = Frame { to, way, category: of as u8, mbit: control.mbit, began: now, end: now, ..Frame::SILENCE };
        if self.sessions[session as usize].wants_request {
            let station = &mut self.stations[id as usize];
            station.sending.session = session;
            station.sending.mode = mode;
            station.sending.control = Some(control);
            let duration = whole_micros(sifs + control.block_ack);
            let request = Frame { kind: FrameKind::BlockAckRequest, bytes: BAR_BYTES as u32, duration, ..frame };
            return Some((request, control.request));
        }
        let has_rts = self.config.rts_threshold.is_some();
        let around = sifs + control.block_ack.max(control.ack);
        let protection = if has_rts { control.rts + control.cts + sifs * 2 } else { Duration::ZERO };
        let room = most.saturating_sub(around + protection);
        if !self.compose(now, id, session, room) {
            return None;
        }
        let sending = &self.stations[id as usize].sending;
        let (bytes, duration) = (u64::from(sending.ends[sending.ends.len() - 1]), sending.duration);
        let answer = if sending.is_single { control.ack } else { control.block_ack };
        if !self.config.has_rts(bytes) {
            let data =
                Frame { kind: FrameKind::Data, bytes: bytes as u32, duration: whole_micros(sifs + answer), ..frame };
            return Some((data, duration));
        }
        let reserved = whole_micros(sifs * 3 + control.cts + duration + answer);
        let rts = Frame { kind: FrameKind::Rts, bytes: RTS as u32, duration: reserved, ..frame };
        Some((rts, control.rts))
    }

    /// Sends the frame that begins an exchange, and waits for the answer.
    fn send_first(&mut self, now: Time, id: u32, frame: Frame, time: Duration, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.sending.began = now;
        let counts = &mut self.ways[frame.way as usize].counts;
        counts.attempts += 1;
        counts.windows += f64::from(station.functions[frame.category as usize].cw);
        self.send_and_await(now, id, frame, time, out);
    }

    /// Sends a frame that wants an answer.
    pub(super) fn send_and_await(&mut self, now: Time, id: u32, frame: Frame, time: Duration, out: &mut impl Out) {
        let stage = match frame.kind {
            FrameKind::Rts => Stage::AwaitCts,
            FrameKind::BlockAckRequest => {
                self.ways[frame.way as usize].counts.requests += 1;
                Stage::AwaitRequested
            }
            _ => {
                self.count_data(id, frame.way, time);
                Stage::AwaitAnswer
            }
        };
        // Other functions of the station freeze as at any signal.
        let times = &self.times;
        let station = &mut self.stations[id as usize];
        station.freeze(now, times);
        station.stage = stage;
        self.send(now, id, frame, time, out);
        let station = &mut self.stations[id as usize];
        station.acts_at = station.sends_until + self.times.timeout;
        station.wake(id, out);
    }

    fn count_data(&mut self, id: u32, way: u32, time: Duration) {
        let sending = &self.stations[id as usize].sending;
        let counts = &mut self.ways[way as usize].counts;
        counts.ppdus += 1;
        counts.mpdus += sending.numbers.len() as u64;
        counts.data_time += time;
        counts.psdu_bytes += u64::from(sending.ends[sending.ends.len() - 1]);
        let session = &mut self.sessions[sending.session as usize];
        sending.numbers.iter().for_each(|&number| session.count_attempt(number));
    }

    /// Schedules a frame after SIFS.
    pub(super) fn follow_with(&mut self, now: Time, id: u32, frame: Frame, time: Duration, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.answer = Some((frame, time));
        station.sends_from = now + self.times.sifs;
        station.sends_until = station.sends_from + time;
        out.wake_at(station.sends_from, Timer::Follow.of(id));
    }

    /// Sends the frame scheduled after SIFS.
    pub(super) fn follow(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Some((frame, time)) = self.stations[id as usize].answer.take() else { return };
        match frame.kind {
            FrameKind::Data if self.stations[id as usize].is_protected => {
                self.stations[id as usize].is_protected = false;
                self.send_and_await(now, id, frame, time, out);
            }
            FrameKind::Data | FrameKind::Rts | FrameKind::BlockAckRequest => {
                self.send_first(now, id, frame, time, out);
            }
            _ => self.send(now, id, frame, time, out),
        }
    }

    /// Schedules the data after a CTS.
    pub(super) fn go_on_with_data(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        let sending = &station.sending;
        let Some(Control { ack, block_ack, mbit, .. }) = sending.control else { return };
        let answer = if sending.is_single { ack } else { block_ack };
        let way = sending.session / 4;
        let (bytes, time) = (sending.ends[sending.ends.len() - 1], sending.duration);
        let frame = Frame {
            kind: FrameKind::Data,
            to: self.ways[way as usize].to,
            way,
            category: station.owner as u8,
            bytes,
            duration: whole_micros(self.times.sifs + answer),
            mbit,
            ..Frame::SILENCE
        };
        station.stage = Stage::Send;
        station.acts_at = Time::NEVER;
        station.is_protected = true;
        self.follow_with(now, id, frame, time, out);
    }

    /// Processes the answer to data or to a request.
    pub(super) fn succeed(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        let of = station.owner;
        let was_data = station.stage == Stage::AwaitAnswer;
        let index = station.sending.session;
        let session = &mut self.sessions[index as usize];
        let counts = &mut self.ways[(index / 4) as usize].counts;
        counts.airtime += now.since(station.sending.began);
        let learnt = session.learn();
        counts.successes += u64::from(learnt);
        if was_data {
            let failed = |number: &&u32| **number >= session.start() && !session.mpdu(**number).is_acknowledged;
            counts.mpdu_failures += station.sending.numbers.iter().filter(failed).count() as u64;
        } else {
            session.wants_request = false;
        }
        session.request_attempts = 0;
        station.narrow(of);
        station.is_first = false;
        self.give_up(index, id, out);
        self.rotate(id, of);
        let station = &self.stations[id as usize];
        let left = station.txop_until.since(now + self.times.sifs);
        if left > Duration::ZERO && !station.turns[of].is_empty() && self.burst(now, id, of, left, out) {
            return;
        }
        self.end_opportunity(now, id, of, out);
    }

    /// Goes on within a TXOP after SIFS if the next exchange fits into what is left.
    fn burst(&mut self, now: Time, id: u32, of: usize, left: Duration, out: &mut impl Out) -> bool {
        let Some((frame, time)) = self.prepare(now, id, of, left) else { return false };
        let sending = &self.stations[id as usize].sending;
        let whole = time + frame.duration;
        if whole > left {
            // The first MPDU alone is too long: it goes out in a TXOP of its own.
            return false;
        }
        debug_assert!(sending.control.is_some(), "a prepared exchange has its control frames");
        let station = &mut self.stations[id as usize];
        station.stage = Stage::Send;
        station.acts_at = Time::NEVER;
        self.follow_with(now, id, frame, time, out);
        true
    }

    /// Handles a missing answer.
    pub(super) fn fail(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        let of = station.owner;
        let index = station.sending.session;
        let stage = station.stage;
        let session = &mut self.sessions[index as usize];
        let counts = &mut self.ways[(index / 4) as usize].counts;
        counts.failures += 1;
        counts.airtime += now.since(station.sending.began);
        station.waited_until = now;
        match stage {
            Stage::AwaitAnswer => {
                counts.mpdu_failures += station.sending.numbers.len() as u64;
                let asks = self.config.block_ack.after_loss == AfterLoss::Request;
                session.wants_request |= asks && !station.sending.is_single;
            }
            Stage::AwaitRequested => {
                session.request_attempts += 1;
                if session.request_attempts >= MOST_REQUESTS {
                    session.wants_request = false;
                    session.request_attempts = 0;
                }
            }
            _ => {}
        }
        let (is_first, left) = (station.is_first, station.txop_until.since(now));
        let is_idle = station.idle_from() <= now;
        if is_first {
            station.widen(of, self.config.retries);
        }
        if stage == Stage::AwaitAnswer {
            self.give_up(index, id, out);
        }
        let station = &self.stations[id as usize];
        if !is_first && is_idle && !station.turns[of].is_empty() && left > Duration::ZERO {
            // Recovery within the TXOP: PIFS has passed.
            if let Some((frame, time)) = self.prepare(now, id, of, left)
                && time + frame.duration <= left
            {
                return self.send_first(now, id, frame, time, out);
            }
        }
        self.end_opportunity(now, id, of, out);
    }

    /// Ends a TXOP: the function draws a backoff, and all go on counting.
    fn end_opportunity(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.stage = Stage::Contend;
        station.draw(of);
        station.arm(now, id, &self.times, out);
    }

    /// Gives up the MPDUs of the last PPDU that have had all their attempts.
    fn give_up(&mut self, index: u32, id: u32, out: &mut impl Out) {
        let Self { config, stations, sessions, ways, .. } = self;
        let Some(most) = most_attempts(&config.block_ack, config.ampdu.is_some(), config.retries) else { return };
        let session = &mut sessions[index as usize];
        let way = &mut ways[(index / 4) as usize];
        let mut has_given_up = false;
        for &number in &stations[id as usize].sending.numbers {
            if number < session.start() {
                continue;
            }
            let mpdu = session.mpdu(number);
            if mpdu.is_acknowledged || mpdu.is_given_up || mpdu.attempts < most {
                continue;
            }
            has_given_up = true;
            way.counts.given_up += 1;
            if let Some(packet) = session.give_up(number) {
                way.backlog -= 1;
                way.counts.link.lost += 1;
                out.lose(packet, Cause::Sent);
            }
        }
        if has_given_up {
            let is_behind = session.advance();
            if config.ampdu.is_some() {
                session.wants_request |= is_behind;
            } else {
                // Without a session the receiver waits for nothing.
                let start = session.start();
                session.skip_to(start, &mut |_, _: Fate| {});
                session.advance();
            }
        }
    }

    /// Moves the served session behind the others of its category, or takes it off the list.
    fn rotate(&mut self, id: u32, of: usize) {
        let turns = &mut self.stations[id as usize].turns[of];
        let Some(served) = turns.pop_front() else { return };
        let session = &mut self.sessions[served as usize];
        let has_work = session.wants_request || session.is_outstanding() || !self.queues[served as usize].is_empty();
        if has_work {
            turns.push_back(served);
        } else {
            session.is_listed = false;
        }
    }

    /// Control frame that answers a frame received by `at`, and its air time.
    pub(super) fn answer_to(&self, frame: &Frame, from: u32) -> (Frame, Duration) {
        let sending = &self.stations[from as usize].sending;
        let control = sending.control.unwrap_or(*self.times.control(sending.mode));
        let (kind, bytes, time) = match frame.kind {
            FrameKind::Rts => (FrameKind::Cts, CTS as u32, control.cts),
            FrameKind::Data if sending.is_single => (FrameKind::Ack, ACK as u32, control.ack),
            _ => (FrameKind::BlockAck, self.times.block_ack_bytes, control.block_ack),
        };
        let duration = match kind {
            FrameKind::Cts => frame.duration.saturating_sub(self.times.sifs + control.cts),
            _ => Duration::ZERO,
        };
        (Frame { kind, to: from, bytes, duration, ..*frame }, time)
    }
}
