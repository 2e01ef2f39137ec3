//! One end of a two-way connection: a sender and a receiver whose data and ACKs share segments. It knows no network.

use super::chronograph::Chronograph;
use super::inbox::Inbox;
use super::outbox::Outbox;
use super::receiver::{AckDue, Receiver};
use super::sender::{Sender, Turn};
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
    /// Use of the window since it was last judged: the most segments outstanding, and that time.
    used: (u32, Time),
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
            used: (0, Time::ZERO),
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
            used,
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
        (*nagle, *last_sent, *used) = (Nagle::of(tcp), None, (0, Time::ZERO));
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
        if self.last_sent.is_none() {
            self.used.1 = now;
        }
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
    fn refill(&mut self, now: Time) -> bool {
        let (acked, cwnd) = (self.stream.below(self.sender.una()), self.sender.window());
        let Some(outbox) = self.outbox.as_mut().filter(|outbox| outbox.is_blocked()) else { return false };
        if outbox.sleeps() && self.sender.pipe() < cwnd {
            outbox.expand(cwnd, self.sender.reordering());
            self.used.1 = now;
        }
        let bytes = outbox.fill(acked, self.stream.written() - acked, self.stream.unsent());
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
            let idle = now.since(last);
            if idle > self.sender.rtt().rto() {
                self.used = (0, now);
            }
            self.sender.resume(idle, self.idle_restart, self.initial_window);
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

    /// Sends all segments that are allowed now, and lets an application write that waits for room. Returns true if
    /// there were any.
    #[inline]
    pub fn send(&mut self, now: Time, mut out: impl FnMut(Outgoing)) -> bool {
        let mut has_sent = self.send_written(now, &mut out);
        while self.is_blocked() && self.refill(now) {
            has_sent |= self.send_written(now, &mut out);
        }
        has_sent
    }

    /// Sends all segments of the send buffer that are allowed now. Returns true if there were any.
    #[inline]
    fn send_written(&mut self, now: Time, out: &mut impl FnMut(Outgoing)) -> bool {
        // After a close nothing can complete a short segment: Nagle has nothing to wait for.
        let with_tail = self.stream.is_closing()
            || match self.nagle {
                Nagle::Off => true,
                // Minshall's variant: a short segment waits while another one is in flight.
                Nagle::Minshall => !self.stream.has_short(),
                Nagle::Cork => false,
            };
        let ready = self.stream.ready(with_tail);
        if ready == 0 && self.is_quiet() {
            // An idle sender is not short of data: its window stays valid until the application writes.
            self.chronograph.stop(now);
            return false;
        }
        self.chronograph.start(now);
        self.sender.set_end(self.sender.next().saturating_add(ready));
        if let Some(edge) = self.edge {
            self.bound(now, ready, edge);
        }
        let mut has_sent = false;
        loop {
            let turn = self.sender.turn(now);
            let number = match turn {
                Turn::New(number) | Turn::Again(number) => number,
                Turn::Wait(until) => {
                    self.sender.pacing_timer().set(until);
                    break;
                }
                Turn::Idle => break,
            };
            if self.last_sent.is_some() && self.is_quiet() {
                self.sender.restart(now);
            }
            let ecn = self.sender.on_send(now, turn);
            let payload = match turn {
                Turn::New(_) => self.take(now, number),
                _ => self.stream.payload(number),
            };
            self.receiver.note_send(now);
            self.last_sent = Some(now);
            self.put(Some(Data { number, payload, is_last: self.stream.is_last(number) }), ecn, out);
            has_sent = true;
        }
        if has_sent && self.idle_restart == IdleRestart::Linux {
            self.validate_window(now);
        }
        has_sent
    }

    /// Takes the payload of the new segment `number`.
    #[inline]
    fn take(&mut self, now: Time, number: u32) -> u32 {
        let payload = self.stream.take(number);
        if let Some(outbox) = &mut self.outbox {
            let unsent = self.stream.unsent();
            outbox.note_sent(now, self.stream.written() - unsent, unsent, || self.sender.linux_pacing_rate());
        }
        payload
    }

    /// Bounds the sender of `ready` new segments to the byte `edge`. Starts to probe a window without room for one
    /// while nothing is in flight, and ends it.
    fn bound(&mut self, now: Time, ready: u32, edge: u64) {
        let fits = self.stream.fitting(ready, edge);
        self.chronograph.limit(now, fits < ready && fits < self.room());
        self.sender.set_receive_window(self.sender.unacknowledged().saturating_add(fits));
        let is_closed = ready > 0 && fits == 0 && self.is_quiet();
        if !is_closed {
            self.stop_probing();
        } else if self.probes.is_none() {
            self.wait_to_probe(now, 0);
        }
    }

    /// Segments that the congestion window has room for.
    fn room(&self) -> u32 {
        self.sender.window().saturating_sub(self.sender.pipe())
    }

    /// Reduces a window that was not used for a timeout (Linux: `tcp_cwnd_validate`).
    fn validate_window(&mut self, now: Time) {
        if self.sender.is_window_limited() {
            self.used = (0, now);
            return;
        }
        let (used, since) = self.used;
        let used = used.max(self.sender.unacknowledged());
        self.used = (used, since);
        if now.since(since) >= self.sender.rtt().rto() {
            // A lack of room in the send buffer is no lack of data.
            if !self.is_blocked() {
                self.sender.shrink_unused(used.max(self.initial_window));
            }
            self.used = (0, now);
        }
    }

    #[inline]
    fn put(&mut self, data: Option<Data>, ecn: Ecn, out: &mut impl FnMut(Outgoing)) {
        let outgoing = self.outgoing(data, ecn);
        out(outgoing);
    }

    #[cold]
    fn put_probe(&mut self, out: &mut impl FnMut(Outgoing)) {
        let outgoing = self.outgoing(None, Ecn::default());
        out(Outgoing { is_probe: true, ..outgoing });
    }

    #[inline]
    fn outgoing(&mut self, data: Option<Data>, ecn: Ecn) -> Outgoing {
        let (sack, stamp) = self.receiver.acknowledge();
        let echo = self.receiver.echo();
        let ecn = if data.is_some() { ecn.with_ack(echo) } else { echo };
        let beyond = self.receiver.beyond();
        let window = self.inbox.as_mut().map(|inbox| {
            if inbox.is_short(beyond) {
                self.receiver.note_shortage();
            }
            inbox.announce(beyond)
        });
        Outgoing { data, is_probe: false, number: self.receiver.next(), window, sack, stamp, ecn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::ReceiveBuffer;
    use windward_laws::LawSpec;
    use windward_units::{Bytes, Packets};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn end(tcp: &TcpOptions, cwnd: f64) -> End {
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        let mut end = End::new(law.build(Packets::new(cwnd)), tcp, 1);
        end.sender.establish(Time::ZERO, 1, Some(Duration::from_millis(100)));
        end
    }

    fn ack(number: u32) -> Packet {
        Packet { number, ..Packet::new(Kind::Ack, Time::ZERO, 0, 0, 0) }
    }

    fn data(now: Time, number: u32, acknowledges: u32) -> Packet {
        let mut packet = Packet { number, ..Packet::new(Kind::Segment, now, 0, 0, 0) };
        packet.set_ack(windward_elements::packet::Piggyback {
            number: acknowledges,
            window: 0,
            stamp: 0,
            block: (0, 0),
        });
        packet
    }

    /// Linux by hand: a window of 64, an initial one of 10, and pauses of just a timeout, and of more than one, two and
    /// three of them leave 64, 32, 16 and 10. RFC 5681: 10 after each but the first.
    #[test]
    fn a_pause_halves_the_window_once_a_timeout() {
        for (rule, expected) in [(IdleRestart::Linux, [64, 32, 16, 10]), (IdleRestart::Rfc5681, [64, 10, 10, 10])] {
            for (timeouts, cwnd) in (0..).zip(expected) {
                let tcp = TcpOptions { idle_restart: rule, ..TcpOptions::default() };
                // One segment out of 64 leaves the window as it is.
                let mut end = end(&tcp, 64.0);
                end.write(at(0), 1448, false, |_| {});
                end.arrive(at(100), &ack(1), 0, |_| {});
                let info = end.sender.info();
                assert_eq!(info.cwnd, 64);
                let pause = if timeouts == 0 { info.rto } else { info.rto * timeouts + Duration::from_millis(10) };
                let mut sent = 0;
                end.write(Time::ZERO + pause, 100 * 1448, false, |_| sent += 1);
                assert_eq!((end.sender.info().cwnd, sent), (cwnd, cwnd), "{rule:?} after {timeouts}");
                let remembers = timeouts == 0 || end.sender.info().ssthresh.is_none_or(|ssthresh| ssthresh >= 48);
                assert!(remembers);
            }
        }
    }

    /// The other end closes its window of 5 segments. With a timeout of 300 ms, probes leave after 0.3, 0.6 and 1.2 s,
    /// and the ACK of each starts the time of the next anew. The window is that of before. The third answer opens it.
    #[test]
    fn a_closed_window_is_probed() {
        let buffer = Some(ReceiveBuffer::Fixed(Bytes::new(5 * 1448)));
        let mut end = end(&TcpOptions { receive_buffer: buffer, ..TcpOptions::linux(true) }, 36.0);
        let update = |number, segments: u32| {
            let mut packet = ack(number);
            packet.set_window(segments * 1448);
            packet
        };
        let mut sent = 0;
        end.write(at(0), 20 * 1448, false, |_| sent += 1);
        assert_eq!(sent, 5);
        end.arrive(at(100), &update(5, 0), 0, |_| panic!("the window is closed"));
        let cwnd = end.sender.info().cwnd;
        for (probe, answer) in [(400, 500), (1100, 1200), (2400, 2500)] {
            assert_eq!(end.sender.timer().deadline(), at(probe));
            end.sender.timer().cancel();
            let mut probes = Vec::new();
            end.expire(at(probe), |out| probes.push((out.is_probe, out.data, out.number)));
            assert_eq!(probes, [(true, None, 0)]);
            assert_eq!(end.sender.info().cwnd, cwnd);
            let window = if probe == 2400 { 2 } else { 0 };
            let mut numbers = Vec::new();
            end.arrive(at(answer), &update(5, window), 0, |out| numbers.extend(out.data.map(|data| data.number)));
            assert_eq!(numbers, if window == 0 { vec![] } else { vec![5, 6] });
        }
        assert_eq!(end.sender.counts().timeouts, 0);
    }

    /// A probe is answered with the window of the moment, which carries no data: it is no duplicate to report.
    #[test]
    fn a_probe_is_answered() {
        let buffer = Some(ReceiveBuffer::Fixed(Bytes::new(2896)));
        let mut receiver = end(&TcpOptions { receive_buffer: buffer, ..TcpOptions::default() }, 10.0);
        let probe = Packet::new(Kind::Probe, at(0), 0, 0, 0);
        let mut answers = Vec::new();
        receiver.arrive(at(0), &probe, 0, |out| answers.push((out.data, out.window, out.sack[0])));
        assert_eq!(answers, [(None, Some(2896), (0, 0))]);
    }

    /// RFC 2861 as in Linux: of a window of 64 the application uses 4 for a timeout of 300 ms. The window halves its
    /// distance to the initial one, (64 + 10)/2 = 37, and after another timeout (37 + 10)/2 = 23.
    #[test]
    fn a_window_that_is_not_used_shrinks() {
        let mut end = end(&TcpOptions::linux(true), 64.0);
        let mut windows = Vec::new();
        for round in 0..7 {
            end.write(at(100 * round), 4 * 1448, false, |_| {});
            windows.push(end.sender.info().cwnd);
            // The ACK comes while the next data wait.
            let acked = 4 * (round as u32 + 1);
            end.arrive(at(100 * round + 99), &ack(acked), 0, |_| {});
        }
        // Unused windows do not grow.
        assert_eq!(windows, [64, 64, 64, 37, 37, 37, 23]);
        // The threshold, unlimited before, stays above three quarters of the window.
        assert_eq!(end.sender.info().ssthresh, None);
    }

    /// Linux marks segments as app-limited at the write: while less than a segment waits, the window has room and
    /// nothing is lost. A write of 3 segments finds 2 in flight: the next 3 deliveries end the mark.
    #[test]
    fn a_write_marks_what_it_sends() {
        let mut end = end(&TcpOptions::default(), 10.0);
        end.write(at(0), 2 * 1448, false, |_| {});
        end.write(at(10), 3 * 1448, false, |_| {});
        assert_eq!(end.sender.app_limited_until(), 5);
        // The window is full: the write marks nothing.
        end.write(at(20), 20 * 1448, false, |_| {});
        end.write(at(30), 1448, false, |_| {});
        assert_eq!(end.sender.app_limited_until(), 6);
    }

    /// A request answered after 5 ms: its ACK rides on the response. Answered after 60 ms, it is acknowledged alone
    /// after 40 ms.
    #[test]
    fn an_answer_carries_the_ack() {
        for (answer, alone) in [(5, 0), (60, 1)] {
            let mut server = end(&TcpOptions::default(), 10.0);
            let mut acks = 0;
            server.arrive(at(0), &data(at(0), 0, 0), 328, |out| acks += u32::from(out.data.is_none()));
            if server.receiver.timer.deadline() <= at(answer) {
                assert_eq!(server.receiver.timer.deadline(), at(40));
                server.expire_ack(at(40), |_| acks += 1);
            }
            let mut carried = None;
            server.write(at(answer), 1000, false, |out| carried = Some((out.number, out.data)));
            let data = Data { number: 0, payload: 1000, is_last: false };
            assert_eq!((acks, carried), (alone, Some((1, Some(data)))));
            assert_eq!(server.receiver.timer.deadline(), Time::NEVER);
        }
    }

    /// With Nagle's algorithm a second small write waits for the ACK of the first, and a third joins it. One that
    /// follows a full segment leaves at once (Minshall).
    #[test]
    fn small_writes_wait_for_small_segments() {
        let tcp = TcpOptions { nagle: true, ..TcpOptions::default() };
        let mut end = end(&tcp, 10.0);
        let mut payloads = Vec::new();
        let mut record = |out: Outgoing| payloads.push(out.data.map_or(0, |data| data.payload));
        end.write(at(0), 100, false, &mut record);
        end.write(at(1), 200, false, &mut record);
        end.write(at(2), 300, false, &mut record);
        end.arrive(at(100), &ack(1), 0, &mut record);
        end.arrive(at(200), &ack(2), 0, &mut record);
        end.write(at(300), 1448 + 50, false, &mut record);
        assert_eq!(payloads, [100, 500, 1448, 50]);
    }
}
