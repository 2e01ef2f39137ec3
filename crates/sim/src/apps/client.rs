//! A client of any kind: its requests, the use of connections, and the record of every request.

use super::kind::{Kind, Own};
use super::request::{Pool, Request, Served};
use crate::network::{AppConfig, AppKind, Ideal};
use crate::output::{RequestContext, RequestRow};
use windward_tables::{Frames, Row, Series, Table};
use windward_units::{Duration, Time};

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

/// Generates a client of any kind, which dispatches statically, and the list of the kinds' tables.
macro_rules! clients {
    ($($(#[$doc:meta])* $name:ident($config:ty, $state:ty, [$($row:ty),*], [$($series:ty),*]),)*) => {
        /// Tables of all kinds of applications.
        pub const OF_APPS: &[&Table] = &[$($(<$row as Row>::TABLE,)* $(<$series as Series>::TABLE,)*)*];

        /// All these tables, empty.
        pub fn no_rows() -> Own {
            let mut tables = Frames::default();
            $($(tables.add::<$row>(&[]);)* $(tables.add_series(<$series>::default());)*)*
            Own { tables, objects: 0 }
        }

        /// Kind of a client.
        pub enum AnyKind {
            $($(#[$doc])* $name($state),)*
        }

        impl AnyKind {
            fn of(app: &AppConfig, seed: u64) -> Self {
                match &app.kind { $(AppKind::$name(config) => Self::$name(<$state as Kind>::new(config, app, seed)),)* }
            }
            fn users(&self) -> u32 {
                match self { $(Self::$name(kind) => kind.users(),)* }
            }
            fn first(&mut self, user: u32, start: Time) -> Option<Time> {
                match self { $(Self::$name(kind) => kind.first(user, start),)* }
            }
            fn ask(&mut self, now: Time, request: Request) -> (Request, Option<Time>) {
                match self { $(Self::$name(kind) => Kind::ask(kind, now, request),)* }
            }
            fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
                match self { $(Self::$name(kind) => kind.next_of_user(now, user),)* }
            }
            fn service(&self, request: &Request) -> Duration {
                match self { $(Self::$name(kind) => kind.service(request),)* }
            }
            fn closes(&self) -> bool {
                match self { $(Self::$name(kind) => kind.closes(),)* }
            }
            fn most(&self) -> u32 {
                match self { $(Self::$name(kind) => kind.most(),)* }
            }
            fn deadline(&self) -> Option<Duration> {
                match self { $(Self::$name(kind) => kind.deadline(),)* }
            }
            fn note_connection(&mut self) {
                match self { $(Self::$name(kind) => kind.note_connection(),)* }
            }
            fn note_served(&mut self, served: &Served, connection: u64) {
                match self { $(Self::$name(kind) => kind.note_served(served, connection),)* }
            }
            fn take_held(&mut self) -> Vec<Request> {
                match self { $(Self::$name(kind) => kind.take_held(),)* }
            }
            fn report(&mut self, app: u32, span: [Time; 2], own: &mut Own) {
                match self { $(Self::$name(kind) => kind.report(app, span, own),)* }
            }
        }
    };
}

applications!(clients);

/// A client and its server.
pub struct Client {
    pub(super) config: AppConfig,
    /// Seed of the connections' random numbers.
    pub(super) seed: u64,
    pub(super) kind: AnyKind,
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
        let (kind, pools) = (AnyKind::of(&config, seed), config.kind.pools());
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
        self.kind.users()
    }

    /// Time of the first request of a user, or of the open loop.
    pub fn first(&mut self, user: u32) -> Option<Time> {
        self.kind.first(user, self.config.start).and_then(|at| self.within(at))
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
        let (request, next) = self.kind.ask(now, request);
        (request, next.and_then(|at| self.within(at)))
    }

    /// Time of the next request of a user whose response is complete now; `None` in an open loop.
    pub fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
        self.kind.next_of_user(now, user).and_then(|at| self.within(at))
    }

    /// Time at the server before the response to a request.
    pub fn service(&self, request: &Request) -> Duration {
        self.kind.service(request)
    }

    /// True if the server closes a connection after its first response.
    pub fn closes(&self) -> bool {
        self.kind.closes()
    }

    /// Most connections of a pool.
    pub fn most(&self) -> u32 {
        self.kind.most()
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
        self.kind.note_connection();
    }

    /// Takes out the requests that wait for a connection or for their turn.
    pub fn take_waiting(&mut self) -> Vec<Request> {
        let mut waiting: Vec<_> = self.pools.iter_mut().flat_map(|pool| pool.waiting.drain(..)).collect();
        waiting.extend(self.kind.take_held());
        waiting
    }

    /// Records the end of a request on a connection with these retransmissions and timeouts so far.
    pub fn finish(&mut self, now: Time, served: &Served, connection: u64, after: [u64; 2]) {
        self.active.advance(now);
        self.active.count -= 1;
        let Served { request, start, first_byte, is_reused, before } = *served;
        self.kind.note_served(served, connection);
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

    /// Adds the tables that its kind has, of the application `app` at `end`.
    pub fn report(&mut self, app: u32, end: Time, own: &mut Own) {
        self.kind.report(app, [self.warm_at, end], own);
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
            deadline: self.kind.deadline(),
            connections: self.opened,
            wire_bytes: self.rows.iter().map(|row| Ideal::wire_bytes(row.size, tcp)).sum(),
            rate: self.config.ideal.rate.as_bits_per_sec(),
        };
        (context, self.rows)
    }
}
