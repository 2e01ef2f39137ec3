//! Routing table of a station.

use super::message::is_fresher;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use windward_elements::packet::Packet;
use windward_units::Time;

/// A route.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// Freshest sequence number of the destination; `None`: unknown.
    pub number: Option<u32>,
    pub hops: u8,
    pub next: u32,
    /// Expiry, of a broken route as well.
    pub until: Time,
    pub is_valid: bool,
    /// Precursors: neighbours that use the route.
    pub precursors: BTreeSet<u32>,
}

impl Route {
    pub fn is_active(&self, now: Time) -> bool {
        self.is_valid && self.until > now
    }
}

/// A route search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub ttl: u8,
    /// Number of repeated requests to the whole network.
    pub again: u32,
    /// Timeout of the reply.
    pub due: Time,
    /// True for a local repair.
    pub is_repair: bool,
}

/// A packet that waits for a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub packet: Packet,
    /// Destination.
    pub to: u32,
    pub until: Time,
}

/// Routing state of a station.
#[derive(Clone, Debug, Default)]
pub(super) struct Station {
    /// Own sequence number, and identifier of the last request.
    pub number: u32,
    pub request: u32,
    pub routes: BTreeMap<u32, Route>,
    /// Expiry of requests seen, by origin and identifier.
    pub seen: BTreeMap<(u32, u32), Time>,
    pub searches: BTreeMap<u32, Search>,
    pub waiting: VecDeque<Held>,
    /// Expiry of the blacklist, by neighbour.
    pub blacklist: BTreeMap<u32, Time>,
    /// Time of each neighbour's last hello.
    pub heard: BTreeMap<u32, Time>,
    /// Times of the last requests and errors of its own.
    pub requests: VecDeque<Time>,
    pub errors: VecDeque<Time>,
    /// Time of the next hello.
    pub hello: Option<Time>,
}

impl Station {
    /// Valid route to `to`.
    pub fn active(&self, now: Time, to: u32) -> Option<&Route> {
        self.routes.get(&to).filter(|route| route.is_active(now))
    }

    /// Learns the one-hop route to a neighbour from its packet.
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

    /// Updates a route from a message; returns true if the message's route is adopted (§6.2: fresher, or as fresh and
    /// shorter, or in place of a broken one).
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

    /// Prolongs a route in use.
    pub fn prolong(&mut self, to: u32, until: Time) {
        if let Some(route) = self.routes.get_mut(&to).filter(|route| route.is_valid) {
            route.until = route.until.max(until);
        }
    }

    /// Deletes expired routes and requests.
    pub fn forget(&mut self, now: Time) {
        self.seen.retain(|_, until| *until > now);
        self.blacklist.retain(|_, until| *until > now);
        self.routes.retain(|_, route| route.is_valid || route.until > now);
    }

    /// Checks the rate limit of a message type; counts the message if it is allowed.
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
