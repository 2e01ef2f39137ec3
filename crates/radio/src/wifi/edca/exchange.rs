//! Exchange of a PPDU: protection, data, answer; what follows success and failure; bursts within a TXOP.

use super::config::{AfterLoss, BlockAckConfig};
use super::mac::{Edca, Timer};
use super::mpdu::{Attempt, AttemptLimits, Mpdu};
use super::session::{Fate, Session};
use super::station::{Frame, Stage};
use super::times::Control;
use super::way::WayState;
use crate::air::FrameKind;
use crate::interface::Out;
use crate::wifi::category::CATEGORIES;
use crate::wifi::minstrel::Stage as ChainStage;
use crate::wifi::ppdu::{ACK, BAR_BYTES, CTS, Mode, RTS};
use crate::wifi::radio::air;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

/// Duration field of the standard.
fn whole_micros(span: Duration) -> Duration {
    air::whole_micros(span, false)
}

/// Requests for a BlockAck in a row without an answer, after which Linux stops asking: `max_rate_tries` of ath9k. It
/// asks again after the next PPDU that is answered (`bar_pending` of mac80211).
const MOST_REQUESTS: u32 = 10;

/// Time for which ns-3 asks: the lifetime of an MSDU (`WifiMacQueue::MaxDelay`), here from the first request without an
/// answer. IEEE 802.11-2020, §10.25.3, bounds requests by this lifetime, too.
const ASKING: Duration = Duration::from_millis(500);

impl Edca {
    /// Begins a TXOP of a function.
    pub(super) fn begin_opportunity(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        let limit = station.functions[of].contention.txop;
        station.owner = of;
        station.is_first = true;
        station.txop_until = now + limit;
        // A TXOP limit of zero allows one exchange, whatever its length (IEEE 802.11-2016, §10.22.2.8).
        let most = if limit == Duration::ZERO { Duration::MAX } else { limit };
        let collisions = std::mem::take(&mut station.functions[of].collisions);
        let mut found = self.prepare(now, id, of, most, out);
        if collisions > 0 {
            found = self.count_collisions((now, id, of), most, (found, collisions), out);
        }
        if let Some((frame, time)) = found {
            self.stations[id as usize].counts.txops[of] += 1;
            self.send_first(now, id, frame, time, out);
        } else {
            // Its packets are gone, or those of others must be acknowledged first.
            self.stations[id as usize].arm(now, id, &self.times, out);
        }
    }

    /// Counts internal collisions as failures of the MPDU that was to be sent. One that has had all its attempts is
    /// given up, and the next takes its place (IEEE 802.11-2020, §10.23.2.12.1). Returns the frame that remains.
    fn count_collisions(
        &mut self,
        (now, id, of): (Time, u32, usize),
        most: Duration,
        (mut found, mut collisions): (Option<(Frame, Duration)>, u32),
        out: &mut impl Out,
    ) -> Option<(Frame, Duration)> {
        let limits = AttemptLimits::of(&self.config.block_ack, self.config.ampdu.is_some(), self.config.retries);
        // No other function begins while packets end.
        self.stations[id as usize].stage = Stage::Send;
        while found.is_some() && collisions > 0 {
            let sending = &self.stations[id as usize].sending;
            let index = sending.session();
            let Some(&number) = sending.numbers().first() else { break };
            collisions = self.sessions[index as usize].count_collisions(number, collisions, &limits);
            self.done.clear();
            self.give_up(now, id, out);
            if !self.done.is_empty() {
                self.sessions[index as usize].attempt = None;
                self.finish(now, id, index, true, out);
                found = self.prepare(now, id, of, most, out);
            }
        }
        self.stations[id as usize].stage = Stage::Contend;
        found
    }

