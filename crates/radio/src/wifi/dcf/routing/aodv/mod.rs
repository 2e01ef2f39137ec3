//! Ad hoc on-demand distance vector routing (RFC 3561). A station without a route floods requests in expanding rings.
//! The reply returns along the reverse route, and a station that detects a broken link sends errors to those who use
//! it.
//!
//! Sequence numbers keep routes free of loops: a route replaces another only with a fresher number of its destination,
//! or with the same number and fewer hops. Not implemented: multicast, subnets, the N flag of errors after a repair.

mod deliver;
mod message;
mod protocol;
mod routing;
mod search;
mod table;
#[cfg(test)]
mod tests;

use crate::wifi::protocol::AodvConfig;
use message::Message;
pub use routing::AodvRouting;
use table::Station;
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

/// Action that the protocol requests.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// Broadcasts a message after a delay.
    Broadcast { at: u32, message: Message, after: Duration },
    /// Sends a message to a neighbour.
    Unicast { at: u32, next: u32, message: Message },
    /// Sends a packet that waited for a route.
    Send { at: u32, packet: Packet },
    /// Drops a packet for which no route was found.
    Lose(Packet),
}

/// Routing state of all stations.
#[derive(Debug)]
pub(super) struct Aodv {
    config: AodvConfig,
    stations: Vec<Station>,
    orders: Vec<Order>,
}

impl Aodv {
    /// Creates stations without routes.
    pub fn new(config: AodvConfig, stations: usize) -> Self {
        Self { config, stations: vec![Station::default(); stations], orders: Vec::new() }
    }

    /// True if a packet that the MAC gives up breaks its link.
    pub fn asks_mac(&self) -> bool {
        self.config.asks_mac
    }

    /// Takes the pending actions, in order.
    pub fn orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// Number of packets that wait for routes.
    pub fn held(&self) -> u64 {
        self.stations.iter().map(|station| station.waiting.len() as u64).sum()
    }

    /// Next hop from a station to another; prolongs the routes in use (§6.2).
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

    /// Time of a station's next timer.
    pub fn due(&self, at: u32) -> Time {
        let station = &self.stations[at as usize];
        let searches = station.searches.values().map(|search| search.due);
        searches.chain(station.hello).chain(station.waiting.front().map(|held| held.until)).min().unwrap_or(Time::NEVER)
    }
}
