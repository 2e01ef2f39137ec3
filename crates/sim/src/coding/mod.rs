//! Network coding between TCP and the network, after seferoglu2014 §IV-A3: TCP sees neither losses on the air nor reordering.
//!
//! The segments of a flow are cut into blocks of H, the window when the block opens. Each segment that TCP sends lets a
//! combination of the block's segments so far leave, a_k = Σ_{m ≤ k} α_{k,m} η_m over GF(2⁸) with the coefficients in its
//! header ([`Source::admit`]). Any H independent combinations give the block back, so it does not matter which arrive, or in
//! which order: the sink acknowledges their number, the rank r ([`Sink::receive`]), and at the source that acknowledges the r-th
//! segment that was sent ([`Source::on_feedback`]). What a block lacks the sink asks for ([`Sink::expire`]), and gets further
//! combinations of it ([`Source::repair`]).
//!
//! **Congestion is not masked.** What a full queue at the source drops is taken out of the list of what was sent
//! ([`Source::dropped`]): TCP sees this segment missing, and no other. When it sends the segment again, that goes to the end of the list.
//!
//! Nothing here knows of packets or time: whoever has a network moves [`Combination`]s and [`Feedback`] across it and rings the
//! sink's timer. The simulator does so for its own TCP, which carries no bytes, the emulator for the kernels', with their bytes.
//!
//! **Where we differ, or the paper is silent.**
//! * A segment is handed up as soon as it is decoded, not with the last of its block: else a flow that pauses in the
//!   middle of a block would wait for ever.
//! * Acknowledgements move on while a block lacks combinations, for up to [`AHEAD`] blocks: the layer owes TCP what is missing.
//!   Only the end of a sized flow waits until all has been decoded.
//! * The sink asks when a block of which all has been sent has made no progress for [`CodingConfig::patience`] round trips,
//!   and then at growing distances.

mod coefficients;
mod message;
mod sink;
mod source;
#[cfg(test)]
mod tests;

pub use coefficients::coefficients;
pub use message::{Combination, Feedback, Request};
pub use sink::{BlockRecord, Received, Sink, SinkCounts};
pub use source::{Acknowledged, Source, SourceCounts};

/// Most segments of a block: as many coefficients are in every header.
pub const MOST_SEGMENTS: u32 = 256;

/// Blocks behind the first that is not complete whose combinations are acknowledged to TCP.
pub const AHEAD: u32 = 64;

/// Bytes of a combination's header beside its coefficients, of which there is one for each segment of the block: block, packet,
/// size and round trip, two each.
pub const HEADER: u32 = 8;

/// Bytes of an acknowledgement beside TCP's own: block, rank, the first incomplete block, how many are asked for, two each.
pub const FEEDBACK: u32 = 8;

/// H, the segments of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSize {
    /// cwnd, rounded down, when the block opens.
    Cwnd,
    /// The mean of cwnd over the segments sent, each new one with a weight of 1/32.
    MeanCwnd,
    /// So many; 1 to [`MOST_SEGMENTS`].
    Fixed(u32),
}

/// How a flow is coded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodingConfig {
    /// H.
    pub block: BlockSize,
    /// Every combination says something new, as in an infinite field, as long as there is something; else what the coefficients say.
    pub ideal: bool,
    /// Smoothed round trips without progress after which the sink asks for what a block lacks; not negative.
    pub patience: f64,
}

impl Default for CodingConfig {
    fn default() -> Self {
        Self { block: BlockSize::Cwnd, ideal: false, patience: 1.0 }
    }
}
