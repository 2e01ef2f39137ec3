//! Applications and their two-way connections.

use super::client::Client;
use super::http::Http;
use super::page::VISIT;
use super::request::{Request, Served};
use super::transport::{Opening, Transport, TwoWay};
use crate::network::AppConfig;
use crate::tcp::Side;
use windward_elements::engine::AppTimer;
use windward_traffic::page::Discovery;
use windward_units::{Time, splitmix64};

/// Slot of a connection that has ended.
const ENDED: u32 = u32::MAX;

/// A connection in use, and the requests that it carries.
pub(super) struct Talk<L> {
    pub(super) app: u32,
    /// Number of its client's end.
    pub(super) id: u32,
    /// Number among the connections of the application.
    pub(super) connection: u64,
    pub(super) link: L,
    pub(super) work: Work,
}

/// Use of a connection.
pub(super) enum Work {
    /// One request at a time, for which it may have been opened.
    Requests(Stage),
    /// Objects of a page.
    Page(Box<Http>),
}

/// Progress of a request on its connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
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

/// Applications over the connections of a transport.
pub struct Apps<T: Transport> {
    pub(super) apps: Vec<Client>,
    /// Parts that the transport needs.
    ends: Vec<T::App>,
    /// First number of two-way connections, which is even.
    base: u32,
    /// Slot of each connection so far.
    slots: Vec<u32>,
    /// Connections so far, each in its own place: of many, a growing list would hold them twice.
    pub(super) talks: Vec<Box<Talk<T::Link>>>,
    /// Slots of connections that have ended, of each application.
    free: Vec<Vec<u32>>,
    /// Discoveries and complete responses of an event; empty between events.
    pub(super) found: Vec<Discovery>,
    pub(super) done: Vec<Served>,
}

impl<T: Transport> Apps<T> {
    /// Applications of `configs` in the run of `seed`; the numbers of their connections' ends begin at `base`, which is
    /// even.
    pub fn new(configs: Vec<(AppConfig, T::App)>, base: u32, seed: u64) -> Self {
        let free = vec![Vec::new(); configs.len()];
        let (apps, ends) = configs.into_iter().map(|(config, ends)| (Client::new(config, seed), ends)).unzip();
        Self { apps, ends, base, slots: Vec::new(), talks: Vec::new(), free, found: Vec::new(), done: Vec::new() }
    }

    /// Schedules the first arrivals.
    pub fn begin(&mut self, net: &mut T) {
        for (index, app) in (0..).zip(&mut self.apps) {
            for user in 0..app.users() {
                let user = if app.browser().is_some() { VISIT } else { user };
                if let Some(at) = app.first(user) {
                    net.schedule(at, AppTimer::Arrival, index, user);
                }
            }
        }
    }

    /// Slot of the connection with an end numbered `flow`.
    #[inline]
    fn slot(&self, flow: u32) -> Option<u32> {
        self.slots.get((flow.checked_sub(self.base)? / 2) as usize).copied()
    }

    /// Connection with an end numbered `flow`; `None` if it has ended.
    #[inline]
    pub fn link(&mut self, flow: u32) -> Option<&mut T::Link> {
        let slot = self.slot(flow)?;
        self.talks.get_mut(slot as usize).map(|talk| &mut talk.link)
    }

    /// Ends the connection with an end numbered `flow` if its last response has arrived.
    pub fn end_if_closing(&mut self, net: &mut T, flow: u32) {
        let talk = self.slot(flow).and_then(|slot| self.talks.get(slot as usize));
        if talk.is_some_and(|talk| matches!(talk.work, Work::Requests(Stage::Closing))) {
            self.release(net, flow);
        }
    }

    /// Ends the connection with the number `flow`.
    pub(super) fn release(&mut self, net: &mut T, flow: u32) {
        let at = ((flow - self.base) / 2) as usize;
        let slot = std::mem::replace(&mut self.slots[at], ENDED);
        let talk = &mut self.talks[slot as usize];
        net.end(&mut talk.link);
        self.free[talk.app as usize].push(slot);
    }

    /// Handles an event of an application.
    pub fn handle(&mut self, net: &mut T, which: AppTimer, index: u32, user: u32) {
        match which {
            AppTimer::Arrival if user == VISIT => self.visit(net, index),
            AppTimer::Arrival => {
                let (request, next) = self.apps[index as usize].arrive(net.now(), user);
                if let Some(at) = next {
                    net.schedule(at, AppTimer::Arrival, index, user);
                }
                self.serve(net, index, request);
            }
            AppTimer::Heard | AppTimer::Serve => self.proceed(net, which, index, user),
        }
    }

    /// Gives a request to a connection, or lets it wait for one.
    fn serve(&mut self, net: &mut T, index: u32, request: Request) {
        if self.apps[index as usize].browser().is_some() {
            return self.load(net, index, request);
        }
        let app = &mut self.apps[index as usize];
        if let Some(slot) = app.take_ready(0) {
            return self.reuse(net, index, slot, request);
        }
        let most = app.most();
        let pool = &mut app.pools[0];
        if pool.open >= most {
            return pool.waiting.push_back(request);
        }
        pool.open += 1;
        let served = Served { request, start: net.now(), first_byte: None, is_reused: false, before: [0; 2] };
        self.open(net, index, Work::Requests(Stage::Opening(served)));
    }

