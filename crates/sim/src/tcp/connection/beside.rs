//! The receiver's own measurement of round trips, or a receiver that cheats, beside an honest one.

use super::Connection;
use crate::net::Net;
use crate::tcp::receiver::{Beside, Piece};
use windward_elements::engine::FlowTimer;
use windward_elements::packet::{Kind, Packet};
use windward_units::Time;

impl Connection {
    /// Records the departure of a segment.
    #[cold]
    pub(super) fn send_beside(&mut self, net: &mut Net, number: u32) {
        match self.beside.as_deref_mut() {
            Some(Beside::Rtt(rtt)) => rtt.send(number),
            Some(Beside::Misbehaving(own)) => {
                if let Some(time) = own.send(net.now, number) {
                    self.receiver.timer.set(time);
                    Self::watch_timer(&mut self.receiver.timer, net, FlowTimer::DelayedAck, self.index);
                }
            }
            None => {}
        }
    }

    /// Records the arrival of a segment. Returns true if an optimistic receiver takes it, which sends no ACK for it.
    #[cold]
    pub(super) fn is_taken_beside(&mut self, now: Time, packet: &Packet) -> bool {
        match self.beside.as_deref_mut() {
            Some(Beside::Rtt(rtt)) => rtt.receive(now, packet.number),
            Some(Beside::Misbehaving(own)) if own.is_optimistic() => {
                if own.receive(packet.number) {
                    self.receiver.count();
                }
                return true;
            }
            Some(Beside::Misbehaving(_)) | None => {}
        }
        false
    }

    /// Records that an ACK leaves, and sends the parts before it. Returns true if optimistic ACKs leave instead.
    #[cold]
    pub(super) fn is_acknowledged_beside(&mut self, net: &mut Net, number: u32, stamp: u64) -> bool {
        let own = match self.beside.as_deref_mut() {
            Some(Beside::Rtt(rtt)) => {
                rtt.acknowledge(net.now, number);
                return false;
            }
            Some(Beside::Misbehaving(own)) => own,
            None => return false,
        };
        if !own.is_optimistic() {
            for piece in own.divide(number) {
                self.send_piece(net, piece, stamp);
            }
            return false;
        }
        let next = loop {
            let Some(Beside::Misbehaving(own)) = self.beside.as_deref_mut() else { return true };
            match own.take(net.now) {
                // Parts are no use to it: it acknowledges what it likes.
                Ok((number, stamp)) => self.send_piece(net, Piece { number, has_part: false }, stamp),
                Err(next) => break next,
            }
        };
        if let Some(time) = next {
            self.receiver.timer.set(time);
            Self::watch_timer(&mut self.receiver.timer, net, FlowTimer::DelayedAck, self.index);
        }
        true
    }

    fn send_piece(&mut self, net: &mut Net, piece: Piece, stamp: u64) {
        let mut ack = Packet {
            stamp,
            number: piece.number,
            size: self.headers.ack(&Default::default()),
            is_last: self.last.is_some_and(|(last, _)| piece.number > last),
            ..self.packet(net.now, Kind::Ack, self.backward)
        };
        if piece.has_part {
            ack.set_part();
        }
        net.send(ack, false);
    }

    /// Records the arrival of an ACK at the sender. Returns true for one of a part of a segment, which is handled here.
    #[cold]
    pub(super) fn is_part_beside(&mut self, net: &mut Net, packet: &Packet) -> bool {
        match self.beside.as_deref_mut() {
            Some(Beside::Rtt(rtt)) => rtt.on_ack(packet.number),
            Some(Beside::Misbehaving(_)) if packet.has_part() => {
                if let Some(rtt) = self.sender.on_part(net.now, packet) {
                    self.averages.sample(rtt);
                }
                self.averages.advance(net.now, self.sender.law().cwnd());
                self.send(net);
                return true;
            }
            Some(Beside::Misbehaving(_)) | None => {}
        }
        false
    }
}
