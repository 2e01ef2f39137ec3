//! Random linear network coding over GF(2⁸).
//!
//! A block of k packets of one size is sent as linear combinations, each with its k coefficients. Any k combinations
//! that are linearly independent give the block back, whichever they are; nodes on the way combine what they have
//! without decoding. The field is GF(2)\[x\] modulo x⁸ + x⁴ + x³ + x² + 1, 0x11D ([`field`]), as in ISA-L and
//! Reed–Solomon storage codes.
//!
//! ```
//! use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
//! use windward_coding::{Decoder, Encoder, draw};
//!
//! let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
//! let encoder = Encoder::new(&[b"wind", b"ward", b"bird"])?;
//! let mut decoder = Decoder::new(3, 4)?;
//! while !decoder.is_complete() {
//!     let coefficients = draw(&mut random, 3);
//!     decoder.add(&coefficients, &encoder.encode(&coefficients)?)?;
//! }
//! assert_eq!(decoder.decode().unwrap().packet(1), b"ward");
//! # Ok::<(), windward_coding::Error>(())
//! ```

mod block;
mod decoder;
mod draw;
mod encoder;
mod error;
pub mod field;
mod kernel;
mod packets;
mod recoder;

pub use block::Block;
pub use decoder::Decoder;
pub use draw::draw;
pub use encoder::Encoder;
pub use error::{Error, MOST_PACKETS};
pub use kernel::Kernel;
pub use recoder::{Coded, Recoder};
