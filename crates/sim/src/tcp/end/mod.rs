//! One end of a two-way connection: a sender and a receiver whose data and ACKs share segments. It knows no network.

mod sending;
#[cfg(test)]
mod tests;

use super::chronograph::Chronograph;
use super::inbox::Inbox;
use super::outbox::Outbox;
use super::receiver::{AckDue, Receiver};
use super::sender::Sender;
use super::stream::Stream;
use crate::network::{IdleRestart, TcpOptions};
use windward_elements::ecn::Ecn;
use windward_elements::packet::{Kind, Packet, Range, SACK_BLOCKS};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time};

/// Least time to the first probe of a closed window (Linux: `TCP_RTO_MIN`), and the longest to any
/// (`TCP_RTO_MAX`).
const LEAST_PROBE: Duration = Duration::from_millis(200);
const LONGEST_PROBE: Duration = Duration::from_millis(120_000);

/// One end.
pub struct End {
    /// Its sender.
    pub sender: Sender,
    /// Its receiver.
    pub receiver: Receiver,
    /// Data that it sends.
    stream: Stream,
    /// Nagle's algorithm.
    pub nagle: Nagle,
    /// Duplicate ACKs count for nothing.
    has_sack: bool,
    idle_restart: IdleRestart,
    initial_window: u32,
    /// Last transmission of data.
    last_sent: Option<Time>,
    /// Right edge of the other end's receive window, in bytes of the stream; `None` if that window does not move.
    edge: Option<u64>,
    /// Probes sent since the other end closed its window; `None` while data may be sent. The retransmission timer is
    /// then that of the probes.
    probes: Option<u32>,
    /// Buffer of written data; `None` if it is unlimited.
    outbox: Option<Outbox>,
    /// Buffer and application of arriving data; `None` if everything is read at once from a window that does not move.
    pub inbox: Option<Box<Inbox>>,
    /// Round-trip sample of the last packet.
    pub sample: Option<Duration>,
    chronograph: Chronograph,
}

/// Short segments that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nagle {
    /// None.
    Off,
    /// Those behind another short one in flight.
    Minshall,
    /// All (Linux: `TCP_CORK`).
    Cork,
}

impl Nagle {
    /// That of these options.
    fn of(tcp: &TcpOptions) -> Self {
        if tcp.nagle { Self::Minshall } else { Self::Off }
    }
}

/// Data of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number.
    pub number: u32,
    /// Its bytes.
    pub payload: u32,
    /// True if it carries FIN.
    pub is_last: bool,
}

/// A departing segment. Every segment acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Its data; `None` for a pure ACK.
    pub data: Option<Data>,
    /// True for a probe of a closed window, which has no data.
    pub is_probe: bool,
    /// First missing segment of the other direction.
    pub number: u32,
    /// Receive window in bytes, if it moves.
    pub window: Option<u32>,
    /// SACK blocks, the newest first.
    pub sack: [Range; SACK_BLOCKS],
    /// Echoed timestamp.
    pub stamp: u64,
    /// ECN fields of data, ACK, or both.
    pub ecn: Ecn,
}

