//! Frame exchange of a packet: RTS and CTS above the threshold, data, ACK, success and failure.

use super::mac::{Router, Timer, Wifi};
use super::station::{ALL, Frame, Stage};
use super::times::Times;
use crate::air::FrameKind;
use crate::interface::Out;
use crate::wifi::config::RTS;
use crate::wifi::radio::air::whole_micros;
use windward_elements::packet::Kind;
use windward_units::{Duration, Time};

impl<R: Router> Wifi<R> {
    /// Bytes of a station's data frame beyond the packet.
    #[inline]
    pub(super) fn overhead(&self, at: u32) -> u32 {
        let header = match &self.routing {
            Some(routing) if self.overhears => routing.header(at),
            _ => 0,
        };
        self.config.mac.overhead.count() as u32 + header
    }

    /// Sends the head packet or its RTS at the end of contention.
    pub(super) fn try_to_send(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let overhead = self.overhead(id);
        let Times { sifs, propagation, cts, ack, timeout, .. } = self.times;
        let cw = self.stations[id as usize].cw;
        let Some(head) = &mut self.stations[id as usize].head else { return };
        if head.way == ALL {
            return self.send_to_all(now, id, out);
        }
        let way = &mut self.ways[head.way as usize];
        let (size, to, number) = (head.packet.size, way.to, head.number);
        let local = head.way;
        // The wait in the queue ends with the first attempt: later ones are time at the head.
        if !std::mem::replace(&mut head.was_tried, true) && head.packet.kind != Kind::Routing {
            let counts = &mut way.counts.link;
            counts.packets += 1;
            counts.bytes += u64::from(size);
            way.line.leave(head.since, now);
        }
        let counted = !head.is_past;
        way.counts.attempts += u64::from(counted);
        way.counts.windows += if counted { f64::from(cw) } else { 0.0 };
        if !self.config.has_rts(u64::from(size)) {
            let frame = self.data_frame(local, to, size + overhead, number);
            self.ways[local as usize].counts.data_frames += u64::from(counted);
            self.send(now, id, frame, out);
            return self.await_answer(id, Stage::AwaitAck, timeout, out);
        }
        let data = self.data_time(id, size + overhead);
        // ns-2 adds the propagation delays, which the standard leaves to the slot time.
        let reserved = match self.config.mac.is_ns2 {
            true => sifs * 3 + cts + data + ack + propagation * 3,
            false => sifs * 3 + cts + data + ack,
        };
        let frame = Frame {
            kind: FrameKind::Rts,
            to,
            way: local,
            bytes: RTS as u32,
            number,
            duration: whole_micros(reserved, self.config.mac.is_ns2),
            began: now,
            end: now,
        };
        self.send(now, id, frame, out);
        self.await_answer(id, Stage::AwaitCts, timeout, out);
    }

    /// Sends a broadcast, without RTS and ACK.
    fn send_to_all(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Some(head) = self.stations[id as usize].head else { return };
        let overhead = self.config.mac.overhead.count() as u32;
        let frame = Frame {
            kind: FrameKind::Broadcast,
            to: ALL,
            way: ALL,
            bytes: head.packet.size + overhead,
            number: head.packet.number,
            duration: Duration::ZERO,
            began: now,
            end: now,
        };
        self.send(now, id, frame, out);
        // Until its end has reached the receivers.
        self.await_answer(id, Stage::Broadcast, self.times.propagation, out);
    }

    fn data_frame(&self, way: u32, to: u32, bytes: u32, number: u32) -> Frame {
        let Times { sifs, propagation, ack, .. } = self.times;
        let is_ns2 = self.config.mac.is_ns2;
        let reserved = if is_ns2 { sifs + ack + propagation } else { sifs + ack };
        Frame {
            kind: FrameKind::Data,
            to,
            way,
            bytes,
            number,
            duration: whole_micros(reserved, is_ns2),
            began: Time::ZERO,
            end: Time::ZERO,
        }
    }

    fn await_answer(&mut self, id: u32, stage: Stage, timeout: Duration, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.stage = stage;
        station.acts_at = station.sends_until + timeout;
        station.wake_at(id, out);
    }

    /// Schedules the answer to a frame after SIFS.
    pub(super) fn answer_with(&mut self, now: Time, id: u32, frame: Frame, out: &mut impl Out) {
        let time = self.air_time(id, frame.kind, frame.bytes);
        let station = &mut self.stations[id as usize];
        station.answer = Some(frame);
        station.sends_from = now + self.times.sifs;
        station.sends_until = station.sends_from + time;
        out.wake_at(station.sends_from, Timer::Answer.of(id));
    }

