//! Packet captures in the format pcapng (draft-ietf-opsawg-pcapng), with raw IP and radiotap link types.

use std::io::{self, Write};
use std::ops::Range;
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

/// Destination of a capture.
pub enum Destination {
    /// One file with all interfaces.
    Together(Box<dyn Write + Send>),
    /// A file for each interface that has packets; the function opens it by the interface's name.
    Apart(Box<Open>),
}

/// Opens the file of an interface.
type Open = dyn FnMut(&str) -> io::Result<Box<dyn Write + Send>> + Send;

/// Resolution of times: nanoseconds.
const TIME_RESOLUTION: u8 = 9;

/// A capture in progress.
pub struct Pcapng {
    interfaces: Vec<(String, LinkType)>,
    open: Option<Box<Open>>,
    /// Open files: one, or with `open` one for each interface.
    files: Vec<Option<Box<dyn Write + Send>>>,
    error: Option<io::Error>,
    block: Vec<u8>,
}

impl Pcapng {
    /// Starts a capture with packets of `interfaces`, in this order.
    pub fn new(out: Destination, interfaces: Vec<(String, LinkType)>) -> Self {
        let block = Vec::with_capacity(256);
        let mut capture = Self { interfaces, open: None, files: Vec::new(), error: None, block };
        match out {
            Destination::Together(out) => {
                capture.files.push(Some(out));
                capture.begin(0, 0..capture.interfaces.len());
            }
            Destination::Apart(open) => {
                capture.open = Some(open);
                capture.files.resize_with(capture.interfaces.len(), || None);
            }
        }
        capture
    }

    /// Writes the beginning of a file with these interfaces.
    fn begin(&mut self, file: usize, interfaces: Range<usize>) {
        // Section header: byte order, version 1.0, length unknown.
        self.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        self.block.extend(1u16.to_le_bytes());
        self.block.extend(0u16.to_le_bytes());
        self.block.extend(u64::MAX.to_le_bytes());
        self.write_block(file, 0x0a0d_0d0a);
        for interface in interfaces {
            let (name, link_type) = &self.interfaces[interface];
            self.block.extend((*link_type as u16).to_le_bytes());
            self.block.extend([0; 2]);
            self.block.extend(0u32.to_le_bytes());
            put_option(&mut self.block, 2, name.as_bytes());
            put_option(&mut self.block, 9, &[TIME_RESOLUTION]);
            put_option(&mut self.block, 0, &[]);
            self.write_block(file, 1);
        }
    }

    /// File of an interface, opened if it is not yet, and the interface's index in it.
    fn file_of(&mut self, interface: u32) -> (usize, u32) {
        let Some(open) = &mut self.open else { return (0, interface) };
        let file = interface as usize;
        if self.files[file].is_none() && self.error.is_none() {
            match open(&self.interfaces[file].0) {
                Ok(out) => {
                    self.files[file] = Some(out);
                    self.begin(file, file..file + 1);
                }
                Err(error) => self.error = Some(error),
            }
        }
        (file, 0)
    }

    /// Writes a packet, or the start of one, of `length` bytes on the wire.
    pub fn packet(&mut self, interface: u32, time: Time, bytes: &[u8], length: u32) {
        let nanos = time.as_nanos();
        let (file, interface) = self.file_of(interface);
        self.block.extend(interface.to_le_bytes());
        self.block.extend(((nanos >> 32) as u32).to_le_bytes());
        self.block.extend((nanos as u32).to_le_bytes());
        self.block.extend((bytes.len() as u32).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(bytes);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
        self.write_block(file, 6);
    }

    /// Flushes the files.
    ///
    /// # Errors
    /// The error that ended the capture early, if any.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.files.iter_mut().flatten().try_for_each(|file| file.flush()),
        }
    }

    /// Writes the block collected so far.
    fn write_block(&mut self, file: usize, kind: u32) {
        if let Some(out) = &mut self.files[file]
            && self.error.is_none()
        {
            let length = (self.block.len() as u32 + 12).to_le_bytes();
            let parts = [&kind.to_le_bytes()[..], &length, &self.block, &length];
            self.error = parts.iter().try_for_each(|part| out.write_all(part)).err();
        }
        self.block.clear();
    }
}

/// Adds an option to a block, padded to four bytes.
fn put_option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend((value.len() as u16).to_le_bytes());
    block.extend(value);
    block.resize(block.len().next_multiple_of(4), 0);
}
