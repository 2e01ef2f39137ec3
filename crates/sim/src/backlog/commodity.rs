//! What is queued apart: the packets of one flow in one direction, or of one source.

use crate::packet::{Kind, Packet};
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// A queue that has packets and has sent none for longer than this is stalled: its packets are trapped.
const STALLED: Duration = Duration::from_millis(1_000);

/// What packets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// From a flow's source to its sink.
    Forth,
    /// From a flow's sink to its source: its ACKs.
    Back,
    /// A background source's.
    Datagrams,
}

impl Class {
    /// That of a packet.
    pub fn of(packet: &Packet) -> Self {
        match packet.kind {
            Kind::Datagram => Self::Datagrams,
            Kind::SynAck | Kind::Ack | Kind::CodedAck | Kind::Parcel { is_backward: true } => Self::Back,
            Kind::Syn | Kind::HandshakeAck | Kind::Data | Kind::Coded | Kind::Parcel { .. } | Kind::Routing => {
                Self::Forth
            }
        }
    }
}

/// What a commodity is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// What its packets are.
    pub class: Class,
    /// The flow, or the source.
    pub flow: u32,
    /// The node that it goes to.
    pub to: u32,
}

/// What a queue counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueBooks {
    /// Packets that came.
    pub arrived: u64,
    /// Packets that had to go because the node's buffer was full.
    pub dropped: u64,
    /// Mean number of packets over time.
    pub mean: f64,
    /// Mean number of trapped packets over time: those of a queue that has sent none for more than a second.
    pub trapped: f64,
    /// Most packets at once.
    pub longest: u32,
    /// Packets at the end.
    pub last: u32,
}

/// The packets of a commodity at a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Those that wait.
    pub waiting: VecDeque<Packet>,
    /// Those that are being sent.
    pub sending: u32,
    /// Packets times seconds, until `since`.
    pub time: f64,
    /// Trapped packets times seconds, until `since`.
    pub trapped: f64,
    pub since: Time,
    /// When it last sent a packet, or became a queue of one.
    pub moved: Time,
    pub longest: u32,
    /// Packets that came, and those of them that were dropped.
    pub arrived: u64,
    pub dropped: u64,
}

impl Queue {
    /// U_i^s.
    #[inline]
    pub fn backlog(&self) -> u32 {
        self.waiting.len() as u32 + self.sending
    }

    /// It is about to change.
    #[inline]
    pub fn note(&mut self, now: Time) {
        (self.time, self.trapped) = self.until(now);
        self.since = now;
        if self.backlog() == 0 {
            self.moved = now;
        }
    }

    /// Packets times seconds, and of these the trapped ones, until `now`.
    pub fn until(&self, now: Time) -> (f64, f64) {
        let packets = f64::from(self.backlog());
        let stalled = now.since(self.since.max(self.moved + STALLED));
        (self.time + packets * now.since(self.since).as_secs(), self.trapped + packets * stalled.as_secs())
    }

    /// For how long it has had packets and has sent none.
    pub fn idle(&self, now: Time) -> Duration {
        if self.backlog() == 0 { Duration::ZERO } else { now.since(self.moved) }
    }

    /// Counts from now on.
    pub fn reset(&mut self, now: Time) {
        (self.time, self.trapped, self.since, self.longest) = (0.0, 0.0, now, self.backlog());
        (self.arrived, self.dropped) = (0, 0);
    }
}

/// A commodity and its packets at all nodes.
#[derive(Clone, Debug)]
pub(super) struct Commodity {
    pub name: Name,
    /// Whether it is allowed on each link.
    pub allowed: Vec<bool>,
    /// The nodes that it can come to and has to leave.
    pub nodes: Vec<u32>,
    /// By node.
    pub queues: Vec<Queue>,
    /// Packets that were sent on each link.
    pub sent: Vec<u64>,
    /// Packets at all nodes together.
    pub held: u32,
    /// When its last packet came to any node.
    pub last: Time,
    pub is_active: bool,
}