    /// Frame that begins the next exchange of a function within `most`, and its air time. `None` if nothing fits.
    fn prepare(
        &mut self,
        now: Time,
        id: u32,
        of: usize,
        most: Duration,
        out: &mut impl Out,
    ) -> Option<(Frame, Duration)> {
        if self.stations[id as usize].ahead.is_some() {
            return self.prepare_held(now, id, of, out);
        }
        let mut begins = true;
        loop {
            let index = self.choose(id, of, begins)?;
            begins = false;
            let found = self.prepare_session(now, id, index, most, out);
            if found.is_some() {
                return found;
            }
            self.end_turn(now, id, index);
        }
    }

    fn prepare_session(
        &mut self,
        now: Time,
        id: u32,
        index: u32,
        most: Duration,
        out: &mut impl Out,
    ) -> Option<(Frame, Duration)> {
        let session = &mut self.sessions[index as usize];
        let state = &mut self.ways[index as usize / CATEGORIES];
        let attempt = match session.attempt {
            Some(attempt) => attempt,
            None => *session.attempt.insert(Attempt::new(state.control.chain(now))),
        };
        let stage = attempt.chain.stages[attempt.stage];
        // The recipient holds back what follows an MPDU that was given up. The request moves its window before new data
        // does.
        if session.wants_request || asks_first(&self.config.block_ack, session) {
            return Some(self.request(now, id, index, stage.mode));
        }
        self.note_mode(id, index, stage.mode);
        let (control, sifs) = (*self.times.control(stage.mode), self.times.sifs);
        let has_rts = stage.rts || self.config.rts_threshold.is_some();
        let around = sifs + control.block_ack.max(control.ack);
        let protection = if has_rts { control.rts + control.cts + sifs * 2 } else { Duration::ZERO };
        let room = most.saturating_sub(around + protection);
        // A probe goes out alone, as in ath9k: its failure costs one MPDU.
        let is_single = attempt.chain.probe && attempt.stage == 0;
        if !self.compose(now, id, index, (stage.mode, room, is_single), out) {
            // Nothing was sent: the chain of rates counts no failure.
            self.sessions[index as usize].attempt = None;
            return None;
        }
        Some(self.first_frame(now, id, index, &stage))
    }

    /// A BlockAck request of a session in answer to data at `mode`, and its air time.
    pub(super) fn request(&mut self, now: Time, id: u32, index: u32, mode: Mode) -> (Frame, Duration) {
        let control = *self.times.control(mode);
        let frame = self.frame(now, index, &control);
        let station = &mut self.stations[id as usize];
        station.sending.begin(index);
        station.sending.mode = mode;
        station.sending.control = Some(control);
        let duration = whole_micros(self.times.sifs + control.block_ack);
        let request = Frame { kind: FrameKind::BlockAckRequest, bytes: BAR_BYTES as u32, duration, ..frame };
        (request, control.request)
    }

    /// A frame of a session's exchange.
    fn frame(&self, now: Time, index: u32, control: &Control) -> Frame {
        let (way, category) = (index / CATEGORIES as u32, (index as usize % CATEGORIES) as u8);
        let to = self.ways[way as usize].to;
        Frame { to, way, category, mbit: control.mbit, began: now, end: now, ..Frame::SILENCE }
    }

    /// Notes the rate of a session's next PPDU.
    pub(super) fn note_mode(&mut self, id: u32, index: u32, mode: Mode) {
        let way = index / CATEGORIES as u32;
        let state = &mut self.ways[way as usize];
        if state.mode != Some(mode) {
            state.mode = Some(mode);
            self.note_rate(id, way, mode);
        }
    }

