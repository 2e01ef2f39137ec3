//! 802.11 frames with a radiotap header (radiotap.org; IEEE 802.11-2020, §9.3; IEEE 802.11ax-2021, §9.3.1.8).

use windward_elements::packet::NodeId;
use windward_radio::air::{AirBlockAck, AirFormat, AirFrame, AirMode, AirMpdu, Direction, FrameKind, SEQUENCE_MODULO};
use windward_radio::wifi::edca::Category;

/// Bytes of the frame checksum, which is omitted.
const CHECKSUM: u32 = 4;

/// Frame control of the types of frames, first byte.
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
/// Frame control, second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;

/// QoS control: the MPDU holds an A-MSDU.
const AMSDU_PRESENT: u16 = 1 << 7;

/// Control field of a BlockAck and of a request: compressed bitmap.
const COMPRESSED: u16 = 2 << 1;

/// Identifier of the independent network (BSSID).
const NETWORK: [u8; 6] = [2, 0, 0, 0xff, 0xff, 0xff];
/// LLC and SNAP: IPv4.
const SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];

/// Returns a locally administered address for each node.
fn address(node: NodeId) -> [u8; 6] {
    let [_, a, b, c] = (node + 1).to_be_bytes();
    [2, 0, 0, a, b, c]
}

/// Place of an MPDU in an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of the A-MPDU: any that its neighbours do not have.
    pub reference: u32,
    /// True for the last MPDU.
    pub is_last: bool,
}

/// Returns the headers of a frame without data, radiotap's included, and the length of the whole on the air with it.
pub fn control(frame: &AirFrame) -> (Vec<u8>, u32) {
    let (mut bytes, tap) = radiotap(frame, None);
    let kind = match frame.kind {
        FrameKind::Rts => 0xb4,
        FrameKind::Cts => 0xc4,
        FrameKind::Ack => 0xd4,
        FrameKind::BlockAck => 0x94,
        FrameKind::BlockAckRequest => 0x84,
        FrameKind::Data | FrameKind::Broadcast => DATA,
    };
    put_start(&mut bytes, frame, [kind, 0]);
    if !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack) {
        bytes.extend(address(frame.from));
    }
    if let Some(AirBlockAck { start, bitmap }) = &frame.block_ack {
        bytes.extend((COMPRESSED | identifier(frame) << 12).to_le_bytes());
        // The fragment number of the starting sequence control encodes the length of the bitmap.
        let length = match bitmap.len() {
            0..=8 => 0,
            9..=32 => 4,
            33..=64 => 8,
            _ => 10,
        };
        bytes.extend((sequence(*start) | length).to_le_bytes());
        bytes.extend(bitmap);
    }
    (bytes, tap + frame.bytes - CHECKSUM)
}

/// Returns the headers of an MPDU up to its packet or A-MSDU, radiotap's included, and the length of the whole on the
/// air with it.
pub fn data(frame: &AirFrame, mpdu: &AirMpdu, place: Option<Place>) -> (Vec<u8>, u32) {
    let (mut bytes, tap) = radiotap(frame, place);
    let kind = if frame.category.is_some() { QOS_DATA } else { DATA };
    // The third address is that of the network or of the packet's other end, which is taken for the station's own.
    let (direction, third) = match frame.direction {
        Direction::Between => (0, NETWORK),
        Direction::ToAccessPoint => (TO_DS, frame.to.map_or(NETWORK, address)),
        Direction::FromAccessPoint => (FROM_DS, address(frame.from)),
    };
    put_start(&mut bytes, frame, [kind, direction | if mpdu.attempt > 1 { RETRY } else { 0 }]);
    bytes.extend(address(frame.from));
    bytes.extend(third);
    bytes.extend(sequence(mpdu.number).to_le_bytes());
    if frame.category.is_some() {
        // QoS control: an ACK, or in an A-MPDU the BlockAck, follows.
        let present = if mpdu.followers.is_empty() { 0 } else { AMSDU_PRESENT };
        bytes.extend((identifier(frame) | present).to_le_bytes());
    }
    (bytes, tap + mpdu.bytes - CHECKSUM)
}

/// Adds the headers of a packet: LLC and SNAP.
pub fn put_snap(bytes: &mut Vec<u8>) {
    bytes.extend(SNAP);
}

/// Adds the header of an A-MSDU's subframe with a packet of `size` bytes: destination, source, and length with LLC and
/// SNAP. The packet's other end is taken for the station's own.
pub fn put_subframe(bytes: &mut Vec<u8>, frame: &AirFrame, size: u32) {
    bytes.extend(frame.to.map_or(NETWORK, address));
    bytes.extend(address(frame.from));
    bytes.extend(((size + SNAP.len() as u32).min(65_535) as u16).to_be_bytes());
}

/// Adds the fields that all frames begin with: frame control, duration, receiver.
fn put_start(bytes: &mut Vec<u8>, frame: &AirFrame, control: [u8; 2]) {
    bytes.extend(control);
    let micros = (frame.duration.as_nanos() / 1000).min(32_767) as u16;
    bytes.extend(micros.to_le_bytes());
    bytes.extend(frame.to.map_or([0xff; 6], address));
}

/// Sequence control of a number, without fragments.
const fn sequence(number: u32) -> u16 {
    ((number % SEQUENCE_MODULO) << 4) as u16
}

