//! Commodities, the units of queueing: packets of one flow in one direction, or of one source.

use crate::packet::{Kind, Packet};
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Time without a transmission after which a queue with packets is stalled: its packets are trapped.
const STALLED: Duration = Duration::from_millis(1_000);

/// Class of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Data, from a flow's source to its sink.
    Forth,
    /// ACKs, from a flow's sink to its source.
    Back,
    /// Datagrams of a background source.
    Datagrams,
}

impl Class {
    /// Returns the class of a packet.
    pub fn of(packet: &Packet) -> Self {
        match packet.kind {
            Kind::Datagram | Kind::Report => Self::Datagrams,
            Kind::SynAck | Kind::Ack | Kind::CodedAck | Kind::QuicBack | Kind::Parcel { is_backward: true } => {
                Self::Back
            }
            Kind::Syn
            | Kind::HandshakeAck
            | Kind::Data
            | Kind::Segment
            | Kind::Probe
            | Kind::Coded
            | Kind::Quic
            | Kind::Parcel { .. }
            | Kind::Routing => Self::Forth,
        }
    }
}

/// Key of a commodity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Class of its packets.
    pub class: Class,
    /// Index of the flow, or of the source.
    pub flow: u32,
    /// Destination node.
    pub to: u32,
}

/// Statistics of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueBooks {
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets dropped because the node's buffer was full.
    pub dropped: u64,
    /// Mean number of packets over time.
    pub mean: f64,
    /// Mean number of trapped packets over time: packets of a queue that has sent none for more than a second.
    pub trapped: f64,
    /// Largest number of packets.
    pub longest: u32,
    /// Packets at the end.
    pub last: u32,
}

/// The packets of a commodity at a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Waiting packets.
    pub waiting: VecDeque<Packet>,
    /// Number of packets being sent.
    pub sending: u32,
    /// Integral of the number of packets until `since`, in packet seconds.
    pub time: f64,
    /// Integral of the number of trapped packets until `since`, in packet seconds.
    pub trapped: f64,
    pub since: Time,
    /// Time of the last transmission, or of the first packet in an empty queue.
    pub moved: Time,
    pub longest: u32,
    /// Number of packets that arrived, and of those dropped.
    pub arrived: u64,
    pub dropped: u64,
    /// Bytes that arrived, each weighted by its age, for [`Threshold::Recent`](super::Threshold::Recent).
    pub recent: f64,
}

impl Queue {
    /// U_i^s.
    #[inline]
    pub fn backlog(&self) -> u32 {
        self.waiting.len() as u32 + self.sending
    }

    /// Updates the integrals; precedes every change of the queue.
    #[inline]
    pub fn note(&mut self, now: Time) {
        (self.time, self.trapped) = self.until(now);
        self.since = now;
        if self.backlog() == 0 {
            self.moved = now;
        }
    }

    /// Integrals of all packets and of the trapped ones until `now`, in packet seconds.
    pub fn until(&self, now: Time) -> (f64, f64) {
        let packets = f64::from(self.backlog());
        let stalled = now.since(self.since.max(self.moved + STALLED));
        (self.time + packets * now.since(self.since).as_secs(), self.trapped + packets * stalled.as_secs())
    }

    /// Time for which the queue has had packets and has sent none.
    pub fn idle(&self, now: Time) -> Duration {
        if self.backlog() == 0 { Duration::ZERO } else { now.since(self.moved) }
    }

    /// Starts counting from now.
    pub fn reset(&mut self, now: Time) {
        (self.time, self.trapped, self.since, self.longest) = (0.0, 0.0, now, self.backlog());
        (self.arrived, self.dropped) = (0, 0);
    }
}

/// A commodity and its packets at all nodes.
#[derive(Clone, Debug)]
pub(super) struct Commodity {
    pub name: Name,
    /// True for each link on which it is allowed.
    pub allowed: Vec<bool>,
    /// Nodes that it can reach and has to leave.
    pub nodes: Vec<u32>,
    /// Its queue at each node.
    pub queues: Vec<Queue>,
    /// Packets sent on each link.
    pub sent: Vec<u64>,
    /// Packets at all nodes.
    pub held: u32,
    /// Time of its latest arrival at any node.
    pub last: Time,
    pub is_active: bool,
}
