//! Frames on the air: transmission, interference and reception.

use super::errors::{control_hazard, data_hazard};
use super::mac::{Edca, Timer};
use super::sending::Sending;
use super::session::Fate;
use super::station::{Frame, Lock, Stage, Station};
use super::times::Times;
use crate::air::{AirBlockAck, AirFormat, AirFrame, AirMode, AirMpdu, Direction, FrameKind};
use crate::interface::Out;
use crate::wifi::category::CATEGORIES;
use crate::wifi::minstrel::RateControl;
use crate::wifi::ppdu::{Format, Mode};
use crate::wifi::radio::air::DETECTION;
use crate::wifi::radio::reception::{begin_signal, end_signal};
use std::mem;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::{BitRate, Duration, Time};

/// Least ratio of a preamble's power to noise and interference at which it is found: 4 dB, as in ns-3.
const HEADER_RATIO: f64 = 2.511_886_431_509_58;

/// Bytes of a BlockAck beside its bitmap.
const BLOCK_ACK_OVERHEAD: u32 = 24;

impl Edca {
    /// Begins a station's transmission of `time`.
    pub(super) fn send(&mut self, now: Time, id: u32, mut frame: Frame, time: Duration, out: &mut impl Out) {
        let Self { config, times, stations, frames, .. } = self;
        let times: &Times = times;
        let (from, end) = (now + times.propagation, now + time + times.propagation);
        (frame.began, frame.end) = (now, end);
        frames[id as usize] = frame;
        let sender = &mut stations[id as usize];
        // Half duplex: a frame in reception is lost.
        sender.lock = None;
        sender.sends_from = now;
        sender.sends_until = now + time;
        sender.error_until = Time::ZERO;
        sender.air.send(frame.kind, now, sender.sends_until);
        out.wake_at(end, Timer::End.of(id));
        let (noise, is_rayleigh) = config.noise.map_or((0.0, false), |noise| (noise.power, noise.is_rayleigh));
        for neighbour in config.reach.of(id) {
            let at = neighbour.station;
            let station = &mut stations[at as usize];
            let others = begin_signal(&mut station.energy, &mut station.signals, neighbour.power);
            let is_sending = station.sends_from <= from && from < station.sends_until;
            // A station that sends hears no preamble: the frame is noise to it, also after its own has ended.
            if !is_sending {
                let begin = |station: &mut Station| {
                    let gain = if is_rayleigh { station.fading.exponential() } else { 1.0 };
                    Lock {
                        sender: id,
                        power: neighbour.power * gain,
                        mean: neighbour.power,
                        since: from,
                        payload_from: from + times.preamble,
                        noted_until: from,
                        worst: 0.0,
                        is_good: true,
                        is_own: frame.to == at,
                    }
                };
                match station.lock {
                    // The choice among preambles is over: what comes now disturbs.
                    Some(lock) if from >= lock.since + DETECTION => {
                        station.note_interference(from, others, HEADER_RATIO, noise);
                    }
                    // Among simultaneous preambles the receiver locks onto the strongest, or onto none. An undetected
                    // one is noise: a later frame can still be received.
                    first => {
                        let is_found = first
                            .is_some_and(|first| first.power >= HEADER_RATIO * (station.energy - first.mean + noise));
                        if !is_found {
                            let lock = neighbour.decodes.then(|| begin(station));
                            station.lock = lock.filter(|lock| lock.power >= HEADER_RATIO * (others + noise));
                            if let Some(lock) = &station.lock {
                                if lock.is_own {
                                    station.chunks.clear();
                                }
                                station.nav.keep(from + times.preamble);
                            }
                        }
                    }
                }
            }
            // Too weak for carrier sense: it disturbs receptions, and the medium stays idle.
            if neighbour.power < config.sense {
                continue;
            }
            station.air.sense(if is_sending { station.sends_until } else { from }, end);
            let is_frozen = station.freeze(from, times);
            station.busy_until = station.busy_until.max(end);
            if is_frozen {
                station.arm(now, at, times, out);
            }
        }
    }

