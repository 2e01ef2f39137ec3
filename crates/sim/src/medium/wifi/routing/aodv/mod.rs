//! Ad hoc on-demand distance vectors (RFC 3561): a station without a route asks for one by messages that flood the network, in
//! rings that grow; the answer comes back along the way of the question, and whoever meets a broken link tells those who use it.
//!
//! Numbers make routes free of loops: a route replaces another one only if its destination has given it a fresher number, or
//! with the same number where it is shorter. Left out: multicast, subnets, the N flag of errors after a repair.

mod config;
mod deliver;
mod message;
mod protocol;
mod routing;
mod search;
mod table;
#[cfg(test)]
mod tests;

use crate::packet::Packet;
pub use config::AodvConfig;
use message::Message;
pub use routing::AodvRouting;
use table::Station;
use windward_units::{Duration, Time};

/// What the protocol wants to be done.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// A station tells all who hear it, after a while.
    Broadcast { at: u32, message: Message, after: Duration },
    /// A station tells a neighbour.
    Unicast { at: u32, next: u32, message: Message },
    /// A packet that waited at a station has a way.
    Send { at: u32, packet: Packet },
    /// A packet will find none.
    Lose(Packet),
}

/// The routing of all stations.
#[derive(Debug)]
pub(super) struct Aodv {
    config: AodvConfig,
    stations: Vec<Station>,
    orders: Vec<Order>,
}

impl Aodv {
    /// Stations that know of nobody.
    pub fn new(config: AodvConfig, stations: usize) -> Self {
        Self { config, stations: vec![Station::default(); stations], orders: Vec::new() }
    }

    /// Whether a packet that the MAC gave up breaks its link.
    pub fn asks_mac(&self) -> bool {
        self.config.asks_mac
    }

    /// What is to be done by now, in order.
    pub fn orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// Packets that wait for routes.
    pub fn held(&self) -> u64 {
        self.stations.iter().map(|station| station.waiting.len() as u64).sum()
    }

    /// The neighbour by which a station reaches another one, which it uses now: routes that are used live on (§6.2).
    pub fn next_hop(&mut self, now: Time, at: u32, to: u32) -> Option<u32> {
        let until = now + self.config.active_route;
        let station = &mut self.stations[at as usize];
        let route = station.routes.get_mut(&to).filter(|route| route.is_active(now))?;
        route.until = route.until.max(until);
        let next = route.next;
        if next != to {
            station.prolong(next, until);
        }
        Some(next)
    }

    /// When a station has something to do next.
    pub fn due(&self, at: u32) -> Time {
        let station = &self.stations[at as usize];
        let searches = station.searches.values().map(|search| search.due);
        searches.chain(station.hello).chain(station.waiting.front().map(|held| held.until)).min().unwrap_or(Time::NEVER)
    }
}
