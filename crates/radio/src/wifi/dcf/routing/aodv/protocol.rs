//! Processing of messages and of broken links.

use super::message::{Message, Reply, Request, is_fresher};
use super::table::Station;
use super::{Aodv, Order};
use windward_elements::packet::{Packet, TIME_TO_LIVE};
use windward_units::{Duration, Time};

impl Aodv {
    /// Processes a message from a neighbour; `draw` is uniform in [0, 1).
    pub fn hear(&mut self, now: Time, at: u32, from: u32, message: &Message, draw: f64) {
        match message {
            Message::Request(request) => self.hear_request(now, at, from, *request, draw),
            Message::Reply(reply) => self.hear_reply(now, at, from, *reply),
            Message::Error(gone) => self.hear_error(now, at, from, gone),
            Message::Hello(number) => self.hear_hello(now, at, from, *number),
        }
    }

    fn meet(&mut self, now: Time, at: u32, from: u32) {
        let until = now + self.config.active_route;
        self.stations[at as usize].meet(from, until);
        // A packet may be waiting for the neighbour itself.
        self.found(now, at, from);
    }

    /// Processes a route request (§6.5).
    fn hear_request(&mut self, now: Time, at: u32, from: u32, mut request: Request, draw: f64) {
        let config = self.config;
        // RFC 3561 §6.8: the link works in one direction only, so a reply would be lost.
        if self.stations[at as usize].blacklist.get(&from).is_some_and(|&until| until > now) {
            return;
        }
        self.meet(now, at, from);
        let station = &mut self.stations[at as usize];
        let echo = (request.origin, request.id);
        // RFC 3561 §6.5: a request that was heard within PATH_DISCOVERY_TIME is discarded.
        if request.origin == at || station.seen.get(&echo).is_some_and(|&until| until > now) {
            return;
        }
        station.seen.insert(echo, now + config.path_discovery());
        request.hops = request.hops.saturating_add(1);
        let taken = config.node_traversal * 2 * u64::from(request.hops);
        let lifetime = config.reverse_route.unwrap_or((config.net_traversal() * 2).saturating_sub(taken));
        station.learn(now, request.origin, request.origin_number, request.hops, from, now + lifetime);
        station.prolong(request.origin, now + lifetime);
        self.found(now, at, request.origin);
        if request.to == at {
            return self.answer(now, at, from, &request);
        }
        if config.answers_for_others && self.answer_for(now, at, from, &request) {
            return;
        }
        if request.ttl > 1 {
            request.ttl -= 1;
            let known = self.stations[at as usize].routes.get(&request.to).and_then(|route| route.number);
            if let Some(known) = known
                && request.to_number.is_none_or(|asked| is_fresher(known, asked))
            {
                // RFC 3561 §6.5: the highest number on the way keeps stations behind from replying with an older route.
                request.to_number = Some(known);
            }
            let after = config.jitter.scale(draw);
            self.orders.push(Order::Broadcast { at, message: Message::Request(request), after });
        }
    }

    /// Replies as the destination (§6.6.1).
    fn answer(&mut self, now: Time, at: u32, from: u32, request: &Request) {
        let lifetime = self.config.my_route.as_nanos();
        let station = &mut self.stations[at as usize];
        if let Some(asked) = request.to_number.filter(|&asked| is_fresher(asked, station.number)) {
            station.number = asked;
        }
        let reply = Reply { to: at, number: station.number, origin: request.origin, hops: 0, lifetime };
        let next = station.active(now, request.origin).map_or(from, |route| route.next);
        self.orders.push(Order::Unicast { at, next, message: Message::Reply(reply) });
    }

    /// Replies for the destination if the route is fresh enough, with a gratuitous reply to the destination (§6.6.2,
    /// §6.6.3).
    fn answer_for(&mut self, now: Time, at: u32, from: u32, request: &Request) -> bool {
        let station = &mut self.stations[at as usize];
        let Some(route) = station.active(now, request.to) else { return false };
        let Some(number) = route.number else { return false };
        // A station whose route leads back to the requester has no better one.
        if route.next == from || request.to_number.is_some_and(|asked| is_fresher(asked, number)) {
            return false;
        }
        let (next, hops, left) = (route.next, route.hops, route.until.since(now).as_nanos());
        let Some(back) = station.active(now, request.origin) else { return false };
        let (back_next, back_hops, back_left) = (back.next, back.hops, back.until.since(now).as_nanos());
        let origin_number = back.number.unwrap_or(request.origin_number);
        self.precede(at, request.to, back_next);
        self.precede(at, request.origin, next);
        let reply = Reply { to: request.to, number, origin: request.origin, hops, lifetime: left };
        self.orders.push(Order::Unicast { at, next: back_next, message: Message::Reply(reply) });
        let (to, origin) = (request.origin, request.to);
        let reply = Reply { to, number: origin_number, origin, hops: back_hops, lifetime: back_left };
        self.orders.push(Order::Unicast { at, next, message: Message::Reply(reply) });
        true
    }

