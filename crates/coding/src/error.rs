//! Errors in arguments.

use thiserror::Error as ThisError;

/// Most packets in a block. Decoding keeps a matrix of twice the square of it, 2 MiB.
pub const MOST_PACKETS: usize = 1024;

/// Why a block, a combination or its coefficients cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum Error {
    /// A block of no packets, or of more than [`MOST_PACKETS`].
    #[error("a block of {given} packets; allowed: 1 to {MOST_PACKETS}")]
    Packets {
        /// Number given.
        given: usize,
    },
    /// Packets of no bytes.
    #[error("packets of 0 bytes; allowed: 1 and more")]
    Empty,
    /// A packet whose length is not the block's.
    #[error("packet {at} has {given} bytes; packets of this block have {expected}: pad the shorter ones")]
    Length {
        /// Its position.
        at: usize,
        /// Its bytes.
        given: usize,
        /// Bytes of the block's packets.
        expected: usize,
    },
    /// Not one coefficient for each packet.
    #[error("{given} coefficients for a block of {expected} packets")]
    Coefficients {
        /// Number given.
        given: usize,
        /// Packets of the block.
        expected: usize,
    },
    /// Coefficients that are all zero say nothing of any packet.
    #[error("all coefficients are zero")]
    Zero,
    /// A payload whose length is not the block's.
    #[error("a payload of {given} bytes; packets of this block have {expected}")]
    Payload {
        /// Its bytes.
        given: usize,
        /// Bytes of the block's packets.
        expected: usize,
    },
    /// More is to be mixed than there is.
    #[error("{given} factors for {expected} packets received")]
    Factors {
        /// Number given.
        given: usize,
        /// Packets held.
        expected: usize,
    },
}

/// A block of `packets` of `size` bytes can be.
pub(crate) fn check_block(packets: usize, size: usize) -> Result<(), Error> {
    if !(1..=MOST_PACKETS).contains(&packets) {
        return Err(Error::Packets { given: packets });
    }
    if size == 0 { Err(Error::Empty) } else { Ok(()) }
}

/// One coefficient for each of `packets`, not all of them zero.
pub(crate) fn check_coefficients(coefficients: &[u8], packets: usize) -> Result<(), Error> {
    if coefficients.len() != packets {
        return Err(Error::Coefficients { given: coefficients.len(), expected: packets });
    }
    if coefficients.iter().all(|&c| c == 0) { Err(Error::Zero) } else { Ok(()) }
}