    /// Opens a connection.
    pub(super) fn open(&mut self, net: &mut T, index: u32, work: Work) {
        let (app, ends) = (&mut self.apps[index as usize], &self.ends[index as usize]);
        let id = self.base + 2 * self.slots.len() as u32;
        let connection = app.opened;
        let seed = splitmix64(splitmix64(app.seed) ^ app.config.key) ^ connection;
        app.count_connection();
        let opening = Opening { id, config: &app.config, seed };
        let slot = match self.free[index as usize].pop() {
            Some(slot) => {
                let talk = &mut self.talks[slot as usize];
                (talk.id, talk.connection, talk.work) = (id, connection, work);
                if let Some(link) = net.open(ends, opening, Some(&mut talk.link)) {
                    talk.link = link;
                }
                slot
            }
            None => {
                let Some(link) = net.open(ends, opening, None) else { return };
                self.talks.push(Box::new(Talk { app: index, id, connection, link, work }));
                self.talks.len() as u32 - 1
            }
        };
        self.slots.push(slot);
    }

    /// Sends a request over an idle connection.
    fn reuse(&mut self, net: &mut T, index: u32, slot: u32, request: Request) {
        let (talk, app) = (&mut self.talks[slot as usize], &self.apps[index as usize]);
        let before = talk.link.repairs();
        talk.ask(net, app, Served { request, start: net.now(), first_byte: None, is_reused: true, before });
    }

    /// Continues the request of a connection whose application was woken.
    fn proceed(&mut self, net: &mut T, which: AppTimer, flow: u32, object: u32) {
        let Some(slot) = self.slot(flow) else { return };
        let Some(talk) = self.talks.get_mut(slot as usize) else { return };
        let Work::Requests(stage) = &mut talk.work else {
            return self.proceed_page(net, which, flow, (slot, object));
        };
        let index = talk.app;
        let app = &mut self.apps[index as usize];
        match (*stage, which, Side::of(flow)) {
            (Stage::Opening(served), AppTimer::Heard, Side::Client) => talk.ask(net, app, served),
            (Stage::Asking(served), AppTimer::Heard, Side::Server) => {
                *stage = Stage::Working(served);
                let ready = net.now() + app.service(&served.request);
                net.schedule(ready, AppTimer::Serve, flow, 0);
            }
            (Stage::Working(served), AppTimer::Serve, Side::Server) => {
                *stage = Stage::Answering(served);
                // First the first byte, then the whole.
                talk.link.watch(Side::Client, talk.link.written(Side::Server) + 1);
                let is_last = app.closes();
                let Request { number, size, .. } = served.request;
                net.write(&mut talk.link, Side::Server, number as u32, size, is_last);
                if let Some(on) = served.request.on {
                    net.schedule(net.now() + on, AppTimer::Serve, flow, 0);
                }
            }
            (Stage::Answering(served), AppTimer::Serve, Side::Server) => {
                net.cut(&mut talk.link, Side::Server);
                let whole = talk.link.written(Side::Server);
                let request = Request { size: whole, ..served.request };
                *stage = Stage::Answering(Served { request, ..served });
                talk.link.watch(Side::Client, if served.first_byte.is_some() { whole } else { 1 });
                // If everything has arrived, the client hears of it at once.
                if talk.link.arrived(Side::Client) >= whole {
                    net.schedule(net.now(), AppTimer::Heard, talk.id, 0);
                }
            }
            (Stage::Answering(mut served), AppTimer::Heard, Side::Client) => {
                served.first_byte.get_or_insert(net.now());
                let whole = talk.link.written(Side::Server);
                if talk.link.arrived(Side::Client) < whole {
                    *stage = Stage::Answering(served);
                    return talk.link.watch(Side::Client, whole);
                }
                app.finish(net.now(), &served, talk.connection, talk.link.repairs());
                if let Some(at) = app.next_of_user(net.now(), served.request.user) {
                    net.schedule(at, AppTimer::Arrival, index, served.request.user);
                }
                if app.closes() {
                    *stage = Stage::Closing;
                    let pool = &mut app.pools[0];
                    pool.open -= 1;
                    if let Some(request) = pool.waiting.pop_front() {
                        self.serve(net, index, request);
                    }
                    return;
                }
                *stage = Stage::Idle;
                match app.pools[0].waiting.pop_front() {
                    Some(request) => self.reuse(net, index, slot, request),
                    None => app.pools[0].ready.push(slot),
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
    pub fn finish(mut self) -> Vec<Client> {
        for slot in self.slots {
            let Some(talk) = self.talks.get(slot as usize) else { continue };
            let app = &mut self.apps[talk.app as usize];
            match &talk.work {
                Work::Requests(
                    Stage::Opening(served) | Stage::Asking(served) | Stage::Working(served) | Stage::Answering(served),
                ) => {
                    let size = served.request.on.map_or(served.request.size, |_| talk.link.arrived(Side::Client));
                    app.give_up(&Request { size, ..served.request }, Some(served.start));
                }
                Work::Requests(Stage::Idle | Stage::Closing) => {}
                Work::Page(http) => {
                    http.unfinished().for_each(|served| app.give_up(&served.request, Some(served.start)));
                }
            }
        }
        for app in &mut self.apps {
            for request in app.take_waiting() {
                app.give_up(&request, None);
            }
        }
        self.apps
    }
}

impl<L: TwoWay> Talk<L> {
    /// Sends a request over an open connection.
    fn ask<T: Transport<Link = L>>(&mut self, net: &mut T, app: &Client, served: Served) {
        self.work = Work::Requests(Stage::Asking(served));
        let bytes = app.config.request.count();
        self.link.watch(Side::Server, self.link.written(Side::Client) + bytes);
        net.write(&mut self.link, Side::Client, served.request.number as u32, bytes, false);
    }
}
