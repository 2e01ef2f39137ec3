//! Size of an A-MPDU.

use super::duration::{LONGEST_PPDU, Timing, ppdu_duration};
use super::mode::{Format, Mode};
use windward_units::Duration;

/// Bytes of a delimiter.
pub(crate) const DELIMITER: u64 = 4;

/// Limits of an A-MPDU; all hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// MPDUs: what the window of the BlockAck session leaves; positive.
    pub frames: u64,
    /// Bytes with delimiters and pads.
    pub bytes: u64,
    /// Duration of the PPDU.
    pub duration: Duration,
}

impl Limits {
    /// The most that a format allows: 64 MPDUs, 256 in HE.
    pub const fn most(format: Format) -> Self {
        let (frames, bytes) = match format {
            Format::Ht => (64, 65_535),
            Format::Vht => (64, 1_048_575),
            Format::He => (256, 6_500_631),
        };
        Self { frames, bytes, duration: LONGEST_PPDU }
    }
}

/// Bytes of an A-MPDU of `frames` MPDUs of `mpdu` bytes: each behind a delimiter, all but the last padded to a multiple
/// of four (IEEE 802.11-2020, §9.7.1).
pub const fn aggregate_bytes(frames: u64, mpdu: u64) -> u64 {
    if frames == 0 {
        return 0;
    }
    let subframe = DELIMITER + mpdu;
    subframe.next_multiple_of(4) * (frames - 1) + subframe
}

/// Most MPDUs of `mpdu` bytes that an A-MPDU holds within the limits; at least one.
pub fn largest_aggregate(mode: Mode, mpdu: u64, limits: &Limits, timing: &Timing) -> u64 {
    let fits = |frames| {
        let bytes = aggregate_bytes(frames, mpdu);
        bytes <= limits.bytes && ppdu_duration(mode, bytes, timing) <= limits.duration
    };
    let (mut held, mut beyond) = (1, limits.frames + 1);
    while beyond - held > 1 {
        let middle = held.midpoint(beyond);
        if fits(middle) { held = middle } else { beyond = middle }
    }
    held
}