    /// Ends a station's transmission at all receivers.
    pub(super) fn end(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let frame = self.frames[id as usize];
        let noise = self.config.noise.map_or(0.0, |noise| noise.power);
        let mut is_received_by_it = false;
        // Before its receiver acts on it.
        let block_ack = if out.records_frames() { self.block_ack(&frame) } else { None };
        let list = self.config.reach.take(id);
        for &neighbour in &list {
            let at = neighbour.station;
            let station = &mut self.stations[at as usize];
            let energy = end_signal(&mut station.energy, &mut station.signals, neighbour.power);
            station.note_interference(now, energy, HEADER_RATIO, noise);
            let Some(lock) = station.lock else { continue };
            // This signal disturbs the reception of another one, which goes on.
            if lock.sender != id {
                continue;
            }
            station.lock = None;
            let is_for_it = frame.to == at;
            let is_received = lock.is_good
                && match frame.kind {
                    FrameKind::Data if is_for_it => self.receive_data(now, id, &frame, &lock, out),
                    _ => self.is_read(id, &frame, at, &lock),
                };
            let station = &mut self.stations[at as usize];
            if is_received {
                // A frame that is read ends EIFS (IEEE 802.11-2016, §10.3.2.3.7).
                station.error_until = Time::ZERO;
                is_received_by_it |= is_for_it;
                // A frame for this station does not set its NAV (§10.3.2.4).
                if is_for_it {
                    self.respond(now, id, &frame, out);
                } else {
                    station.reserve(now, &frame, &self.times);
                }
            } else {
                station.air.garbled += 1;
                station.error_until = station.busy_until.max(now) + self.times.after_error;
            }
            self.stations[at as usize].arm_if_moved(now, at, &self.times, out);
        }
        self.next_reach.end(id, list, &mut self.config.reach);
        out.on_air(|| self.seen(id, &frame, is_received_by_it, block_ack));
    }

    /// True if a station reads a control frame, or one MPDU at least of data for another.
    fn is_read(&mut self, id: u32, frame: &Frame, at: u32, lock: &Lock) -> bool {
        let noise = self.config.noise.map_or(0.0, |noise| noise.power);
        let ratio = lock.power / (lock.worst + noise);
        // Each MPDU has the Duration field: one that is intact is enough for the NAV.
        let (lost, count) = if frame.kind == FrameKind::Data {
            let sending = &self.stations[id as usize].sending;
            let hazard = data_hazard(sending.mode, ratio) * f64::from(sending.ends()[0]);
            (-libm::expm1(-hazard), sending.ends().len() as i32)
        } else {
            (-libm::expm1(-control_hazard(frame.mbit, ratio) * f64::from(frame.bytes)), 1)
        };
        if lost < 1e-12 {
            return true;
        }
        let all_lost = libm::pow(lost, f64::from(count));
        !self.stations[at as usize].errors.chance(all_lost)
    }

