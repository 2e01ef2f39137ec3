//! Packets without a number: one queue for a station, or Linux's transmit queues.

use super::counts::QueueCounts;
use super::mac::Edca;
use super::packets::Waiting;
use super::transmit::Transmit;
use super::way::WayState;
use crate::interface::Out;
use crate::wifi::category::{CATEGORIES, Category};
use crate::wifi::config::ROOM;
use crate::wifi::ppdu::Mode;
use crate::wifi::txq::Txq;
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

/// Index of the session of a link and the category of a queue.
const fn session_of(link: u32, txq: Txq) -> usize {
    link as usize * CATEGORIES + txq.category() as usize
}

/// Accounts for a packet that a queue drops.
fn drop(
    (ways, counts, waiting): (&mut [WayState], &mut [QueueCounts], (&mut u64, &mut u64)),
    index: usize,
    now: Time,
    gone: &queue::Waiting,
    out: &mut impl Out,
) {
    let counts = &mut counts[index];
    counts.dropped += 1;
    counts.line.drop(gone.since, now);
    let way = &mut ways[index / CATEGORIES];
    way.backlog -= 1;
    way.line.drop(gone.since, now);
    way.counts.link.dropped += 1;
    *waiting.0 -= 1;
    *waiting.1 -= u64::from(gone.packet.size);
    out.complete(now, &gone.packet);
    out.lose(gone.packet, Cause::Queue);
}

impl Edca {
    /// Queues a packet at its link's sender.
    pub(super) fn queue_up(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let is_ack =
            matches!(packet.kind, Kind::SynAck | Kind::Ack | Kind::CodedAck | Kind::Parcel { is_backward: true });
        let category =
            self.config.category(packet.flow, matches!(packet.kind, Kind::Datagram | Kind::Report), is_ack) as usize;
        let Self { ways, stations, queue_counts, .. } = self;
        let counts = &mut queue_counts[local as usize * CATEGORIES + category];
        counts.arrived += 1;
        let way = &mut ways[local as usize];
        let id = way.from;
        let station = &mut stations[id as usize];
        let is_full = station.transmit.is_none()
            && station.buffer.is_full(station.waiting, station.bytes, packet.size, Duration::ZERO);
        if is_full {
            way.counts.link.dropped += 1;
            counts.dropped += 1;
            out.complete(now, &packet);
            return out.lose(packet, Cause::Queue);
        }
        way.backlog += 1;
        way.line.join(now);
        counts.line.join(now);
        station.note_queue(now);
        station.waiting += 1;
        station.bytes += u64::from(packet.size);
        station.longest_queue = station.longest_queue.max(station.waiting);
        let peer = way.peer;
        let Some(transmit) = station.transmit.as_deref_mut() else {
            self.go_down(local * CATEGORIES as u32 + category as u32, Waiting { since: now, packet, estimate: 0 });
            self.fill_hardware(now, id, category, out);
            return self.contend_anew(now, id, category, out);
        };
        transmit.held[category] += 1;
        let Transmit { txqs, held, links, is_firmware, .. } = transmit;
        txqs.enqueue(now, Txq { station: peer, tid: Category::ALL[category].priority() }, packet, &mut |txq, gone| {
            held[txq.category() as usize] -= 1;
            let sums = (&mut station.waiting, &mut station.bytes);
            let index = session_of(links[txq.station as usize], txq);
            drop((ways, queue_counts, sums), index, now, &gone, out);
        });
        if *is_firmware {
            self.pull(now, id, category, out);
        }
        self.fill_hardware(now, id, category, out);
        self.contend_anew(now, id, category, out);
    }

    /// Adds a packet to those of a session that the driver has, and lists the session.
    fn go_down(&mut self, index: u32, waiting: Waiting) {
        let queue = &mut self.queues[index as usize];
        if queue.capacity() == 0 {
            queue.reserve(ROOM);
        }
        queue.push_back(waiting);
        let from = self.ways[index as usize / CATEGORIES].from;
        if let Some(order) = &mut self.stations[from as usize].order {
            order[index as usize % CATEGORIES].push_back(index);
        }
        self.list(index);
    }

    /// Lists a session among those with work.
    pub(super) fn list(&mut self, index: u32) {
        let session = &mut self.sessions[index as usize];
        if !session.is_listed {
            session.is_listed = true;
            let from = self.ways[index as usize / CATEGORIES].from;
            self.stations[from as usize].turns[index as usize % CATEGORIES].push_back(index);
        }
    }

