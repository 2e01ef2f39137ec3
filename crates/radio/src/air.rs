//! Frames on the air of a wireless network, as a monitor of the whole network records them.

use windward_elements::packet::{NodeId, Packet};
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

/// Format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirFormat {
    /// DSSS or OFDM, without MIMO.
    NonHt,
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
}

impl AirFormat {
    /// All formats, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::NonHt, Self::Ht, Self::Vht, Self::He];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NonHt => "non-ht",
            Self::Ht => "ht",
            Self::Vht => "vht",
            Self::He => "he",
        }
    }
}

/// Format, width, streams, scheme and guard interval of HT, VHT and HE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirMode {
    /// Format.
    pub format: AirFormat,
    /// Width in MHz.
    pub width_mhz: u32,
    /// Spatial streams.
    pub streams: u8,
    /// Scheme, counted per stream.
    pub mcs: u8,
    /// Guard interval.
    pub guard: Duration,
}

/// Direction of a frame with regard to an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Between stations of an independent network.
    Between,
    /// To the access point (To DS).
    ToAccessPoint,
    /// From the access point (From DS).
    FromAccessPoint,
}

/// An MPDU with a packet, or with an A-MSDU of several.
#[derive(Clone, Debug)]
pub struct AirMpdu {
    /// Number, equal for retransmissions of one MPDU.
    pub number: u32,
    /// Bytes, including the header and checksum of the MAC.
    pub bytes: u32,
    /// Transmissions of the MPDU so far, including this one.
    pub attempt: u32,
    /// True if its destination received it, for a broadcast if any station did.
    pub is_received: bool,
    /// The packet, if it is known; of an A-MSDU the first.
    pub packet: Option<Packet>,
    /// The other packets of an A-MSDU.
    pub followers: Vec<Packet>,
}

/// Content of a BlockAck or of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirBlockAck {
    /// Number of the MPDU to which the first bit belongs.
    pub start: u32,
    /// A bit for each MPDU, the lowest of the first byte first: 1 if it was received. Empty in a request.
    pub bitmap: Vec<u8>,
}

/// A transmitted frame.
#[derive(Clone, Debug)]
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
    /// Bytes of the PSDU: of a frame with the header and checksum of the MAC, of an A-MPDU with delimiters and pads
    /// too.
    pub bytes: u32,
    /// Duration field: reservation of the medium from the frame's end.
    pub duration: Duration,
    /// Bit rate.
    pub rate: BitRate,
    /// Modulation beyond the rate; `None` for the non-HT format.
    pub mode: Option<AirMode>,
    /// Center of the primary channel in MHz, if it is known.
    pub channel_mhz: Option<u32>,
    /// Access category, from the lowest priority to the highest; `None` without categories.
    pub category: Option<u8>,
    /// Direction, which decides the meaning of a data frame's addresses.
    pub direction: Direction,
    /// True if its destination received it or, of an A-MPDU, one MPDU of it, for a broadcast if any station did.
    pub is_received: bool,
    /// True if its MPDUs have delimiters.
    pub is_aggregate: bool,
    /// The MPDUs of a frame with data.
    pub mpdus: Vec<AirMpdu>,
    /// Content of a BlockAck or of a request.
    pub block_ack: Option<AirBlockAck>,
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
        /// 1 if its destination received it or, of an A-MPDU, at least one MPDU (a broadcast: any station), otherwise
        /// 0.
        received: u32 [""],
        /// MPDUs with data in it: 1 in a frame that is no A-MPDU, 0 in control frames.
        mpdus: u32 [""],
        /// MPDUs of these that its destination received.
        mpdus_received: u32 [""],
        /// Bit rate.
        rate_bps: f64 ["bit/s"],
        /// Format: `non-ht`, `ht`, `vht` or `he`.
        format: u32 @ "formats" fixed [""],
        /// Channel width. NaN in the non-HT format.
        width_hz: f64 ["Hz"],
        /// Spatial streams. NaN in the non-HT format.
        streams: f64 [""],
        /// Modulation and coding scheme (MCS), counted per stream. NaN in the non-HT format.
        mcs: f64 [""],
        /// Guard interval. NaN in the non-HT format.
        guard_s: f64 ["s"],
        /// Access category: `background`, `best-effort`, `video`, `voice`, or `none` without EDCA.
        category: u32 @ "categories" fixed [""],
    }
}

table! {
    /// MPDUs of the frames of `air` with an access category: one row per MPDU, in the order of transmission.
    pub series MpduLog: "air_mpdus", Series, "", IfAny;
    columns {
        /// Row of its frame among those of the seed in `air`, from 0.
        frame: u32 [""],
        /// Sequence number, from 0 to 4095.
        number: u32 [""],
        /// Transmissions of the packet so far, including this one.
        attempt: u32 [""],
        /// Bytes, including the header and checksum of the MAC.
        bytes: u32 ["bytes"],
        /// 1 if its destination received it, otherwise 0.
        received: u32 [""],
    }
}

