//! An upload: one stream from the client to the server.

use super::api;
use super::pair::{CLIENT, Pair, SERVER};
use super::proto::{Dir, Event, SendStream, Side, StreamEvent, StreamId, WriteError};
use bytes::Bytes;
use windward_units::Time;

/// Data written at once.
const CHUNK: usize = 1 << 18;

/// Zeros to write.
static ZEROS: [u8; CHUNK] = [0; CHUNK];

/// Writes up to `left` bytes, and returns the number of those that are left then.
pub fn write(stream: &mut SendStream<'_>, mut left: u64) -> u64 {
    while left > 0 {
        let size = CHUNK.min(usize::try_from(left).unwrap_or(usize::MAX));
        match api::write(stream, Bytes::from_static(&ZEROS[..size])) {
            Ok(written) => left -= written as u64,
            Err(WriteError::Blocked) => break,
            Err(_) => left = 0,
        }
    }
    left
}

/// A running upload.
pub struct Stream {
    id: Option<StreamId>,
    /// True once the stream has been opened.
    is_begun: bool,
    /// Bytes to write.
    left: u64,
    /// True if nothing is to be added to what is left.
    is_whole: bool,
    /// Time at which the client's handshake was complete.
    pub connected: Option<Time>,
    /// Time at which the client knew that all was received.
    pub completed: Option<Time>,
    /// Bytes that the server's application read, in whatever order they came.
    pub received: u64,
}

impl Stream {
    /// Upload of `bytes`, endless if none are given; or of what [`Self::write`] adds, if it `is_paced`.
    pub fn new(bytes: Option<u64>, is_paced: bool) -> Self {
        Self {
            id: None,
            is_begun: false,
            left: if is_paced { 0 } else { bytes.unwrap_or(u64::MAX) },
            is_whole: !is_paced,
            connected: None,
            completed: None,
            received: 0,
        }
    }

    /// Adds bytes; the stream ends with them if they are the last.
    pub fn write(&mut self, bytes: u64, is_last: bool) {
        self.left += bytes;
        self.is_whole = is_last;
    }

    /// Handles what has happened at a side: its application reads or writes.
    pub fn serve(&mut self, pair: &mut Pair, side: usize, now: Time) {
        while let Some(event) = pair.poll(side) {
            match event {
                Event::Connected if side == CLIENT => self.connected = Some(now),
                Event::Stream(StreamEvent::Finished { .. }) => self.completed = Some(now),
                _ => {}
            }
        }
        let Some(connection) = pair.connection_mut(side) else { return };
        if side == CLIENT && !self.is_begun && (self.connected.is_some() || connection.has_0rtt()) {
            self.is_begun = true;
            self.id = connection.streams().open(Dir::Uni);
        }
        if side == SERVER {
            let id = StreamId::new(Side::Client, Dir::Uni, 0);
            let mut stream = connection.recv_stream(id);
            if let Ok(mut chunks) = stream.read(false) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    self.received += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
            return;
        }
        let Some(id) = self.id else { return };
        let mut stream = connection.send_stream(id);
        self.left = write(&mut stream, self.left);
        if self.left == 0 && self.is_whole && stream.finish().is_ok() {
            self.id = None;
        }
    }
}