/// Traffic identifier (TID) of a frame's category.
fn identifier(frame: &AirFrame) -> u16 {
    let category = frame.category.and_then(|at| Category::ALL.get(usize::from(at)).copied());
    category.map_or(0, |category| u16::from(category.priority()))
}

/// Returns the radiotap header of a frame, and its length.
fn radiotap(frame: &AirFrame, place: Option<Place>) -> (Vec<u8>, u32) {
    let mut tap = Radiotap::new();
    tap.put(0, 8, &(frame.began.as_nanos() / 1000).to_le_bytes());
    // Flags: the frame checksum is omitted.
    tap.put(1, 1, &[0]);
    if frame.mode.is_none() {
        tap.put(2, 1, &[(frame.rate.as_bits_per_sec() / 500_000).min(255) as u8]);
    }
    if let Some(mhz) = frame.channel_mhz {
        let band = match mhz {
            ..3_000 => 0x0080,
            3_000..5_925 => 0x0100,
            _ => 0,
        };
        tap.put(3, 2, &words([mhz as u16, OFDM | band]));
    }
    let mode = frame.mode;
    if let Some(mode) = mode.filter(|mode| mode.format == AirFormat::Ht) {
        tap.put(19, 1, &high_throughput(mode));
    }
    if let Some(Place { reference, is_last }) = place {
        let [a, b, c, d] = reference.to_le_bytes();
        let flags = LAST_KNOWN | if is_last { LAST } else { 0 };
        tap.put(20, 4, &[a, b, c, d, flags, 0, 0, 0]);
    }
    match mode {
        Some(mode) if mode.format == AirFormat::Vht => tap.put(21, 2, &very_high_throughput(mode)),
        Some(mode) if mode.format == AirFormat::He => tap.put(23, 2, &high_efficiency(mode)),
        _ => {}
    }
    tap.finish()
}

/// Channel flags: OFDM.
const OFDM: u16 = 0x0040;
/// A-MPDU status flags: the last MPDU is marked; this is it.
const LAST_KNOWN: u8 = 0x04;
const LAST: u8 = 0x08;
/// Flag of the short guard interval in the fields of HT and VHT.
const SHORT_GUARD: u8 = 0x04;

/// Field of HT: all is known; mixed format, convolutional code, no space-time code, no extension streams.
fn high_throughput(mode: AirMode) -> [u8; 3] {
    let guard = if mode.guard.as_nanos() == 400 { SHORT_GUARD } else { 0 };
    let width = u8::from(mode.width_mhz == 40);
    [0x7f, width | guard, 8 * (mode.streams - 1) + mode.mcs]
}

/// Field of VHT: guard interval, bandwidth and the lack of a space-time code are known; one user, with convolutional
/// code.
fn very_high_throughput(mode: AirMode) -> [u8; 12] {
    let guard = if mode.guard.as_nanos() == 400 { SHORT_GUARD } else { 0 };
    let width = match mode.width_mhz {
        20 => 0,
        40 => 1,
        80 => 4,
        _ => 11,
    };
    [0x45, 0, guard, width, mode.mcs << 4 | mode.streams, 0, 0, 0, 0, 0, 0, 0]
}

/// Field of HE for one user: scheme without dual carriers, code (LDPC), the lack of a space-time code, bandwidth, guard
/// interval and training fields are known.
fn high_efficiency(mode: AirMode) -> Vec<u8> {
    let width = match mode.width_mhz {
        20 => 0,
        40 => 1,
        80 => 2,
        _ => 3,
    };
    // Guard interval, and the usual length of the training fields with it: twice or four times 3.2 µs.
    let (guard, length) = match mode.guard.as_nanos() {
        800 => (0, 2),
        1600 => (1, 2),
        _ => (2, 3),
    };
    // One, two or four training fields.
    let fields: u16 = [0, 1, 2, 2][usize::from(mode.streams - 1)];
    words([
        0x0020 | 0x0040 | 0x0080 | 0x0200 | 0x4000,
        0x0002 | 0x0004,
        u16::from(mode.mcs) << 8 | 0x2000,
        0,
        width | guard << 4 | length << 6 | fields << 8,
        u16::from(mode.streams),
    ])
}

/// Little-endian words as bytes.
fn words<const COUNT: usize>(words: [u16; COUNT]) -> Vec<u8> {
    words.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// A radiotap header in progress; the frame follows in the same bytes.
struct Radiotap {
    bytes: Vec<u8>,
    present: u32,
}

impl Radiotap {
    fn new() -> Self {
        let mut bytes = Vec::with_capacity(192);
        // Version, padding, length and the bits of the fields.
        bytes.resize(8, 0);
        Self { bytes, present: 0 }
    }

    /// Adds the field of a bit, aligned to a multiple of `align`; in the order of bits.
    fn put(&mut self, bit: u32, align: usize, field: &[u8]) {
        debug_assert!(self.present >> bit == 0, "fields are in the order of their bits");
        self.present |= 1 << bit;
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        self.bytes.extend(field);
    }

    fn finish(mut self) -> (Vec<u8>, u32) {
        let length = self.bytes.len() as u32;
        self.bytes[2..4].copy_from_slice(&(length as u16).to_le_bytes());
        self.bytes[4..8].copy_from_slice(&self.present.to_le_bytes());
        (self.bytes, length)
    }
}
