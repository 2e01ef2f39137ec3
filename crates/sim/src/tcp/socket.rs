//! One end of a connection without a network: the caller provides arrivals and times by hand. It consists of the sender
//! and receiver that flows use, nothing else. The handshake is complete; segments are counted from zero in either
//! direction.

use super::receiver::{AckDue, Receiver};
use super::sender::{Sender, Turn};
use crate::ecn::{Codepoint, Ecn};
use crate::network::TcpOptions;
use crate::packet::{Kind, Packet, Range, SACK_BLOCKS};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time};

pub use super::sender::{Info, State};

/// One end of a connection.
pub struct Socket {
    sender: Sender,
    receiver: Receiver,
    /// Sent segments, until the caller takes them.
    sent: Vec<Sent>,
}

/// Content of an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgement {
    /// First missing segment.
    pub number: u32,
    /// SACK blocks, the newest first; unused ones are empty.
    pub sack: [Range; SACK_BLOCKS],
    /// Echoed timestamp.
    pub stamp: u64,
    /// ECE (RFC 3168 §6.1.3).
    pub echoes: bool,
    /// Lowest three bits of the number of marked packets (RFC 9768 §3.2.2).
    pub marked: u32,
}

/// An arriving segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its acknowledgement.
    pub acknowledges: Acknowledgement,
    /// Number and timestamp of the data segment that it carries.
    pub data: Option<(u32, u64)>,
    /// Codepoint of the IP header.
    pub codepoint: Codepoint,
    /// CWR (RFC 3168 §6.1.2).
    pub is_reduced: bool,
}

/// A sent segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Time of transmission.
    pub at: Time,
    /// Number of the data segment that it carries; `None` for a pure ACK.
    pub data: Option<u32>,
    /// Its acknowledgement.
    pub acknowledges: Acknowledgement,
    /// Codepoint of the IP header.
    pub codepoint: Codepoint,
    /// CWR.
    pub is_reduced: bool,
}