    /// Frame that begins the exchange of a composed PPDU, and its air time.
    pub(super) fn first_frame(&self, now: Time, id: u32, index: u32, stage: &ChainStage) -> (Frame, Duration) {
        let (control, sifs) = (*self.times.control(stage.mode), self.times.sifs);
        let frame = self.frame(now, index, &control);
        let sending = &self.stations[id as usize].sending;
        let (bytes, duration) = (u64::from(sending.bytes()), sending.duration);
        let answer = if sending.is_single { control.ack } else { control.block_ack };
        if !stage.rts && !self.config.has_rts(bytes) {
            let reserved = whole_micros(sifs + answer);
            let data = Frame { kind: FrameKind::Data, bytes: bytes as u32, duration: reserved, ..frame };
            return (data, duration);
        }
        let reserved = whole_micros(sifs * 3 + control.cts + duration + answer);
        let rts = Frame { kind: FrameKind::Rts, bytes: RTS as u32, duration: reserved, ..frame };
        (rts, control.rts)
    }

    /// Sends the frame that begins an exchange, and waits for the answer.
    fn send_first(&mut self, now: Time, id: u32, frame: Frame, time: Duration, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.sending.began = now;
        station.sending.counts_attempt = true;
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
        let sending = &mut self.stations[id as usize].sending;
        sending.counts_data = true;
        let state = &mut self.ways[way as usize];
        state.sizes.count(sending.numbers().len());
        state.rates.send(sending.mode, sending.numbers().len() as u64, time);
        let counts = &mut state.counts;
        counts.ppdus += 1;
        counts.mpdus += sending.numbers().len() as u64;
        counts.data_time += time;
        counts.psdu_bytes += u64::from(sending.bytes());
        let session = &mut self.sessions[sending.session() as usize];
        sending.numbers().iter().for_each(|&number| session.count_attempt(number));
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
                // The RTS has counted this exchange as an attempt.
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
        let way = sending.session() / CATEGORIES as u32;
        let (bytes, time) = (sending.bytes(), sending.duration);
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
        let Self { stations, sessions, ways, done, counts_from, .. } = self;
        let station = &mut stations[id as usize];
        let of = station.owner;
        let was_data = station.stage == Stage::AwaitAnswer;
        let index = station.sending.session();
        let session = &mut sessions[index as usize];
        let way = &mut ways[index as usize / CATEGORIES];
        way.counts.airtime += now.since(station.sending.began.max(*counts_from));
        done.clear();
        // Before MPDUs are given up below: one that arrived at its last attempt is no loss.
        session.learn(&mut |packet: &Packet, mpdu: &Mpdu, estimate| {
            done.push(estimate);
            way.counts.successes += u64::from(mpdu.is_counted());
            out.complete(now, packet);
        });
        let is_asked = session.wants_request && was_data;
        session.end_requests();
        session.wants_request = is_asked || was_data && session.is_pending && session.is_behind();
        session.is_pending = false;
        if was_data {
            let sent = station.sending.numbers().len();
            let failed = |number: &&u32| **number >= session.start() && !session.mpdu(**number).is_acknowledged();
            let failures = station.sending.numbers().iter().filter(failed).count();
            if station.sending.counts_data {
                way.counts.mpdu_failures += failures as u64;
                way.rates.succeed((sent - failures) as u64);
            }
            if let Some(mut attempt) = session.attempt.take() {
                attempt.count();
                way.control.report(now, &attempt.chain, attempt.tries, sent as u16, (sent - failures) as u16);
            }
        }
        // The answer is the success, even if its bitmap has gaps: the medium was free of a collision.
        station.narrow(of);
        station.is_first = false;
        let span = station.sending.duration;
        if was_data {
            self.charge(now, id, index, span);
            self.give_up(now, id, out);
        }
        self.finish(now, id, index, was_data, out);
        let station = &self.stations[id as usize];
        let left = station.txop_until.since(now + self.times.sifs);
        // The rest of the TXOP belongs to this category: others contend for their own.
        if left > Duration::ZERO && station.has_work(of) && self.burst(now, id, of, left, out) {
            return;
        }
        self.end_opportunity(now, id, of, out);
    }

