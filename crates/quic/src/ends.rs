//! The two ends of a flow over QUIC in the simulator.

use crate::controller::Watched;
use crate::null::Null;
use crate::pair::{CLIENT, Pair, PairConfig, SERVER};
use bytes::BytesMut;
use slab::Slab;
use std::sync::Arc;
use windward_sim::{MakeQuic, QuicConfig, QuicDatagram, QuicEnds, QuicState};
use windward_units::{Duration, Time};

/// Maker of the ends of flows over QUIC, for `Makers::quic` of a run.
pub fn ends() -> MakeQuic {
    Arc::new(|config| Box::new(Ends::new(config)))
}

/// Both ends of a flow.
struct Ends {
    config: QuicConfig,
    watched: Arc<Watched>,
    /// None before the handshake begins.
    pair: Option<Pair>,
    /// Sides at which something has happened.
    is_due: [bool; 2],
    /// Sides that may have something to send.
    is_sending: [bool; 2],
    /// Content of the datagrams under way.
    payloads: Slab<BytesMut>,
}

impl Ends {
    fn new(config: &QuicConfig) -> Self {
        let watched = Arc::new(Watched::new(config.law, f64::from(config.initial_window), config.seed));
        Self {
            config: config.clone(),
            watched,
            pair: None,
            is_due: [false; 2],
            is_sending: [false; 2],
            payloads: Slab::new(),
        }
    }
}

impl QuicEnds for Ends {
    fn open(&mut self, now: Time) {
        let QuicConfig { datagram, size, is_paced, receive_window, seed, .. } = self.config;
        let pair = Pair::new(
            &PairConfig {
                controller: Arc::clone(&self.watched) as _,
                bytes: size,
                is_paced,
                mtu: datagram as u16,
                certificate: Null::default().certificate,
                receive_window: Some(receive_window),
                seed,
            },
            now,
        );
        self.pair = Some(pair);
        self.watched.look(|host| host.take_rtts(&mut |_| {}));
        self.is_due[CLIENT] = true;
    }

    fn close(&mut self, now: Time) {
        if let Some(pair) = self.pair.as_mut().filter(|pair| !pair.is_closed) {
            pair.close(now);
            self.is_due[CLIENT] = true;
        }
    }

    fn write(&mut self, bytes: u64, is_last: bool) {
        if let Some(pair) = &mut self.pair {
            pair.write(bytes, is_last);
            self.is_due[CLIENT] = true;
        }
    }

    fn receive(&mut self, now: Time, datagram: QuicDatagram) {
        let (Some(pair), Some(payload)) = (&mut self.pair, self.payloads.try_remove(datagram.handle as usize)) else {
            return;
        };
        let side = if datagram.is_backward { CLIENT } else { SERVER };
        pair.receive(side, now, datagram.ecn, payload);
        self.is_due[side] = true;
    }

    fn forget(&mut self, handle: u32) {
        self.payloads.try_remove(handle as usize);
    }

    fn next_time(&mut self) -> Option<Time> {
        let pair = self.pair.as_mut()?;
        [CLIENT, SERVER].into_iter().filter_map(|side| pair.timeout(side, Time::ZERO)).min()
    }

    fn wake(&mut self, now: Time) {
        let Some(pair) = &mut self.pair else { return };
        for side in [CLIENT, SERVER] {
            if pair.timeout(side, now).is_some_and(|time| time <= now) {
                pair.handle_timeout(side, now);
                self.is_due[side] = true;
            }
        }
    }

    fn poll(&mut self, now: Time) -> Option<QuicDatagram> {
        let pair = self.pair.as_mut()?;
        for side in [CLIENT, SERVER] {
            if std::mem::take(&mut self.is_due[side]) {
                pair.serve(side, now);
                if pair.completed.is_some() && !pair.is_closed {
                    pair.close(now);
                }
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

    fn take_rtts(&mut self, sink: &mut dyn FnMut(Duration)) {
        self.watched.look(|host| host.take_rtts(sink));
    }

    fn state(&self) -> QuicState {
        let Some(pair) = &self.pair else { return QuicState::default() };
        let state = QuicState {
            is_open: pair.connected.is_some() && !pair.is_closed,
            completed: pair.completed,
            arrived: pair.received,
            ..QuicState::default()
        };
        let seen = self.watched.look(|host| {
            let ((srtt, last_rtt), [recoveries, timeouts]) = (host.rtts(), host.reductions());
            QuicState { cwnd: host.cwnd(), flight: host.flight(), srtt, last_rtt, recoveries, timeouts, ..state }
        });
        seen.unwrap_or(state)
    }

    fn declared_lost(&self) -> u64 {
        let connection = self.pair.as_ref().and_then(Pair::client);
        connection.map_or(0, |connection| connection.stats().path.lost_packets)
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        self.watched.look(|host| host.observe(sink));
    }
}
