//! Frames on the air of a wireless network, as a monitor of the whole network records them.

use crate::packet::{NodeId, Packet};
use windward_tables::table;
use windward_units::{BitRate, Duration, Time};

/// Type of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Unicast packet.
    Data,
    /// Acknowledgement of a data frame.
    Ack,
    /// Broadcast packet.
    Broadcast,
    /// Acknowledgement of the MPDUs of an A-MPDU.
    BlockAck,
    /// Request for a BlockAck.
    BlockAckRequest,
}

/// Number of frame types.
pub const FRAME_KINDS: usize = 7;

impl FrameKind {
    /// All types, in the order of their numbers.
    pub const ALL: [Self; FRAME_KINDS] =
        [Self::Rts, Self::Cts, Self::Data, Self::Ack, Self::Broadcast, Self::BlockAck, Self::BlockAckRequest];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Broadcast => "broadcast",
            Self::BlockAck => "block-ack",
            Self::BlockAckRequest => "block-ack-request",
        }
    }
}

/// A transmitted frame.
#[derive(Clone, Copy, Debug)]
pub struct AirFrame {
    /// Start of its transmission.
    pub began: Time,
    /// Time at which its end reached the receivers.
    pub ended: Time,
    /// Its sender.
    pub from: NodeId,
    /// Destination; `None`: broadcast.
    pub to: Option<NodeId>,
    /// Type.
    pub kind: FrameKind,
    /// Bytes, including the header and checksum of the MAC.
    pub bytes: u32,
    /// Duration field: reservation of the medium from the frame's end.
    pub duration: Duration,
    /// Bit rate.
    pub rate: BitRate,
    /// Packet number, equal for retransmissions of one packet.
    pub number: u32,
    /// True if the packet has been sent before.
    pub is_repeated: bool,
    /// True if its destination received it, for a broadcast if any station did.
    pub is_received: bool,
    /// Packet in a data frame.
    pub packet: Option<Packet>,
}

table! {
    /// Frames on the air of wireless networks in the part of the run that the scenario asks for.
    pub series AirLog: "air", Series, "", IfAny;
    columns {
        /// Start of the frame.
        began_s: f64 fixed ["s"],
        /// Time at which its end reached the receivers.
        ended_s: f64 fixed ["s"],
        /// Station that sent it.
        from: u32 @ "nodes" fixed [""],
        /// Station to which it was addressed; `*` for a broadcast.
        to: u32 @ "receivers" fixed [""],
        /// Type of the frame: `rts`, `cts`, `data`, `ack`, `broadcast`, `block-ack` or `block-ack-request`.
        kind: u32 @ "frames" fixed [""],
        /// Bytes of the frame, with the header and checksum of the MAC.
        bytes: u32 ["bytes"],
        /// 1 if its destination received it (a broadcast: any station), otherwise 0.
        received: u32 [""],
    }
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