impl End {
    /// An end before the handshake. Its law draws random numbers from `seed`.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, seed: u64) -> Self {
        let inbox = Inbox::new(tcp).map(Box::new);
        let outbox = Outbox::new(tcp, &law);
        Self {
            sender: Sender::new(law, tcp, 0, seed),
            receiver: Receiver::two_way(tcp),
            stream: Stream::new(tcp.segment.count() as u32),
            has_sack: tcp.sack,
            nagle: Nagle::of(tcp),
            idle_restart: tcp.idle_restart,
            initial_window: tcp.initial_window,
            last_sent: None,
            // Both ends have the same options.
            edge: inbox.as_ref().map(|inbox| inbox.announced()),
            probes: None,
            outbox,
            inbox,
            sample: None,
            chronograph: Chronograph::default(),
        }
    }

    /// Starts over as an end of another connection, in the storage of this one. The options are those with which it was
    /// made. A moving receive window takes new memory.
    pub fn recycle(&mut self, law: AnyLaw, tcp: &TcpOptions, seed: u64) {
        let Self {
            sender,
            receiver,
            stream,
            has_sack: _,
            nagle,
            idle_restart: _,
            initial_window: _,
            last_sent,
            edge,
            probes,
            outbox,
            inbox,
            sample,
            chronograph,
        } = self;
        *outbox = Outbox::new(tcp, &law);
        sender.recycle(law, tcp, seed);
        receiver.recycle(tcp);
        stream.recycle();
        *inbox = Inbox::new(tcp).map(Box::new);
        *edge = inbox.as_ref().map(|inbox| inbox.announced());
        (*nagle, *last_sent) = (Nagle::of(tcp), None);
        (*probes, *sample, *chronograph) = (None, None, Chronograph::default());
    }

    /// Bytes that this end has written.
    pub fn written(&self) -> u64 {
        self.stream.written() + self.outbox.as_ref().map_or(0, |outbox| outbox.waiting())
    }

    /// True if the application waits for room in the send buffer.
    #[inline]
    fn is_blocked(&self) -> bool {
        self.outbox.as_ref().is_some_and(|outbox| outbox.is_blocked())
    }

    /// Bytes from the other end, `from`, that the application has read.
    #[inline]
    pub fn arrived(&self, from: &Self) -> u64 {
        match &self.inbox {
            None => from.stream.below(self.receiver.next()),
            Some(inbox) => inbox.bytes_read(),
        }
    }

    /// Adds `bytes` of the application, the last ones if `is_last`, and sends what may be sent.
    pub fn write(&mut self, now: Time, bytes: u64, is_last: bool, out: impl FnMut(Outgoing)) {
        if self.stream.unsent() < u64::from(self.stream.segment()) && !self.is_blocked() {
            self.sender.note_short_write();
        }
        self.resume(now);
        let is_last = match &mut self.outbox {
            None => {
                self.stream.write(bytes);
                is_last
            }
            Some(outbox) => {
                outbox.write(bytes, is_last);
                outbox.is_complete()
            }
        };
        if is_last {
            self.stream.close();
        }
        self.send(now, out);
    }

    /// Lets an application that waits write, once the send buffer has room (Linux: `tcp_check_space`). Returns true if
    /// it has written.
    #[cold]
    fn refill(&mut self) -> bool {
        let (acked, cwnd) = (self.stream.below(self.sender.una()), self.sender.window());
        let Some(outbox) = self.outbox.as_mut().filter(|outbox| outbox.is_blocked()) else { return false };
        if let Some(edge) = self.edge {
            outbox.note_window(edge.saturating_sub(acked));
        }
        if outbox.sleeps() && self.sender.pipe() < cwnd {
            outbox.expand(cwnd, self.sender.reordering());
        }
        let unsent = self.stream.unsent();
        if outbox.begins_call() && unsent < u64::from(self.stream.segment()) {
            self.sender.note_short_write();
        }
        let bytes = outbox.fill(acked, self.stream.written() - acked, unsent);
        self.stream.write(bytes);
        if outbox.is_complete() {
            self.stream.close();
        }
        bytes > 0
    }

    /// Closes this direction: FIN follows the last byte written. The other direction stays open.
    pub fn close(&mut self, now: Time, out: impl FnMut(Outgoing)) {
        match &mut self.outbox {
            Some(outbox) if outbox.is_blocked() => outbox.close(),
            _ => self.stream.close(),
        }
        self.send(now, out);
    }

    /// Sets Nagle's algorithm, and sends what it no longer holds.
    pub fn set_nagle(&mut self, nagle: Nagle, now: Time, out: impl FnMut(Outgoing)) {
        self.nagle = nagle;
        self.send(now, out);
    }

    /// Bounds this end to `window` bytes after what is acknowledged.
    pub fn grant(&mut self, window: u64) {
        self.edge = Some(self.stream.below(self.sender.una()) + window);
    }

    /// Receive window of the other end after the segment `number`, in bytes.
    pub fn window_at(&self, number: u32) -> u32 {
        let edge = self.edge.unwrap_or(0);
        edge.saturating_sub(self.stream.below(number.max(self.sender.una()))) as u32
    }

    /// Sends a pure ACK.
    pub fn answer(&mut self, mut out: impl FnMut(Outgoing)) {
        self.put(None, Ecn::default(), &mut out);
    }

    /// Time for which data waited to be sent or acknowledged until `now`, and the part of it in which a receive window
    /// without room for a segment was the reason.
    pub fn busy(&self, now: Time) -> (Duration, Duration) {
        self.chronograph.read(now)
    }

    /// Drops the data that has not been sent, and writes no more.
    pub fn cut(&mut self) {
        if let Some(outbox) = &mut self.outbox {
            outbox.cut();
        }
        self.stream.cut();
        self.stream.close();
        self.stop_probing();
    }

    /// True if nothing is outstanding.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.sender.una() == self.sender.next()
    }

    /// Reduces the window after a pause, if nothing is outstanding.
    fn resume(&mut self, now: Time) {
        if let Some(last) = self.last_sent
            && self.is_quiet()
        {
            self.sender.resume(now.since(last), self.idle_restart, self.initial_window);
        }
    }

    /// Handles an arriving packet with `payload` bytes of data.
    #[inline]
    pub fn arrive(&mut self, now: Time, packet: &Packet, payload: u32, mut out: impl FnMut(Outgoing)) {
        self.sample = None;
        let due = match packet.kind {
            Kind::Segment => {
                let ack = packet.ack();
                self.note_window(now, ack.number, ack.window);
                // Data that acknowledges nothing new is no duplicate ACK (RFC 5681 §2).
                if ack.number > self.sender.una() || ack.block.0 < ack.block.1 {
                    let sack = [ack.block, (0, 0), (0, 0)];
                    let ecn = packet.ecn.of_ack();
                    self.acknowledge(
                        now,
                        &Packet { kind: Kind::Ack, number: ack.number, stamp: ack.stamp, sack, ecn, ..*packet },
                    );
                }
                Some(self.receive(now, packet, payload))
            }
            kind => {
                // An ACK that moves the window and nothing else is no duplicate (RFC 5681 §2).
                let moves = self.note_window(now, packet.number, packet.window());
                let is_news = packet.number > self.sender.una() || packet.sack[0].0 < packet.sack[0].1;
                if is_news || !moves || self.has_sack {
                    self.acknowledge(now, packet);
                }
                (kind == Kind::Probe).then_some(AckDue::Now)
            }
        };
        let has_sent = self.send(now, &mut out);
        if let Some(probes) = self.probes {
            // Linux: `tcp_ack_probe`.
            self.wait_to_probe(now, probes);
        }
        match due {
            // Data that has just left carries the ACK.
            Some(AckDue::Now) if !has_sent => self.answer(out),
            Some(AckDue::By(deadline)) if !has_sent => {
                let timer = &mut self.receiver.timer;
                // A further segment does not put off the ACK that is due.
                timer.set(deadline.min(timer.deadline()));
            }
            _ => {}
        }
    }

    /// Takes the receive window that comes with the ACK `number` (Linux: `tcp_may_update_window`). Returns true if it
    /// moves.
    #[inline]
    fn note_window(&mut self, now: Time, number: u32, window: u32) -> bool {
        let una = self.sender.una();
        let Some(before) = self.edge.filter(|_| number >= una) else { return false };
        let edge = self.stream.below(number) + u64::from(window);
        // An older ACK of the same data says less, unless it closes the window.
        if edge == before || (number == una && edge < before && window > 0) {
            return false;
        }
        self.edge = Some(edge);
        if edge > before && self.probes.is_some() {
            // Linux: `tcp_ack_update_window`.
            self.resume(now);
        }
        true
    }

    #[inline]
    fn acknowledge(&mut self, now: Time, packet: &Packet) {
        self.sample = self.sender.on_ack(now, packet);
        self.stream.acknowledge(self.sender.una());
    }

    /// Handles the data of a segment.
    #[inline]
    fn receive(&mut self, now: Time, packet: &Packet, payload: u32) -> AckDue {
        let rtt = self.sender.rtt();
        self.receiver.note_arrival(now, rtt.srtt(), rtt.rto());
        let data = Packet { kind: Kind::Data, size: payload, ecn: packet.ecn.of_data(), ..*packet };
        match &mut self.inbox {
            None => self.receiver.receive(now, &data),
            Some(inbox) => inbox.arrive(now, &data, &mut self.receiver),
        }
    }

    /// Lets the application read, and announces the window if it grows much or an ACK is due.
    pub fn read(&mut self, now: Time, out: impl FnMut(Outgoing)) {
        if let Some(inbox) = &mut self.inbox
            && inbox.read(now, &self.receiver)
        {
            self.answer(out);
        }
    }

    /// True if all data is acknowledged, FIN too.
    pub fn is_done(&self) -> bool {
        self.stream.is_closing() && self.stream.is_sent() && self.is_quiet()
    }

    /// Handles the expiry of the timer of delayed ACKs.
    pub fn expire_ack(&mut self, now: Time, out: impl FnMut(Outgoing)) {
        self.receiver.note_expiry(now, self.sender.rtt().rto());
        self.answer(out);
    }

    /// Handles the expiry of the retransmission timer.
    pub fn expire(&mut self, now: Time, mut out: impl FnMut(Outgoing)) {
        // With nothing in flight the timer is that of the probes (RFC 9293 §3.8.6.1).
        if !self.is_quiet() {
            self.sender.on_timer(now);
        } else if let Some(probes) = self.probes {
            self.wait_to_probe(now, probes + 1);
            self.put_probe(&mut out);
        }
        self.send(now, out);
    }

    /// Starts the time to the next probe of a closed window, after `probes` of them (Linux: `tcp_probe0_when`).
    fn wait_to_probe(&mut self, now: Time, probes: u32) {
        self.probes = Some(probes);
        let base = self.sender.rtt().rto().max(LEAST_PROBE);
        let wait = (base * (1 << probes.min(16))).min(LONGEST_PROBE);
        self.sender.timer().set(now + wait);
    }

    /// Leaves the retransmission timer to data again, if it is that of the probes.
    fn stop_probing(&mut self) {
        if self.probes.take().is_some() {
            self.sender.timer().cancel();
        }
    }
}
