//! Web pages: objects that name further ones, and a browser that discovers them. All of it is arithmetic on times that
//! the caller gives.

use std::sync::Arc;
use windward_units::{Duration, Time};

/// A page, and how a browser loads it.
#[derive(Clone, Debug, PartialEq)]
pub struct PageConfig {
    /// The objects; the first is the page itself, and each other one comes after its parent. At least one.
    pub objects: Arc<[PageObject]>,
    /// The object that redirects of the page lead to: 0 without any. The first byte of a visit is its.
    pub document: u32,
    /// Number of origins, each with connections of its own.
    pub origins: u32,
    /// Use of connections.
    pub protocol: Protocol,
    /// Order of the requests.
    pub order: Order,
    /// Connections that are opened to an origin when its first object is discovered, at least as many as are needed.
    pub preconnect: u32,
    /// Time that the first object of an origin waits for the origin's address.
    pub dns: Duration,
    /// Round trips of TLS after the handshake of TCP.
    pub tls: u32,
    /// Number of visits; positive.
    pub visits: u32,
    /// Mean time from a page's last byte to the next visit.
    pub reading: Duration,
    /// True if these times are exponential, not constant.
    pub is_reading_random: bool,
}

/// An object of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageObject {
    /// Bytes with headers; positive.
    pub size: u64,
    /// Origin.
    pub origin: u32,
    /// Object that names it; `None` for the page itself.
    pub parent: Option<u32>,
    /// Time from the arrival of the parent's last byte to the discovery: parsing, scripts.
    pub delay: Duration,
    /// Time at the server before the first byte.
    pub service: Duration,
    /// True if nothing is shown before it has arrived.
    pub is_blocking: bool,
}

/// Use of an origin's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1: up to this many connections, each with one request at a time; positive.
    Separate(u32),
    /// HTTP/2: one connection for all requests. Responses leave in the order in which they are ready.
    Multiplexed,
}

/// Order of a browser's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A request leaves once its object is discovered.
    Discovery,
    /// Chromium's tight mode: until all blocking objects have arrived, requests for others leave only while fewer than
    /// [`Self::TIGHT_LIMIT`] objects, beside the page itself, are on their way.
    Tight,
}

impl Order {
    /// Objects on their way at which tight mode holds others back (Blink's `ResourceLoadScheduler`).
    pub const TIGHT_LIMIT: u32 = 2;
}

/// Progress of an object within a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loaded {
    /// Time of its discovery; `None` if it is not known yet.
    pub discovered: Option<Time>,
    /// Time at which a connection took its request.
    pub start: Option<Time>,
    /// Arrival of its first byte.
    pub first_byte: Option<Time>,
    /// Arrival of its last byte.
    pub end: Option<Time>,
    /// Number of its connection.
    pub connection: Option<u64>,
}

/// A visit: the progress of every object, in the order of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Start of the visit.
    pub start: Time,
    /// The objects.
    pub objects: Vec<Loaded>,
    /// Connections opened.
    pub connections: u64,
}

impl Visit {
    /// Time from the start to the last byte of all objects that `is_meant` selects; `None` if one is missing.
    pub fn time_of(&self, page: &PageConfig, is_meant: impl Fn(&PageObject) -> bool) -> Option<Duration> {
        let own = page.objects.iter().zip(&self.objects).filter(|(object, _)| is_meant(object));
        own.map(|(_, loaded)| Some(loaded.end?.since(self.start)))
            .try_fold(Duration::ZERO, |most, end| Some(most.max(end?)))
    }
}

/// A browser that visits one page again and again, each time without anything in its cache.
#[derive(Clone, Debug)]
pub struct Browser {
    config: Arc<PageConfig>,
    /// Children of each object.
    children: Vec<Vec<u32>>,
    /// Visits so far, the present one last.
    visits: Vec<Visit>,
    /// Time at which the address of each origin is known, within the visit.
    resolved: Vec<Option<Time>>,
    /// Objects of the visit that have not arrived.
    left: usize,
    /// Blocking ones among them.
    blocking_left: u32,
    /// Objects beside the page itself that are on their way.
    on_way: u32,
}

/// An object that a browser discovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Its index.
    pub object: u32,
    /// Time at which its request may leave: after parsing, and once its origin's address is known.
    pub ready: Time,
}

impl Browser {
    /// A browser before its first visit.
    pub fn new(config: &Arc<PageConfig>) -> Self {
        let mut children = vec![Vec::new(); config.objects.len()];
        for (index, object) in (0..).zip(&*config.objects) {
            if let Some(parent) = object.parent {
                children[parent as usize].push(index);
            }
        }
        Self {
            config: Arc::clone(config),
            children,
            visits: Vec::new(),
            resolved: Vec::new(),
            left: 0,
            blocking_left: 0,
            on_way: 0,
        }
    }

    /// The page.
    pub fn page(&self) -> &PageConfig {
        &self.config
    }

