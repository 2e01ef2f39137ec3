//! Connections of applications over QUIC.

use super::{Wire, read};
use crate::ends::{MakeQuic, QuicConfig, QuicExchange, QuicHeard};
use crate::net::Net;
use crate::network::{QuicOptions, TcpOptions};
use crate::tcp::{Ring, Side};
use std::collections::VecDeque;
use windward_elements::engine::{AppTimer, FlowTimer, Wake};
use windward_elements::packet::Packet;
use windward_laws::LawSpec;

/// A connection with a stream for each request.
pub struct Exchange {
    /// Number of the client's end, which its packets both ways have; the server's end has the next one.
    id: u32,
    wire: Wire,
    ends: Box<dyn QuicExchange>,
    is_open: bool,
    /// True if the application takes what each stream brings; otherwise it waits for a number of bytes in all.
    has_streams: bool,
    written: [u64; 2],
    arrived: [u64; 2],
    watches: [u64; 2],
    /// Stream that has brought something last, and its bytes so far.
    latest: [(u32, u64); 2],
    heard: [VecDeque<QuicHeard>; 2],
}

impl Exchange {
    /// Connection of an application under `law` at both ends, before the handshake. `id` is even.
    pub fn new(
        id: u32,
        tcp: &TcpOptions,
        law: (LawSpec, QuicOptions),
        (make, has_streams): (&MakeQuic, bool),
        routes: [u32; 2],
        seed: u64,
    ) -> Self {
        Self {
            id,
            wire: Wire::new(id, tcp, routes),
            ends: make.exchange(&QuicConfig::new(tcp, law, seed)),
            is_open: false,
            has_streams,
            written: [0; 2],
            arrived: [0; 2],
            watches: [u64::MAX; 2],
            latest: [(u32::MAX, 0); 2],
            heard: Default::default(),
        }
    }

    /// True if the application takes what each stream brings by [`Self::take_heard`].
    pub fn has_streams(&self) -> bool {
        self.has_streams
    }

    /// Bytes that `side` has written.
    pub fn written(&self, side: Side) -> u64 {
        self.written[side as usize]
    }

    /// Bytes that have arrived at `side`, in the order of their streams.
    pub fn arrived(&self, side: Side) -> u64 {
        self.arrived[side as usize]
    }

    /// Wakes the application of `side` once `bytes` have arrived there.
    pub fn watch(&mut self, side: Side, bytes: u64) {
        self.watches[side as usize] = bytes;
    }

    /// Takes out what a stream has brought next.
    pub fn take_heard(&mut self, side: Side) -> Option<QuicHeard> {
        self.heard[side as usize].pop_front()
    }

    /// Packets declared lost and persistent congestions of both ends.
    pub fn repairs(&self) -> [u64; 2] {
        self.ends.repairs()
    }

    /// True if the server knows that all its answers have arrived.
    pub fn is_answered(&self) -> bool {
        self.ends.is_answered()
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        net.losses.begin_quic(self.id);
        self.ends.open(net.now);
        self.send(net);
    }

    /// Sends the request or the answer `number`.
    pub fn write(&mut self, net: &mut Net, side: Side, number: u32, bytes: u64) {
        self.written[side as usize] += bytes;
        match side {
            Side::Client => self.ends.ask(number, bytes),
            Side::Server => self.ends.answer(number, bytes),
        }
        self.send(net);
    }

    /// Closes the connection.
    pub fn end(&mut self, net: &mut Net) {
        self.ends.close(net.now);
        self.send(net);
        net.losses.end_quic(self.id);
    }

    /// Handles a datagram at the end of its route.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        self.ends.receive(net.now, read(packet));
        self.send(net);
    }

    /// Handles the expiry of the timer.
    pub fn wake(&mut self, net: &mut Net) {
        match self.wire.timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(FlowTimer::Retransmit), self.id),
            Ring::Expired => {
                self.ends.wake(net.now);
                self.send(net);
            }
        }
    }

    /// Sends what both ends have to send now, and wakes the applications for which something has arrived.
    fn send(&mut self, net: &mut Net) {
        self.wire.send(net, self.ends.as_mut(), false);
        self.wire.watch(net, self.ends.as_mut());
        if !self.is_open && self.ends.is_open() {
            self.is_open = true;
            net.schedule(net.now, Wake::App(AppTimer::Heard), self.id);
        }
        for side in [Side::Client, Side::Server] {
            self.hear(net, side);
        }
    }

    fn hear(&mut self, net: &mut Net, side: Side) {
        let at = side as usize;
        let mut is_due = false;
        while let Some(heard) = self.ends.take_heard(side == Side::Client) {
            if self.has_streams {
                is_due |= self.heard[at].is_empty();
                self.heard[at].push_back(heard);
                continue;
            }
            // One request at a time.
            let (number, before) = self.latest[at];
            self.arrived[at] += heard.bytes - if number == heard.number { before } else { 0 };
            self.latest[at] = (heard.number, heard.bytes);
        }
        if self.arrived[at] >= self.watches[at] {
            self.watches[at] = u64::MAX;
            is_due = true;
        }
        if is_due {
            net.schedule(net.now, Wake::App(AppTimer::Heard), self.id + at as u32);
        }
    }
}
