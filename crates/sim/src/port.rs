//! Running ports: links, queued links, and shares of media.

use crate::topology::PortKind;
use windward_elements::link::{ChangingLink, Flight, Link, QueuedLink};
use windward_elements::packet::Packet;
use windward_elements::queue::QueueConfig;
use windward_elements::status::Counts;
use windward_tables::Histogram;
use windward_units::Time;

/// Initial capacity of a share's flight, in packets.
const ROOM: usize = 1024;

/// A port through which packets leave a node.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most ports are such links, and a pointer would cost each packet a miss")]
pub enum Port {
    /// A link that computes the departure time when a packet arrives.
    Wire(Link),
    /// A link that asks its queue whenever it is free.
    Queued(Box<QueuedLink>),
    /// A link that changes during the run.
    Changing(Box<ChangingLink>),
    /// A share of a medium.
    Shared(Share),
}

/// A share of a medium, with the packets that the medium has sent for it.
#[derive(Debug)]
pub struct Share {
    /// The medium.
    pub medium: u32,
    /// Its place among the medium's members.
    pub local: u32,
    /// Packets that have left and not yet arrived.
    pub flight: Flight,
}

impl Port {
    /// Port of `kind` in the run of `seed`. A link is of the cheapest type that can do what its configuration says: one
    /// that computes the departure time when a packet arrives costs one event per hop, others two.
    pub fn new(kind: &PortKind, seed: u64) -> Self {
        match *kind {
            PortKind::Link(ref link) if !link.steps.is_empty() => {
                Self::Changing(Box::new(ChangingLink::new(link, link.queue, &link.steps, seed)))
            }
            PortKind::Link(ref link) => match link.queue {
                QueueConfig::DropTail => Self::Wire(Link::new(link, seed)),
                queue => Self::Queued(Box::new(QueuedLink::new(link, queue, seed))),
            },
            PortKind::Shared { medium, local } => {
                Self::Shared(Share { medium, local, flight: Flight::with_capacity(ROOM) })
            }
        }
    }

    /// Takes the packet that arrives now at the far end, with the time of the next arrival.
    #[inline]
    pub fn land(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        if let Self::Wire(link) = self { link.flight().land() } else { self.land_elsewhere(now) }
    }

    #[inline(never)]
    fn land_elsewhere(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        match self {
            Self::Wire(link) => link.flight().land(),
            Self::Queued(link) => link.flight().land(),
            Self::Shared(share) => share.flight.land(),
            Self::Changing(link) => link.land(now),
        }
    }

    /// Packets in flight on a link.
    pub fn flight(&mut self) -> Option<&mut Flight> {
        match self {
            Self::Wire(link) => Some(link.flight()),
            Self::Queued(link) => Some(link.flight()),
            Self::Changing(link) => Some(link.flight()),
            Self::Shared(_) => None,
        }
    }

    /// Takes the packet that arrives now among those that others overtake, with the time of the next such arrival.
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        match self {
            Self::Wire(link) => link.land_late(now),
            Self::Queued(link) => link.land_late(now),
            Self::Changing(link) => link.land_late(now),
            Self::Shared(_) => None,
        }
    }

    /// Counters of a link since the last reset; `None` for a share, whose medium counts.
    pub fn counts(&mut self, now: Time) -> Option<Counts> {
        match self {
            Self::Wire(link) => Some(link.counts(now)),
            Self::Queued(link) => Some(link.counts(now)),
            Self::Changing(link) => Some(link.counts(now)),
            Self::Shared(_) => None,
        }
    }

    /// Waits of the packets that a link sent since the last reset; `None` for a share, whose medium knows
    /// them.
    pub fn all_waits(&mut self, now: Time) -> Option<Histogram> {
        match self {
            Self::Wire(link) => Some(link.all_waits(now)),
            Self::Queued(link) => Some(link.all_waits()),
            Self::Changing(link) => Some(link.all_waits()),
            Self::Shared(_) => None,
        }
    }

    /// Starts counting from now; the medium of a share is reset separately.
    pub fn reset_counts(&mut self, now: Time) {
        match self {
            Self::Wire(link) => link.reset_counts(now),
            Self::Queued(link) => link.reset_counts(now),
            Self::Changing(link) => link.reset_counts(now),
            Self::Shared(_) => {}
        }
    }

    /// Gives back the memory of a burst.
    pub fn tidy(&mut self) {
        match self {
            Self::Wire(link) => link.tidy(),
            Self::Queued(link) => link.flight().tidy(),
            Self::Shared(share) => share.flight.tidy(),
            // Few links change, and most of these keep their packets elsewhere.
            Self::Changing(_) => {}
        }
    }

    /// Number of packets waiting or in flight. Packets that wait for a medium are held by the medium.
    pub fn held(&self) -> usize {
        match self {
            Self::Wire(link) => link.held(),
            Self::Queued(link) => link.held(),
            Self::Changing(link) => link.held(),
            Self::Shared(share) => share.flight.count(),
        }
    }
}
