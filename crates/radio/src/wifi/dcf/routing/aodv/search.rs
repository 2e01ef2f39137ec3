//! Route discovery: expanding ring search while packets wait (RFC 3561 §6.3, §6.4).

use super::message::{Message, Request};
use super::table::{Held, Search, Station};
use super::{Aodv, Order};
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

impl Aodv {
    /// Holds a packet for `to` at a station and starts a search.
    pub fn seek(&mut self, now: Time, at: u32, to: u32, packet: Packet) {
        self.hold(now, at, to, packet);
        let config = self.config;
        let station = &self.stations[at as usize];
        if station.searches.contains_key(&to) {
            return;
        }
        // For a known destination the first ring reaches slightly beyond its last distance.
        let ttl = match station.routes.get(&to) {
            Some(route) => route.hops.saturating_add(config.ttl_increment),
            None => config.ttl_start,
        };
        self.ask(now, at, to, self.limited(ttl), 0, false);
    }

    /// Holds a packet, and drops the oldest one beyond the limit.
    pub(super) fn hold(&mut self, now: Time, at: u32, to: u32, packet: Packet) {
        let until = now + self.config.patience;
        let waiting = &mut self.stations[at as usize].waiting;
        waiting.push_back(Held { packet, to, until });
        if waiting.len() > self.config.waiting as usize
            && let Some(first) = waiting.pop_front()
        {
            self.orders.push(Order::Lose(first.packet));
        }
    }

    /// Extends a range above the threshold to the whole network.
    fn limited(&self, ttl: u8) -> u8 {
        if ttl > self.config.ttl_threshold { self.config.net_diameter } else { ttl }
    }

    /// Broadcasts a route request.
    pub(super) fn ask(&mut self, now: Time, at: u32, to: u32, ttl: u8, again: u32, is_repair: bool) {
        let config = self.config;
        let station = &mut self.stations[at as usize];
        if !Station::may(&mut station.requests, now, config.rate_limit) {
            // Rate limit: the search continues when the oldest request is a second old.
            let due = station.requests.front().map_or(now, |&first| first + Duration::from_millis(1000));
            let before = Search { ttl: 0, again, due, is_repair };
            let search = station.searches.entry(to).or_insert(before);
            search.due = due;
            return;
        }
        let due = now + config.wait(ttl, again);
        station.searches.insert(to, Search { ttl, again, due, is_repair });
        station.number = station.number.wrapping_add(1);
        station.request = station.request.wrapping_add(1);
        let request = Request {
            id: station.request,
            origin: at,
            origin_number: station.number,
            to,
            to_number: station.routes.get(&to).and_then(|route| route.number),
            hops: 0,
            ttl,
        };
        station.seen.insert((at, request.id), now + config.path_discovery());
        self.orders.push(Order::Broadcast { at, message: Message::Request(request), after: Duration::ZERO });
    }

    /// Handles a station's due timers.
    pub fn tick(&mut self, now: Time, at: u32) {
        self.greet(now, at);
        let config = self.config;
        let station = &mut self.stations[at as usize];
        station.forget(now);
        while station.waiting.front().is_some_and(|held| held.until <= now)
            && let Some(held) = station.waiting.pop_front()
        {
            self.orders.push(Order::Lose(held.packet));
        }
        let late = station.searches.iter().filter(|(_, search)| search.due <= now);
        let late: Vec<(u32, Search)> = late.map(|(&to, &search)| (to, search)).collect();
        for (to, search) in late {
            let whole = config.net_diameter;
            if search.ttl == 0 {
                // The rate limit had stopped it.
                let ttl = if search.again == 0 { config.ttl_start } else { whole };
                self.ask(now, at, to, ttl, search.again, search.is_repair);
            } else if search.is_repair || search.ttl >= whole && search.again >= config.retries {
                self.give_up(now, at, to, search.is_repair);
            } else if search.ttl >= whole {
                self.ask(now, at, to, whole, search.again + 1, false);
            } else {
                self.ask(now, at, to, self.limited(search.ttl.saturating_add(config.ttl_increment)), 0, false);
            }
        }
    }

    /// Ends a search without a route.
    fn give_up(&mut self, now: Time, at: u32, to: u32, is_repair: bool) {
        let station = &mut self.stations[at as usize];
        station.searches.remove(&to);
        let (lost, kept): (Vec<Held>, Vec<Held>) = station.waiting.drain(..).partition(|held| held.to == to);
        station.waiting.extend(kept);
        self.orders.extend(lost.into_iter().map(|held| Order::Lose(held.packet)));
        if is_repair {
            self.tell_broken(now, at, &[to]);
        }
    }

    /// Ends a successful search and sends the packets that waited for it.
    pub(super) fn found(&mut self, now: Time, at: u32, to: u32) {
        let station = &mut self.stations[at as usize];
        if station.active(now, to).is_none() {
            return;
        }
        station.searches.remove(&to);
        if !station.waiting.iter().any(|held| held.to == to) {
            return;
        }
        let (ready, kept): (Vec<Held>, Vec<Held>) = station.waiting.drain(..).partition(|held| held.to == to);
        station.waiting.extend(kept);
        self.orders.extend(ready.into_iter().map(|held| Order::Send { at, packet: held.packet }));
    }
}