    /// Decides the MPDUs of a PPDU at its destination, each by itself; true if one has arrived.
    fn receive_data(&mut self, now: Time, id: u32, frame: &Frame, lock: &Lock, out: &mut impl Out) -> bool {
        let Self { config, stations, sessions, ways, queue_counts, .. } = self;
        let noise = config.noise.map_or(0.0, |noise| noise.power);
        let [sender, receiver] =
            stations.get_disjoint_mut([id as usize, frame.to as usize]).expect("a station does not send to itself");
        let sending = &mut sender.sending;
        sending.failed.clear();
        let mut failed = mem::take(&mut sending.failed);
        let way = &mut ways[frame.way as usize];
        let session = &mut sessions[sending.session() as usize];
        let window = config.block_ack.window;
        let mode = sending.mode;
        let hazard = |interference: f64| data_hazard(mode, lock.power / (interference + noise));
        // Hazard of an undisturbed byte; with one level of interference it is that of all.
        let chunks = &receiver.chunks;
        // Most PPDUs meet one level of interference: one evaluation of the error curve serves all their MPDUs.
        let even = if let [only] = chunks[..] { Some(hazard(only.interference)) } else { None };
        let total = f64::from(frame.bytes);
        let span = frame.end.since(lock.payload_from).as_nanos() as f64;
        let uneven = |from: u32, to: u32| {
            let at = |byte: u32| lock.payload_from.as_nanos() as f64 + span * f64::from(byte) / total;
            let (begin, end) = (at(from), at(to));
            let mut since = lock.since.as_nanos() as f64;
            let mut sum = 0.0;
            for chunk in chunks {
                let until = chunk.until.as_nanos() as f64;
                let shared = (until.min(end) - since.max(begin)).max(0.0);
                if shared > 0.0 {
                    sum += hazard(chunk.interference) * shared / (end - begin) * f64::from(to - from);
                }
                since = until;
            }
            sum
        };
        if let RateControl::Ideal(ideal) = &mut way.control {
            // The answer will report it.
            ideal.heard(10.0 * libm::log10(lock.power / noise), sending.mode.width());
        }
        // One exponential variable is spent along the PPDU, so that a draw is needed for each failure and not for each
        // MPDU. A clean PPDU draws nothing.
        let mut left = f64::INFINITY;
        let mut is_drawn = false;
        let mut any = false;
        let mut from = 0;
        let counts = &mut way.counts;
        let backlog = &mut way.backlog;
        let delays = &mut queue_counts[sending.session() as usize].delays;
        let mut end = |packet: &Packet, since: Time, fate| {
            match fate {
                Fate::Delivered => {
                    delays.record(now.since(since).as_nanos());
                    out.arrive_at(now, frame.way, *packet);
                }
                Fate::Lost { is_counted } => {
                    counts.link.lost += u64::from(is_counted);
                    out.lose(*packet, Cause::Sent);
                }
            }
            *backlog -= 1;
        };
        for (at, (&number, &to)) in (0..).zip(sending.numbers().iter().zip(sending.ends())) {
            let of_bytes = even.map_or_else(|| uneven(from, to), |each| each * f64::from(to - from));
            from = to;
            let hazard = way.hazard + of_bytes;
            if hazard > 1e-15 {
                if !is_drawn {
                    left = receiver.errors.exponential();
                    is_drawn = true;
                }
                if left < hazard {
                    left = receiver.errors.exponential();
                    failed.push(at);
                    continue;
                }
                left -= hazard;
            }
            any = true;
            session.receive(now, number, window, &mut end);
        }
        sending.failed = failed;
        any
    }

    /// Responds to a frame at its destination.
    fn respond(&mut self, now: Time, from: u32, frame: &Frame, out: &mut impl Out) {
        let at = frame.to;
        match frame.kind {
            FrameKind::Rts => {
                let station = &self.stations[at as usize];
                // A station with a NAV set does not answer.
                if station.nav.until <= now && station.answer.is_none() {
                    let (cts, time) = self.answer_to(frame, from);
                    self.follow_with(now, at, cts, time, out);
                }
            }
            FrameKind::Cts => {
                if self.is_awaited(at, from, Stage::AwaitCts) {
                    self.go_on_with_data(now, at, out);
                }
            }
            FrameKind::Data => {
                let (answer, time) = self.answer_to(frame, from);
                self.follow_with(now, at, answer, time, out);
                let (index, span) = {
                    let sending = &self.stations[from as usize].sending;
                    (sending.session(), sending.duration)
                };
                self.charge_received(now, index, span);
                self.watch_reordering(now, index, out);
            }
            FrameKind::BlockAckRequest => {
                let index = self.stations[from as usize].sending.session();
                // The request moves the recipient's window before the answer reports it.
                self.release(now, index, true, out);
                let (answer, time) = self.answer_to(frame, from);
                self.follow_with(now, at, answer, time, out);
            }
            FrameKind::Ack | FrameKind::BlockAck => {
                if self.is_awaited(at, from, Stage::AwaitAnswer) || self.is_awaited(at, from, Stage::AwaitRequested) {
                    self.succeed(now, at, out);
                }
            }
            FrameKind::Broadcast => {}
        }
    }

    /// True if a station in `stage` waits for an answer of `from`.
    fn is_awaited(&self, id: u32, from: u32, stage: Stage) -> bool {
        let station = &self.stations[id as usize];
        station.stage == stage && self.ways[station.sending.session() as usize / CATEGORIES].to == from
    }

    /// Schedules the time at which a recipient stops waiting for a missing MPDU.
    fn watch_reordering(&mut self, now: Time, index: u32, out: &mut impl Out) {
        let session = &mut self.sessions[index as usize];
        if session.releases_at != Time::NEVER {
            return;
        }
        if let Some(time) = session.release_time(self.config.block_ack.reorder_timeout) {
            session.releases_at = time.max(now);
            out.wake_at(session.releases_at, Timer::Release.of(index));
        }
    }

