//! Requests and answers: each on a stream of its own, which the client opens.

use super::pair::{CLIENT, Pair, SERVER};
use super::proto::{Connection, Dir, Event, StreamEvent, StreamId};
use super::stream::write;
use std::collections::{BTreeMap, VecDeque};
use windward_sim::QuicHeard;

/// Exchanges of a connection.
#[derive(Default)]
pub struct Exchanges {
    /// Stream of each request that has no complete answer, and back.
    ids: BTreeMap<u32, StreamId>,
    numbers: BTreeMap<StreamId, u32>,
    /// Requests that the client has not sent on a stream, because the handshake or the limit of streams stops it.
    unsent: VecDeque<(u32, u64)>,
    /// Bytes that are not written, of each stream.
    left: [BTreeMap<StreamId, u64>; 2],
    /// Bytes that have arrived, of each stream.
    arrived: [BTreeMap<StreamId, u64>; 2],
    /// Arrivals that were not taken.
    heard: [VecDeque<QuicHeard>; 2],
    /// Answers of which the server does not know that they have arrived.
    unanswered: usize,
    /// True from the end of the client's handshake on, or from the beginning with 0-RTT.
    pub is_open: bool,
}

impl Exchanges {
    /// No exchanges yet. With `zero_rtt` the connection is open from the first flight on.
    pub fn new(zero_rtt: bool) -> Self {
        Self { is_open: zero_rtt, ..Self::default() }
    }

    /// Adds a request of the client's.
    pub fn ask(&mut self, number: u32, bytes: u64) {
        self.unsent.push_back((number, bytes));
        self.unanswered += 1;
    }

    /// Adds an answer of the server's.
    pub fn answer(&mut self, number: u32, bytes: u64) {
        if let Some(&id) = self.ids.get(&number) {
            self.left[SERVER].insert(id, bytes);
        }
    }

    /// Takes out what has arrived next at a side.
    pub fn take_heard(&mut self, side: usize) -> Option<QuicHeard> {
        self.heard[side].pop_front()
    }

    /// True if the server knows that all answers have arrived.
    pub fn is_answered(&self) -> bool {
        self.unanswered == 0
    }

    /// Handles what has happened at a side, and reads and writes what it can.
    pub fn serve(&mut self, pair: &mut Pair, side: usize) {
        while let Some(event) = pair.poll(side) {
            match event {
                Event::Connected if side == CLIENT => self.is_open = true,
                Event::Stream(StreamEvent::Opened { dir: Dir::Bi }) => {
                    if let Some(connection) = pair.connection_mut(side) {
                        while let Some(id) = connection.streams().accept(Dir::Bi) {
                            self.read(connection, side, id);
                        }
                    }
                }
                Event::Stream(StreamEvent::Readable { id }) => {
                    if let Some(connection) = pair.connection_mut(side) {
                        self.read(connection, side, id);
                    }
                }
                Event::Stream(StreamEvent::Finished { .. }) if side == SERVER => self.unanswered -= 1,
                _ => {}
            }
        }
        let Some(connection) = pair.connection_mut(side) else { return };
        if side == CLIENT && self.is_open {
            while let Some(&(number, bytes)) = self.unsent.front()
                && let Some(id) = connection.streams().open(Dir::Bi)
            {
                self.unsent.pop_front();
                self.ids.insert(number, id);
                self.numbers.insert(id, number);
                self.left[CLIENT].insert(id, bytes);
            }
        }
        self.left[side].retain(|&id, left| {
            let mut stream = connection.send_stream(id);
            *left = write(&mut stream, *left);
            if *left == 0 {
                // No side stops a stream: it is open.
                let _ = stream.finish();
            }
            *left > 0
        });
    }

    /// Reads all that a stream has brought, in order.
    fn read(&mut self, connection: &mut Connection, side: usize, id: StreamId) {
        let Some(&number) = self.numbers.get(&id) else { return };
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        let before = self.arrived[side].get(&id).copied().unwrap_or(0);
        let (mut bytes, mut is_whole) = (before, false);
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => bytes += chunk.bytes.len() as u64,
                Ok(None) => {
                    is_whole = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
        if bytes > before || is_whole {
            self.heard[side].push_back(QuicHeard { number, bytes, is_whole });
        }
        if is_whole {
            self.arrived[side].remove(&id);
        } else {
            self.arrived[side].insert(id, bytes);
        }
        if is_whole && side == CLIENT {
            self.ids.remove(&number);
            self.numbers.remove(&id);
        }
    }
}