    /// Adds a neighbour to the precursors of the route to `to`.
    fn precede(&mut self, at: u32, to: u32, neighbour: u32) {
        if let Some(route) = self.stations[at as usize].routes.get_mut(&to) {
            route.precursors.insert(neighbour);
        }
    }

    /// Processes a route reply (§6.7).
    fn hear_reply(&mut self, now: Time, at: u32, from: u32, mut reply: Reply) {
        self.meet(now, at, from);
        reply.hops = reply.hops.saturating_add(1);
        let until = now + Duration::from_nanos(reply.lifetime);
        let station = &mut self.stations[at as usize];
        station.learn(now, reply.to, reply.number, reply.hops, from, until);
        self.found(now, at, reply.to);
        if reply.origin == at {
            return;
        }
        let station = &mut self.stations[at as usize];
        let Some(back) = station.active(now, reply.origin) else { return };
        let next = back.next;
        station.prolong(reply.origin, now + self.config.active_route);
        let ahead = station.active(now, reply.to).map(|route| route.next);
        self.precede(at, reply.to, next);
        if let Some(ahead) = ahead {
            self.precede(at, ahead, next);
            self.precede(at, reply.origin, ahead);
        }
        self.orders.push(Order::Unicast { at, next, message: Message::Reply(reply) });
    }

    /// Processes a route error: invalidates the routes to `gone` over the sender (§6.11).
    fn hear_error(&mut self, now: Time, at: u32, from: u32, gone: &[(u32, u32)]) {
        let station = &mut self.stations[at as usize];
        let mut broken = Vec::new();
        for &(to, number) in gone {
            if let Some(route) = station.routes.get_mut(&to).filter(|route| route.is_active(now) && route.next == from)
            {
                route.number = Some(number);
                broken.push(to);
            }
        }
        self.invalidate(now, at, &broken);
        self.tell_broken(now, at, &broken);
    }

    /// Invalidates routes; they are remembered for a while.
    fn invalidate(&mut self, now: Time, at: u32, broken: &[u32]) {
        let until = now + self.config.deletion();
        for to in broken {
            if let Some(route) = self.stations[at as usize].routes.get_mut(to) {
                (route.is_valid, route.until) = (false, until);
            }
        }
    }

    /// Sends route errors to the precursors of broken routes.
    pub(super) fn tell_broken(&mut self, now: Time, at: u32, broken: &[u32]) {
        let limit = self.config.rate_limit;
        let station = &mut self.stations[at as usize];
        let mut gone = Vec::new();
        let mut to_tell = std::collections::BTreeSet::new();
        for &to in broken {
            if let Some(route) = station.routes.get_mut(&to).filter(|route| !route.precursors.is_empty()) {
                to_tell.append(&mut route.precursors);
                gone.push((to, route.number.unwrap_or(0)));
            }
        }
        if gone.is_empty() || !Station::may(&mut station.errors, now, limit) {
            return;
        }
        let message = Message::Error(gone);
        match to_tell.first() {
            Some(&next) if to_tell.len() == 1 => self.orders.push(Order::Unicast { at, next, message }),
            _ => self.orders.push(Order::Broadcast { at, message, after: Duration::ZERO }),
        }
    }

    /// Drops a packet that arrived for forwarding without a route, and sends an error to its sender (§6.11, case ii).
    pub fn refuse(&mut self, now: Time, at: u32, to: u32, packet: Packet) {
        let limit = self.config.rate_limit;
        let station = &mut self.stations[at as usize];
        if station.searches.get(&to).is_some_and(|search| search.is_repair) {
            return self.hold(now, at, to, packet);
        }
        let number = station.routes.get(&to).and_then(|route| route.number).unwrap_or(0);
        if Station::may(&mut station.errors, now, limit) {
            let message = Message::Error(vec![(to, number)]);
            self.orders.push(Order::Broadcast { at, message, after: Duration::ZERO });
        }
        self.orders.push(Order::Lose(packet));
    }