    /// Ends a session's turn, and tells the queues which packets are done. True for `ends` if its PPDU goes out no
    /// more.
    fn finish(&mut self, now: Time, id: u32, index: u32, ends: bool, out: &mut impl Out) {
        if self.stations[id as usize].transmit.is_some() {
            let done = std::mem::take(&mut self.done);
            self.complete(now, id, index, &done, out);
            self.done = done;
        }
        if self.stations[id as usize].ahead.is_some() {
            self.leave_hardware(now, id, index, ends, out);
        } else {
            self.end_turn(now, id, index);
        }
    }

    /// Goes on within a TXOP after SIFS if the next exchange fits into what is left.
    fn burst(&mut self, now: Time, id: u32, of: usize, left: Duration, out: &mut impl Out) -> bool {
        // A TXOP may be exceeded by a single MPDU only in its first exchange (IEEE 802.11-2016, §10.22.2.8).
        let Some((frame, time)) = self.prepare(now, id, of, left, out) else { return false };
        if time + frame.duration > left {
            // The first MPDU alone is too long: it goes out in a TXOP of its own.
            return false;
        }
        let station = &mut self.stations[id as usize];
        station.stage = Stage::Send;
        station.acts_at = Time::NEVER;
        self.follow_with(now, id, frame, time, out);
        true
    }

    /// Handles a missing answer.
    pub(super) fn fail(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Self { config, stations, sessions, ways, done, counts_from, .. } = self;
        let station = &mut stations[id as usize];
        let of = station.owner;
        let index = station.sending.session();
        let stage = station.stage;
        let session = &mut sessions[index as usize];
        let way = &mut ways[index as usize / CATEGORIES];
        way.counts.failures += u64::from(station.sending.counts_attempt);
        way.counts.airtime += now.since(station.sending.began.max(*counts_from));
        station.waited_until = now;
        done.clear();
        let (mut is_over, mut has_expired) = (false, false);
        match stage {
            Stage::AwaitRequested => {
                session.request_attempts += 1;
                session.asked_since = session.asked_since.min(station.sending.began);
                let (tries, asked) = (session.request_attempts, now.since(session.asked_since));
                has_expired = config.block_ack.after_loss == AfterLoss::Request && asked >= ASKING;
                // Bounds the requests to a recipient that has gone.
                if has_expired || config.block_ack.after_loss == AfterLoss::Data && tries >= MOST_REQUESTS {
                    session.end_requests();
                    session.is_pending = session.is_behind();
                }
            }
            _ => {
                let sent = station.sending.numbers().len();
                if stage == Stage::AwaitCts {
                    // The MPDUs were not on the air: the failure counts towards their short retry limit.
                    station.sending.numbers().iter().for_each(|&number| session.count_rts_failure(number));
                } else {
                    way.counts.mpdu_failures += if station.sending.counts_data { sent as u64 } else { 0 };
                    // Either the PPDU or the BlockAck was lost: a request finds out which before MPDUs go out twice.
                    let asks = config.block_ack.after_loss == AfterLoss::Request;
                    session.wants_request |= asks && !station.sending.is_single;
                }
                if let Some(attempt) = &mut session.attempt {
                    attempt.count();
                    let tried = *attempt;
                    is_over = !attempt.goes_on();
                    if is_over {
                        // The MPDUs go back to the queue.
                        way.control.report(now, &tried.chain, tried.tries, sent as u16, 0);
                        session.attempt = None;
                    }
                }
            }
        }
        let (is_first, left) = (station.is_first, station.txop_until.since(now));
        let is_idle = station.idle_from() <= now;
        let span = station.sending.duration;
        // An RTS without an answer used no airtime of data.
        if stage == Stage::AwaitAnswer {
            self.charge(now, id, index, span);
        }
        if stage != Stage::AwaitRequested {
            self.give_up(now, id, out);
        } else if has_expired {
            self.give_up_unanswered(now, index, out);
        }
        if is_over || !self.done.is_empty() {
            self.finish(now, id, index, is_over, out);
        }
        if !is_first && is_idle && self.stations[id as usize].has_work(of) && left > Duration::ZERO {
            // Recovery within the TXOP: PIFS has passed.
            if let Some((frame, time)) = self.prepare(now, id, of, left, out)
                && time + frame.duration <= left
            {
                return self.send_first(now, id, frame, time, out);
            }
        }
        // A backoff that follows a failure has a wider window, whether the PPDU was the initial one of its TXOP or a
        // later one that is not recovered (IEEE 802.11-2020, §10.23.2.2).
        let retries = self.config.retries;
        self.stations[id as usize].widen(of, retries);
        self.end_opportunity(now, id, of, out);
    }

