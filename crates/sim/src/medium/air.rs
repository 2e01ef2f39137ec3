//! Frames as somebody who listens to all of a wireless network sees them.

use crate::packet::{NodeId, Packet};
use windward_units::{BitRate, Duration, Time};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A packet for one station.
    Data,
    /// The answer to it.
    Ack,
    /// A packet for all who hear it.
    Broadcast,
}

/// How many kinds of frames there are.
pub const FRAME_KINDS: usize = 5;

impl FrameKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; FRAME_KINDS] = [Self::Rts, Self::Cts, Self::Data, Self::Ack, Self::Broadcast];

    /// What it is called in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Broadcast => "broadcast",
        }
    }
}

/// A frame that has been on the air.
#[derive(Clone, Copy, Debug)]
pub struct AirFrame {
    /// When its sender began.
    pub began: Time,
    /// When its end reached the others.
    pub ended: Time,
    /// Its sender.
    pub from: NodeId,
    /// Whom it was for; `None`: all.
    pub to: Option<NodeId>,
    /// What it is.
    pub kind: FrameKind,
    /// Bytes, header and checksum of the MAC included.
    pub bytes: u32,
    /// How long others shall keep quiet from its end.
    pub duration: Duration,
    /// Rate of its bits.
    pub rate: BitRate,
    /// Tells a repeated packet from a new one.
    pub number: u32,
    /// Whether the packet has been sent before.
    pub is_repeated: bool,
    /// Whether whom it was for received it; of a broadcast, whether anyone did.
    pub is_received: bool,
    /// What data carry.
    pub packet: Option<Packet>,
}

/// Frames of a part of a run, as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AirLog {
    /// When each began, in seconds.
    pub began_s: Vec<f64>,
    /// When its end reached the others.
    pub ended_s: Vec<f64>,
    /// The sender's node.
    pub from: Vec<u32>,
    /// The node that it was for; [`u32::MAX`]: all.
    pub to: Vec<u32>,
    /// [`FrameKind`], by number.
    pub kind: Vec<u32>,
    /// Bytes.
    pub bytes: Vec<u32>,
    /// Whether it was received, 0 or 1.
    pub received: Vec<u32>,
}

impl AirLog {
    /// Adds a frame.
    pub fn push(&mut self, frame: &AirFrame) {
        self.began_s.push(frame.began.as_secs());
        self.ended_s.push(frame.ended.as_secs());
        self.from.push(frame.from);
        self.to.push(frame.to.unwrap_or(u32::MAX));
        self.kind.push(frame.kind as u32);
        self.bytes.push(frame.bytes);
        self.received.push(u32::from(frame.is_received));
    }
}