    /// Takes packets of a category down to the firmware, as far as AQL allows.
    pub(super) fn pull(&mut self, now: Time, id: u32, of: usize, out: &mut impl Out) {
        let is_firmware = |transmit: &Transmit| transmit.is_firmware && transmit.held[of] > 0;
        if !self.stations[id as usize].transmit.as_deref().is_some_and(is_firmware) {
            return;
        }
        self.stations[id as usize].note_queue(now);
        let mut begins = true;
        loop {
            let Some(transmit) = self.stations[id as usize].transmit.as_deref_mut() else { return };
            let Some(txq) = transmit.next(of, std::mem::take(&mut begins)) else { return };
            let index = transmit.session(txq);
            while let Some(waiting) = self.take_from(now, id, txq, out) {
                self.go_down(index, waiting);
            }
            if let Some(transmit) = self.stations[id as usize].transmit.as_deref_mut() {
                transmit.txqs.give_back(now, txq, false);
            }
        }
    }

    /// Takes the next packet of a transmit queue.
    fn take_from(&mut self, now: Time, id: u32, txq: Txq, out: &mut impl Out) -> Option<Waiting> {
        let Self { ways, stations, queue_counts, .. } = self;
        let station = &mut stations[id as usize];
        let Transmit { txqs, held, links, .. } = station.transmit.as_deref_mut()?;
        let marked = txqs.marked();
        let taken = txqs.dequeue(now, txq, &mut |txq, gone| {
            held[txq.category() as usize] -= 1;
            let sums = (&mut station.waiting, &mut station.bytes);
            let index = session_of(links[txq.station as usize], txq);
            drop((ways, queue_counts, sums), index, now, &gone, out);
        })?;
        let link = links[txq.station as usize];
        ways[link as usize].counts.link.marked += txqs.marked() - marked;
        queue_counts[session_of(link, txq)].marked += txqs.marked() - marked;
        held[txq.category() as usize] -= 1;
        Some(Waiting { since: taken.since, packet: taken.packet, estimate: taken.estimate as u16 })
    }

    /// Makes sure that a session's next packet is at the driver, if the driver may take one now.
    pub(super) fn fetch(&mut self, now: Time, id: u32, index: u32, out: &mut impl Out) {
        let of = index as usize % CATEGORIES;
        if !self.queues[index as usize].is_empty() {
            return;
        }
        let serving = self.stations[id as usize].transmit.as_deref().and_then(|transmit| transmit.serving[of]);
        let Some(txq) = serving else { return };
        if let Some(waiting) = self.take_from(now, id, txq, out) {
            self.queues[index as usize].push_back(waiting);
        }
    }

    /// Session that a category serves next. `begins` opens a round of the airtime scheduler.
    pub(super) fn choose(&mut self, id: u32, of: usize, begins: bool) -> Option<u32> {
        if self.stations[id as usize].order.is_some() {
            return self.choose_in_order(id, of);
        }
        let station = &mut self.stations[id as usize];
        let Some(transmit) = station.transmit.as_deref_mut().filter(|transmit| !transmit.is_firmware) else {
            // Firmware, and a driver without Linux's queues, serve their sessions in turn.
            return station.turns[of].front().copied();
        };
        if transmit.serving[of].is_none() {
            transmit.serving[of] = transmit.next(of, begins);
        }
        let serving = transmit.serving[of].map(|txq| transmit.session(txq));
        // Sessions with MPDUs to repeat remain, whose queues are empty or held back by AQL.
        serving.or_else(|| station.turns[of].front().copied())
    }

    /// Session that a category serves next in the order of arrival: one whose MPDUs failed or whose receiver must be
    /// told of MPDUs given up, before the one of the first waiting packet. `None` if its window is full.
    fn choose_in_order(&self, id: u32, of: usize) -> Option<u32> {
        let station = &self.stations[id as usize];
        let is_behind = |index: &u32| self.has_unfinished(*index);
        let first = || station.order.as_deref().and_then(|order| order[of].front()).copied();
        station.turns[of].iter().copied().find(is_behind).or_else(|| first().filter(|&index| self.can_compose(index)))
    }