    /// Passes up what has waited too long at a recipient, or, at a request, all before the sender's window.
    pub(super) fn release(&mut self, now: Time, index: u32, is_requested: bool, out: &mut impl Out) {
        let Self { config, sessions, ways, queue_counts, .. } = self;
        let delays = &mut queue_counts[index as usize].delays;
        let (session, way) = (&mut sessions[index as usize], &mut ways[index as usize / CATEGORIES]);
        let mut end = |packet: &Packet, since: Time, fate| {
            match fate {
                Fate::Delivered => {
                    delays.record(now.since(since).as_nanos());
                    out.arrive_at(now, index / CATEGORIES as u32, *packet);
                }
                Fate::Lost { is_counted } => {
                    way.counts.link.lost += u64::from(is_counted);
                    out.lose(*packet, Cause::Sent);
                }
            }
            way.backlog -= 1;
        };
        if is_requested {
            let start = session.start();
            session.skip_to(start, &mut end);
            session.advance();
        } else {
            session.releases_at = Time::NEVER;
            session.release(now, config.block_ack.reorder_timeout, &mut end);
            self.watch_reordering(now, index, out);
        }
    }

    /// Content of a BlockAck or of a request, as long as its receiver has not acted on it.
    fn block_ack(&self, frame: &Frame) -> Option<AirBlockAck> {
        let bytes = match frame.kind {
            FrameKind::BlockAck => (frame.bytes - BLOCK_ACK_OVERHEAD) as usize,
            FrameKind::BlockAckRequest => 0,
            _ => return None,
        };
        let session = &self.sessions[frame.way as usize * CATEGORIES + usize::from(frame.category)];
        Some(AirBlockAck { start: session.start(), bitmap: session.bitmap(bytes) })
    }

    /// The frame as the air log and captures record it.
    fn seen(&self, id: u32, frame: &Frame, is_received: bool, block_ack: Option<AirBlockAck>) -> AirFrame {
        let node = |station: u32| self.config.stations[station as usize].node;
        let sending = &self.stations[id as usize].sending;
        let is_data = frame.kind == FrameKind::Data;
        let rate = if is_data { sending.mode.bits_per_sec() } else { frame.mbit * 1_000_000 };
        let mpdus = if is_data { self.mpdus(sending, is_received) } else { Vec::new() };
        AirFrame {
            began: frame.began,
            ended: frame.end,
            from: node(id),
            to: Some(node(frame.to)),
            kind: frame.kind,
            bytes: frame.bytes,
            duration: frame.duration,
            rate: BitRate::bits_per_sec(rate),
            mode: is_data.then(|| air_mode(sending.mode)),
            channel_mhz: Some(self.config.channel_mhz),
            category: Some(frame.category),
            direction: match self.config.access_point {
                Some(at) if at == id => Direction::FromAccessPoint,
                Some(at) if at == frame.to => Direction::ToAccessPoint,
                _ => Direction::Between,
            },
            is_received,
            // A bare MPDU has no delimiter.
            is_aggregate: mpdus.first().is_some_and(|first| first.bytes != sending.ends()[0]),
            mpdus,
            block_ack,
        }
    }

    /// The MPDUs of a PPDU at its end.
    fn mpdus(&self, sending: &Sending, is_received: bool) -> Vec<AirMpdu> {
        let session = &self.sessions[sending.session() as usize];
        let mpdu = |(at, &number): (u32, &u32)| {
            let mpdu = session.mpdu(number);
            AirMpdu {
                number,
                bytes: mpdu.bytes(self.config.overhead.count()) as u32,
                attempt: mpdu.attempts,
                is_received: is_received && sending.failed.binary_search(&at).is_err(),
                packet: Some(mpdu.packet),
                followers: session.followers(mpdu).copied().collect(),
            }
        };
        (0..).zip(sending.numbers()).map(mpdu).collect()
    }
}

/// Format as tables name it.
pub(super) const fn air_format(mode: Mode) -> AirFormat {
    match mode.format() {
        Format::Ht => AirFormat::Ht,
        Format::Vht => AirFormat::Vht,
        Format::He => AirFormat::He,
    }
}

fn air_mode(mode: Mode) -> AirMode {
    AirMode {
        format: air_format(mode),
        width_mhz: mode.width().mhz(),
        streams: mode.streams(),
        mcs: mode.mcs(),
        guard: Duration::from_nanos(mode.guard().nanos()),
    }
}
