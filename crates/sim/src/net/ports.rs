//! Arrivals at ports and departures from them.

use super::first_hop::Backlogs;
use super::losses::count_loss;
use super::{ARRIVED, Net};
use crate::port::Port;
use windward_elements::engine::{Calendar, Event, PortTimer, Wake};
use windward_elements::link::{Fate, LinkStep, Offered, Transmission};
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_radio::Medium;
use windward_units::Time;

/// Counts a packet with which a link is done, and wakes a source that waited for it.
#[inline]
fn complete(now: Time, packet: &Packet, backlogs: &mut Backlogs, calendar: &mut Calendar) {
    if backlogs.complete(packet) {
        calendar.push(Event::new(now, Wake::Source, packet.flow));
    }
}

impl Net {
    /// Offers a packet to a port.
    #[inline]
    pub(super) fn offer(&mut self, port: u32, packet: &Packet) {
        // Most ports are wires; the code for other ports must not slow them down.
        if let Port::Wire(link) = &mut self.ports[port as usize] {
            let fate = link.offer_before(self.now, *packet, self.ahead.until(port));
            return self.follow(port, packet, fate);
        }
        self.offer_elsewhere(port, packet);
    }

    #[inline(never)]
    fn offer_elsewhere(&mut self, port: u32, packet: &Packet) {
        match &self.ports[port as usize] {
            Port::Shared(share) => {
                let (medium, local, now) = (share.medium, share.local, self.now);
                let (medium, mut out) = self.medium(medium);
                medium.offer(now, local, *packet, &mut out);
            }
            _ => self.offer_to_queue(port, *packet),
        }
    }

    /// Updates the accounting for a packet that a link accepted or dropped.
    #[inline]
    pub(super) fn follow(&mut self, port: u32, packet: &Packet, fate: Fate) {
        match fate {
            Fate::First(time) => {
                self.hops += 1;
                self.schedule(time, Wake::Port(PortTimer::Arrive), port);
            }
            Fate::Queued => self.hops += 1,
            _ => self.follow_on(port, packet, fate),
        }
    }

    /// [`Self::follow`] for the rarer fates.
    #[inline(never)]
    fn follow_on(&mut self, port: u32, packet: &Packet, fate: Fate) {
        match fate {
            Fate::First(_) | Fate::Queued => {}
            Fate::Passed(time) => {
                self.hops += 1;
                self.hand_on(time, *packet);
            }
            Fate::Late(first) => {
                self.hops += 1;
                if let Some(time) = first {
                    self.schedule(time, Wake::Port(PortTimer::ArriveLate), port);
                }
            }
            Fate::Lost => {
                self.hops += 1;
                count_loss(&mut self.losses, &mut self.balance, packet, Cause::Sent);
            }
            Fate::Dropped => count_loss(&mut self.losses, &mut self.balance, packet, Cause::Queue),
        }
    }

    /// Offers a packet to a link that asks its queue.
    fn offer_to_queue(&mut self, port: u32, packet: Packet) {
        // Transmissions due at this instant precede the arrival.
        self.transmit(port);
        let Self { now, ports, losses, balance, backlogs, calendar, .. } = self;
        let dropped = |packet| {
            complete(*now, &packet, backlogs, calendar);
            count_loss(losses, balance, &packet, Cause::Queue);
        };
        let offered = match &mut ports[port as usize] {
            Port::Queued(link) => link.offer(*now, packet, dropped),
            Port::Changing(link) => link.offer(*now, packet, dropped),
            Port::Wire(_) | Port::Shared(_) => return,
        };
        match offered {
            Offered::Sent(fate) => {
                self.follow(port, &packet, fate);
                self.complete(&packet);
            }
            Offered::Waits(Some(time)) => self.schedule(time, Wake::Port(PortTimer::Transmit), port),
            Offered::Waits(None) => {}
            Offered::Refused => {
                self.follow(port, &packet, Fate::Dropped);
                self.complete(&packet);
            }
        }
    }

