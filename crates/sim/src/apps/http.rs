//! HTTP connections of a page: TLS, requests and responses on their way.

use super::request::{Request, Served};
use super::transport::{Transport, TwoWay};
use crate::ends::QuicHeard;
use crate::tcp::Side;
use std::collections::VecDeque;
use windward_elements::engine::AppTimer;
use windward_units::Duration;

/// Bytes of a client's part in a round trip of TLS: a ClientHello with padding.
const HELLO: u64 = 517;
/// Bytes of the server's part: some certificates, within the initial window.
const CERTIFICATES: u64 = 4096;

/// Progress of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    /// TLS.
    Securing,
    Ready,
}

/// A connection of a page.
pub struct Http {
    /// Visit for which it was opened.
    pub visit: u32,
    /// Origin.
    pub pool: u32,
    phase: Phase,
    /// Round trips of TLS that are left.
    tls: u32,
    has_carried: bool,
    /// Requests on their way, each with the client's bytes up to its end.
    asked: VecDeque<(u64, Served)>,
    /// Requests at the server.
    working: Vec<Served>,
    /// Responses on their way, each with the server's bytes up to its start and up to its end.
    answering: VecDeque<([u64; 2], Served)>,
}

impl Http {
    /// A connection that opens for a visit.
    pub fn new(visit: u32, pool: u32, tls: u32) -> Self {
        Self {
            visit,
            pool,
            phase: Phase::Opening,
            tls,
            has_carried: false,
            asked: VecDeque::new(),
            working: Vec::new(),
            answering: VecDeque::new(),
        }
    }

    /// Requests that have no complete response.
    pub fn unfinished(&self) -> impl Iterator<Item = &Served> {
        let asked = self.asked.iter().map(|(_, served)| served);
        asked.chain(&self.working).chain(self.answering.iter().map(|(_, served)| served))
    }

    /// Counts retransmissions and timeouts from `now` on for the requests that have no complete response: those before
    /// belong to the response that is complete.
    pub fn count_from(&mut self, now: [u64; 2]) {
        let asked = self.asked.iter_mut().map(|(_, served)| served);
        let answering = self.answering.iter_mut().map(|(_, served)| served);
        asked.chain(&mut self.working).chain(answering).for_each(|served| served.before = now);
    }

    /// Sends a request of `bytes`; the connection has had the retransmissions and timeouts `before`.
    pub fn ask<T: Transport>(
        &mut self,
        net: &mut T,
        link: &mut T::Link,
        bytes: u64,
        request: Request,
        before: [u64; 2],
    ) {
        let served = Served { request, start: net.now(), first_byte: None, is_reused: self.has_carried, before };
        self.has_carried = true;
        let end = link.written(Side::Client) + bytes;
        if self.asked.is_empty() {
            link.watch(Side::Server, end);
        }
        self.asked.push_back((end, served));
        net.write(link, Side::Client, request.user, bytes, false);
    }

    /// Continues after bytes have arrived at `side` of the connection `flow`, or its handshake is complete. Complete
    /// responses are added to `done`; `service` is the time of a request at the server. Returns true if the connection
    /// is ready for its first request.
    pub fn hear<T: Transport>(
        &mut self,
        net: &mut T,
        (link, flow): (&mut T::Link, u32),
        service: impl Fn(&Request) -> Duration,
        done: &mut Vec<Served>,
    ) -> bool {
        match (self.phase, Side::of(flow)) {
            (Phase::Opening, Side::Client) => return self.secure(net, link),
            (Phase::Securing, Side::Server) => {
                link.watch(Side::Client, link.written(Side::Server) + CERTIFICATES);
                net.write(link, Side::Server, 0, CERTIFICATES, false);
            }
            (Phase::Securing, Side::Client) => {
                self.tls -= 1;
                return self.secure(net, link);
            }
            (Phase::Ready, side) if link.has_streams() => {
                while let Some(heard) = link.take_heard(side) {
                    self.hear_stream(net, (side, flow), heard, &service, done);
                }
            }
            (Phase::Ready, Side::Server) => {
                let arrived = link.arrived(Side::Server);
                while let Some(&(end, served)) = self.asked.front()
                    && end <= arrived
                {
                    self.asked.pop_front();
                    let at = net.now() + service(&served.request);
                    net.schedule(at, AppTimer::Serve, flow, served.request.user);
                    self.working.push(served);
                }
                if let Some((end, _)) = self.asked.front() {
                    link.watch(Side::Server, *end);
                }
            }
            (Phase::Ready, Side::Client) => {
                let arrived = link.arrived(Side::Client);
                while let Some(([begin, end], served)) = self.answering.front_mut() {
                    if arrived > *begin {
                        served.first_byte.get_or_insert(net.now());
                    }
                    if arrived < *end {
                        // First the first byte, then the whole.
                        link.watch(Side::Client, if arrived > *begin { *end } else { *begin + 1 });
                        break;
                    }
                    done.extend(self.answering.pop_front().map(|(_, served)| served));
                }
            }
            (Phase::Opening, Side::Server) => {}
        }
        false
    }

    /// Continues after something has arrived on the stream of a request: no stream waits for another.
    fn hear_stream<T: Transport>(
        &mut self,
        net: &mut T,
        (side, flow): (Side, u32),
        QuicHeard { number, bytes, is_whole }: QuicHeard,
        service: impl Fn(&Request) -> Duration,
        done: &mut Vec<Served>,
    ) {
        if side == Side::Server {
            let at = self.asked.iter().position(|(_, served)| served.request.user == number);
            if let Some((_, served)) = at.filter(|_| is_whole).and_then(|at| self.asked.remove(at)) {
                let at = net.now() + service(&served.request);
                net.schedule(at, AppTimer::Serve, flow, number);
                self.working.push(served);
            }
            return;
        }
        let Some(at) = self.answering.iter().position(|(_, served)| served.request.user == number) else { return };
        if bytes > 0 {
            self.answering[at].1.first_byte.get_or_insert(net.now());
        }
        if is_whole {
            done.extend(self.answering.remove(at).map(|(_, served)| served));
        }
    }

    /// Begins the next round trip of TLS; returns true if there is none.
    fn secure<T: Transport>(&mut self, net: &mut T, link: &mut T::Link) -> bool {
        if self.tls == 0 {
            self.phase = Phase::Ready;
            return true;
        }
        self.phase = Phase::Securing;
        link.watch(Side::Server, link.written(Side::Client) + HELLO);
        net.write(link, Side::Client, 0, HELLO, false);
        false
    }

    /// Sends the response of an object for which the server has worked.
    pub fn answer<T: Transport>(&mut self, net: &mut T, link: &mut T::Link, object: u32) {
        let Some(at) = self.working.iter().position(|served| served.request.user == object) else { return };
        let served = self.working.remove(at);
        let (begin, size) = (link.written(Side::Server), served.request.size);
        if self.answering.is_empty() {
            link.watch(Side::Client, begin + 1);
        }
        self.answering.push_back(([begin, begin + size], served));
        net.write(link, Side::Server, object, size, false);
    }
}
