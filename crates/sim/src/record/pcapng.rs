//! Packet captures in the format pcapng (draft-ietf-opsawg-pcapng), with raw IP and radiotap link types.

use std::io::{self, Write};
use windward_units::Time;

/// Link type of an interface: the first header of its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum LinkType {
    /// An IP header.
    Raw = 101,
    /// A radiotap header and an 802.11 header.
    Radiotap = 127,
}

/// Resolution of times: nanoseconds.
const TIME_RESOLUTION: u8 = 9;

/// A file in progress.
pub struct Pcapng {
    out: Box<dyn Write + Send>,
    error: Option<io::Error>,
    block: Vec<u8>,
}

impl Pcapng {
    /// Starts a file with packets of `interfaces`, in this order.
    pub fn new(out: Box<dyn Write + Send>, interfaces: &[(String, LinkType)]) -> Self {
        let mut file = Self { out, error: None, block: Vec::with_capacity(256) };
        // Section header: byte order, version 1.0, length unknown.
        file.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        file.block.extend(1u16.to_le_bytes());
        file.block.extend(0u16.to_le_bytes());
        file.block.extend(u64::MAX.to_le_bytes());
        file.write_block(0x0a0d_0d0a);
        for (name, link_type) in interfaces {
            file.block.extend((*link_type as u16).to_le_bytes());
            file.block.extend([0; 2]);
            file.block.extend(0u32.to_le_bytes());
            file.put_option(2, name.as_bytes());
            file.put_option(9, &[TIME_RESOLUTION]);
            file.put_option(0, &[]);
            file.write_block(1);
        }
        file
    }

    /// Writes a packet, or the start of one, of `length` bytes on the wire.
    pub fn packet(&mut self, interface: u32, time: Time, bytes: &[u8], length: u32) {
        let nanos = time.as_nanos();
        self.block.extend(interface.to_le_bytes());
        self.block.extend(((nanos >> 32) as u32).to_le_bytes());
        self.block.extend((nanos as u32).to_le_bytes());
        self.block.extend((bytes.len() as u32).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(bytes);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
        self.write_block(6);
    }

    /// Flushes the file.
    ///
    /// # Errors
    /// The error that ended the file early, if any.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    /// Writes the block collected so far.
    fn write_block(&mut self, kind: u32) {
        if self.error.is_none() {
            let length = (self.block.len() as u32 + 12).to_le_bytes();
            let parts = [&kind.to_le_bytes()[..], &length, &self.block, &length];
            self.error = parts.iter().try_for_each(|part| self.out.write_all(part)).err();
        }
        self.block.clear();
    }

    /// Adds an option to the block, padded to four bytes.
    fn put_option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}