    /// Runs the due transmissions of a link that asks its queue.
    fn transmit(&mut self, port: u32) {
        let Self { now, ports, losses, balance, backlogs, calendar, .. } = self;
        let dropped = |packet| {
            complete(*now, &packet, backlogs, calendar);
            count_loss(losses, balance, &packet, Cause::Queue);
        };
        let Transmission { sent, next } = match &mut ports[port as usize] {
            Port::Queued(link) => link.transmit(*now, dropped),
            Port::Changing(link) => link.transmit(*now, dropped),
            Port::Wire(_) | Port::Shared(_) => return,
        };
        if let Some((packet, fate)) = sent {
            self.follow(port, &packet, fate);
            self.complete(&packet);
        }
        if let Some(time) = next {
            self.schedule(time, Wake::Port(PortTimer::Transmit), port);
        }
    }

    /// Counts a packet with which a link is done.
    #[inline]
    fn complete(&mut self, packet: &Packet) {
        complete(self.now, packet, &mut self.backlogs, &mut self.calendar);
    }

    /// Adds changes of a link that changes, in order of time; false for any other port.
    pub fn plan(&mut self, port: u32, steps: &[LinkStep]) -> bool {
        let Port::Changing(link) = &mut self.ports[port as usize] else { return false };
        link.plan(steps);
        // A timer beside the one that is set already finds nothing due, and ends.
        if let Some(time) = link.next_change() {
            self.schedule(time, Wake::Port(PortTimer::Change), port);
        }
        true
    }

    /// Changes the parameters of a link.
    #[cold]
    fn change(&mut self, port: u32) {
        self.transmit(port);
        let Self { now, ports, losses, balance, backlogs, calendar, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        let changed = link.change(*now, |packet, cause, was_sent| {
            if !was_sent {
                complete(*now, &packet, backlogs, calendar);
            }
            count_loss(losses, balance, &packet, cause);
        });
        if let Some(end) = changed.transmits {
            self.schedule(end, Wake::Port(PortTimer::Transmit), port);
        }
        if let Some(next) = changed.next {
            self.schedule(next, Wake::Port(PortTimer::Change), port);
        }
    }

    /// Handles the expiry of a port's timer. Returns a packet that has reached the end of its route.
    #[inline]
    pub fn wake_port(&mut self, timer: PortTimer, port: u32) -> Option<Packet> {
        match timer {
            PortTimer::Arrive => self.arrive(port),
            PortTimer::ArriveLate => {
                let (packet, next) = self.ports[port as usize].land_late(self.now)?;
                if let Some(next) = next {
                    self.schedule(next, Wake::Port(PortTimer::ArriveLate), port);
                }
                self.send_on(port, packet)
            }
            PortTimer::Transmit => {
                self.transmit(port);
                None
            }
            PortTimer::Change => {
                self.change(port);
                None
            }
        }
    }

    /// Handles the arrival of the first packet in flight at a port's far end. Returns it at the end of its route; else
    /// forwards it.
    #[inline]
    fn arrive(&mut self, port: u32) -> Option<Packet> {
        let (packet, next) = self.ports[port as usize].land(self.now)?;
        if let Some(next) = next {
            let until = self.ahead.until(port);
            if next < until {
                let arrived = self.send_on(port, packet);
                self.hand_on_all(port, until);
                return arrived;
            }
            self.schedule(next, Wake::Port(PortTimer::Arrive), port);
        }
        self.send_on(port, packet)
    }

    /// Handles a packet at a port's far end.
    #[inline]
    fn send_on(&mut self, port: u32, mut packet: Packet) -> Option<Packet> {
        if packet.ttl > 0 && !self.leaves(port, &mut packet) {
            return None;
        }
        packet.hop += 1;
        if self.routes[packet.hop as usize] == ARRIVED {
            self.balance.delivered += 1;
            return Some(packet);
        }
        self.forward(&packet);
        None
    }
}
