//! What one station knows.

use super::message::is_fresher;
use crate::packet::Packet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use windward_units::Time;

/// A route.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The freshest number of the destination; `None`: unknown.
    pub number: Option<u32>,
    pub hops: u8,
    pub next: u32,
    /// Until when it may be used, or remembered where it is broken.
    pub until: Time,
    pub is_valid: bool,
    /// Neighbours that send packets along it.
    pub precursors: BTreeSet<u32>,
}

impl Route {
    pub fn is_active(&self, now: Time) -> bool {
        self.is_valid && self.until > now
    }
}

/// A search for a way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub ttl: u8,
    /// How often the whole network has been asked.
    pub again: u32,
    /// When the answer should be there.
    pub due: Time,
    /// It mends a route in whose middle the station is.
    pub is_repair: bool,
}

/// A packet that waits for a way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub packet: Packet,
    /// The station that it goes to.
    pub to: u32,
    pub until: Time,
}

/// What a station knows and waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct Station {
    /// Its own number, and the name of its last request.
    pub number: u32,
    pub request: u32,
    pub routes: BTreeMap<u32, Route>,
    /// Requests seen, by origin and name, until they are forgotten.
    pub seen: BTreeMap<(u32, u32), Time>,
    pub searches: BTreeMap<u32, Search>,
    pub waiting: VecDeque<Held>,
    /// Neighbours to whom nothing gets through, until they are tried again.
    pub blacklist: BTreeMap<u32, Time>,
    /// Neighbours that say hello, and when they did last.
    pub heard: BTreeMap<u32, Time>,
    /// When the last requests and errors of its own were sent.
    pub requests: VecDeque<Time>,
    pub errors: VecDeque<Time>,
    /// When it says hello next.
    pub hello: Option<Time>,
}

impl Station {
    /// A route that may be used now.
    pub fn active(&self, now: Time, to: u32) -> Option<&Route> {
        self.routes.get(&to).filter(|route| route.is_active(now))
    }

    /// The neighbour that a packet comes from can be reached at once.
    pub fn meet(&mut self, neighbour: u32, until: Time) {
        let route = self.routes.entry(neighbour).or_insert_with(|| Route {
            number: None,
            hops: 1,
            next: neighbour,
            until,
            is_valid: true,
            precursors: BTreeSet::new(),
        });
        (route.hops, route.next, route.is_valid) = (1, neighbour, true);
        route.until = route.until.max(until);
    }

    /// A message tells of a route; whether it is taken over (§6.2: fresher, or as fresh and shorter or in place of a broken one).
    pub fn learn(&mut self, now: Time, to: u32, number: u32, hops: u8, next: u32, until: Time) -> bool {
        let Some(route) = self.routes.get_mut(&to) else {
            let precursors = BTreeSet::new();
            let route = Route { number: Some(number), hops, next, until, is_valid: true, precursors };
            self.routes.insert(to, route);
            return true;
        };
        let is_better = match route.number {
            None => true,
            Some(known) if known == number => !route.is_active(now) || hops < route.hops,
            Some(known) => is_fresher(number, known),
        };
        if is_better {
            let until = if route.is_active(now) { until.max(route.until) } else { until };
            (route.number, route.hops, route.next, route.until) = (Some(number), hops, next, until);
            route.is_valid = true;
        }
        is_better
    }

    /// A route that is used lives on.
    pub fn prolong(&mut self, to: u32, until: Time) {
        if let Some(route) = self.routes.get_mut(&to).filter(|route| route.is_valid) {
            route.until = route.until.max(until);
        }
    }

    /// Broken routes that are old enough, and requests, are forgotten.
    pub fn forget(&mut self, now: Time) {
        self.seen.retain(|_, until| *until > now);
        self.blacklist.retain(|_, until| *until > now);
        self.routes.retain(|_, route| route.is_valid || route.until > now);
    }

    /// Whether one more message of a kind stays below the limit of a second; if so it is noted.
    pub fn may(sent: &mut VecDeque<Time>, now: Time, limit: u32) -> bool {
        while sent.front().is_some_and(|&first| now.since(first).as_nanos() >= 1_000_000_000) {
            sent.pop_front();
        }
        let may = sent.len() < limit as usize;
        if may {
            sent.push_back(now);
        }
        may
    }
}
