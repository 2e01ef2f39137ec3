//! Backpressure forwarding: interface to the MAC.

use super::Backpressure;
use super::reports::Reports;
use crate::interface::Out;
use crate::wifi::dcf::mac::{Timer, Wifi};
use crate::wifi::dcf::routing::Routing;
use crate::wifi::dcf::station::{Head, Stage};
use crate::wifi::dcf::waiting::Waiting;
use crate::wifi::protocol::{Acks, Failures};
use windward_elements::backpressure::Class;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::Time;

impl Wifi<Routing> {
    /// Queues a packet at a station.
    pub(in crate::wifi::dcf::routing) fn queue_by_backlog(
        &mut self,
        now: Time,
        at: u32,
        packet: Packet,
        out: &mut impl Out,
    ) {
        let Some(Routing::Backpressure(rule)) = &mut self.routing else { return };
        let Some(to) = rule.station(packet.to) else { return out.lose(packet, Cause::NoRoute) };
        if rule.config.acks != Acks::Backlog && Class::of(&packet) == Class::Back {
            return match rule.way_back(at, to) {
                Some(way) => self.queue_up(now, way, packet, out),
                None => out.lose(packet, Cause::NoRoute),
            };
        }
        let commodity = rule.queues.commodity(at, to, &packet);
        if let Some(dropped) = rule.queues.push(now, at, commodity, packet) {
            out.lose(dropped, Cause::Queue);
        }
        if rule.reports.make_room(rule.queues.commodities()) {
            rule.begin_reports(now, out);
        }
        self.contend_for_backlog(now, at, out);
    }

    /// Starts contention at an idle station with a packet to send.
    fn contend_for_backlog(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let station = &self.stations[at as usize];
        let is_idle = station.stage == Stage::Contend && station.head.is_none() && station.slots.is_none();
        let Some(Routing::Backpressure(rule)) = &self.routing else { return };
        // A user-defined rule runs only when the station may send.
        let has_pick = || match rule.own {
            Some(_) => rule.queues.has_waiting(at),
            None => rule.queues.has_pick(at, |way, commodity| rule.reports.known(way, commodity)),
        };
        if is_idle && has_pick() {
            self.contend_anew(now, at, out);
        }
    }

    /// Chooses the packet of a station that may send now. Returns false if it has none to send.
    pub(in crate::wifi::dcf::routing) fn take_by_backlog(&mut self, now: Time, at: u32) -> bool {
        let Some(Routing::Backpressure(rule)) = &mut self.routing else { return false };
        let station = &mut self.stations[at as usize];
        let Some((way, commodity, packet)) = rule.choose(now, at) else {
            // The data before an ACK may not be sent: its turn has come.
            station.note_queue(now);
            let Some(first) = station.pop() else { return false };
            self.take(now, at, first);
            return true;
        };
        station.chosen += 1;
        let state = &mut self.ways[way as usize];
        state.backlog += 1;
        state.line.join(now);
        self.take(now, at, Waiting { since: now, way, packet, turn: 0 });
        if let Some(head) = &mut self.stations[at as usize].head {
            head.commodity = Some(commodity);
        }
        true
    }

    /// Returns a packet that the MAC gave up to the head of its queue. An ACK in line with data first lets the data
    /// pass that waits now. Returns false if the packet came from no such queue.
    pub(in crate::wifi::dcf::routing) fn put_back(&mut self, now: Time, at: u32, head: &Head) -> bool {
        let Some(Routing::Backpressure(rule)) = &mut self.routing else { return false };
        if let Some(commodity) = head.commodity {
            rule.queues.put_back(at, commodity, head.packet);
            return true;
        }
        if !rule.config.acks.wait_in_line() || Class::of(&head.packet) != Class::Back {
            return false;
        }
        let turn = rule.turn(at, self.stations[at as usize].chosen);
        let way = &mut self.ways[head.way as usize];
        way.backlog += 1;
        way.line.join(now);
        let station = &mut self.stations[at as usize];
        station.note_queue(now);
        station.queue.push_front(Waiting { since: now, way: head.way, packet: head.packet, turn });
        station.bytes += u64::from(head.packet.size);
        true
    }