    /// Visits so far.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Number of the present visit, from 1.
    pub fn number(&self) -> u32 {
        self.visits.len() as u32
    }

    /// True if all visits are complete.
    pub fn is_done(&self) -> bool {
        self.left == 0 && self.visits.len() >= self.config.visits as usize
    }

    /// Begins a visit; returns the discovery of the page itself.
    pub fn visit(&mut self, now: Time) -> Discovery {
        let objects = vec![Loaded::default(); self.config.objects.len()];
        self.left = objects.len();
        self.blocking_left = self.config.objects.iter().filter(|object| object.is_blocking).count() as u32;
        self.visits.push(Visit { start: now, objects, connections: 0 });
        self.resolved = vec![None; self.config.origins as usize];
        self.discover(0, now)
    }

    fn discover(&mut self, object: u32, at: Time) -> Discovery {
        let origin = self.config.objects[object as usize].origin as usize;
        // Further objects of the origin wait for the same answer.
        let resolved = *self.resolved[origin].get_or_insert(at + self.config.dns);
        self.of(object).discovered = Some(at);
        Discovery { object, ready: at.max(resolved) }
    }

    /// Progress of an object in the present visit.
    pub fn of(&mut self, object: u32) -> &mut Loaded {
        let visit = self.visits.last_mut().expect("objects load within a visit");
        &mut visit.objects[object as usize]
    }

    /// Notes a new connection.
    pub fn count_connection(&mut self) {
        if let Some(visit) = self.visits.last_mut() {
            visit.connections += 1;
        }
    }

    /// Lets the request for a discovered object leave if the order of requests allows it; returns true if it does.
    pub fn admit(&mut self, object: u32) -> bool {
        let is_held = self.config.order == Order::Tight
            && self.blocking_left > 0
            && self.on_way >= Order::TIGHT_LIMIT
            && !self.config.objects[object as usize].is_blocking;
        self.on_way += u32::from(!is_held && object > 0);
        !is_held
    }

    /// Takes an object whose request has left and whose last byte arrives now. Returns true if the visit is complete;
    /// what the object names is added to `found`.
    pub fn arrive(&mut self, object: u32, now: Time, found: &mut Vec<Discovery>) -> bool {
        self.of(object).end = Some(now);
        self.left -= 1;
        self.on_way -= u32::from(object > 0);
        self.blocking_left -= u32::from(self.config.objects[object as usize].is_blocking);
        for at in 0..self.children[object as usize].len() {
            let child = self.children[object as usize][at];
            let discovery = self.discover(child, now + self.config.objects[child as usize].delay);
            found.push(discovery);
        }
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn object(origin: u32, parent: Option<u32>, delay: u64) -> PageObject {
        let delay = Duration::from_millis(delay);
        PageObject { size: 1000, origin, parent, delay, service: Duration::ZERO, is_blocking: origin == 0 }
    }

    /// A page with a style sheet of its own origin after 10 ms, a script of another origin that names an image there.
    /// Addresses take 50 ms: the style sheet's is known from the page, the image's from the script.
    #[test]
    fn a_browser_discovers_what_has_been_named() {
        let objects = [object(0, None, 0), object(0, Some(0), 10), object(1, Some(0), 0), object(1, Some(2), 5)];
        let config = Arc::new(PageConfig {
            objects: objects.into(),
            document: 0,
            origins: 2,
            protocol: Protocol::Multiplexed,
            order: Order::Discovery,
            preconnect: 1,
            dns: Duration::from_millis(50),
            tls: 1,
            visits: 2,
            reading: Duration::ZERO,
            is_reading_random: false,
        });
        let mut browser = Browser::new(&config);
        let mut found = Vec::new();
        assert_eq!(browser.visit(at(1000)), Discovery { object: 0, ready: at(1050) });
        assert!(browser.admit(0));
        assert!(!browser.arrive(0, at(1200), &mut found));
        assert_eq!(found, [Discovery { object: 1, ready: at(1210) }, Discovery { object: 2, ready: at(1250) }]);
        assert!(browser.admit(1) && browser.admit(2));
        found.clear();
        assert!(!browser.arrive(2, at(1400), &mut found));
        assert_eq!(found, [Discovery { object: 3, ready: at(1405) }]);
        assert!(browser.admit(3));
        found.clear();
        assert!(!browser.arrive(1, at(1500), &mut found));
        let visit = &browser.visits()[0];
        assert_eq!(visit.time_of(&config, |object| object.is_blocking), Some(Duration::from_millis(500)));
        assert_eq!(visit.time_of(&config, |_| true), None);
        assert!(browser.arrive(3, at(1600), &mut found) && found.is_empty() && !browser.is_done());
        assert_eq!(browser.visits()[0].time_of(&config, |_| true), Some(Duration::from_millis(600)));
        assert_eq!(browser.visit(at(3000)).ready, at(3050));
        assert_eq!(browser.number(), 2);
    }
}
