//! Stations that find the way of packets themselves, by one protocol or another: what the MAC tells it, and what it asks.

mod backpressure;
mod dsdv;

use super::config::WifiConfig;
use super::mac::Wifi;
use super::station::{ALL, Frame, Waiting};
use crate::backlog::Backlog;
use crate::makers::Makers;
use crate::medium::air::FrameKind;
use crate::medium::interface::{Cause, Out};
use crate::packet::{Kind, Packet};
use backpressure::Backpressure;
use dsdv::DsdvRouting;
use windward_units::Time;

pub use backpressure::{Acks, BackpressureConfig, Failures};
pub use dsdv::DsdvConfig;

/// How stations find the way of packets.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingConfig {
    /// Destination-sequenced distance vectors.
    Dsdv(DsdvConfig),
    /// They do not: the backlogs of a station and its neighbours decide.
    Backpressure(BackpressureConfig),
}

/// A protocol at work, in all stations.
#[derive(Debug)]
pub(super) enum Routing {
    Dsdv(Box<DsdvRouting>),
    Backpressure(Box<Backpressure>),
}

impl Routing {
    pub fn new(config: &WifiConfig, makers: &Makers, seed: u64) -> Option<Self> {
        Some(match config.routing.as_ref()? {
            RoutingConfig::Dsdv(protocol) => Self::Dsdv(Box::new(DsdvRouting::new(*protocol, config))),
            RoutingConfig::Backpressure(rule) => {
                Self::Backpressure(Box::new(Backpressure::new(*rule, config, makers, seed)))
            }
        })
    }

    /// Whether it listens to data frames for others.
    pub fn overhears(&self) -> bool {
        matches!(self, Self::Backpressure(_))
    }

    /// The queues of stations that forward by backlog.
    pub fn backlog(&self) -> Option<&Backlog> {
        match self {
            Self::Dsdv(_) => None,
            Self::Backpressure(rule) => Some(rule.backlog()),
        }
    }

    /// Counts from now on.
    pub fn reset_counts(&mut self, now: Time) {
        match self {
            Self::Dsdv(_) => {}
            Self::Backpressure(rule) => rule.reset_counts(now),
        }
    }

    /// Packets that it holds and no way counts as its backlog.
    pub fn held(&self) -> u64 {
        match self {
            Self::Dsdv(routing) => routing.held(),
            Self::Backpressure(rule) => rule.backlog().waiting(),
        }
    }
}

impl Wifi {
    /// Before the first packet.
    pub(super) fn begin_routing(&mut self, out: &mut impl Out) {
        match &self.routing {
            None | Some(Routing::Backpressure(_)) => {}
            Some(Routing::Dsdv(_)) => self.begin_dsdv(out),
        }
    }

    /// A station sends a packet on that follows no route of its own.
    pub(super) fn find_way(&mut self, now: Time, at: u32, packet: Packet, out: &mut impl Out) {
        match &self.routing {
            None => out.lose(packet, Cause::NoRoute),
            Some(Routing::Dsdv(_)) => self.find_dsdv_way(now, at, packet, out),
            Some(Routing::Backpressure(_)) => self.queue_by_backlog(now, at, packet, out),
        }
    }

    /// A station may have something to tell.
    pub(super) fn tell(&mut self, now: Time, at: u32, out: &mut impl Out) {
        match &self.routing {
            None => {}
            Some(Routing::Dsdv(_)) => self.tell_dsdv(now, at, out),
            Some(Routing::Backpressure(_)) => self.report_backlog(now, at, out),
        }
    }

    /// A frame that concerns the protocol has been on the air; `heard` are those who received it.
    pub(super) fn hear(&mut self, now: Time, from: u32, frame: &Frame, heard: &[u32], out: &mut impl Out) {
        match &self.routing {
            None => {}
            Some(Routing::Dsdv(_)) => self.hear_dsdv(now, from, frame.number, heard, out),
            Some(Routing::Backpressure(_)) => {
                self.hear_backlog(now, from, frame.kind == FrameKind::Broadcast, heard, out);
            }
        }
    }

    /// The MAC gave up a packet.
    pub(super) fn lose_link(&mut self, now: Time, at: u32, to: u32, out: &mut impl Out) {
        match &self.routing {
            None | Some(Routing::Backpressure(_)) => {}
            Some(Routing::Dsdv(_)) => self.lose_dsdv_link(now, at, to, out),
        }
    }

    /// A message of the protocol, known to it as `handle`, waits for the air: before the data, as ns-2's queue has it, and whether
    /// there is room or not.
    fn broadcast(&mut self, now: Time, at: u32, handle: u32, size: u32, out: &mut impl Out) {
        let packet = Packet { number: handle, ..Packet::new(Kind::Parcel, now, 0, 0, size) };
        let waiting = Waiting { since: now, way: ALL, packet };
        let station = &mut self.stations[at as usize];
        if station.head.is_some() {
            station.note_queue(now);
            station.bytes += u64::from(size);
            station.queue.push_front(waiting);
        } else {
            self.take(at, waiting);
            self.contend_anew(now, at, out);
        }
    }
}
