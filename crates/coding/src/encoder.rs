//! From packets to combinations.

use crate::block::Block;
use crate::error::{Error, check_coefficients};
use crate::kernel::Kernel;

/// The packets of a block, ready to be combined.
#[derive(Clone, Debug)]
pub struct Encoder {
    block: Block,
    kernel: Kernel,
}

impl Encoder {
    /// Takes 1 to [`crate::MOST_PACKETS`] packets of one size.
    ///
    /// # Errors
    /// [`Error::Packets`], [`Error::Empty`] or [`Error::Length`].
    pub fn new<P: AsRef<[u8]>>(packets: &[P]) -> Result<Self, Error> {
        Ok(Self { block: Block::of(packets)?, kernel: Kernel::best() })
    }

    /// Selects the kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The packets.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The combination Σ c_m·η_m. Zeros at the end make it a combination of the first packets alone, as incremental
    /// coding wants it (seferoglu2014 §IV).
    ///
    /// # Errors
    /// [`Error::Coefficients`] or [`Error::Zero`].
    pub fn encode(&self, coefficients: &[u8]) -> Result<Vec<u8>, Error> {
        check_coefficients(coefficients, self.block.len())?;
        let mut payload = Block::zeros(1, self.block.size());
        self.kernel.combine(coefficients, self.block.padded(), payload.padded_mut());
        Ok(payload.into_first())
    }

    /// One combination for each of `rows`; four at a time are made in one pass over the packets.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_all<C: AsRef<[u8]>>(&self, rows: &[C]) -> Result<Block, Error> {
        let packets = self.block.len();
        let mut coefficients = Vec::with_capacity(rows.len() * packets);
        for row in rows {
            check_coefficients(row.as_ref(), packets)?;
            coefficients.extend_from_slice(row.as_ref());
        }
        let mut out = Block::zeros(rows.len(), self.block.size());
        self.kernel.combine(&coefficients, self.block.padded(), out.padded_mut());
        Ok(out)
    }
}
