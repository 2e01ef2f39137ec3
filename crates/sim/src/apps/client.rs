//! Requests and responses: arrivals, the use of connections, and the record of every request.

use crate::engine::{Purpose, Stream};
use crate::network::{AppConfig, Arrivals, ConnectionUse, Ideal, Spread};
use crate::output::{RequestContext, RequestRow};
use crate::page::{Browser, Discovery, PageConfig, Protocol};
use crate::video::Player;
use std::collections::VecDeque;
use windward_units::{Duration, Time, splitmix64};

/// A request that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its number, from zero.
    pub number: u64,
    /// The user who sent it, in a closed loop; of a page, the object.
    pub user: u32,
    /// Connections that it uses: those of this origin.
    pub pool: u32,
    /// Time of its arrival.
    pub intended: Time,
    /// Bytes of its response.
    pub size: u64,
    /// Time for which the server has data, if it is that which ends the response.
    pub on: Option<Duration>,
}

/// A request in service.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub request: Request,
    /// Time at which a connection took it.
    pub start: Time,
    /// Arrival of the first byte of the response.
    pub first_byte: Option<Time>,
    /// True if the connection had carried a request before.
    pub is_reused: bool,
    /// Retransmissions and timeouts of the connection before.
    pub before: [u64; 2],
}

/// Connections between which requests choose.
#[derive(Debug, Default)]
pub struct Pool {
    /// Connections that take another request, by their slots; the one used last comes last.
    pub ready: Vec<u32>,
    /// Number of connections that are open or opening.
    pub open: u32,
    /// Number of connections of a page that are opening, for the first request that waits then.
    pub opening: u32,
    /// Requests that wait for a connection.
    pub waiting: VecDeque<Request>,
}

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

/// A client and its server.
pub struct Client {
    pub(super) config: AppConfig,
    /// Seed of the connections' random numbers.
    pub(super) seed: u64,
    arrivals: Stream,
    /// Player of a video.
    player: Option<Player>,
    /// Streams of each user: response sizes, and times of thinking.
    users: Vec<[Stream; 2]>,
    arrived: u64,
    /// Browser of a page.
    browser: Option<Browser>,
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
    pub fn new(config: &AppConfig, seed: u64) -> Self {
        let count = if let Arrivals::Closed { users, .. } = config.arrivals { users } else { 1 };
        let browser = if let Arrivals::Page(page) = &config.arrivals { Some(Browser::new(page)) } else { None };
        let pools = browser.as_ref().map_or(1, |browser| browser.page().origins);
        let user = |user| {
            let key = if user == 0 { config.key } else { splitmix64(config.key ^ splitmix64(user)) };
            [Purpose::Size, Purpose::Think].map(|purpose| Stream::new(seed, key, purpose))
        };
        Self {
            seed,
            arrivals: Stream::new(seed, config.key, Purpose::Arrival),
            player: if let Arrivals::Video(video) = &config.arrivals { Some(Player::new(video)) } else { None },
            users: (0..u64::from(count)).map(user).collect(),
            arrived: 0,
            pools: (0..pools).map(|_| Pool::default()).collect(),
            browser,
            opened: 0,
            active: Active::default(),
            rows: Vec::new(),
            warm_at: Time::ZERO,
            config: config.clone(),
        }
    }

    /// Number of arrival processes: one, or one for each user.
    pub fn users(&self) -> u32 {
        self.users.len() as u32
    }

    /// Time of the first request of a user, or of the open loop.
    pub fn first(&mut self, user: u32) -> Option<Time> {
        let start = self.config.start;
        match &self.config.arrivals {
            Arrivals::Periodic { .. } | Arrivals::Video(_) | Arrivals::Page(_) => self.within(start),
            Arrivals::Poisson { mean } => {
                let gap = exponential(*mean, &mut self.arrivals);
                self.within(start + gap)
            }
            Arrivals::Closed { .. } => {
                let think = self.think(user)?;
                self.within(start + think)
            }
            Arrivals::Times(times) => times.first().map(|(at, _)| start + *at).and_then(|at| self.within(at)),
        }
    }

    fn within(&self, at: Time) -> Option<Time> {
        self.config.stop.is_none_or(|stop| at < stop).then_some(at)
    }

    /// Takes a request that arrives now. Returns it with the time of the next one of an open loop.
    pub fn arrive(&mut self, now: Time, user: u32) -> (Request, Option<Time>) {
        let number = self.arrived;
        self.arrived += 1;
        self.active.advance(now);
        self.active.count += 1;
        if let Some(browser) = &mut self.browser {
            let object = browser.page().objects[user as usize];
            let intended = browser.of(user).discovered.unwrap_or(now);
            return (Request { number, user, pool: object.origin, intended, size: object.size, on: None }, None);
        }
        let sizes = &mut self.users[user as usize][0];
        let on = self.config.on.map(|(mean, spread)| spread.draw(mean, sizes));
        let drawn = match on {
            // As many segments as have numbers: more than any run can send.
            Some(_) => u64::from(u32::MAX - 1) * self.config.tcp.segment.count(),
            None => self.config.response.draw(sizes),
        };
        let (size, next) = match &self.config.arrivals {
            Arrivals::Periodic { every } => (drawn, Some(now + *every)),
            Arrivals::Poisson { mean } => (drawn, Some(now + exponential(*mean, &mut self.arrivals))),
            // The objects of a page are handled above.
            Arrivals::Closed { .. } | Arrivals::Page(_) => (drawn, None),
            Arrivals::Video(_) => (self.player.as_mut().map_or(drawn, |player| player.ask(now)), None),
            Arrivals::Times(times) => {
                let size = times[number as usize].1.map_or(drawn, |bytes| bytes.count());
                (size, times.get(self.arrived as usize).map(|(at, _)| self.config.start + *at))
            }
        };
        (Request { number, user, pool: 0, intended: now, size, on }, next.and_then(|at| self.within(at)))
    }

