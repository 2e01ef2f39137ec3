//! Packets handed on ahead of time, by [`Ahead`](super::ahead::Ahead).

use super::{ACROSS, ARRIVED, Net};
use crate::port::Port;
use crate::topology::{PortKind, Topology};
use windward_elements::engine::{PortTimer, Wake};
use windward_elements::link::Fate;
use windward_elements::packet::Packet;
use windward_units::Time;

/// Sender of the packets of a port: none so far, or several ports, a host or a deciding node.
const NOBODY: u32 = u32::MAX;
const OTHERS: u32 = u32::MAX - 1;

impl Net {
    /// Finds the ports of `topology` that can hand packets on, on the routes added so far.
    pub fn look_ahead(&mut self, topology: &Topology) {
        let keeps_order: Vec<bool> = topology
            .ports
            .iter()
            .map(|port| matches!(&port.kind, PortKind::Link(link) if link.keeps_order()))
            .collect();
        let mut senders = vec![NOBODY; self.ports.len()];
        for [from, to] in self.steps() {
            if let Some(sender) = senders.get_mut(to as usize) {
                *sender = if *sender == NOBODY || *sender == from { from } else { OTHERS };
            }
        }
        let mut leads = keeps_order.clone();
        for [from, to] in self.steps() {
            if let Some(leads) = leads.get_mut(from as usize) {
                let at = to as usize;
                *leads &= senders.get(at) == Some(&from) && keeps_order[at] && matches!(self.ports[at], Port::Wire(_));
            }
        }
        self.ahead.lead(&leads);
    }

    /// Pairs of ports that follow one another on a route; [`OTHERS`] before the first and after the last.
    fn steps(&self) -> Vec<[u32; 2]> {
        let mut steps = Vec::with_capacity(self.routes.len());
        let (mut from, mut words) = (OTHERS, self.routes.iter());
        while let Some(&word) = words.next() {
            let is_port = word & ACROSS == 0;
            if !is_port && word != ARRIVED {
                words.next();
            }
            let to = if is_port { word } else { OTHERS };
            steps.push([from, to]);
            from = to;
        }
        steps
    }

    /// Hands a packet on that arrives at `time` at the far end of a port, and from there as far as possible.
    pub(super) fn hand_on(&mut self, mut time: Time, mut packet: Packet) {
        loop {
            self.ahead.handed_on += 1;
            packet.hop += 1;
            let port = self.routes[packet.hop as usize];
            let until = self.ahead.until(port);
            let Port::Wire(link) = &mut self.ports[port as usize] else { return };
            match link.offer_before(time, packet, until) {
                Fate::Passed(arrives) => {
                    self.hops += 1;
                    time = arrives;
                }
                fate => return self.follow(port, &packet, fate),
            }
        }
    }

    /// Hands on the packets in flight on a port that arrive before `until`, and schedules the arrival of the next one.
    pub(super) fn hand_on_all(&mut self, port: u32, until: Time) {
        while let Some(flight) = self.ports[port as usize].flight()
            && let Some(time) = flight.first()
        {
            if time >= until {
                return self.schedule(time, Wake::Port(PortTimer::Arrive), port);
            }
            if let Some((packet, _)) = flight.land() {
                self.hand_on(time, packet);
            }
        }
    }
}
