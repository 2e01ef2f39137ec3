//! From combinations to combinations, on the way.

use crate::block::Block;
use crate::error::{Error, check_block, check_coefficients};
use crate::kernel::Kernel;

/// A combination and what it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// One for each packet of the block.
    pub coefficients: Vec<u8>,
    /// Σ c_m·η_m.
    pub payload: Vec<u8>,
}

/// Combinations of one block that a node holds, of any rank.
#[derive(Clone, Debug)]
pub struct Recoder {
    packets: usize,
    coefficients: Block,
    payloads: Block,
    kernel: Kernel,
}

impl Recoder {
    /// For a block of `packets` of `size` bytes.
    ///
    /// # Errors
    /// [`Error::Packets`] or [`Error::Empty`].
    pub fn new(packets: usize, size: usize) -> Result<Self, Error> {
        check_block(packets, size)?;
        let (coefficients, payloads) = (Block::with_room(0, packets), Block::with_room(0, size));
        Ok(Self { packets, coefficients, payloads, kernel: Kernel::best() })
    }

    /// Keeps a combination.
    ///
    /// # Errors
    /// [`Error::Coefficients`], [`Error::Zero`] or [`Error::Payload`].
    pub fn add(&mut self, coefficients: &[u8], payload: &[u8]) -> Result<(), Error> {
        check_coefficients(coefficients, self.packets)?;
        let expected = self.payloads.size();
        if payload.len() != expected {
            return Err(Error::Payload { given: payload.len(), expected });
        }
        self.coefficients.push(coefficients);
        self.payloads.push(payload);
        Ok(())
    }

    /// Combinations held.
    pub fn len(&self) -> usize {
        self.payloads.len()
    }

    /// True without combinations.
    pub fn is_empty(&self) -> bool {
        self.payloads.is_empty()
    }

    /// Σ f_i·a_i over the combinations held, as a combination of the block's packets. Where those are not independent
    /// it may be zero.
    ///
    /// # Errors
    /// [`Error::Factors`], or [`Error::Zero`] if all factors are.
    pub fn recode(&self, factors: &[u8]) -> Result<Coded, Error> {
        if factors.len() != self.len() {
            return Err(Error::Factors { given: factors.len(), expected: self.len() });
        }
        check_coefficients(factors, self.len())?;
        let mix = |of: &Block| {
            let mut mixed = Block::zeros(1, of.size());
            self.kernel.combine(factors, of.padded(), mixed.padded_mut());
            mixed.into_first()
        };
        Ok(Coded { coefficients: mix(&self.coefficients), payload: mix(&self.payloads) })
    }
}
