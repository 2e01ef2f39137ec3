//! Connections over QUIC. The two ends are made outside of this crate; here they meet the network and the calendar.

mod connection;
mod exchange;

pub use connection::Connection;
pub use exchange::Exchange;

use crate::ends::{QuicDatagram, QuicEnds, UDP_HEADERS};
use crate::net::Net;
use crate::network::{EcnMode, TcpOptions};
use crate::tcp::Timer;
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet};

/// Ways of the datagrams of a connection, and the timer of its ends.
struct Wire {
    index: u32,
    /// Starts of the routes forward and backward.
    routes: [u32; 2],
    /// True if datagrams keep the ECN fields of their senders.
    has_ecn: bool,
    timer: Timer,
}

impl Wire {
    fn new(index: u32, tcp: &TcpOptions, routes: [u32; 2]) -> Self {
        Self { index, routes, has_ecn: tcp.ecn != EcnMode::Off, timer: Timer::off() }
    }

    /// Sends what both ends have to send now; returns the number of datagrams of the first end. `is_flow` shows them to
    /// a capture.
    fn send<E: QuicEnds + ?Sized>(&mut self, net: &mut Net, ends: &mut E, is_flow: bool) -> u64 {
        let (now, mut sent) = (net.now, 0);
        while let Some(packet) = net.losses.take_quic(self.index) {
            ends.forget(packet.number);
        }
        while let Some(QuicDatagram { handle, is_backward, size, ecn }) = ends.poll(now) {
            let hop = self.routes[usize::from(is_backward)];
            let kind = if is_backward { Kind::QuicBack } else { Kind::Quic };
            let packet = Packet::new(kind, now, self.index, hop, size + UDP_HEADERS);
            let ecn = Ecn::new(if self.has_ecn { ecn } else { Codepoint::NotCapable });
            sent += u64::from(!is_backward);
            net.send(Packet { number: handle, ecn, ..packet }, is_flow && !is_backward);
        }
        sent
    }

    /// Sets the timer to the next one of the ends.
    fn watch<E: QuicEnds + ?Sized>(&mut self, net: &mut Net, ends: &mut E) {
        match ends.next_time() {
            Some(time) => self.timer.set(time.max(net.now)),
            None => self.timer.cancel(),
        }
        if let Some(time) = self.timer.unwatched() {
            net.schedule(time, Wake::Flow(FlowTimer::Retransmit), self.index);
        }
    }
}

/// The datagram in a packet that has arrived.
fn read(packet: &Packet) -> QuicDatagram {
    debug_assert!(matches!(packet.kind, Kind::Quic | Kind::QuicBack), "no packet of a connection over QUIC");
    QuicDatagram {
        handle: packet.number,
        is_backward: packet.kind == Kind::QuicBack,
        size: packet.size.saturating_sub(UDP_HEADERS),
        ecn: packet.ecn.codepoint(),
    }
}
