//! A client of any kind: its requests, the use of connections, and the record of every request.

use super::page::Page;
use super::request::{Pool, Request, Served};
use super::requests::Requests;
use super::session::Session;
use crate::network::{AppConfig, AppKind, ConnectionUse, Ideal};
use crate::output::{RequestContext, RequestRow};
use windward_traffic::page::{Browser, Discovery, Protocol};
use windward_traffic::video::Player;
use windward_units::{Duration, Time};

/// Connections that a client can have with one server: Linux's ephemeral ports (`ip_local_port_range`, 32768 to 60999).
const PORTS: u32 = 28_232;

/// Number of requests over time.
#[derive(Clone, Copy, Debug, Default)]
struct Active {
    count: u64,
    since: Time,
    /// Request seconds, in nanoseconds.
    sum: u128,
}

impl Active {
    fn advance(&mut self, now: Time) {
        self.sum += u128::from(self.count) * u128::from(now.since(self.since).as_nanos());
        self.since = now;
    }
}

/// Kind of a client.
pub enum Kind {
    Requests(Requests),
    Session(Session),
    Video(Player),
    Page(Page),
}

/// A client and its server.
pub struct Client {
    pub(super) config: AppConfig,
    /// Seed of the connections' random numbers.
    pub(super) seed: u64,
    pub(super) kind: Kind,
    arrived: u64,
    /// Connections: of a page those of each origin, otherwise one set.
    pub(super) pools: Vec<Pool>,
    /// Number of connections so far.
    pub(super) opened: u64,
    active: Active,
    /// Requests that arrived after the warm-up and have ended.
    rows: Vec<RequestRow>,
    /// Start of the statistics.
    pub warm_at: Time,
}

impl Client {
    /// Application of `config` before its first arrival.
    pub fn new(config: AppConfig, seed: u64) -> Self {
        let kind = match &config.kind {
            AppKind::Requests(requests) => Kind::Requests(Requests::new(requests, &config, seed)),
            AppKind::Session(session) => Kind::Session(Session::new(session, &config, seed)),
            AppKind::Video(video) => Kind::Video(Player::new(video)),
            AppKind::Page(page) => Kind::Page(Page::new(page, config.key, seed)),
        };
        let pools = if let AppKind::Page(page) = &config.kind { page.origins } else { 1 };
        Self {
            config,
            seed,
            kind,
            arrived: 0,
            pools: (0..pools).map(|_| Pool::default()).collect(),
            opened: 0,
            active: Active::default(),
            rows: Vec::new(),
            warm_at: Time::ZERO,
        }
    }

    /// Number of arrival processes: one, or one for each user.
    pub fn users(&self) -> u32 {
        match &self.kind {
            Kind::Requests(requests) => requests.process.users(),
            Kind::Session(session) => session.process.users(),
            Kind::Video(_) | Kind::Page(_) => 1,
        }
    }

    /// Time of the first request of a user, or of the open loop.
    pub fn first(&mut self, user: u32) -> Option<Time> {
        let at = match &mut self.kind {
            Kind::Requests(requests) => requests.process.first(user),
            Kind::Session(session) => session.process.first(user),
            Kind::Video(_) | Kind::Page(_) => Some(self.config.start),
        };
        at.and_then(|at| self.within(at))
    }

    pub(super) fn within(&self, at: Time) -> Option<Time> {
        self.config.stop.is_none_or(|stop| at < stop).then_some(at)
    }

    /// Takes a request that arrives now. Returns it with the time of the next one of an open loop.
    pub fn arrive(&mut self, now: Time, user: u32) -> (Request, Option<Time>) {
        let number = self.arrived;
        self.arrived += 1;
        self.active.advance(now);
        self.active.count += 1;
        let request = Request { number, user, pool: 0, intended: now, size: 0, on: None };
        let (request, next) = match &mut self.kind {
            Kind::Requests(requests) => {
                let size = requests.size(number, user);
                (Request { size, ..request }, requests.process.next(now, number))
            }
            Kind::Session(session) => {
                let (size, on) = session.length(number, user);
                (Request { size, on, ..request }, session.process.next(now, number))
            }
            Kind::Video(player) => (Request { size: player.ask(now), ..request }, None),
            Kind::Page(page) => (page.ask(request), None),
        };
        (request, next.and_then(|at| self.within(at)))
    }

