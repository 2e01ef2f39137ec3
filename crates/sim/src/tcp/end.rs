//! One end of a two-way connection: a sender and a receiver whose data and ACKs share segments. It knows no network.

use super::receiver::{AckDue, Receiver};
use super::sender::{Sender, Turn};
use super::stream::Stream;
use crate::ecn::Ecn;
use crate::network::{IdleRestart, TcpOptions};
use crate::packet::{Kind, Packet, Range, SACK_BLOCKS};
use windward_laws::AnyLaw;
use windward_units::Time;

/// One end.
pub struct End {
    /// Its sender.
    pub sender: Sender,
    /// Its receiver.
    pub receiver: Receiver,
    /// Data that it sends.
    stream: Stream,
    has_nagle: bool,
    idle_restart: IdleRestart,
    initial_window: u32,
    /// Last transmission of data.
    last_sent: Option<Time>,
    /// True once the application has written its last byte.
    is_closing: bool,
    /// Number of the segment that carries FIN, once it is sent.
    fin: Option<u32>,
}

/// Data of a departing segment.
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
    /// First missing segment of the other direction.
    pub number: u32,
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
        Self {
            sender: Sender::new(law, tcp, 0, seed),
            receiver: Receiver::two_way(tcp),
            stream: Stream::new(tcp.segment.count() as u32),
            has_nagle: tcp.nagle,
            idle_restart: tcp.idle_restart,
            initial_window: tcp.initial_window,
            last_sent: None,
            is_closing: false,
            fin: None,
        }
    }

    /// Bytes that this end has written.
    pub fn written(&self) -> u64 {
        self.stream.written()
    }

    /// Bytes that have arrived in order from the other end, `from`.
    #[inline]
    pub fn arrived(&self, from: &Self) -> u64 {
        from.stream.below(self.receiver.next())
    }

    /// Adds `bytes` of the application, the last ones if `is_last`, and sends what may be sent.
    pub fn write(&mut self, now: Time, bytes: u64, is_last: bool, out: impl FnMut(Outgoing)) {
        if let Some(last) = self.last_sent
            && self.sender.una() == self.sender.next()
        {
            self.sender.resume(now, now.since(last), self.idle_restart, self.initial_window);
        }
        self.stream.write(bytes);
        self.is_closing |= is_last;
        self.send(now, out);
    }

    /// Handles an arriving packet with `payload` bytes of data.
    #[inline]
    pub fn arrive(&mut self, now: Time, packet: &Packet, payload: u32, mut out: impl FnMut(Outgoing)) {
        let due = if packet.kind == Kind::Segment {
            let ack = packet.ack();
            // Data that acknowledges nothing new is no duplicate ACK (RFC 5681 §2).
            if ack.number > self.sender.una() || ack.block.0 < ack.block.1 {
                let sack = [ack.block, (0, 0), (0, 0)];
                let ecn = packet.ecn.of_ack();
                self.acknowledge(
                    now,
                    &Packet { kind: Kind::Ack, number: ack.number, stamp: ack.stamp, sack, ecn, ..*packet },
                );
            }
            let rtt = self.sender.rtt();
            self.receiver.note_arrival(now, rtt.srtt(), rtt.rto());
            let ecn = packet.ecn.of_data();
            Some(self.receiver.receive(now, &Packet { kind: Kind::Data, size: payload, ecn, ..*packet }))
        } else {
            self.acknowledge(now, packet);
            None
        };
        let has_sent = self.send(now, &mut out);
        match due {
            Some(AckDue::Now) if !has_sent => self.put(None, Ecn::default(), &mut out),
            Some(AckDue::By(deadline)) if !has_sent => {
                let timer = &mut self.receiver.timer;
                timer.set(deadline.min(timer.deadline()));
            }
            _ => {}
        }
    }

    #[inline]
    fn acknowledge(&mut self, now: Time, packet: &Packet) {
        self.sender.on_ack(now, packet);
        self.stream.acknowledge(self.sender.una());
    }

    /// True if all data is acknowledged, FIN too.
    pub fn is_done(&self) -> bool {
        self.is_closing && self.stream.is_sent() && self.sender.una() == self.sender.next()
    }

    /// Handles the expiry of the timer of delayed ACKs.
    pub fn expire_ack(&mut self, mut out: impl FnMut(Outgoing)) {
        self.receiver.note_expiry(self.sender.rtt().rto());
        self.put(None, Ecn::default(), &mut out);
    }

    /// Handles the expiry of the retransmission timer.
    pub fn expire(&mut self, now: Time, out: impl FnMut(Outgoing)) {
        if self.sender.next() > self.sender.una() {
            self.sender.on_timer(now);
        }
        self.send(now, out);
    }

    /// Sends all segments that are allowed now. Returns true if there were any.
    #[inline]
    pub fn send(&mut self, now: Time, mut out: impl FnMut(Outgoing)) -> bool {
        // Minshall's variant of Nagle's algorithm: a short segment waits while another one is in flight.
        let with_tail = !self.has_nagle || self.is_closing || !self.stream.has_short();
        let ready = self.stream.ready(with_tail);
        if ready == 0 && self.sender.una() == self.sender.next() {
            // An idle sender is not short of data: its window stays valid until the application writes.
            return false;
        }
        self.sender.set_end(self.sender.next().saturating_add(ready));
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
            let ecn = self.sender.on_send(now, turn);
            let payload = match turn {
                Turn::New(_) => self.stream.take(number),
                _ => self.stream.payload(number),
            };
            if self.is_closing && self.fin.is_none() && self.stream.is_sent() {
                self.fin = Some(self.sender.next() - 1);
            }
            self.receiver.note_send(now);
            self.last_sent = Some(now);
            self.put(Some(Data { number, payload, is_last: self.fin == Some(number) }), ecn, &mut out);
            has_sent = true;
        }
        has_sent
    }

    #[inline]
    fn put(&mut self, data: Option<Data>, ecn: Ecn, out: &mut impl FnMut(Outgoing)) {
        let (sack, stamp) = self.receiver.acknowledge();
        let echo = self.receiver.echo();
        let ecn = if data.is_some() { ecn.with_ack(echo) } else { echo };
        out(Outgoing { data, number: self.receiver.next(), sack, stamp, ecn });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_laws::LawSpec;
    use windward_units::{Duration, Packets};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn end(tcp: &TcpOptions, cwnd: f64) -> End {
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        let mut end = End::new(law.build(Packets::new(cwnd)), tcp, 1);
        end.sender.establish(Time::ZERO, Some(Duration::from_millis(100)));
        end
    }

    fn ack(number: u32) -> Packet {
        Packet { number, ..Packet::new(Kind::Ack, Time::ZERO, 0, 0, 0) }
    }

    fn data(now: Time, number: u32, acknowledges: u32) -> Packet {
        let mut packet = Packet { number, ..Packet::new(Kind::Segment, now, 0, 0, 0) };
        packet.set_ack(crate::packet::Piggyback { number: acknowledges, stamp: 0, block: (0, 0) });
        packet
    }

    /// Linux by hand: a window of 64, an initial one of 10, and pauses of just a timeout, and of more than one, two and
    /// three of them leave 64, 32, 16 and 10. RFC 5681: 10 after each but the first.
    #[test]
    fn a_pause_halves_the_window_once_a_timeout() {
        for (rule, expected) in [(IdleRestart::Linux, [64, 32, 16, 10]), (IdleRestart::Rfc5681, [64, 10, 10, 10])] {
            for (timeouts, cwnd) in (0..).zip(expected) {
                let tcp = TcpOptions { idle_restart: rule, ..TcpOptions::default() };
                // The first segment's ACK makes it 64.
                let mut end = end(&tcp, 63.0);
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
                server.expire_ack(|_| acks += 1);
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
