//! Applications and their two-way connections.

use super::requests::{Request, Requests, Served};
use crate::engine::{AppTimer, Calendar, Event, FlowTimer, Wake};
use crate::makers::Makers;
use crate::net::Net;
use crate::network::{ConnectionUse, RequestsConfig};
use crate::packet::Packet;
use crate::tcp::{Duplex, Side};
use windward_units::{Time, splitmix64};

/// Slot of a connection that has ended.
const ENDED: u32 = u32::MAX;

/// A connection in use, and the request that it carries.
struct Talk {
    app: u32,
    /// Number among the connections of the application.
    connection: u64,
    link: Duplex,
    stage: Stage,
}

/// Progress of a request on its connection.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// No request.
    Idle,
    /// The connection opens for this request.
    Opening(Served),
    /// The request is on its way.
    Asking(Served),
    /// The server works.
    Working(Served),
    /// The response is on its way.
    Answering(Served),
    /// The response has arrived, and the server closes the connection.
    Closing,
}

/// All applications.
pub struct Apps {
    apps: Vec<Requests>,
    /// First number of two-way connections, which is even.
    base: u32,
    /// Slot of each connection so far.
    slots: Vec<u32>,
    talks: Vec<Talk>,
    /// Slots of connections that have ended.
    free: Vec<u32>,
}

impl Apps {
    /// Applications of `configs` in the run of `seed`; the numbers below `flows` are those of other flows.
    pub fn new(configs: &[RequestsConfig], makers: &Makers, net: &mut Net, flows: usize, seed: u64) -> Self {
        let app = |config: &RequestsConfig| {
            let routes = [net.add_route(&config.forward), net.add_route(&config.backward)];
            Requests::new(config, makers, routes, seed)
        };
        let apps = configs.iter().map(app).collect();
        let base = flows.next_multiple_of(2) as u32;
        Self { apps, base, slots: Vec::new(), talks: Vec::new(), free: Vec::new() }
    }

    /// Schedules the first arrivals.
    pub fn begin(&mut self, net: &mut Net) {
        for (index, app) in (0..).zip(&mut self.apps) {
            for user in 0..app.users() {
                if let Some(at) = app.first(user) {
                    schedule(&mut net.calendar, at, AppTimer::Arrival, index, user);
                }
            }
        }
    }

    /// Connection of the packets and timers numbered `flow`; `None` if it has ended.
    #[inline]
    fn talk(&mut self, flow: u32) -> Option<&mut Talk> {
        let slot = *self.slots.get((flow.checked_sub(self.base)? / 2) as usize)?;
        self.talks.get_mut(slot as usize)
    }