    /// Time of the next request of a user whose response is complete now; `None` in an open loop.
    pub fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
        if let Some(player) = &mut self.player {
            return player.arrive(now).and_then(|at| self.within(at));
        }
        let think = self.think(user)?;
        self.within(now + think)
    }

    fn think(&mut self, user: u32) -> Option<Duration> {
        let Arrivals::Closed { think, spread, .. } = self.config.arrivals else { return None };
        let [_, stream] = &mut self.users[user as usize];
        Some(spread.draw(think, stream))
    }

    /// Begins the next visit of a page now; returns the time at which the request of the page itself may leave.
    pub fn begin_visit(&mut self, now: Time) -> Option<Time> {
        let discovery = self.browser.as_mut()?.visit(now);
        self.pools.iter_mut().for_each(|pool| *pool = Pool::default());
        Some(discovery.ready)
    }

    /// Takes an object of a page that is complete now. Discoveries are added to `found`; returns the time of the next
    /// visit if the page is complete, and there is one.
    pub fn next_of_page(&mut self, now: Time, object: u32, found: &mut Vec<Discovery>) -> Option<Time> {
        let browser = self.browser.as_mut()?;
        if !browser.arrive(object, now, found) || browser.is_done() {
            return None;
        }
        let (mean, is_random) = (browser.page().reading, browser.page().is_reading_random);
        let pause = if is_random { exponential(mean, &mut self.users[0][1]) } else { mean };
        self.within(now + pause)
    }

    /// Number of the visit of a page; zero for others.
    pub fn visit(&self) -> u32 {
        self.browser.as_ref().map_or(0, Browser::number)
    }

    /// The page, if this is one.
    pub fn page(&self) -> Option<&PageConfig> {
        self.browser.as_ref().map(Browser::page)
    }

    /// Time at the server before the response to a request.
    pub fn service(&self, request: &Request) -> Duration {
        self.page().map_or(self.config.service, |page| page.objects[request.user as usize].service)
    }

    /// Most connections of a pool.
    pub fn most(&self) -> u32 {
        match (self.page().map(|page| page.protocol), self.config.connections) {
            (Some(Protocol::Separate(most)), _) | (None, ConnectionUse::Kept { most }) => most,
            (Some(Protocol::Multiplexed), _) => 1,
            (None, ConnectionUse::New) => u32::MAX,
        }
    }

    /// True if all requests of a pool share a connection.
    pub fn is_multiplexed(&self) -> bool {
        self.page().is_some_and(|page| page.protocol == Protocol::Multiplexed)
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
        if let Some(browser) = &mut self.browser {
            browser.count_connection();
        }
    }

    /// Takes out the requests that wait for a connection.
    pub fn take_waiting(&mut self) -> Vec<Request> {
        self.pools.iter_mut().flat_map(|pool| pool.waiting.drain(..)).collect()
    }

    /// Takes out the browser of a page.
    pub fn take_browser(&mut self) -> Option<Browser> {
        self.browser.take()
    }

    /// Records the end of a request on a connection with these retransmissions and timeouts so far.
    pub fn finish(&mut self, now: Time, served: &Served, connection: u64, after: [u64; 2]) {
        self.active.advance(now);
        self.active.count -= 1;
        let Served { request, start, first_byte, is_reused, before } = *served;
        if let Some(browser) = &mut self.browser {
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

    /// Takes out the player of a video, which ends at `end`.
    pub fn take_player(&mut self, end: Time) -> Option<Player> {
        let mut player = self.player.take()?;
        player.end(end);
        Some(player)
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
            deadline: self.config.deadline,
            connections: self.opened,
            wire_bytes: self.rows.iter().map(|row| Ideal::wire_bytes(row.size, tcp)).sum(),
            rate: self.config.ideal.rate.as_bits_per_sec(),
        };
        (context, self.rows)
    }
}

impl Spread {
    /// A span with this mean, from at most one uniform variate.
    fn draw(self, mean: Duration, stream: &mut Stream) -> Duration {
        match self {
            Self::Fixed => mean,
            Self::Exponential => exponential(mean, stream),
            Self::Pareto(shape) => mean.scale(stream.pareto(shape)),
        }
    }
}

/// Exponential span by its inverse, from one uniform variate.
fn exponential(mean: Duration, stream: &mut Stream) -> Duration {
    mean.scale(-libm::log1p(-stream.uniform()))
}
