//! Frames of 802.11n, ac and ax: rates of modulations, duration of a PPDU, size of an A-MPDU and of an A-MSDU.
//!
//! HT is the format of 802.11n, VHT that of 802.11ac, HE that of 802.11ax, each for one user.

mod ampdu;
mod amsdu;
mod answer;
mod duration;
mod mode;

#[cfg(test)]
pub(super) mod saturation;
#[cfg(test)]
mod tests;

pub use super::config::{ACK, CTS, RTS};
pub(super) use ampdu::DELIMITER;
pub use ampdu::{Limits, aggregate_bytes, largest_aggregate};
pub use amsdu::amsdu_bytes;
pub(super) use amsdu::{LLC, largest_amsdu, subframe_bytes};
pub(super) use answer::answer_rate_of;
pub use answer::{BAR_BYTES, answer_rate, block_ack_bytes};
pub(super) use duration::longest_psdu;
pub use duration::{LONGEST_PPDU, Timing, ppdu_duration};
pub use mode::{Format, Guard, Impossible, Mode, Width};
