//! Packets of one size, side by side.

use crate::error::{Error, check_block};
use crate::packets::{ALIGNMENT, Packets};

/// Packets of one size in one run of memory, each padded to whole registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    bytes: Vec<u8>,
    count: usize,
    size: usize,
}

impl Block {
    pub(crate) fn with_room(packets: usize, size: usize) -> Self {
        Self { bytes: Vec::with_capacity(packets * padded(size)), count: 0, size }
    }

    pub(crate) fn zeros(packets: usize, size: usize) -> Self {
        Self { bytes: vec![0; packets * padded(size)], count: packets, size }
    }

    /// Packets of one size, in their order.
    pub(crate) fn of<P: AsRef<[u8]>>(packets: &[P]) -> Result<Self, Error> {
        let expected = packets.first().map_or(1, |packet| packet.as_ref().len());
        check_block(packets.len(), expected)?;
        let mut block = Self::with_room(packets.len(), expected);
        for (at, packet) in packets.iter().enumerate() {
            let given = packet.as_ref().len();
            if given != expected {
                return Err(Error::Length { at, given, expected });
            }
            block.push(packet.as_ref());
        }
        Ok(block)
    }

    pub(crate) fn push(&mut self, packet: &[u8]) {
        self.count += 1;
        self.bytes.extend_from_slice(packet);
        self.bytes.resize(self.count * self.stride(), 0);
    }

    pub(crate) fn push_zeros(&mut self) {
        self.count += 1;
        self.bytes.resize(self.count * self.stride(), 0);
    }

    /// Number of packets.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True without packets.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes of a packet.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Packet `at`, from 0.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn packet(&self, at: usize) -> &[u8] {
        &self.bytes[at * self.stride()..][..self.size]
    }

    /// All packets, in their order.
    pub fn packets(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.stride()).map(|packet| &packet[..self.size])
    }

    /// The first packet alone.
    pub(crate) fn into_first(mut self) -> Vec<u8> {
        self.bytes.truncate(self.size);
        self.bytes
    }

    /// The first packet, to be written.
    pub(crate) fn first_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.size]
    }

    /// All packets but the last, and the last, with their padding.
    pub(crate) fn split_last_mut(&mut self) -> (&mut [u8], &mut [u8]) {
        let stride = self.stride();
        self.bytes.split_at_mut((self.count - 1) * stride)
    }

    /// The packets with their padding.
    pub(crate) fn padded(&self) -> Packets<&[u8]> {
        Packets { bytes: &self.bytes, count: self.count, size: self.stride() }
    }

    /// Mutable [`Self::padded`].
    pub(crate) fn padded_mut(&mut self) -> Packets<&mut [u8]> {
        Packets { size: self.stride(), bytes: &mut self.bytes, count: self.count }
    }

    /// From one packet to the next, in bytes.
    pub(crate) fn stride(&self) -> usize {
        padded(self.size)
    }
}

fn padded(size: usize) -> usize {
    size.next_multiple_of(ALIGNMENT)
}
