//! Interface between the MAC and the routing protocol.

use super::aodv::AodvRouting;
use super::backpressure::Backpressure;
use super::dsdv::DsdvRouting;
use super::state::Routing;
use crate::Hooks;
use crate::air::FrameKind;
use crate::interface::Out;
use crate::wifi::config::WifiConfig;
use crate::wifi::dcf::mac::{Router, Wifi};
use crate::wifi::dcf::station::{Frame, Head};
use crate::wifi::protocol::RoutingConfig;
use windward_elements::backpressure::Queues;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::Time;

impl Router for Routing {
    fn new(config: &WifiConfig, hooks: &Hooks, seed: u64) -> Option<Self> {
        Some(match config.routing.as_ref()? {
            RoutingConfig::Dsdv(protocol) => Self::Dsdv(Box::new(DsdvRouting::new(*protocol, config))),
            RoutingConfig::Aodv(protocol) => Self::Aodv(Box::new(AodvRouting::new(*protocol, config))),
            RoutingConfig::Backpressure(rule) => {
                Self::Backpressure(Box::new(Backpressure::new(*rule, config, hooks, seed)))
            }
        })
    }

    fn overhears(&self) -> bool {
        matches!(self, Self::Backpressure(_))
    }

    fn queues(&self) -> Option<&Queues> {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => None,
            Self::Backpressure(rule) => Some(rule.queues()),
        }
    }

    fn held(&self) -> u64 {
        match self {
            Self::Dsdv(routing) => routing.held(),
            Self::Aodv(routing) => routing.held(),
            Self::Backpressure(rule) => rule.queues().waiting(),
        }
    }

    fn reset_counts(&mut self, now: Time) {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => {}
            Self::Backpressure(rule) => rule.reset_counts(now),
        }
    }

    fn header(&self, at: u32) -> u32 {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => 0,
            Self::Backpressure(rule) => rule.header(at),
        }
    }

    fn announce(&mut self, now: Time, at: u32) {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => {}
            Self::Backpressure(rule) => rule.announce(now, at),
        }
    }

    fn note_attempt(&mut self, now: Time, way: u32, is_success: bool, is_last: bool) {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => {}
            Self::Backpressure(rule) => rule.note_attempt(now, way, is_success, is_last),
        }
    }

    fn leave(&mut self, now: Time, head: &Head) {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => {}
            Self::Backpressure(rule) => rule.leave(now, head),
        }
    }

    #[inline]
    fn turn(&self, at: u32, chosen: u64) -> u64 {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => 0,
            Self::Backpressure(rule) => rule.turn(at, chosen),
        }
    }

    fn release(&mut self, handle: u32) {
        match self {
            Self::Dsdv(_) | Self::Backpressure(_) => {}
            Self::Aodv(routing) => routing.release(handle),
        }
    }

    fn begin(wifi: &mut Wifi<Self>, out: &mut impl Out) {
        match &wifi.routing {
            None | Some(Self::Backpressure(_)) => {}
            Some(Self::Dsdv(_)) => wifi.begin_dsdv(out),
            Some(Self::Aodv(_)) => wifi.begin_aodv(out),
        }
    }

    fn find_way(wifi: &mut Wifi<Self>, now: Time, at: u32, packet: Packet, out: &mut impl Out) {
        match &wifi.routing {
            None => out.lose(packet, Cause::NoRoute),
            Some(Self::Dsdv(_)) => wifi.find_dsdv_way(now, at, packet, out),
            Some(Self::Aodv(_)) => wifi.find_aodv_way(now, at, packet, out),
            Some(Self::Backpressure(_)) => wifi.queue_by_backlog(now, at, packet, out),
        }
    }

    fn choose(wifi: &mut Wifi<Self>, now: Time, at: u32) -> bool {
        match &wifi.routing {
            None | Some(Self::Dsdv(_) | Self::Aodv(_)) => false,
            Some(Self::Backpressure(_)) => wifi.take_by_backlog(now, at),
        }
    }

    fn put_back(wifi: &mut Wifi<Self>, now: Time, at: u32, head: &Head) -> bool {
        match &wifi.routing {
            None | Some(Self::Dsdv(_) | Self::Aodv(_)) => false,
            Some(Self::Backpressure(_)) => wifi.put_back(now, at, head),
        }
    }

    fn tell(wifi: &mut Wifi<Self>, now: Time, at: u32, out: &mut impl Out) {
        match &wifi.routing {
            None => {}
            Some(Self::Dsdv(_)) => wifi.tell_dsdv(now, at, out),
            Some(Self::Aodv(_)) => wifi.tell_aodv(now, at, out),
            Some(Self::Backpressure(_)) => wifi.report_backlog(now, at, out),
        }
    }

    fn hear(wifi: &mut Wifi<Self>, now: Time, from: u32, frame: &Frame, heard: &[u32], out: &mut impl Out) {
        match &wifi.routing {
            None => {}
            Some(Self::Dsdv(_)) => wifi.hear_dsdv(now, from, frame.number, heard, out),
            Some(Self::Aodv(_)) => wifi.hear_aodv(now, from, frame.number, heard, out),
            Some(Self::Backpressure(_)) => {
                wifi.hear_backlog(now, from, frame.kind == FrameKind::Broadcast, heard, out);
            }
        }
    }

    fn hear_alone(wifi: &mut Wifi<Self>, now: Time, at: u32, from: u32, handle: u32, out: &mut impl Out) {
        if let Some(Self::Aodv(_)) = &wifi.routing {
            wifi.hear_aodv_alone(now, at, from, handle, out);
        }
    }

    fn give_up(wifi: &mut Wifi<Self>, now: Time, at: u32, head: &Head, is_kept: bool, out: &mut impl Out) {
        if let Some(Self::Aodv(_)) = &wifi.routing {
            return wifi.lose_aodv_link(now, at, head, out);
        }
        if !head.is_received && !is_kept {
            out.lose(head.packet, Cause::Sent);
        }
        if let Some(Self::Dsdv(_)) = &wifi.routing {
            wifi.lose_dsdv_link(now, at, wifi.ways[head.way as usize].to, out);
        }
    }
}
