//! A browser and its user at run time.

use super::arrivals::exponential;
use super::kind::{Kind, Own};
use super::request::{Request, Served};
use super::visits::{ObjectLog, PageStats, VisitLog};
use crate::network::{AppConfig, Application};
use std::collections::VecDeque;
use std::sync::Arc;
use windward_elements::engine::{Purpose, Stream};
use windward_traffic::page::{Browser, Discovery, PageConfig, Protocol};
use windward_units::{Duration, Time};

/// User whose arrival begins a visit of a page: beyond all objects.
pub const VISIT: u32 = (1 << 24) - 1;

/// A browser and its user.
pub struct Page {
    pub browser: Browser,
    /// Stream of the reading times.
    reading: Stream,
    /// Requests that the order of requests holds back, in the order of their discovery.
    held: VecDeque<Request>,
}

impl Application for PageConfig {
    fn is_random(&self) -> bool {
        self.is_reading_random && self.visits > 1
    }

    fn pools(&self) -> u32 {
        self.origins
    }

    fn has_streams(&self) -> bool {
        true
    }
}

impl Kind for Page {
    type Config = Arc<PageConfig>;

    fn new(config: &Arc<PageConfig>, app: &AppConfig, seed: u64) -> Self {
        let reading = Stream::new(seed, app.key, Purpose::Think);
        Self { browser: Browser::new(config), reading, held: VecDeque::new() }
    }

    /// Request for the object that `request` has as its user.
    fn ask(&mut self, _: Time, request: Request) -> (Request, Option<Time>) {
        let object = self.browser.page().objects[request.user as usize];
        let intended = self.browser.of(request.user).discovered.unwrap_or(request.intended);
        (Request { pool: object.origin, intended, size: object.size, ..request }, None)
    }

    fn next_of_user(&mut self, _: Time, _: u32) -> Option<Time> {
        None
    }

    fn service(&self, request: &Request) -> Duration {
        self.browser.page().objects[request.user as usize].service
    }

    fn most(&self) -> u32 {
        match self.browser.page().protocol {
            Protocol::Separate(most) => most,
            Protocol::Multiplexed => 1,
        }
    }

    fn note_connection(&mut self) {
        self.browser.count_connection();
    }

    fn note_served(&mut self, served: &Served, connection: u64) {
        let loaded = self.browser.of(served.request.user);
        (loaded.start, loaded.first_byte, loaded.connection) =
            (Some(served.start), served.first_byte, Some(connection));
    }

    fn take_held(&mut self) -> Vec<Request> {
        self.held.drain(..).collect()
    }

    fn report(&mut self, app: u32, [begin, _]: [Time; 2], own: &mut Own) {
        let (mut visits, mut objects) = (VisitLog::default(), ObjectLog::default());
        visits.add(app, &self.browser, begin);
        objects.add(app, &self.browser, begin, own.objects);
        own.objects += self.browser.page().objects.len() as u32;
        own.tables.add(&[PageStats::new(app, &self.browser, begin)]);
        own.tables.add_series(visits);
        own.tables.add_series(objects);
    }
}

impl Page {
    /// Lets a request leave, or holds it back; returns true if it leaves.
    pub fn admit(&mut self, request: Request) -> bool {
        let leaves = self.browser.admit(request.user);
        if !leaves {
            self.held.push_back(request);
        }
        leaves
    }

    /// Takes the first request that was held back and may leave now.
    pub fn release(&mut self) -> Option<Request> {
        let object = self.held.front()?.user;
        if self.browser.admit(object) { self.held.pop_front() } else { None }
    }

    /// Takes an object that is complete now. Discoveries are added to `found`; returns the time of the next visit if
    /// the page is complete, and there is one.
    pub fn take(&mut self, now: Time, object: u32, found: &mut Vec<Discovery>) -> Option<Time> {
        if !self.browser.arrive(object, now, found) || self.browser.is_done() {
            return None;
        }
        let (mean, is_random) = (self.browser.page().reading, self.browser.page().is_reading_random);
        Some(now + if is_random { exponential(mean, &mut self.reading) } else { mean })
    }
}