/// A transport block of an LTE or NR cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RanBlock {
    /// Start of its slot.
    pub began: Time,
    /// End of its last symbol.
    pub ended: Time,
    /// Member of the medium.
    pub local: u32,
    /// Number of the site among those of all cells; `u32::MAX` in a cell without sites.
    pub site: u32,
    /// First resource block.
    pub first_prb: u32,
    /// Resource blocks.
    pub prbs: u32,
    /// MCS index.
    pub mcs: u32,
    /// Layers.
    pub layers: u32,
    /// Size in bits.
    pub bits: u32,
    /// Transmissions of the block so far, including this one.
    pub attempt: u32,
    /// True if it was decoded.
    pub is_received: bool,
}

table! {
    /// Transport blocks of LTE and NR cells in the part of the run that the scenario asks for.
    pub series RanBlockLog: "ran_blocks", Series, "", IfAny;
    columns {
        /// Start of the block's slot.
        began_s: f64 fixed ["s"],
        /// End of its last symbol.
        ended_s: f64 fixed ["s"],
        /// Link: a direction of a station.
        link: u32 @ "links" fixed [""],
        /// Site; `-` in a cell without sites.
        site: u32 @ "block_sites" fixed [""],
        /// First resource block; where the blocks of a slot lie is of no importance to flat channels.
        first_prb: u32 [""],
        /// Resource blocks.
        prbs: u32 [""],
        /// MCS index.
        mcs: u32 [""],
        /// Layers.
        layers: u32 [""],
        /// Size.
        bits: u32 ["bit"],
        /// Transmissions of the block so far, including this one.
        attempt: u32 [""],
        /// 1 if the block was decoded, otherwise 0.
        received: u32 [""],
    }
}

impl RanBlockLog {
    /// Adds a block of link `link`.
    pub fn push(&mut self, link: u32, block: &RanBlock) {
        self.began_s.push(block.began.as_secs());
        self.ended_s.push(block.ended.as_secs());
        self.link.push(link);
        self.site.push(block.site);
        self.first_prb.push(block.first_prb);
        self.prbs.push(block.prbs);
        self.mcs.push(block.mcs);
        self.layers.push(block.layers);
        self.bits.push(block.bits);
        self.attempt.push(block.attempt);
        self.received.push(u32::from(block.is_received));
    }
}

/// Numbers of MPDUs on the air: 12 bits.
pub const SEQUENCE_MODULO: u32 = 4096;

/// Number of a missing category in [`AirLog`]: one beyond the last.
const NO_CATEGORY: u32 = 4;

/// Recorded frames and their MPDUs.
#[derive(Clone, Debug, Default)]
pub struct AirRecord {
    /// The frames.
    pub frames: AirLog,
    /// MPDUs of those with a category.
    pub mpdus: MpduLog,
    /// Transport blocks of LTE and NR cells.
    pub blocks: RanBlockLog,
}

impl AirRecord {
    /// Adds a frame.
    pub fn push(&mut self, frame: &AirFrame) {
        if frame.category.is_some() {
            let row = self.frames.from.len() as u32;
            frame.mpdus.iter().for_each(|mpdu| self.mpdus.push(row, mpdu));
        }
        self.frames.push(frame);
    }
}

impl MpduLog {
    fn push(&mut self, frame: u32, mpdu: &AirMpdu) {
        self.frame.push(frame);
        self.number.push(mpdu.number % SEQUENCE_MODULO);
        self.attempt.push(mpdu.attempt);
        self.bytes.push(mpdu.bytes);
        self.received.push(u32::from(mpdu.is_received));
    }
}

impl AirLog {
    fn push(&mut self, frame: &AirFrame) {
        self.began_s.push(frame.began.as_secs());
        self.ended_s.push(frame.ended.as_secs());
        self.from.push(frame.from);
        self.to.push(frame.to.unwrap_or(u32::MAX));
        self.kind.push(frame.kind as u32);
        self.bytes.push(frame.bytes);
        self.received.push(u32::from(frame.is_received));
        self.mpdus.push(frame.mpdus.len() as u32);
        self.mpdus_received.push(frame.mpdus.iter().filter(|mpdu| mpdu.is_received).count() as u32);
        self.rate_bps.push(frame.rate.as_bits_per_sec() as f64);
        let of_mode = |number: fn(&AirMode) -> f64| frame.mode.as_ref().map_or(f64::NAN, number);
        self.format.push(frame.mode.map_or(AirFormat::NonHt, |mode| mode.format) as u32);
        self.width_hz.push(of_mode(|mode| f64::from(mode.width_mhz) * 1e6));
        self.streams.push(of_mode(|mode| f64::from(mode.streams)));
        self.mcs.push(of_mode(|mode| f64::from(mode.mcs)));
        self.guard_s.push(of_mode(|mode| mode.guard.as_secs()));
        self.category.push(frame.category.map_or(NO_CATEGORY, u32::from));
    }
}