    /// Ends a TXOP: the function draws a backoff, and all go on counting.
    fn end_opportunity(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.stage = Stage::Contend;
        station.draw(of);
        station.arm(now, id, &self.times, out);
    }

    /// Gives up the MPDUs of the exchange's PPDU that have had all their attempts.
    fn give_up(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Self { config, stations, sessions, ways, done, .. } = self;
        let limits = AttemptLimits::of(&config.block_ack, config.ampdu.is_some(), config.retries);
        let sending = &stations[id as usize].sending;
        let index = sending.session();
        let session = &mut sessions[index as usize];
        if !session.may_have_ended(&limits) {
            return;
        }
        let way = &mut ways[index as usize / CATEGORIES];
        let numbers = sending.numbers().iter().copied();
        if give_up_of((now, session, way, done), numbers, |mpdu| limits.end(mpdu), out) {
            let is_behind = session.advance();
            if config.ampdu.is_some() {
                session.wants_request |= is_behind;
            } else {
                // Without a session the receiver waits for nothing.
                let start = session.start();
                session.skip_to(start, &mut |_: &Packet, _: Time, _: Fate| {});
                session.advance();
            }
        }
    }

    /// Gives up the MPDUs of which requests did not find out whether they arrived, as ns-3 at the end of their
    /// lifetime. Those that the hardware holds stay.
    fn give_up_unanswered(&mut self, now: Time, index: u32, out: &mut impl Out) {
        let Self { sessions, ways, done, .. } = self;
        let session = &mut sessions[index as usize];
        let way = &mut ways[index as usize / CATEGORIES];
        let numbers = session.start()..session.next();
        if give_up_of((now, session, way, done), numbers, Mpdu::is_unanswered, out) {
            session.is_pending = session.advance();
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

/// True if a sender that has stopped asking asks again before it sends new data, as ns-3.
pub(super) fn asks_first(config: &BlockAckConfig, session: &Session) -> bool {
    config.after_loss == AfterLoss::Request && session.is_pending && session.is_behind()
}

/// Gives up those of the numbered MPDUs that are outstanding and have `ended`. Adds AQL's estimates of their packets to
/// `done`. True if there are any.
fn give_up_of(
    (now, session, way, done): (Time, &mut Session, &mut WayState, &mut Vec<u16>),
    numbers: impl Iterator<Item = u32>,
    ended: impl Fn(&Mpdu) -> bool,
    out: &mut impl Out,
) -> bool {
    let mut has_given_up = false;
    for number in numbers {
        // The window has passed it: acknowledged, or given up before.
        if number < session.start() {
            continue;
        }
        let mpdu = session.mpdu(number);
        if !mpdu.is_outstanding() || !ended(mpdu) {
            continue;
        }
        has_given_up = true;
        session.give_up(number, &mut |packet, mpdu, estimate| {
            way.counts.given_up += u64::from(mpdu.is_counted());
            done.push(estimate);
            out.complete(now, packet);
            if !mpdu.is_received {
                way.backlog -= 1;
                way.counts.link.lost += u64::from(mpdu.is_counted_whole());
                out.lose(*packet, Cause::Sent);
            }
        });
    }
    has_given_up
}