    /// True if MPDUs of a session wait for another PPDU, or its receiver for a request. Hardware that holds PPDUs has
    /// its requests, too.
    fn has_unfinished(&self, index: u32) -> bool {
        let session = &self.sessions[index as usize];
        let from = self.ways[index as usize / CATEGORIES].from;
        let has_request = session.wants_request && self.stations[from as usize].ahead.is_none();
        has_request || session.unacknowledged().next().is_some()
    }

    /// Ends a session's turn: it goes behind the others of its category, or off the list.
    pub(super) fn end_turn(&mut self, now: Time, id: u32, index: u32) {
        let of = index as usize % CATEGORIES;
        let station = &self.stations[id as usize];
        let has_work = if station.order.is_some() {
            // Packets that are not at the head yet are work, too.
            self.has_unfinished(index) || !self.queues[index as usize].is_empty()
        } else if station.ahead.is_some() {
            self.can_compose(index)
        } else {
            self.has_work(index)
        };
        let session = &mut self.sessions[index as usize];
        let station = &mut self.stations[id as usize];
        if session.is_listed {
            let turns = &mut station.turns[of];
            if turns.front() == Some(&index) {
                turns.pop_front();
            } else {
                turns.retain(|&other| other != index);
            }
            session.is_listed = false;
        }
        if let Some(transmit) = station.transmit.as_deref_mut()
            && let Some(txq) = transmit.serving[of].take()
        {
            transmit.txqs.give_back(now, txq, has_work);
        }
        if has_work {
            self.list(index);
        }
    }

    /// True if a session has packets or a request for the air.
    fn has_work(&self, index: u32) -> bool {
        let session = &self.sessions[index as usize];
        session.wants_request || session.is_outstanding() || !self.queues[index as usize].is_empty()
    }

    /// Charges the receiver of a PPDU for its airtime, at its sender.
    pub(super) fn charge(&mut self, now: Time, id: u32, index: u32, span: Duration) {
        let (way, of) = (&self.ways[index as usize / CATEGORIES], index as usize % CATEGORIES);
        if let Some(transmit) = self.stations[id as usize].transmit.as_deref_mut() {
            transmit.txqs.airtime(now, way.peer, Category::ALL[of], (span.as_nanos() / 1000) as u32);
        }
    }

    /// Charges the sender of a PPDU for its airtime, at its receiver.
    pub(super) fn charge_received(&mut self, now: Time, index: u32, span: Duration) {
        let way = &self.ways[index as usize / CATEGORIES];
        let of = index as usize % CATEGORIES;
        let (Some(reverse), Some(transmit)) = (way.reverse, self.stations[way.to as usize].transmit.as_deref_mut())
        else {
            return;
        };
        if !transmit.charges_received {
            return;
        }
        let peer = self.ways[reverse as usize].peer;
        transmit.txqs.airtime(now, peer, Category::ALL[of], (span.as_nanos() / 1000) as u32);
    }

    /// Completes packets of a session that were acknowledged or given up, with their estimates.
    pub(super) fn complete(&mut self, now: Time, id: u32, index: u32, done: &[u16], out: &mut impl Out) {
        let Self { ways, stations, queue_counts, .. } = self;
        let station = &mut stations[id as usize];
        let (peer, of) = (ways[index as usize / CATEGORIES].peer, index as usize % CATEGORIES);
        let Some(Transmit { txqs, held, links, .. }) = station.transmit.as_deref_mut() else { return };
        station.queue_time += station.waiting as f64 * now.since(station.queue_since).as_secs();
        station.queue_since = now;
        for &estimate in done {
            let txq = Txq { station: peer, tid: Category::ALL[of].priority() };
            txqs.completed(now, txq, u32::from(estimate), &mut |txq, gone| {
                held[txq.category() as usize] -= 1;
                let sums = (&mut station.waiting, &mut station.bytes);
                let index = session_of(links[txq.station as usize], txq);
                drop((ways, queue_counts, sums), index, now, &gone, out);
            });
        }
        // The limit of the radio is common to all categories.
        for of in 0..CATEGORIES {
            self.pull(now, id, of, out);
            self.fill_hardware(now, id, of, out);
            self.contend_anew(now, id, of, out);
        }
    }

    /// Tells the transmit queues the rate of a PPDU.
    pub(super) fn note_rate(&mut self, id: u32, way: u32, mode: Mode) {
        let peer = self.ways[way as usize].peer;
        if let Some(transmit) = self.stations[id as usize].transmit.as_deref_mut() {
            transmit.txqs.set_rate(peer, mode);
        }
    }
}
