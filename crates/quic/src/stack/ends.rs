//! The two ends of connections of a stack in the simulator.

use super::api;
use super::exchange::Exchanges;
use super::null::Null;
use super::pair::{CLIENT, Pair, PairConfig, SERVER};
use super::stock::{Figures, Watched};
use super::stream::Stream;
use bytes::BytesMut;
use slab::Slab;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use windward_sim::{LawOf, QuicConfig, QuicDatagram, QuicEnds, QuicExchange, QuicFlow, QuicHeard, QuicState};
use windward_units::{Duration, Time};

/// Both ends of a flow. With the feature `qlog` each end writes its events to a file, whose path begins with `qlog`.
pub fn flow(config: &QuicConfig, qlog: Option<PathBuf>) -> Box<dyn QuicFlow> {
    Box::new(Ends::new(config, qlog, Stream::new(config.size, config.is_paced)))
}

/// Both ends of an application's connection; see [`flow`].
pub fn exchange(config: &QuicConfig, qlog: Option<PathBuf>) -> Box<dyn QuicExchange> {
    Box::new(Ends::new(config, qlog, Exchanges::new(config.options.zero_rtt)))
}

/// Applications at both ends of a connection.
trait Applications: Send {
    /// Side that closes the connection.
    const CLOSES: usize;

    /// Handles what has happened at a side, and reads and writes.
    fn serve(&mut self, pair: &mut Pair, side: usize, now: Time);
}

impl Applications for Stream {
    const CLOSES: usize = CLIENT;

    fn serve(&mut self, pair: &mut Pair, side: usize, now: Time) {
        self.serve(pair, side, now);
        if self.completed.is_some() && !pair.is_closed {
            pair.close(side, now);
        }
    }
}

impl Applications for Exchanges {
    const CLOSES: usize = SERVER;

    fn serve(&mut self, pair: &mut Pair, side: usize, _: Time) {
        self.serve(pair, side);
    }
}

/// Both ends of a connection.
struct Ends<A> {
    config: QuicConfig,
    qlog: Option<PathBuf>,
    watched: [Arc<Watched>; 2],
    /// None before the handshake begins. In a cell, because noq counts its losses with an exclusive reference.
    pair: RefCell<Option<Pair>>,
    applications: A,
    /// Sides at which something has happened.
    is_due: [bool; 2],
    /// Sides that may have something to send.
    is_sending: [bool; 2],
    /// Content of the datagrams under way.
    payloads: Slab<BytesMut>,
}

impl<A> Ends<A> {
    fn new(config: &QuicConfig, qlog: Option<PathBuf>, applications: A) -> Self {
        let initial = f64::from(config.initial_window);
        let watched =
            |seed| Arc::new(Watched::new(config.law, config.options.law_of != LawOf::Windward, initial, seed));
        Self {
            config: config.clone(),
            qlog,
            watched: [watched(config.seed), watched(!config.seed)],
            pair: RefCell::new(None),
            applications,
            is_due: [false; 2],
            is_sending: [false; 2],
            payloads: Slab::new(),
        }
    }

    fn declared_lost(&self, side: usize) -> u64 {
        let mut pair = self.pair.borrow_mut();
        pair.as_mut().and_then(|pair| pair.connection_mut(side)).map_or(0, |connection| api::packets(connection).1)
    }
}

impl<A: Applications> QuicEnds for Ends<A> {
    fn open(&mut self, now: Time) {
        let QuicConfig { datagram, receive_window, seed, .. } = self.config;
        let [client, server] = &self.watched;
        let pair = Pair::new(
            &PairConfig {
                controllers: [Arc::clone(client) as _, Arc::clone(server) as _],
                mtu: datagram as u16,
                null: Null { is_resumed: self.config.options.zero_rtt, ..Null::default() },
                receive_window: Some(receive_window),
                qlog: self.qlog.clone(),
                seed,
            },
            now,
        );
        *self.pair.get_mut() = Some(pair);
        self.watched[CLIENT].take_rtts(&mut |_| {});
        self.is_due[CLIENT] = true;
    }

    fn close(&mut self, now: Time) {
        if let Some(pair) = self.pair.get_mut().as_mut().filter(|pair| !pair.is_closed) {
            pair.close(A::CLOSES, now);
            self.is_due[A::CLOSES] = true;
        }
    }