    /// Broadcasts a report if a station has been silent for too long.
    pub(in crate::wifi::dcf::routing) fn report_backlog(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(Routing::Backpressure(rule)) = &mut self.routing else { return };
        let Backpressure { reports, queues, config, .. } = &mut **rule;
        let due = &mut reports.due[at as usize];
        let is_due = *due <= now;
        if is_due {
            *due = now + config.report;
        }
        out.wake_at(*due, Timer::Route.of(at));
        let active = queues.active(at);
        if is_due && active > 0 && !std::mem::replace(&mut reports.is_waiting[at as usize], true) {
            let size = Reports::bytes(active, config.entry);
            self.broadcast(now, at, 0, size, out);
        }
    }

    /// Delivers the backlogs in a frame of `from` to the stations `heard`, which received it.
    pub(in crate::wifi::dcf::routing) fn hear_backlog(
        &mut self,
        now: Time,
        from: u32,
        is_report: bool,
        heard: &[u32],
        out: &mut impl Out,
    ) {
        let Some(Routing::Backpressure(rule)) = &mut self.routing else { return };
        let Backpressure { reports, queues, .. } = &mut **rule;
        if is_report {
            reports.is_waiting[from as usize] = false;
        }
        for &at in heard {
            if let Some(way) = queues.graph().between(at, from) {
                reports.hear(way, from, queues);
            }
        }
        for &at in heard {
            self.contend_for_backlog(now, at, out);
        }
    }
}

impl Backpressure {
    /// Counts a packet in service as received.
    pub fn leave(&mut self, now: Time, head: &Head) {
        if let Some(commodity) = head.commodity {
            self.queues.leave(now, head.way, commodity);
        }
    }

    /// Turn of a packet that now joins the interface queue of a station which has chosen `chosen`: after the data that
    /// waits there, if ACKs wait in line with it.
    #[inline]
    pub fn turn(&self, at: u32, chosen: u64) -> u64 {
        if self.config.acks.wait_in_line() { chosen + u64::from(self.queues.all_waiting_at(at)) } else { 0 }
    }

    /// Counts an attempt on a link; `is_last` marks the last attempt of its packet.
    pub fn note_attempt(&mut self, now: Time, way: u32, is_success: bool, is_last: bool) {
        if is_last || self.config.failures == Failures::Attempts {
            self.estimates[way as usize].note(now, self.config.memory, is_success);
        }
    }

    /// Bytes of the backlogs in a data frame.
    pub fn header(&self, at: u32) -> u32 {
        self.config.entry * self.queues.active(at)
    }

    /// Records the backlogs that a station's data frame or report announces.
    pub fn announce(&mut self, now: Time, at: u32) {
        self.reports.tell(at, &self.queues);
        if self.reports.due[at as usize] != Time::NEVER {
            self.reports.due[at as usize] = now + self.config.report;
        }
    }

    /// Chooses j* and its packet.
    fn choose(&mut self, now: Time, at: u32) -> Option<(u32, u32, Packet)> {
        let Self { queues, reports, estimates, streams, config, own, .. } = self;
        // R̃ is the same for all ways of a station.
        let quality = |way: u32| estimates[way as usize].success(now, config.memory);
        let known = |way, commodity| reports.known(way, commodity);
        let stream = &mut streams[at as usize];
        let (way, pick) = match own {
            Some(rule) => queues.pick_ranked((now, at), known, quality, &mut *rule.0, stream)?,
            None => queues.pick_at(at, known, quality, stream)?,
        };
        let packet = queues.take(at, pick.commodity)?;
        Some((way, pick.commodity, packet))
    }

    /// Starts the reports of stations that a new commodity concerns, spread over time.
    #[cold]
    fn begin_reports(&mut self, now: Time, out: &mut impl Out) {
        let Self { queues, reports, streams, config, .. } = self;
        for at in 0..streams.len() as u32 {
            let due = &mut reports.due[at as usize];
            if *due == Time::NEVER && !queues.at(at).is_empty() {
                *due = now + config.report.scale(streams[at as usize].uniform());
                out.wake_at(*due, Timer::Route.of(at));
            }
        }
    }
}
