//! Packets come to ports and leave them.

use super::{ARRIVED, Net, count_loss};
use crate::engine::{PortTimer, Wake};
use crate::link::{Fate, Offered, Taken};
use crate::medium::{Cause, Medium};
use crate::packet::Packet;
use crate::port::Port;

impl Net {
    /// Offers a packet to a port.
    #[inline]
    pub(super) fn offer(&mut self, port: u32, packet: &Packet) {
        match &mut self.ports[port as usize] {
            Port::Wire(link) => {
                let fate = link.offer(self.now, *packet);
                self.follow(port, packet, fate);
            }
            Port::Queued(_) => self.offer_to_queue(port, *packet),
            Port::Changing(_) => self.offer_to_changing(port, *packet),
            Port::Shared(share) => {
                let (medium, local) = (share.medium, share.local);
                let now = self.now;
                let (medium, mut out) = self.medium(medium);
                medium.offer(now, local, *packet, &mut out);
            }
        }
    }

    /// Keeps the books of a packet that a link took or refused.
    #[inline]
    fn follow(&mut self, port: u32, packet: &Packet, fate: Fate) {
        match fate {
            Fate::First(time) => {
                self.hops += 1;
                self.schedule(time, Wake::Port(PortTimer::Arrive), port);
            }
            Fate::Queued => self.hops += 1,
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

    fn offer_to_queue(&mut self, port: u32, packet: Packet) {
        // What is due at this instant leaves before the packet comes.
        self.transmit(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Queued(link) = &mut ports[port as usize] else { return };
        let dropped = |packet| count_loss(losses, balance, &packet, Cause::Queue);
        match link.offer(*now, packet, dropped) {
            Offered::Sent(fate) => self.follow(port, &packet, fate),
            Offered::Waits(Some(time)) => self.schedule(time, Wake::Port(PortTimer::Transmit), port),
            Offered::Waits(None) => {}
            Offered::Refused => self.follow(port, &packet, Fate::Dropped),
        }
    }

    /// The transmitter of a queued link takes the next packet, if that is due.
    fn transmit(&mut self, port: u32) {
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Queued(link) = &mut ports[port as usize] else { return };
        let transmission = link.transmit(*now, |packet| count_loss(losses, balance, &packet, Cause::Queue));
        if let Some((packet, fate)) = transmission.sent {
            self.follow(port, &packet, fate);
        }
        if let Some(time) = transmission.next {
            self.schedule(time, Wake::Port(PortTimer::Transmit), port);
        }
    }

    #[cold]
    fn offer_to_changing(&mut self, port: u32, packet: Packet) {
        // What is due at this instant leaves before the packet comes.
        self.complete(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        match link.offer(*now, packet, |packet| count_loss(losses, balance, &packet, Cause::Queue)) {
            Taken::Kept(Some(time)) => self.schedule(time, Wake::Port(PortTimer::Transmit), port),
            Taken::Kept(None) => {}
            Taken::Refused => self.follow(port, &packet, Fate::Dropped),
        }
    }

    /// The transmission of a changing link that ends now ends, and the next one begins.
    #[cold]
    fn complete(&mut self, port: u32) {
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        let done = link.complete(*now, |packet| count_loss(losses, balance, &packet, Cause::Queue));
        if let Some((packet, fate)) = done.sent {
            self.follow(port, &packet, fate);
        }
        if let Some(end) = done.next {
            self.schedule(end, Wake::Port(PortTimer::Transmit), port);
        }
    }

    /// A link changes.
    #[cold]
    fn change(&mut self, port: u32) {
        self.complete(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        let changed = link.change(*now, |packet, cause| count_loss(losses, balance, &packet, cause));
        if let Some(end) = changed.transmits {
            self.schedule(end, Wake::Port(PortTimer::Transmit), port);
        }
        if let Some(next) = changed.next {
            self.schedule(next, Wake::Port(PortTimer::Change), port);
        }
    }

    /// A timer of a port rings. Returns the packet that has come to the end of its route, if one has.
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
                match self.ports[port as usize] {
                    Port::Changing(_) => self.complete(port),
                    _ => self.transmit(port),
                }
                None
            }
            PortTimer::Change => {
                self.change(port);
                None
            }
        }
    }

    /// The first packet in flight arrives at the far end of a port. Returns it where its route ends; else sends it on.
    #[inline]
    fn arrive(&mut self, port: u32) -> Option<Packet> {
        let (packet, next) = self.ports[port as usize].land(self.now)?;
        if let Some(next) = next {
            self.schedule(next, Wake::Port(PortTimer::Arrive), port);
        }
        self.send_on(port, packet)
    }

    /// A packet is at the far end of a port.
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
