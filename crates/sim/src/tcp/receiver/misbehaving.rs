//! Receivers that cheat their sender: Savage, Cardwell, Wetherall and Anderson, "TCP Congestion Control with a
//! Misbehaving Receiver", CCR 29(5), 1999.
//!
//! * ACK division: several ACKs, each of a part of the data, in the place of one.
//! * Optimistic ACKs: data is acknowledged before it arrives, and whether or not it arrives. The receiver of this model
//!   knows when each segment has left the sender: no real one does better.

use crate::network::TcpOptions;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// State of a receiver that cheats.
#[derive(Debug)]
pub struct Misbehaving {
    /// ACKs in the place of one.
    pieces: u32,
    /// Time from the departure of a segment to that of its ACK; `None` for ACKs of data that has arrived.
    lag: Option<Duration>,
    /// First missing segment in the last ACK.
    acknowledged: u32,
    /// Optimistic ACKs to be sent: the time of each, its number and the timestamp that it echoes.
    due: VecDeque<(Time, u32, u64)>,
    /// One past the last segment that has arrived at an optimistic receiver.
    end: u32,
}

/// An ACK of a receiver that cheats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First segment that it does not cover as a whole.
    pub number: u32,
    /// True if it covers a part of that segment.
    pub has_part: bool,
}

impl Misbehaving {
    /// A receiver before its first segment; `None` if it is honest.
    pub fn new(tcp: &TcpOptions) -> Option<Self> {
        let (pieces, lag) = (tcp.ack_division, tcp.optimistic_acks);
        let own = Self { pieces, lag, acknowledged: 0, due: VecDeque::new(), end: 0 };
        (pieces > 1 || lag.is_some()).then_some(own)
    }

    /// True if ACKs precede their data.
    pub fn is_optimistic(&self) -> bool {
        self.lag.is_some()
    }

    /// Records that a segment leaves the sender. Returns the departure of the ACK that it leads to, if that is the next
    /// one of an optimistic receiver.
    pub fn send(&mut self, now: Time, number: u32) -> Option<Time> {
        let time = now + self.lag?;
        let highest = self.due.back().map_or(self.acknowledged, |(_, number, _)| *number);
        self.due.push_back((time, highest.max(number + 1), now.as_nanos()));
        (self.due.len() == 1).then_some(time)
    }

    /// Takes an optimistic ACK that is due: its number and the timestamp that it echoes. Otherwise returns the time of
    /// the next one, if there is one.
    pub fn take(&mut self, now: Time) -> Result<(u32, u64), Option<Time>> {
        match self.due.front() {
            Some(&(time, number, stamp)) if time <= now => {
                self.due.pop_front();
                Ok((number, stamp))
            }
            next => Err(next.map(|(time, ..)| *time)),
        }
    }

    /// Records the arrival of a segment at an optimistic receiver, which never asks for a missing one. Returns true if
    /// the segment is new.
    pub fn receive(&mut self, number: u32) -> bool {
        let is_new = number >= self.end;
        self.end = self.end.max(number + 1);
        is_new
    }

    /// The ACKs in the place of one with this number. The last of them is that one.
    pub fn divide(&mut self, number: u32) -> impl Iterator<Item = Piece> + use<> {
        let from = self.acknowledged;
        self.acknowledged = from.max(number);
        let (pieces, covered) = (u64::from(self.pieces), u64::from(number.saturating_sub(from)));
        // A duplicate has no parts.
        let first = if covered == 0 { pieces } else { 1 };
        (first..pieces).map(move |at| {
            let parts = at * covered;
            Piece { number: from + (parts / pieces) as u32, has_part: !parts.is_multiple_of(pieces) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_elements::packet::{Kind, Packet};

    fn receiver(ack_division: u32, optimistic_acks: Option<Duration>) -> Option<Misbehaving> {
        Misbehaving::new(&TcpOptions { ack_division, optimistic_acks, ..TcpOptions::default() })
    }

    /// Four ACKs for one segment cover a quarter, a half, three quarters and all of it; for two segments, a half, one,
    /// one and a half, and both.
    #[test]
    fn an_ack_is_divided_by_bytes() {
        let mut own = receiver(4, None).expect("it cheats");
        let pieces = |own: &mut Misbehaving, number| {
            own.divide(number).map(|piece| (piece.number, piece.has_part)).collect::<Vec<_>>()
        };
        assert_eq!(pieces(&mut own, 1), [(0, true), (0, true), (0, true)]);
        assert_eq!(pieces(&mut own, 3), [(1, true), (2, false), (2, true)]);
        assert_eq!(pieces(&mut own, 3), []);
        assert!(receiver(1, None).is_none());
    }

    #[test]
    fn optimistic_acks_follow_departures() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut own = receiver(1, Some(Duration::from_millis(10))).expect("it cheats");
        assert_eq!([own.send(at(0), 0), own.send(at(3), 1)], [Some(at(10)), None]);
        assert_eq!(own.take(at(9)), Err(Some(at(10))));
        assert_eq!(own.take(at(10)), Ok((1, 0)));
        assert_eq!(own.take(at(10)), Err(Some(at(13))));
        // A retransmission is acknowledged with everything that has left.
        own.send(at(4), 0);
        assert_eq!(own.take(at(14)), Ok((2, 3_000_000)));
        assert_eq!(own.take(at(14)), Ok((2, 4_000_000)));
        assert_eq!(own.take(at(14)), Err(None));
        // What is missing stays missing, and counts as new no more.
        assert_eq!([own.receive(0), own.receive(2), own.receive(1)], [true, true, false]);
    }

    #[test]
    fn a_part_is_neither_a_block_nor_a_window() {
        let mut packet = Packet::new(Kind::Ack, Time::ZERO, 0, 0, 52);
        assert!(!packet.has_part());
        packet.set_window(1);
        assert!(!packet.has_part());
        packet.set_part();
        assert!(packet.has_part() && packet.sack.iter().all(|block| block.0 >= block.1));
    }
}
