//! From combinations to packets.

use crate::block::Block;
use crate::error::{Error, check_block, check_coefficients};
use crate::field::inverse;
use crate::kernel::Kernel;

/// Collects combinations of one block until they determine its packets.
///
/// Coefficients are eliminated as they come: with what was received so far, A, it keeps E·A in reduced row echelon form
/// and E beside it. Payloads are left alone until the end, when they are multiplied by E = A⁻¹ in one pass.
#[derive(Clone, Debug)]
pub struct Decoder {
    packets: usize,
    /// Row i of E·A and E, each padded with zeros.
    rows: Block,
    /// The column in which row i has its leading 1.
    pivots: Vec<usize>,
    payloads: Block,
    kernel: Kernel,
    /// Room for one row more, and for a factor of each row.
    row: Block,
    factors: Vec<u8>,
}

impl Decoder {
    /// For a block of `packets` of `size` bytes.
    ///
    /// # Errors
    /// [`Error::Packets`] or [`Error::Empty`].
    pub fn new(packets: usize, size: usize) -> Result<Self, Error> {
        check_block(packets, size)?;
        let rows = Block::with_room(packets, 2 * packets);
        Ok(Self {
            packets,
            row: Block::zeros(1, 2 * packets),
            factors: Vec::with_capacity(packets),
            rows,
            pivots: Vec::with_capacity(packets),
            payloads: Block::with_room(packets, size),
            kernel: Kernel::best(),
        })
    }

    /// Selects the kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// Takes a combination; whether it says something new. One that does not is forgotten.
    ///
    /// # Errors
    /// [`Error::Coefficients`], [`Error::Zero`] or [`Error::Payload`]; nothing is changed then.
    pub fn add(&mut self, coefficients: &[u8], payload: &[u8]) -> Result<bool, Error> {
        check_coefficients(coefficients, self.packets)?;
        let expected = self.payloads.size();
        if payload.len() != expected {
            return Err(Error::Payload { given: payload.len(), expected });
        }
        if !self.eliminate(coefficients) {
            return Ok(false);
        }
        self.payloads.push(payload);
        Ok(true)
    }

    /// Adds a row to those in echelon form; whether it is independent of them.
    fn eliminate(&mut self, coefficients: &[u8]) -> bool {
        let rank = self.rank();
        if rank == self.packets {
            return false;
        }
        let row = self.row.first_mut();
        row[..self.packets].copy_from_slice(coefficients);
        row[self.packets..].fill(0);
        row[self.packets + rank] = 1;
        // Of the rows in echelon form only one is not zero in a pivot's column: what is to be taken away is known at
        // once.
        self.factors.clear();
        self.factors.extend(self.pivots.iter().map(|&pivot| coefficients[pivot]));
        self.kernel.combine(&self.factors, self.rows.padded(), self.row.padded_mut());
        let left = &self.row.packet(0)[..self.packets];
        let Some(pivot) = left.iter().position(|&c| c != 0) else { return false };
        let scale = inverse(left[pivot]);
        self.rows.push_zeros();
        let (rows, new) = self.rows.split_last_mut();
        self.kernel.spread(&[scale], self.row.padded().bytes, new);
        self.factors.clear();
        self.factors.extend(rows.chunks_exact(new.len()).map(|row| row[pivot]));
        self.kernel.spread(&self.factors, new, rows);
        self.pivots.push(pivot);
        true
    }

    /// Number of independent combinations received.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// True once the rank equals the number of packets.
    pub fn is_complete(&self) -> bool {
        self.rank() == self.packets
    }

    /// The packets; `None` as long as they are not all determined.
    pub fn decode(&self) -> Option<Block> {
        if !self.is_complete() {
            return None;
        }
        let mut inverse = vec![0; self.packets * self.packets];
        for (row, &pivot) in self.rows.packets().zip(&self.pivots) {
            inverse[pivot * self.packets..][..self.packets].copy_from_slice(&row[self.packets..]);
        }
        let mut out = Block::zeros(self.packets, self.payloads.size());
        self.kernel.combine(&inverse, self.payloads.padded(), out.padded_mut());
        Some(out)
    }

    /// Packet `at` if what was received determines it, perhaps before the others.
    pub fn packet(&self, at: usize) -> Option<Vec<u8>> {
        let of_payloads = &self.row_of(at)?[self.packets..];
        let mut packet = Block::zeros(1, self.payloads.size());
        self.kernel.combine(&of_payloads[..self.rank()], self.payloads.padded(), packet.padded_mut());
        Some(packet.into_first())
    }

    /// True if the received combinations determine packet `at`.
    pub fn knows(&self, at: usize) -> bool {
        self.row_of(at).is_some()
    }

    /// The row that has packet `at` and no other.
    fn row_of(&self, at: usize) -> Option<&[u8]> {
        let row = self.pivots.iter().position(|&pivot| pivot == at).map(|row| self.rows.packet(row))?;
        let is_alone = row[..self.packets].iter().filter(|&&c| c != 0).count() == 1;
        is_alone.then_some(row)
    }

    /// Packets of the block.
    pub fn packets(&self) -> usize {
        self.packets
    }
}