    /// Breaks the link to a neighbour after the MAC gave up `packets`, each with its destination.
    pub fn break_link(&mut self, now: Time, at: u32, to: u32, packets: impl IntoIterator<Item = (u32, Packet)>) {
        let mut broken = self.over(now, at, to);
        for &one in &broken {
            if let Some(route) = self.stations[at as usize].routes.get_mut(&one) {
                route.number = Some(route.number.unwrap_or(0).wrapping_add(1));
            }
        }
        self.invalidate(now, at, &broken);
        for (end, packet) in packets {
            // The time to live shows how many hops it has made.
            let behind = TIME_TO_LIVE - packet.ttl;
            if behind == 0 {
                self.seek(now, at, end, packet);
            } else if self.repair(now, at, end, behind) {
                broken.retain(|&one| one != end);
                self.hold(now, at, end, packet);
            } else {
                self.orders.push(Order::Lose(packet));
            }
        }
        self.tell_broken(now, at, &broken);
    }

    /// Starts a local repair if the destination is close enough (§6.12).
    fn repair(&mut self, now: Time, at: u32, to: u32, behind: u8) -> bool {
        let config = self.config;
        let station = &self.stations[at as usize];
        if station.searches.contains_key(&to) {
            return true;
        }
        let Some(hops) = station.routes.get(&to).map(|route| route.hops) else { return false };
        // MAX_REPAIR_TTL is 0.3 NET_DIAMETER; LOCAL_ADD_TTL is 2.
        if !config.repairs || u32::from(hops) * 10 > u32::from(config.net_diameter) * 3 {
            return false;
        }
        let ttl = hops.max(behind / 2).saturating_add(2).min(config.net_diameter);
        self.ask(now, at, to, ttl, 0, true);
        true
    }

    /// Destinations of active routes over `neighbour`.
    fn over(&self, now: Time, at: u32, neighbour: u32) -> Vec<u32> {
        let routes = self.stations[at as usize].routes.iter();
        routes.filter(|(_, route)| route.is_active(now) && route.next == neighbour).map(|(&to, _)| to).collect()
    }

    /// Puts a neighbour on the blacklist after an undelivered message: its requests are ignored for a while (§6.8).
    pub fn distrust(&mut self, now: Time, at: u32, to: u32) {
        let until = now + self.config.net_traversal() * u64::from(self.config.retries);
        self.stations[at as usize].blacklist.insert(to, until);
    }

    /// Schedules a station's first hello if hellos are in use; `draw` is uniform in [0, 1).
    pub fn begin(&mut self, at: u32, draw: f64) {
        self.stations[at as usize].hello = self.config.hello.map(|every| Time::ZERO + every.scale(draw));
    }

    /// Sends a hello if a route is in use, and breaks links to neighbours whose hellos are missing (§6.9, §6.10).
    pub(super) fn greet(&mut self, now: Time, at: u32) {
        let Some(every) = self.config.hello else { return };
        let station = &mut self.stations[at as usize];
        if station.hello.is_none_or(|due| due > now) {
            return;
        }
        station.hello = Some(now + every);
        let patience = every * u64::from(self.config.missed);
        let silent = station.heard.iter().filter(|&(_, &last)| now.since(last) > patience);
        let silent: Vec<u32> = silent.map(|(&neighbour, _)| neighbour).collect();
        if station.routes.values().any(|route| route.is_active(now)) {
            let message = Message::Hello(station.number);
            self.orders.push(Order::Broadcast { at, message, after: Duration::ZERO });
        }
        for neighbour in silent {
            self.stations[at as usize].heard.remove(&neighbour);
            self.break_link(now, at, neighbour, []);
        }
    }

    fn hear_hello(&mut self, now: Time, at: u32, from: u32, number: u32) {
        let Some(every) = self.config.hello else { return };
        let until = now + every * u64::from(self.config.missed);
        let station = &mut self.stations[at as usize];
        station.heard.insert(from, now);
        station.meet(from, until);
        if let Some(route) = station.routes.get_mut(&from) {
            route.number = Some(number);
        }
        self.found(now, at, from);
    }
}
