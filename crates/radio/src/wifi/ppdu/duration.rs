//! Duration of a PPDU.

use super::mode::{Format, Guard, Mode};
use windward_units::Duration;

/// aPPDUMaxTime: as long as the legacy header can announce, 4095 bytes at 6 Mbit/s.
pub const LONGEST_PPDU: Duration = Duration::from_micros(5484);

/// Choices that the standard leaves open, or that other simulators make differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Length of a HE training field; `None`: 7.2, 8 or 16 µs, the usual one of the guard interval.
    pub he_ltf: Option<Duration>,
    /// True if the data of HT and VHT with the short guard interval end on a multiple of 4 µs (IEEE 802.11-2024,
    /// equation 19-90).
    pub rounds_short_guard: bool,
    /// Packet extension of HE PPDUs.
    pub packet_extension: Duration,
    /// Silence after a PPDU: 6 µs at 2.4 GHz.
    pub signal_extension: Duration,
}

impl Timing {
    /// The standard at 5 and 6 GHz, to receivers that need no packet extension.
    pub const STANDARD: Self = Self {
        he_ltf: None,
        rounds_short_guard: true,
        packet_extension: Duration::ZERO,
        signal_extension: Duration::ZERO,
    };
    /// ns-3.44: HE training fields of 8 µs, no rounding.
    pub const NS3: Self = Self { he_ltf: Some(Duration::from_micros(8)), rounds_short_guard: false, ..Self::STANDARD };
}

/// Preamble with all signal and training fields.
fn preamble(mode: Mode, timing: &Timing) -> Duration {
    // Training fields for one to four streams, without space-time coding.
    let fields = [1, 2, 4, 4][mode.streams() as usize - 1];
    match mode.format() {
        Format::Ht => Duration::from_micros(32 + 4 * fields),
        Format::Vht => Duration::from_micros(36 + 4 * fields),
        Format::He => {
            let field = timing.he_ltf.unwrap_or(Duration::from_nanos(match mode.guard() {
                Guard::Ns1600 => 8_000,
                Guard::Ns3200 => 16_000,
                Guard::Ns800 | Guard::Ns400 => 7_200,
            }));
            Duration::from_micros(36) + field * fields
        }
    }
}

/// Duration of a PPDU with a PSDU of `bytes`: an MPDU, or an A-MPDU with its delimiters and pads (IEEE 802.11-2020,
/// §19.4.3 and §21.4.3; binary convolutional codes).
pub fn ppdu_duration(mode: Mode, bytes: u64, timing: &Timing) -> Duration {
    let symbols = (16 + 8 * bytes + 6 * mode.encoders()).div_ceil(mode.data_bits());
    let mut data = mode.symbol() * symbols;
    if timing.rounds_short_guard && mode.guard() == Guard::Ns400 {
        data = Duration::from_nanos(data.as_nanos().next_multiple_of(4_000));
    }
    let extension = if mode.format() == Format::He { timing.packet_extension } else { Duration::ZERO };
    preamble(mode, timing) + data + extension + timing.signal_extension
}

/// Bytes of the longest PSDU whose PPDU lasts no longer than `limit`, and no longer than any PPDU may: the inverse of
/// [`ppdu_duration`].
pub(crate) fn longest_psdu(mode: Mode, limit: Duration, timing: &Timing) -> u64 {
    let extension = if mode.format() == Format::He { timing.packet_extension } else { Duration::ZERO };
    let limit = limit.min(LONGEST_PPDU);
    let mut data = limit.saturating_sub(preamble(mode, timing) + extension + timing.signal_extension).as_nanos();
    if timing.rounds_short_guard && mode.guard() == Guard::Ns400 {
        data -= data % 4_000;
    }
    let bits = data / mode.symbol().as_nanos() * mode.data_bits();
    bits.saturating_sub(16 + 6 * mode.encoders()) / 8
}