    /// Schedules the data frame after a CTS.
    pub(super) fn go_on_with_data(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let overhead = self.overhead(id);
        let station = &mut self.stations[id as usize];
        station.stage = Stage::SendData;
        station.acts_at = Time::NEVER;
        let Some(head) = &mut station.head else { return };
        if self.config.mac.is_ns2 {
            head.short_retries = 0;
        }
        let (local, size, number) = (head.way, head.packet.size, head.number);
        let way = &mut self.ways[local as usize];
        way.counts.data_frames += u64::from(!head.is_past);
        let frame = self.data_frame(local, self.ways[local as usize].to, size + overhead, number);
        self.answer_with(now, id, frame, out);
    }

    /// Sends the answer after SIFS.
    pub(super) fn answer(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Some(frame) = self.stations[id as usize].answer.take() else { return };
        self.send(now, id, frame, out);
        if frame.kind == FrameKind::Data {
            self.await_answer(id, Stage::AwaitAck, self.times.timeout, out);
        }
    }

    /// Handles a missing CTS or ACK.
    pub(super) fn fail(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let mac = self.config.mac;
        let station = &mut self.stations[id as usize];
        let was_data = station.stage == Stage::AwaitAck;
        station.stage = Stage::Contend;
        let Some(head) = &mut station.head else { return };
        let way = &mut self.ways[head.way as usize];
        way.counts.failures += u64::from(!head.is_past);
        let local = head.way;
        // The long retry count is that of data behind RTS; an RTS without CTS, and data without RTS, have the short one
        // (IEEE 802.11-2020, §10.3.4.4).
        let is_long = was_data && self.config.has_rts(u64::from(head.packet.size));
        let (count, limit) = match is_long {
            true => (&mut head.long_retries, mac.long_retries),
            false => (&mut head.short_retries, mac.short_retries),
        };
        *count += 1;
        let tries_again = limit.is_none_or(|limit| *count < limit);
        if tries_again {
            station.cw = (2 * station.cw + 1).min(self.config.phy.cw_max);
            station.slots = Some(station.draw(mac.is_ns2));
            station.arm(now, id, &self.times, out);
        }
        if let Some(routing) = &mut self.routing {
            routing.note_attempt(now, local, false, !tries_again);
        }
        if tries_again {
            return;
        }
        let Some(head) = self.stations[id as usize].head else { return };
        // Data that arrived, all of whose ACKs were lost, is no loss.
        let is_kept = !head.is_received && R::put_back(self, now, id, &head);
        let way = &mut self.ways[local as usize];
        if !head.is_received && head.packet.kind != Kind::Routing {
            way.backlog -= 1;
            way.counts.link.lost += u64::from(!is_kept && !head.is_past);
        }
        if !is_kept {
            out.complete(now, &head.packet);
        }
        R::give_up(self, now, id, &head, is_kept, out);
        self.next(now, id, self.config.phy.cw_min, out);
    }

    /// Handles the ACK.
    pub(super) fn succeed(&mut self, now: Time, id: u32, out: &mut impl Out) {
        let Some(head) = self.stations[id as usize].head else { return };
        if let Some(routing) = &mut self.routing {
            routing.note_attempt(now, head.way, true, true);
        }
        let cw = self.window_after(head.way, head.packet.size, now);
        self.ways[head.way as usize].counts.successes += u64::from(!head.is_past);
        out.complete(now, &head.packet);
        if head.packet.kind == Kind::Routing
            && let Some(routing) = &mut self.routing
        {
            routing.release(head.packet.number);
        }
        self.next(now, id, cw, out);
    }

    /// Takes the next packet, after the mandatory backoff from the window `cw`.
    pub(super) fn next(&mut self, now: Time, id: u32, cw: u32, out: &mut impl Out) {
        let station = &mut self.stations[id as usize];
        station.stage = Stage::Contend;
        if let Some(way) = station.head.take().and_then(|head| self.ways.get_mut(head.way as usize)) {
            way.counts.link.busy += way.serving(now);
            way.served_since = None;
        }
        station.cw = cw;
        station.slots = Some(station.draw(self.config.mac.is_ns2));
        station.note_queue(now);
        station.arm(now, id, &self.times, out);
        let next = self.next_waiting(now, id, out);
        if let Some(next) = next {
            self.take(now, id, next);
        }
    }

    /// True if a station in `stage` still waits for this answer from `from`.
    pub(super) fn is_awaited(&self, id: u32, from: u32, stage: Stage) -> bool {
        let station = &self.stations[id as usize];
        let is_peer = |way: u32| self.ways[way as usize].to == from && from != ALL;
        station.stage == stage && station.head.is_some_and(|head| is_peer(head.way))
    }
}