    /// Time of the next request of a user whose response is complete now; `None` in an open loop.
    pub fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
        let at = match &mut self.kind {
            Kind::Requests(requests) => requests.process.think(user).map(|think| now + think),
            Kind::Session(session) => session.process.think(user).map(|think| now + think),
            Kind::Video(player) => player.arrive(now),
            Kind::Page(_) => None,
        };
        at.and_then(|at| self.within(at))
    }

    /// Begins the next visit of a page now; returns the time at which the request of the page itself may leave.
    pub fn begin_visit(&mut self, now: Time) -> Option<Time> {
        let Kind::Page(page) = &mut self.kind else { return None };
        let discovery = page.browser.visit(now);
        self.pools.iter_mut().for_each(|pool| *pool = Pool::default());
        Some(discovery.ready)
    }

    /// Takes an object of a page that is complete now, as `Page::take`.
    pub fn next_of_page(&mut self, now: Time, object: u32, found: &mut Vec<Discovery>) -> Option<Time> {
        let Kind::Page(page) = &mut self.kind else { return None };
        page.take(now, object, found).and_then(|at| self.within(at))
    }

    /// Number of the visit of a page; zero for others.
    pub fn visit(&self) -> u32 {
        self.browser().map_or(0, Browser::number)
    }

    /// Browser of a page.
    pub fn browser(&self) -> Option<&Browser> {
        if let Kind::Page(page) = &self.kind { Some(&page.browser) } else { None }
    }

    /// Player of a video.
    pub fn player(&self) -> Option<&Player> {
        if let Kind::Video(player) = &self.kind { Some(player) } else { None }
    }

    /// Time at the server before the response to a request.
    pub fn service(&self, request: &Request) -> Duration {
        match &self.kind {
            Kind::Requests(requests) => requests.config.service,
            Kind::Session(_) | Kind::Video(_) => Duration::ZERO,
            Kind::Page(page) => page.browser.page().objects[request.user as usize].service,
        }
    }

    /// True if the server closes a connection after its first response.
    pub fn closes(&self) -> bool {
        match &self.kind {
            Kind::Requests(requests) => requests.config.connections == ConnectionUse::New,
            Kind::Session(_) => true,
            Kind::Video(_) | Kind::Page(_) => false,
        }
    }

    /// Most connections of a pool.
    pub fn most(&self) -> u32 {
        match &self.kind {
            Kind::Requests(requests) => match requests.config.connections {
                ConnectionUse::New => PORTS,
                ConnectionUse::Kept { most } => most.min(PORTS),
            },
            Kind::Session(_) => PORTS,
            Kind::Video(_) => 1,
            Kind::Page(page) => match page.browser.page().protocol {
                Protocol::Separate(most) => most,
                Protocol::Multiplexed => 1,
            },
        }
    }

    /// True if all requests of a pool share a connection.
    pub fn is_multiplexed(&self) -> bool {
        self.browser().is_some_and(|browser| browser.page().protocol == Protocol::Multiplexed)
    }

    /// Takes a connection of `pool` for another request. A shared one stays ready.
    pub fn take_ready(&mut self, pool: usize) -> Option<u32> {
        let is_shared = self.is_multiplexed();
        let ready = &mut self.pools[pool].ready;
        if is_shared { ready.last().copied() } else { ready.pop() }
    }

    /// Notes a new connection.
    pub fn count_connection(&mut self) {
        self.opened += 1;
        if let Kind::Page(Page { browser, .. }) = &mut self.kind {
            browser.count_connection();
        }
    }

    /// Lets a request for an object leave, or holds it back; returns true if it leaves.
    pub fn admit(&mut self, request: Request) -> bool {
        if let Kind::Page(page) = &mut self.kind { page.admit(request) } else { true }
    }

    /// Takes the first request that the browser held back and that may leave now.
    pub fn release(&mut self) -> Option<Request> {
        if let Kind::Page(page) = &mut self.kind { page.release() } else { None }
    }

    /// Takes out the requests that wait for a connection or for their turn.
    pub fn take_waiting(&mut self) -> Vec<Request> {
        let mut waiting: Vec<_> = self.pools.iter_mut().flat_map(|pool| pool.waiting.drain(..)).collect();
        if let Kind::Page(page) = &mut self.kind {
            waiting.extend(page.held.drain(..));
        }
        waiting
    }

    /// Records the end of a request on a connection with these retransmissions and timeouts so far.
    pub fn finish(&mut self, now: Time, served: &Served, connection: u64, after: [u64; 2]) {
        self.active.advance(now);
        self.active.count -= 1;
        let Served { request, start, first_byte, is_reused, before } = *served;
        if let Kind::Page(Page { browser, .. }) = &mut self.kind {
            let loaded = browser.of(request.user);
            (loaded.start, loaded.first_byte, loaded.connection) = (Some(start), first_byte, Some(connection));
        }
        let [retransmits, timeouts] = [0, 1].map(|at| after[at] - before[at]);
        let row =
            RequestRow { start, first_byte, end: Some(now), is_reused, retransmits, timeouts, ..self.row(&request) };
        self.record(RequestRow { connection: Some(connection), ..row });
    }

    /// Records a request that is not finished at the end of the run.
    pub fn give_up(&mut self, request: &Request, start: Option<Time>) {
        let row = self.row(request);
        self.record(RequestRow { start: start.unwrap_or(Time::NEVER), ..row });
    }

    fn record(&mut self, row: RequestRow) {
        if row.intended >= self.warm_at {
            self.rows.push(row);
        }
    }

    fn row(&self, request: &Request) -> RequestRow {
        let &Request { number, intended, size, .. } = request;
        RequestRow {
            number,
            intended,
            start: Time::NEVER,
            first_byte: None,
            end: None,
            size,
            connection: None,
            is_reused: false,
            retransmits: 0,
            timeouts: 0,
            ideal: self.config.ideal.time(size, &self.config.tcp),
        }
    }

    /// Starts the statistics: earlier requests do not count.
    pub fn warm(&mut self, now: Time) {
        self.active.advance(now);
        self.active.sum = 0;
        self.warm_at = now;
        self.rows.retain(|row| row.intended >= now);
    }

    /// Ends the observation of a video at `end`.
    pub fn end_video(&mut self, end: Time) {
        if let Kind::Video(player) = &mut self.kind {
            player.end(end);
        }
    }

    /// Ends the run of the application `app` at `end`. Returns its requests in order, and their circumstances.
    pub fn end(mut self, app: u32, end: Time) -> (RequestContext, Vec<RequestRow>) {
        self.active.advance(end);
        self.rows.sort_unstable_by_key(|row| row.number);
        let tcp = &self.config.tcp;
        let context = RequestContext {
            app,
            span: [self.warm_at, end],
            active_time: self.active.sum as f64 / 1e9,
            deadline: if let Kind::Requests(requests) = &self.kind { requests.config.deadline } else { None },
            connections: self.opened,
            wire_bytes: self.rows.iter().map(|row| Ideal::wire_bytes(row.size, tcp)).sum(),
            rate: self.config.ideal.rate.as_bits_per_sec(),
        };
        (context, self.rows)
    }
}
