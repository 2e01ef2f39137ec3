//! Arriving data of one end: its buffer, and the application that reads it.

use super::reader::Reader;
use super::receive_window::ReceiveWindow;
use super::receiver::{AckDue, Outlook, Receiver};
use super::timer::Timer;
use crate::network::TcpOptions;
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

/// Buffer and application of an end whose receive window moves.
#[derive(Clone, Debug)]
pub struct Inbox {
    window: ReceiveWindow,
    /// `None` for an application that reads everything at once.
    reader: Option<Reader>,
    /// Round-trip time that the receiver has measured.
    pub rtt: Option<Duration>,
    /// Deadline of the next read.
    pub timer: Timer,
}

impl Inbox {
    /// The empty buffer of an end; `None` if its window does not move.
    pub fn new(tcp: &TcpOptions) -> Option<Self> {
        let window = ReceiveWindow::new(tcp.moving_window()?, tcp.segment.count() as u32);
        Some(Self { window, reader: tcp.reading.clone().map(Reader::new), rtt: None, timer: Timer::off() })
    }

    /// True if the buffer follows the application, by the round-trip time.
    pub fn is_tuned(&self) -> bool {
        self.window.is_tuned()
    }

    /// Bytes that the application has read.
    pub fn bytes_read(&self) -> u64 {
        self.window.bytes_read()
    }

    /// Window announced last, in bytes.
    pub fn announced(&self) -> u64 {
        self.window.announced()
    }

    /// Window of an ACK that leaves now, with `beyond` segments above the first gap.
    pub fn announce(&mut self, beyond: u32) -> u32 {
        self.window.announce(beyond)
    }

    /// True if less than half of the buffer is free.
    pub fn is_short(&self, beyond: u32) -> bool {
        self.window.is_short(beyond)
    }

    /// Handles a data segment whose size is that of its payload, and lets the application read.
    pub fn arrive(&mut self, now: Time, data: &Packet, receiver: &mut Receiver) -> AckDue {
        let waiting = self.window.waiting() + u64::from(data.size);
        let is_drained = self.reader.as_ref().is_none_or(|reader| reader.drains(now, waiting));
        // What is read at once is acknowledged at the same time, with the window after the read.
        let advances = is_drained || self.window.advances(data.size, receiver.beyond());
        receiver.expect(Outlook { is_drained, advances });
        if data.number >= receiver.next() && self.window.grow(data.size, receiver.beyond()) {
            receiver.note_growth();
        }
        let due = receiver.receive(now, data);
        self.window.arrive(data.number, data.size, receiver.next());
        if self.read(now, receiver) { AckDue::Now } else { due }
    }

    /// Lets the application read. Returns true if an ACK is due (Linux: `__tcp_cleanup_rbuf`).
    pub fn read(&mut self, now: Time, receiver: &Receiver) -> bool {
        let waiting = self.window.waiting();
        let bytes = self.reader.as_mut().map_or(waiting, |reader| reader.take(now, waiting));
        let rest = waiting - bytes;
        if let Some(reader) = self.reader.as_ref().filter(|_| rest > 0) {
            self.timer.set(reader.free_at(now));
        }
        if bytes == 0 {
            return false;
        }
        let opens = self.window.read(now, bytes, self.rtt, receiver.beyond());
        receiver.note_read(rest == 0) || opens
    }
}