    /// Handles a packet of a two-way connection. One of an ended connection is ignored.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        let Some(talk) = self.talk(packet.flow) else { return };
        talk.link.on_packet(net, packet, Side::of(packet.flow));
        if matches!(talk.stage, Stage::Closing) && talk.link.is_done(Side::Server) {
            let at = ((packet.flow - self.base) / 2) as usize;
            let slot = std::mem::replace(&mut self.slots[at], ENDED);
            self.free.push(slot);
        }
    }

    /// Handles a timer of a two-way connection.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer, flow: u32) {
        if let Some(talk) = self.talk(flow) {
            talk.link.wake(net, which, Side::of(flow));
        }
    }

    /// Handles an event of an application.
    pub fn handle(&mut self, net: &mut Net, which: AppTimer, index: u32, user: u32) {
        match which {
            AppTimer::Arrival => {
                let (request, next) = self.apps[index as usize].arrive(net.now, user);
                if let Some(at) = next {
                    schedule(&mut net.calendar, at, AppTimer::Arrival, index, user);
                }
                self.serve(net, index, request);
            }
            AppTimer::Heard | AppTimer::Serve => self.proceed(net, which, index),
        }
    }

    /// Gives a request to a connection, or lets it wait for one.
    fn serve(&mut self, net: &mut Net, index: u32, request: Request) {
        let app = &mut self.apps[index as usize];
        if let Some(slot) = app.idle.pop() {
            return self.reuse(net, index, slot, request);
        }
        if !app.may_open() {
            return app.waiting.push_back(request);
        }
        let Some(law) = &app.law else { return };
        let initial = app.config.tcp.initial_cwnd();
        let id = self.base + 2 * self.slots.len() as u32;
        let connection = app.opened;
        let seed = splitmix64(splitmix64(app.seed) ^ app.config.key) ^ connection;
        let mut link = Duplex::new(id, &app.config.tcp, app.routes, [law.build(initial), law.build(initial)], seed);
        link.start(net);
        app.open += 1;
        app.opened += 1;
        let served = Served { request, start: net.now, first_byte: None, is_reused: false, before: [0; 2] };
        let talk = Talk { app: index, connection, link, stage: Stage::Opening(served) };
        match self.free.pop() {
            Some(slot) => {
                self.talks[slot as usize] = talk;
                self.slots.push(slot);
            }
            None => {
                self.slots.push(self.talks.len() as u32);
                self.talks.push(talk);
            }
        }
    }

    /// Sends a request over an idle connection.
    fn reuse(&mut self, net: &mut Net, index: u32, slot: u32, request: Request) {
        let (talk, app) = (&mut self.talks[slot as usize], &self.apps[index as usize]);
        let before = repairs(&talk.link);
        talk.ask(net, app, Served { request, start: net.now, first_byte: None, is_reused: true, before });
    }

    /// Continues the request of a connection whose application was woken.
    fn proceed(&mut self, net: &mut Net, which: AppTimer, flow: u32) {
        let base = self.base;
        let Some(slot) = flow.checked_sub(base).and_then(|at| self.slots.get((at / 2) as usize)).copied() else {
            return;
        };
        let Some(talk) = self.talks.get_mut(slot as usize) else { return };
        let index = talk.app;
        let app = &mut self.apps[index as usize];
        match (talk.stage, which, Side::of(flow)) {
            (Stage::Opening(served), AppTimer::Heard, Side::Client) => talk.ask(net, app, served),
            (Stage::Asking(served), AppTimer::Heard, Side::Server) => {
                talk.stage = Stage::Working(served);
                let ready = net.now + app.config.service;
                net.schedule(ready, Wake::App(AppTimer::Serve), flow);
            }
            (Stage::Working(served), AppTimer::Serve, Side::Server) => {
                talk.stage = Stage::Answering(served);
                // First the first byte, then the whole.
                talk.link.watch(Side::Client, talk.link.written(Side::Server) + 1);
                let is_last = app.config.connections == ConnectionUse::New;
                talk.link.write(net, Side::Server, served.request.size, is_last);
            }
            (Stage::Answering(mut served), AppTimer::Heard, Side::Client) => {
                served.first_byte.get_or_insert(net.now);
                let whole = talk.link.written(Side::Server);
                if talk.link.arrived(Side::Client) < whole {
                    talk.stage = Stage::Answering(served);
                    return talk.link.watch(Side::Client, whole);
                }
                app.finish(net.now, &served, talk.connection, repairs(&talk.link));
                if let Some(at) = app.next_of_user(net.now, served.request.user) {
                    schedule(&mut net.calendar, at, AppTimer::Arrival, index, served.request.user);
                }
                if app.config.connections == ConnectionUse::New {
                    talk.stage = Stage::Closing;
                    app.open -= 1;
                    return;
                }
                talk.stage = Stage::Idle;
                match app.waiting.pop_front() {
                    Some(request) => self.reuse(net, index, slot, request),
                    None => app.idle.push(slot),
                }
            }
            _ => {}
        }
    }

    /// Starts the statistics of the run.
    pub fn warm(&mut self, now: Time) {
        self.apps.iter_mut().for_each(|app| app.warm(now));
    }

    /// Ends the run: all requests that are not finished are recorded as such.
    pub fn finish(mut self) -> Vec<Requests> {
        for slot in self.slots {
            let Some(talk) = self.talks.get(slot as usize) else { continue };
            if let Stage::Opening(served) | Stage::Asking(served) | Stage::Working(served) | Stage::Answering(served) =
                talk.stage
            {
                self.apps[talk.app as usize].give_up(&served.request, Some(served.start));
            }
        }
        for app in &mut self.apps {
            for request in std::mem::take(&mut app.waiting) {
                app.give_up(&request, None);
            }
        }
        self.apps
    }
}

impl Talk {
    /// Sends a request over an open connection.
    fn ask(&mut self, net: &mut Net, app: &Requests, served: Served) {
        self.stage = Stage::Asking(served);
        let bytes = app.config.request.count();
        self.link.watch(Side::Server, self.link.written(Side::Client) + bytes);
        self.link.write(net, Side::Client, bytes, false);
    }
}

/// Retransmissions and timeouts of both ends of a connection.
fn repairs(link: &Duplex) -> [u64; 2] {
    let [client, server] = [Side::Client, Side::Server].map(|side| link.counts(side));
    [client.retransmits + server.retransmits, client.timeouts + server.timeouts]
}

fn schedule(calendar: &mut Calendar, at: Time, which: AppTimer, index: u32, user: u32) {
    calendar.push(Event::with_timer(at, Wake::App(which), index, user));
}