impl Socket {
    /// A connection whose handshake ends at `now`, with an RTT sample unless Karn's rule forbids it, and without data
    /// to send.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, now: Time, sample: Option<Duration>) -> Self {
        let mut sender = Sender::new(law, tcp, 0, 1);
        sender.establish(now, sample);
        Self { sender, receiver: Receiver::new(tcp), sent: Vec::new() }
    }

    /// Adds `segments` of data written by the application.
    pub fn write(&mut self, now: Time, segments: u32) {
        self.sender.set_end(self.sender.end() + segments);
        self.send(now);
    }

    /// Sets the receive window of the other end to `segments` from now on, including those in flight.
    pub fn grant(&mut self, segments: u32) {
        self.sender.set_receive_window(segments);
    }

    /// Handles an arriving segment. One that acknowledges unsent data is answered and dropped (RFC 9293 §3.10.7.4).
    pub fn arrive(&mut self, now: Time, arrival: &Arrival) {
        let Acknowledgement { number, sack, stamp, echoes, marked } = arrival.acknowledges;
        if number > self.sender.next() {
            return self.acknowledge(now);
        }
        let packet = |kind, number, stamp| Packet { number, stamp, ..Packet::new(kind, now, 0, 0, 0) };
        // Data that acknowledges nothing new is no duplicate ACK (RFC 5681 §2).
        let is_news = number > self.sender.una() || sack[0] != (0, 0);
        if arrival.data.is_none() || is_news {
            self.sender
                .on_ack(now, &Packet { sack, ecn: Ecn::echo(echoes, marked), ..packet(Kind::Ack, number, stamp) });
            self.send(now);
        }
        if let Some((number, stamp)) = arrival.data {
            let ecn = Ecn::new(arrival.codepoint);
            let ecn = if arrival.is_reduced { ecn.flagged() } else { ecn };
            match self.receiver.receive(now, &Packet { ecn, ..packet(Kind::Data, number, stamp) }) {
                AckDue::Now => self.acknowledge(now),
                AckDue::By(deadline) => self.receiver.timer.set(deadline),
            }
        }
    }

    /// Time of the next call of [`Self::ring`]; [`Time::NEVER`] while only arrivals matter.
    pub fn deadline(&self) -> Time {
        self.sender.deadline().min(self.receiver.timer.deadline())
    }

    /// Handles the timers that are due.
    pub fn ring(&mut self, now: Time) {
        if self.receiver.timer.deadline() <= now {
            self.receiver.timer.cancel();
            self.acknowledge(now);
        }
        if self.sender.timer().deadline() <= now {
            self.sender.timer().cancel();
            self.sender.on_timer(now);
            self.send(now);
        }
        if self.sender.pacing_timer().deadline() <= now {
            self.sender.pacing_timer().cancel();
            self.send(now);
        }
    }

    /// Takes the sent segments.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Returns the state of the sender, as Linux does in `struct tcp_info`.
    pub fn info(&self) -> Info {
        self.sender.info()
    }

    fn send(&mut self, now: Time) {
        loop {
            let turn = self.sender.turn(now);
            let number = match turn {
                Turn::New(number) | Turn::Again(number) => number,
                Turn::Wait(until) => return self.sender.pacing_timer().set(until),
                Turn::Idle => return,
            };
            let ecn = self.sender.on_send(now, turn);
            self.put(now, Some(number), ecn);
        }
    }

    fn acknowledge(&mut self, now: Time) {
        self.put(now, None, Ecn::default());
    }

    /// Adds a segment to the sent ones. Every segment acknowledges, data segments too.
    fn put(&mut self, now: Time, data: Option<u32>, ecn: Ecn) {
        let (sack, stamp) = self.receiver.acknowledge();
        let echo = self.receiver.echo();
        let acknowledges =
            Acknowledgement { number: self.receiver.next(), sack, stamp, echoes: echo.flag(), marked: echo.count() };
        let sent = Sent { at: now, data, acknowledges, codepoint: ecn.codepoint(), is_reduced: ecn.flag() };
        self.sent.push(sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_laws::LawSpec;
    use windward_units::Packets;

    const RTT: Duration = Duration::from_millis(100);

    fn socket() -> Socket {
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        Socket::new(law.build(Packets::new(2.0)), &TcpOptions::default(), Time::ZERO, Some(RTT))
    }

    fn arrival(number: u32, data: Option<(u32, u64)>) -> Arrival {
        Arrival {
            acknowledges: Acknowledgement { number, ..Acknowledgement::default() },
            data,
            codepoint: Codepoint::NotCapable,
            is_reduced: false,
        }
    }

    #[test]
    fn it_sends_acknowledges_and_repeats() {
        let mut socket = socket();
        socket.write(Time::ZERO, 5);
        let numbers = |sent: Vec<Sent>| sent.iter().map(|sent| sent.data).collect::<Vec<_>>();
        assert_eq!(numbers(socket.take_sent()), [Some(0), Some(1)]);
        // An ACK of unsent data is invalid: the answer acknowledges the received data.
        socket.arrive(Time::ZERO + RTT, &arrival(9, Some((0, 7))));
        assert_eq!(socket.take_sent().iter().map(|sent| sent.acknowledges.number).collect::<Vec<_>>(), [0]);
        socket.arrive(Time::ZERO + RTT, &arrival(1, None));
        assert_eq!((numbers(socket.take_sent()), socket.info().cwnd), (vec![Some(2), Some(3)], 3));
        // Data of the other side waits for a second segment, or 40 ms.
        socket.arrive(Time::ZERO + RTT, &arrival(1, Some((0, 7))));
        assert_eq!(numbers(socket.take_sent()), []);
        let due = Time::ZERO + RTT + Duration::from_millis(40);
        assert_eq!(socket.deadline(), due);
        socket.ring(due);
        let sent = socket.take_sent();
        assert_eq!((sent[0].data, sent[0].acknowledges.number, sent[0].acknowledges.stamp), (None, 1, 7));
        // The retransmission timeout: 100 + 200 ms.
        socket.ring(socket.deadline());
        assert_eq!(numbers(socket.take_sent()), [Some(1)]);
        assert_eq!(socket.info().state, State::Loss);
    }
}
