//! Network coding between TCP and the network, after seferoglu2014 §IV-A3: hides losses on the air and reordering from
//! TCP.
//!
//! The segments of a flow are cut into blocks of H, the window when the block opens. Each segment that TCP sends
//! releases a combination of the block's segments so far, a_k = Σ_{m ≤ k} α_{k,m} η_m over GF(2⁸), with the
//! coefficients in its header ([`Source::admit`]). Any H independent combinations yield the block, so neither their
//! selection nor their order matters. The sink acknowledges their number, the rank r ([`Sink::receive`]); at the source
//! that acknowledges the r-th transmitted segment ([`Source::on_feedback`]). The sink requests missing combinations of
//! a block ([`Sink::expire`]), and gets further ones ([`Source::repair`]).
//!
//! **Congestion is not masked.** A drop by a full queue at the source is removed from the list of transmissions
//! ([`Source::dropped`]): TCP sees this segment missing, and no other. Its retransmission goes to the end of the list.
//!
//! Both ends use no packets and no clock: the caller moves [`Combination`]s and [`Feedback`] across its network and
//! runs the sink's timer. The simulator does so for its own TCP, which carries no bytes, the emulator for the kernels',
//! with their bytes.
//!
//! **Where we differ, or the paper leaves it open.**
//! * A segment is handed up as soon as it is decoded, not with the last of its block. Otherwise a flow that pauses in
//!   the middle of a block would wait for ever.
//! * Acknowledgements advance while a block lacks combinations, for up to [`AHEAD`] blocks; the layer delivers the
//!   missing segments later. Only the end of a sized flow waits until all has been decoded.
//! * The sink requests combinations once a completely sent block has made no progress for [`CodingConfig::patience`]
//!   round trips, and then at growing intervals.

mod coefficients;
mod message;
mod packets;
mod sink;
mod source;
#[cfg(test)]
mod tests;

pub use coefficients::coefficients;
pub use message::{Combination, Feedback, Request};
pub use sink::{BlockRecord, Received, Sink, SinkCounts};
pub use source::{Acknowledged, Source, SourceCounts};

/// Most segments of a block; every header carries one coefficient per segment.
pub const MOST_SEGMENTS: u32 = 256;

/// Number of blocks beyond the first incomplete one whose combinations are acknowledged to TCP.
pub const AHEAD: u32 = 64;

/// Bytes of a combination's header without its coefficients, of which there is one for each segment of the block:
/// block, packet, size and round trip, two bytes each.
pub const HEADER: u32 = 8;

/// Bytes of an acknowledgement beyond TCP's own: block, rank, first incomplete block and requested combinations, two
/// bytes each.
pub const FEEDBACK: u32 = 8;

/// H, the segments of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSize {
    /// cwnd, rounded down, when the block opens.
    Cwnd,
    /// The mean of cwnd over the segments sent, each new one with a weight of 1/32.
    MeanCwnd,
    /// A constant; 1 to [`MOST_SEGMENTS`].
    Fixed(u32),
}

/// Coding parameters of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodingConfig {
    /// H.
    pub block: BlockSize,
    /// True if every combination is innovative, as in an infinite field, while any is possible; otherwise the
    /// coefficients decide.
    pub ideal: bool,
    /// Smoothed round trips without progress after which the sink requests missing combinations of a block; not
    /// negative.
    pub patience: f64,
}

impl Default for CodingConfig {
    fn default() -> Self {
        Self { block: BlockSize::Cwnd, ideal: false, patience: 1.0 }
    }
}
