//! One end of a connection without a network: the caller provides arrivals and times by hand. It consists of the sender
//! and receiver that flows use, nothing else. The handshake is complete; segments are counted from zero in either
//! direction.

use super::end::{End, Nagle, Outgoing};
use crate::network::TcpOptions;
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::packet::{Kind, Packet, Piggyback, Range, SACK_BLOCKS};
use windward_laws::AnyLaw;
use windward_units::{Duration, Time};

pub use super::end::Data;
pub use super::sender::{Info, State};

/// One end of a connection.
pub struct Socket {
    end: End,
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
    /// Receive window of the other end in bytes; `None`: as before.
    pub window: Option<u32>,
    /// Data, or FIN, and its timestamp.
    pub data: Option<(Data, u64)>,
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
    /// Data that it carries; `None` for a pure ACK.
    pub data: Option<Data>,
    /// True for a probe of a closed window.
    pub is_probe: bool,
    /// Its acknowledgement.
    pub acknowledges: Acknowledgement,
    /// Codepoint of the IP header.
    pub codepoint: Codepoint,
    /// CWR.
    pub is_reduced: bool,
}

impl Sent {
    fn new(at: Time, outgoing: Outgoing) -> Self {
        let Outgoing { data, is_probe, number, sack, stamp, ecn, .. } = outgoing;
        // The fields of ECN have one place in a pure ACK, and one for either role in a data segment.
        let (own, echo) = if data.is_some() { (ecn.of_data(), ecn.of_ack()) } else { (Ecn::default(), ecn) };
        Self {
            at,
            data,
            is_probe,
            acknowledges: Acknowledgement { number, sack, stamp, echoes: echo.flag(), marked: echo.count() },
            codepoint: own.codepoint(),
            is_reduced: own.flag(),
        }
    }
}

impl Socket {
    /// A connection whose handshake ends at `now`, with an RTT sample unless Karn's rule forbids it, and without data
    /// to send. The other end has a receive window of `window` bytes.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, now: Time, sample: Option<Duration>, window: u32) -> Self {
        let mut end = End::new(law, tcp, 1);
        // Karn's rule forbids it after a repeated SYN.
        end.sender.establish(now, if sample.is_some() { 1 } else { 2 }, sample);
        end.grant(window.into());
        Self { end, sent: Vec::new() }
    }

    /// Writes `bytes` of the application; a short segment waits if `has_more` says that it will write on at once.
    pub fn write(&mut self, now: Time, bytes: u64, has_more: bool) {
        let Self { end, sent } = self;
        let nagle = end.nagle;
        if has_more {
            end.nagle = Nagle::Cork;
        }
        end.write(now, bytes, false, |outgoing| sent.push(Sent::new(now, outgoing)));
        end.nagle = nagle;
    }

    /// Closes the direction of this end.
    pub fn close(&mut self, now: Time) {
        let Self { end, sent } = self;
        end.close(now, |outgoing| sent.push(Sent::new(now, outgoing)));
    }

    /// Sets Nagle's algorithm.
    pub fn set_nagle(&mut self, now: Time, is_on: bool, is_corked: bool) {
        let nagle = match (is_on, is_corked) {
            (_, true) => Nagle::Cork,
            (true, false) => Nagle::Minshall,
            (false, false) => Nagle::Off,
        };
        let Self { end, sent } = self;
        end.set_nagle(nagle, now, |outgoing| sent.push(Sent::new(now, outgoing)));
    }

    /// Handles an arriving segment. One that acknowledges unsent data is answered and dropped (RFC 9293 §3.10.7.4).
    pub fn arrive(&mut self, now: Time, arrival: &Arrival) {
        let Self { end, sent } = self;
        let out = |outgoing| sent.push(Sent::new(now, outgoing));
        let Acknowledgement { number, sack, stamp, echoes, marked } = arrival.acknowledges;
        if number > end.sender.next() {
            return end.answer(out);
        }
        let window = arrival.window.unwrap_or_else(|| end.window_at(number));
        let echo = Ecn::echo(echoes, marked);
        let Some((data, own_stamp)) = arrival.data else {
            let mut packet = Packet { number, stamp, sack, ecn: echo, ..Packet::new(Kind::Ack, now, 0, 0, 0) };
            if sack[SACK_BLOCKS - 1] == (0, 0) {
                packet.set_window(window);
            }
            return end.arrive(now, &packet, 0, out);
        };
        let own = Ecn::new(arrival.codepoint);
        let own = if arrival.is_reduced { own.flagged() } else { own };
        let mut packet = Packet::new(Kind::Segment, now, 0, 0, data.payload);
        packet.set_ack(Piggyback { number, window, stamp, block: sack[0] });
        let (number, is_last) = (data.number, data.is_last);
        end.arrive(
            now,
            &Packet { number, is_last, stamp: own_stamp, ecn: own.with_ack(echo), ..packet },
            data.payload,
            out,
        );
    }

    /// Time of the next call of [`Self::ring`]; [`Time::NEVER`] while only arrivals matter.
    pub fn deadline(&self) -> Time {
        self.end.sender.deadline().min(self.end.receiver.timer.deadline())
    }

    /// Handles the timers that are due.
    pub fn ring(&mut self, now: Time) {
        let Self { end, sent } = self;
        let mut out = |outgoing| sent.push(Sent::new(now, outgoing));
        if end.receiver.timer.deadline() <= now {
            end.receiver.timer.cancel();
            end.expire_ack(now, &mut out);
        }
        if end.sender.timer().deadline() <= now {
            end.sender.timer().cancel();
            end.expire(now, &mut out);
        }
        if end.sender.pacing_timer().deadline() <= now {
            end.sender.pacing_timer().cancel();
            end.send(now, &mut out);
        }
    }

    /// Takes the sent segments.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Returns the state of the sender, as Linux does in `struct tcp_info`.
    pub fn info(&self) -> Info {
        self.end.sender.info()
    }

    /// Time for which data waited to be sent or acknowledged until `now`, and the part of it that the other end's
    /// receive window is the reason for.
    pub fn busy(&self, now: Time) -> (Duration, Duration) {
        self.end.busy(now)
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
        Socket::new(law.build(Packets::new(2.0)), &TcpOptions::default(), Time::ZERO, Some(RTT), 65_535)
    }

    fn arrival(number: u32, data: Option<(u32, u64)>) -> Arrival {
        let data = data.map(|(number, stamp)| (Data { number, payload: 1448, is_last: false }, stamp));
        Arrival {
            acknowledges: Acknowledgement { number, ..Acknowledgement::default() },
            window: None,
            data,
            codepoint: Codepoint::NotCapable,
            is_reduced: false,
        }
    }

    #[test]
    fn it_sends_acknowledges_and_repeats() {
        let mut socket = socket();
        socket.write(Time::ZERO, 5 * 1448, false);
        let numbers = |sent: Vec<Sent>| sent.iter().map(|sent| sent.data.map(|data| data.number)).collect::<Vec<_>>();
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