    fn receive(&mut self, now: Time, datagram: QuicDatagram) {
        let (Some(pair), Some(payload)) = (self.pair.get_mut(), self.payloads.try_remove(datagram.handle as usize))
        else {
            return;
        };
        let side = if datagram.is_backward { CLIENT } else { SERVER };
        pair.receive(side, now, datagram.ecn, payload);
        self.is_due[side] = true;
    }

    fn forget(&mut self, handle: u32) {
        self.payloads.try_remove(handle as usize);
    }

    fn take(&mut self, handle: u32) -> Vec<u8> {
        self.payloads.try_remove(handle as usize).map(Vec::from).unwrap_or_default()
    }

    fn put(&mut self, payload: &[u8]) -> u32 {
        self.payloads.insert(BytesMut::from(payload)) as u32
    }

    fn next_time(&mut self) -> Option<Time> {
        let pair = self.pair.get_mut().as_mut()?;
        [CLIENT, SERVER].into_iter().filter_map(|side| pair.timeout(side, Time::ZERO)).min()
    }

    fn wake(&mut self, now: Time) {
        let Some(pair) = self.pair.get_mut() else { return };
        for side in [CLIENT, SERVER] {
            if pair.timeout(side, now).is_some_and(|time| time <= now) {
                pair.handle_timeout(side, now);
                self.is_due[side] = true;
            }
        }
    }

    fn poll(&mut self, now: Time) -> Option<QuicDatagram> {
        let pair = self.pair.get_mut().as_mut()?;
        for side in [CLIENT, SERVER] {
            if std::mem::take(&mut self.is_due[side]) {
                self.applications.serve(pair, side, now);
                self.is_sending[side] = true;
            }
            if self.is_sending[side] {
                if let Some((ecn, payload)) = pair.transmit(side, now) {
                    let size = payload.len() as u32;
                    let handle = self.payloads.insert(payload) as u32;
                    return Some(QuicDatagram { handle, is_backward: side == SERVER, size, ecn });
                }
                self.is_sending[side] = false;
            }
        }
        None
    }
}

impl QuicFlow for Ends<Stream> {
    fn write(&mut self, bytes: u64, is_last: bool) {
        self.applications.write(bytes, is_last);
        self.is_due[CLIENT] = true;
    }

    fn take_rtts(&mut self, sink: &mut dyn FnMut(Duration)) {
        self.watched[CLIENT].take_rtts(sink);
    }

    fn state(&self) -> QuicState {
        let pair = self.pair.borrow();
        let Some(pair) = &*pair else { return QuicState::default() };
        let Stream { connected, completed, received, .. } = self.applications;
        let state = QuicState {
            is_open: connected.is_some() && !pair.is_closed,
            completed,
            arrived: received,
            ..QuicState::default()
        };
        self.watched[CLIENT].figures().map_or(state, |figures| {
            let Figures { cwnd, flight, rtts: (srtt, last_rtt), reductions: [recoveries, timeouts] } = figures;
            QuicState { cwnd, flight, srtt, last_rtt, recoveries, timeouts, ..state }
        })
    }

    fn declared_lost(&self) -> u64 {
        Self::declared_lost(self, CLIENT)
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        self.watched[CLIENT].observe(sink);
    }
}

impl QuicExchange for Ends<Exchanges> {
    fn is_open(&self) -> bool {
        self.applications.is_open
    }

    fn ask(&mut self, number: u32, bytes: u64) {
        self.applications.ask(number, bytes);
        self.is_due[CLIENT] = true;
    }

    fn answer(&mut self, number: u32, bytes: u64) {
        self.applications.answer(number, bytes);
        self.is_due[SERVER] = true;
    }

    fn take_heard(&mut self, is_backward: bool) -> Option<QuicHeard> {
        self.applications.take_heard(if is_backward { CLIENT } else { SERVER })
    }

    fn is_answered(&self) -> bool {
        self.applications.is_answered()
    }

    fn repairs(&self) -> [u64; 2] {
        let timeouts = |side: usize| self.watched[side].figures().map_or(0, |figures| figures.reductions[1]);
        [self.declared_lost(CLIENT) + self.declared_lost(SERVER), timeouts(CLIENT) + timeouts(SERVER)]
    }
}
