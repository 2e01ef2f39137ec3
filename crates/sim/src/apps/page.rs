//! A browser and its user at run time.

use super::arrivals::exponential;
use super::request::Request;
use std::collections::VecDeque;
use std::sync::Arc;
use windward_elements::engine::{Purpose, Stream};
use windward_traffic::page::{Browser, Discovery, PageConfig};
use windward_units::Time;

/// User whose arrival begins a visit of a page: beyond all objects.
pub const VISIT: u32 = (1 << 24) - 1;

/// A browser and its user.
pub struct Page {
    pub browser: Browser,
    /// Stream of the reading times.
    reading: Stream,
    /// Requests that the order of requests holds back, in the order of their discovery.
    pub held: VecDeque<Request>,
}

impl Page {
    /// Page of the application with the key `key` before its first visit.
    pub fn new(config: &Arc<PageConfig>, key: u64, seed: u64) -> Self {
        let reading = Stream::new(seed, key, Purpose::Think);
        Self { browser: Browser::new(config), reading, held: VecDeque::new() }
    }

    /// Request for the object that `request` has as its user.
    pub fn ask(&mut self, request: Request) -> Request {
        let object = self.browser.page().objects[request.user as usize];
        let intended = self.browser.of(request.user).discovered.unwrap_or(request.intended);
        Request { pool: object.origin, intended, size: object.size, ..request }
    }

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
