//! Frames on the air: transmission, collisions, capture and reception.

use super::mac::{Router, Timer, Wifi};
use super::station::{ALL, Frame, Lock, Stage, Station, WayState};
use crate::air::{AirFrame, AirMpdu, Direction, FrameKind};
use crate::interface::Out;
use crate::wifi::config::{ACK, CTS, LossOf};
use crate::wifi::radio::air::DETECTION;
use crate::wifi::radio::reception::{begin_signal, end_signal};
use windward_elements::packet::Kind;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

impl<R: Router> Wifi<R> {
    /// Begins a station's transmission.
    pub(super) fn send(&mut self, now: Time, id: u32, mut frame: Frame, out: &mut impl Out) {
        let time = self.air_time(id, frame.kind, frame.bytes);
        let times = self.times;
        let (from, end) = (now + times.propagation, now + time + times.propagation);
        (frame.began, frame.end) = (now, end);
        self.frames[id as usize] = frame;
        let sender = &mut self.stations[id as usize];
        // Half duplex: a frame in reception is lost.
        sender.lock = None;
        sender.sends_from = now;
        sender.sends_until = now + time;
        sender.error_until = Time::ZERO;
        sender.air.send(frame.kind, now, sender.sends_until);
        out.wake_at(end, Timer::End.of(id));
        if self.overhears
            && matches!(frame.kind, FrameKind::Data | FrameKind::Broadcast)
            && let Some(routing) = &mut self.routing
        {
            routing.announce(now, id);
        }
        let required = match frame.kind {
            FrameKind::Data => self.stations[id as usize].required,
            _ => times.control_required,
        };
        let mac = &self.config.mac;
        let is_rayleigh = self.config.fading.is_some_and(|fading| fading.is_rayleigh);
        for neighbour in self.config.reach.of(id) {
            let at = neighbour.station;
            let station = &mut self.stations[at as usize];
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
                        required,
                        since: from,
                        payload_from: from + times.preamble,
                        is_good: neighbour.decodes,
                    }
                };
                match &mut station.lock {
                    // ns-2 compares with each other signal separately.
                    Some(lock) if mac.is_ns2 => lock.is_good &= lock.power >= lock.required * neighbour.power,
                    Some(lock) if from >= lock.since + DETECTION => lock.endure(from, others, times.header_required),
                    None if mac.is_ns2 => station.lock = Some(begin(station)),
                    // Among simultaneous preambles the receiver locks onto the strongest, or onto none. An undetected
                    // one is noise: a later frame can still be received.
                    first => {
                        let is_found = first
                            .is_some_and(|first| first.power >= times.header_required * (station.energy - first.mean));
                        if !is_found {
                            let lock = neighbour.decodes.then(|| begin(station));
                            station.lock = lock.filter(|lock| lock.power >= times.header_required * others);
                            if station.lock.is_some() {
                                station.nav.keep(from + times.preamble);
                            }
                        }
                    }
                }
            }
            station.air.sense(if is_sending { station.sends_until } else { from }, end);
            station.busy_until = station.busy_until.max(end);
            if station.freeze(from, &times, mac.counts_busy_slots, mac.is_ns2) {
                station.arm(now, at, &times, out);
            }
        }
    }

    /// Ends a station's transmission at all receivers.
    pub(super) fn end(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let frame = self.frames[id as usize];
        let times = self.times;
        let mut is_received_by_it = false;
        let is_ns2 = self.config.mac.is_ns2;
        let list = self.config.reach.take(id);
        for &neighbour in &list {
            let at = neighbour.station;
            let station = &mut self.stations[at as usize];
            let energy = end_signal(&mut station.energy, &mut station.signals, neighbour.power);
            let Some(lock) = &mut station.lock else { continue };
            if !is_ns2 {
                lock.endure(now, energy, times.header_required);
            }
            // This signal disturbs the reception of another one, which goes on.
            if lock.sender != id {
                continue;
            }
            let lock = *lock;
            station.lock = None;
            let is_for_it = frame.to == at || frame.to == ALL;
            let is_received = lock.is_good && self.is_decoded(&frame, at, lock);
            let station = &mut self.stations[at as usize];
            if is_received {
                // A frame that is read ends EIFS (IEEE 802.11-2016, §10.3.2.3.7).
                station.error_until = Time::ZERO;
                is_received_by_it |= is_for_it;
                if frame.to == ALL {
                    self.heard.push(at);
                } else if frame.to == at {
                    self.receive(now, id, &frame, out);
                } else {
                    station.reserve(now, &frame, &times, is_ns2);
                }
                if self.overhears && frame.kind == FrameKind::Data {
                    self.heard.push(at);
                }
            } else {
                station.air.garbled += 1;
                if let Some(eifs) = times.eifs {
                    station.error_until = station.busy_until.max(now) + eifs;
                }
            }
            self.stations[at as usize].arm(now, at, &times, out);
        }
        self.next_reach.end(id, list, &mut self.config.reach);
        out.on_air(|| self.seen(id, &frame, is_received_by_it));
        if frame.kind == FrameKind::Broadcast || self.overhears && frame.kind == FrameKind::Data {
            self.spread(now, id, &frame, out);
        }
    }

    /// Passes a frame's contents to the stations that received it.
    #[cold]
    fn spread(&mut self, now: Time, id: u32, frame: &Frame, out: &mut impl Out) {
        let mut heard = std::mem::take(&mut self.heard);
        R::hear(self, now, id, frame, &heard, out);
        heard.clear();
        self.heard = heard;
    }

    /// The frame as the air log and captures record it.
    fn seen(&self, id: u32, frame: &Frame, is_received: bool) -> AirFrame {
        let node = |station: u32| self.config.stations[station as usize].node;
        let sender = &self.stations[id as usize];
        let head = sender.head.filter(|head| frame.kind == FrameKind::Data && head.number == frame.number);
        let mpdu = AirMpdu {
            number: frame.number,
            bytes: frame.bytes,
            attempt: 1 + head.map_or(0, |head| head.short_retries + head.long_retries),
            is_received,
            packet: head.map(|head| head.packet),
            followers: Vec::new(),
        };
        let has_packet = matches!(frame.kind, FrameKind::Data | FrameKind::Broadcast);
        AirFrame {
            began: frame.began,
            ended: frame.end,
            from: node(id),
            to: (frame.to != ALL).then(|| node(frame.to)),
            kind: frame.kind,
            bytes: frame.bytes,
            duration: frame.duration,
            rate: if frame.kind == FrameKind::Data { sender.data_rate } else { self.config.mac.basic_rate },
            mode: None,
            channel_mhz: None,
            category: None,
            direction: Direction::Between,
            is_received,
            is_aggregate: false,
            mpdus: if has_packet { vec![mpdu] } else { Vec::new() },
            block_ack: None,
        }
    }

    /// Draws noise and the link's own losses for a frame that `at` detected, addressed to it or not; true if it is
    /// intact.
    fn is_decoded(&mut self, frame: &Frame, at: u32, lock: Lock) -> bool {
        if frame.kind == FrameKind::Broadcast {
            // One attempt, no ACK: losses of attempts, packets and deliveries all apply.
            let loss = if self.lossy.is_empty() { None } else { self.lossy.get(&(lock.sender, at)) };
            if loss.is_some_and(|&loss| self.stations[at as usize].errors.chance(loss)) {
                return false;
            }
        } else if frame.kind == FrameKind::Data && frame.to == at {
            let WayState { loss, loss_of, .. } = self.ways[frame.way as usize];
            let is_lost = match loss_of {
                _ if loss <= 0.0 => false,
                LossOf::Attempts => self.stations[at as usize].errors.chance(loss),
                LossOf::Packets => self.is_doomed(lock.sender, at, loss),
                // Drawn when the packet is passed up: the ACK returns, and the sender does not repeat it.
                LossOf::Deliveries => false,
            };
            if is_lost {
                return false;
            }
        }
        let Some(fading) = self.config.fading else { return true };
        let [data, control] = self.modulations[lock.sender as usize];
        let modulation = if frame.kind == FrameKind::Data { data } else { control };
        let snr = lock.power / fading.noise;
        let errors = &mut self.stations[at as usize].errors;
        modulation.is_none_or(|modulation| errors.chance(modulation.success(snr, u64::from(frame.bytes) * 8)))
    }

    /// True if all attempts of `sender`'s current packet are lost on its link; drawn at the first attempt.
    fn is_doomed(&mut self, sender: u32, at: u32, loss: f64) -> bool {
        let known = self.stations[sender as usize].head.and_then(|head| head.is_doomed);
        known.unwrap_or_else(|| {
            let drawn = self.stations[at as usize].errors.chance(loss);
            if let Some(head) = &mut self.stations[sender as usize].head {
                head.is_doomed = Some(drawn);
            }
            drawn
        })
    }

    /// Processes a frame at its destination.
    fn receive(&mut self, now: Time, from: u32, frame: &Frame, out: &mut impl Out) {
        let times = self.times;
        let at = frame.to;
        match frame.kind {
            FrameKind::Rts => {
                let station = &self.stations[at as usize];
                // A station with a NAV set does not answer.
                if station.nav.until <= now && station.answer.is_none() {
                    let duration = frame.duration.saturating_sub(times.sifs + times.cts);
                    let bytes = CTS as u32;
                    let cts = Frame { kind: FrameKind::Cts, to: from, bytes, duration, ..*frame };
                    self.answer_with(now, at, cts, out);
                }
            }
            FrameKind::Cts => {
                if self.is_awaited(at, from, Stage::AwaitCts) {
                    self.go_on_with_data(now, at, out);
                }
            }
            FrameKind::Data => {
                let way = &mut self.ways[frame.way as usize];
                let mut message = None;
                // A repetition after a lost ACK is acknowledged again and not passed up again.
                if way.received != frame.number
                    && let Some(head) = &mut self.stations[from as usize].head
                {
                    way.received = frame.number;
                    head.is_received = true;
                    let (packet, is_past) = (head.packet, head.is_past);
                    let is_lost = way.loss_of == LossOf::Deliveries
                        && way.loss > 0.0
                        && self.stations[at as usize].errors.chance(way.loss);
                    if packet.kind != Kind::Routing {
                        way.backlog -= 1;
                        way.counts.link.lost += u64::from(is_lost && !is_past);
                    }
                    match packet.kind {
                        Kind::Routing => message = (!is_lost).then_some(packet.number),
                        _ if is_lost => out.lose(packet, Cause::Sent),
                        _ => out.arrive_at(now, frame.way, packet),
                    }
                    if let Some(routing) = &mut self.routing
                        && let Some(head) = &self.stations[from as usize].head
                    {
                        routing.leave(now, head);
                    }
                }
                // Also for a packet that its link loses after the MAC: the loss is above it.
                let (bytes, duration) = (ACK as u32, Duration::ZERO);
                let ack = Frame { kind: FrameKind::Ack, to: from, bytes, duration, ..*frame };
                self.answer_with(now, at, ack, out);
                if let Some(handle) = message {
                    R::hear_alone(self, now, at, from, handle, out);
                }
            }
            FrameKind::Ack => {
                if self.is_awaited(at, from, Stage::AwaitAck) {
                    self.succeed(now, at, out);
                }
            }
            FrameKind::Broadcast | FrameKind::BlockAck | FrameKind::BlockAckRequest => {}
        }
    }
}
