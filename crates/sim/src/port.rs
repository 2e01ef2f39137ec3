//! Ports at work: links, queued links, and shares in media.

use crate::link::{ChangingLink, Flight, Link, QueuedLink};
use crate::packet::Packet;
use crate::status::Counts;
use crate::topology::PortKind;
use windward_units::Time;

/// Packets for which a share's flight has room from the beginning.
const ROOM: usize = 1024;

/// What packets leave a node by.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most ports are such links, and a pointer would cost each packet a miss")]
pub enum Port {
    /// A link that knows at a packet's arrival when it will leave.
    Wire(Link),
    /// A link that asks its queue when it is free.
    Queued(Box<QueuedLink>),
    /// A link that changes on the way.
    Changing(Box<ChangingLink>),
    /// A share in a medium.
    Shared(Share),
}

/// A share in a medium, and what the medium has sent for it.
#[derive(Debug)]
pub struct Share {
    /// The medium.
    pub medium: u32,
    /// Which of its members.
    pub local: u32,
    /// What has left and not arrived.
    pub flight: Flight,
}

impl Port {
    /// The port of `kind` in the run of `seed`.
    pub fn new(kind: &PortKind, seed: u64) -> Self {
        match *kind {
            PortKind::Wire(ref link) => Self::Wire(Link::new(link, seed)),
            PortKind::Queued(ref link, queue) => Self::Queued(Box::new(QueuedLink::new(link, queue, seed))),
            PortKind::Changing(ref link, queue, ref steps) => {
                Self::Changing(Box::new(ChangingLink::new(link, queue, steps, seed)))
            }
            PortKind::Shared { medium, local } => {
                Self::Shared(Share { medium, local, flight: Flight::with_capacity(ROOM) })
            }
        }
    }

    /// Takes the packet that arrives now at its far end, and says when the next one will.
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

    /// Takes the packet that arrives now among those that others overtake, and says when the next of those will.
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        match self {
            Self::Wire(link) => link.land_late(now),
            Self::Queued(link) => link.land_late(now),
            Self::Changing(link) => link.land_late(now),
            Self::Shared(_) => None,
        }
    }

    /// What a link counted since the last reset; `None` for a share, of which the medium knows.
    pub fn counts(&mut self, now: Time) -> Option<Counts> {
        match self {
            Self::Wire(link) => Some(link.counts(now)),
            Self::Queued(link) => Some(link.counts(now)),
            Self::Changing(link) => Some(link.counts(now)),
            Self::Shared(_) => None,
        }
    }

    /// Counts from now on; a share's medium is told by itself.
    pub fn reset_counts(&mut self, now: Time) {
        match self {
            Self::Wire(link) => link.reset_counts(now),
            Self::Queued(link) => link.reset_counts(now),
            Self::Changing(link) => link.reset_counts(now),
            Self::Shared(_) => {}
        }
    }

    /// Packets that it holds: waiting or in flight. Those that wait for a medium, the medium holds.
    pub fn held(&self) -> usize {
        match self {
            Self::Wire(link) => link.held(),
            Self::Queued(link) => link.held(),
            Self::Changing(link) => link.held(),
            Self::Shared(share) => share.flight.len(),
        }
    }
}
