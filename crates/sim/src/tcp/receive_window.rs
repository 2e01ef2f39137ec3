//! The receive window in bytes: the buffer of a receiver, what its application has read, and the window that ACKs
//! announce.
//!
//! The rules are those of Linux 6.18 (`__tcp_select_window`, `tcp_select_window`, `tcp_grow_window`,
//! `__tcp_cleanup_rbuf`, `tcp_rcv_space_adjust`), which keep RFC 9293 §3.8.6: the right edge never moves back, no
//! window below a segment is announced, and a window that at least doubles is announced when the application reads.
//!
//! **Where we differ**
//! * The window counts bytes of payload. Linux counts the memory of packets; of an autotuned buffer the share of a full
//!   segment is payload.

use super::right_sizing::RightSizing;
use crate::network::ReceiveBuffer;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Largest window of a handshake, whose field has 16 bits and is not scaled (RFC 7323 §2.2).
const HANDSHAKE: u64 = 65_535;
/// Largest window: 16 bits, scaled by 14 (RFC 7323 §2.3).
const LARGEST: u64 = HANDSHAKE << 14;
/// Window of a receiver.
#[derive(Clone, Debug)]
pub struct ReceiveWindow {
    /// Payload of a full segment.
    segment: u64,
    /// Bytes of payload for which the buffer has room.
    size: u64,
    /// Largest window in force, which grows with arrivals (`rcv_ssthresh`).
    clamp: u64,
    /// Right edge of the announced window: bytes of the stream.
    edge: u64,
    /// Window in the last ACK.
    last: u64,
    /// Bytes in order.
    arrived: u64,
    /// Bytes missing in the short segments in order.
    missing: u64,
    /// Short segments beyond the first gap: number, and bytes missing to a full one.
    short: VecDeque<(u32, u32)>,
    /// Bytes that the application has read.
    read: u64,
    tuning: Option<RightSizing>,
}

impl ReceiveWindow {
    /// An empty buffer, with full segments of `segment` bytes.
    pub fn new(buffer: ReceiveBuffer, segment: u32) -> Self {
        let segment = u64::from(segment);
        let (size, tuning) = match buffer {
            ReceiveBuffer::Fixed(bytes) => (bytes.count(), None),
            ReceiveBuffer::Auto { start, most } => {
                let (tuning, size) = RightSizing::new(start, most, segment);
                (size, Some(tuning))
            }
        };
        let edge = size.min(HANDSHAKE);
        let (arrived, missing, read) = (0, 0, 0);
        Self { segment, size, clamp: edge, edge, last: edge, arrived, missing, short: VecDeque::new(), read, tuning }
    }

    /// Bytes that the application has read.
    #[inline]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Bytes that wait for the application.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.arrived - self.read
    }

    /// True if the buffer follows the application.
    pub fn is_tuned(&self) -> bool {
        self.tuning.is_some()
    }

    /// Window announced last, from the first missing byte on (`tcp_receive_window`).
    #[inline]
    pub fn announced(&self) -> u64 {
        self.edge.saturating_sub(self.arrived)
    }

    /// Records the segment `number` of `payload` bytes, after which `next` is the first missing one.
    pub fn arrive(&mut self, number: u32, payload: u32, next: u32) {
        let lacks = (self.segment as u32).saturating_sub(payload);
        // A segment below the last gap is a duplicate.
        let is_first = u64::from(number) * self.segment >= self.arrived + self.missing;
        if lacks > 0 && is_first && !self.short.iter().any(|(short, _)| *short == number) {
            self.short.push_back((number, lacks));
        }
        self.short.retain(|&(short, lacks)| {
            let is_beyond = short >= next;
            self.missing += if is_beyond { 0 } else { u64::from(lacks) };
            is_beyond
        });
        self.arrived = u64::from(next) * self.segment - self.missing;
    }

    /// Raises the largest window when a segment of `payload` bytes arrives that is not a duplicate, with `beyond`
    /// segments beyond a gap, by up to two segments (`tcp_grow_window`). Returns true if it does.
    pub fn grow(&mut self, payload: u32, beyond: u32) -> bool {
        let room = self.free(u64::from(payload) + u64::from(beyond) * self.segment).saturating_sub(self.clamp);
        self.clamp += room.min(2 * self.segment);
        room > 0
    }

    /// True if less than half of the buffer is free (`__tcp_select_window`).
    pub fn is_short(&self, beyond: u32) -> bool {
        self.free(u64::from(beyond) * self.segment) < self.size / 2
    }

    /// Room in the buffer, with `more` bytes besides those in order.
    fn free(&self, more: u64) -> u64 {
        self.size.saturating_sub(self.waiting() + more)
    }

    /// Window that may be announced, with `beyond` segments above the first gap (`__tcp_select_window`).
    fn select(&self, beyond: u32) -> u64 {
        self.select_of(self.free(u64::from(beyond) * self.segment))
    }

    fn select_of(&self, free: u64) -> u64 {
        let is_small = free < self.size / 2 && (free < self.size / 16 || free < self.segment.min(self.size));
        if is_small { 0 } else { free.min(self.clamp).min(LARGEST) }
    }

    /// Window of an ACK that leaves now. The right edge does not move back.
    pub fn announce(&mut self, beyond: u32) -> u32 {
        self.edge = self.edge.max(self.arrived + self.select(beyond));
        self.last = self.announced();
        // At most `LARGEST`.
        self.last as u32
    }

    /// True if an ACK of `payload` bytes that arrive now, and are not read yet, would announce no smaller window than
    /// the last one (`__tcp_ack_snd_check`).
    pub fn advances(&self, payload: u32, beyond: u32) -> bool {
        self.select_of(self.free(u64::from(payload) + u64::from(beyond) * self.segment)) >= self.last
    }

    /// Reads `bytes` of those that wait. Returns true if the window has grown so much that it is announced at once.
    pub fn read(&mut self, now: Time, bytes: u64, rtt: Option<Duration>, beyond: u32) -> bool {
        debug_assert!(bytes <= self.waiting(), "only what has arrived can be read");
        self.read += bytes;
        if let Some(rtt) = rtt {
            let (waiting, beyond) = (self.waiting(), u64::from(beyond) * self.segment);
            let size = self.tuning.as_mut().and_then(|tuning| tuning.adapt(now, rtt, self.read, waiting, beyond));
            self.size = size.map_or(self.size, |size| self.size.max(size));
        }
        let announced = self.announced();
        if bytes == 0 || 2 * announced > self.size {
            return false;
        }
        let window = self.select(beyond);
        window > 0 && window >= 2 * announced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Bytes;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn fixed(bytes: u64) -> ReceiveWindow {
        ReceiveWindow::new(ReceiveBuffer::Fixed(Bytes::new(bytes)), 1000)
    }

    /// A buffer of 32 000 B. After 10 segments 22 000 B are free. From 16 000 B on the window closes as a whole once
    /// less than a sixteenth, 2000 B, is free: after 31 segments 1000 B are free, but the edge stays at 32 000. Reading
    /// 500 B frees 1500 B, below the sixteenth; 2500 B in all free 3500 B, at least twice the 1000 B announced.
    #[test]
    fn the_right_edge_never_moves_back() {
        let mut window = fixed(32_000);
        assert_eq!(window.announced(), 32_000);
        for number in 0..10 {
            window.arrive(number, 1000, number + 1);
        }
        assert_eq!((window.select(0), window.announce(0)), (22_000, 22_000));
        for number in 10..31 {
            window.arrive(number, 1000, number + 1);
        }
        assert_eq!((window.select(0), window.announce(0)), (0, 1000));
        assert!(!window.read(at(0), 500, None, 0));
        assert_eq!(window.announce(0), 1000);
        assert!(window.read(at(0), 2000, None, 0));
        assert_eq!(window.announce(0), 3500);
    }

    /// smoltcp#199: after a zero window the read that frees at least a segment and a sixteenth of the buffer is
    /// announced. Of 8000 B a sixteenth is 500 B, so the segment of 1000 B decides.
    #[test]
    fn a_closed_window_opens_with_a_segment() {
        let mut window = fixed(8000);
        for number in 0..8 {
            window.arrive(number, 1000, number + 1);
        }
        assert_eq!(window.announce(0), 0);
        assert!(!window.read(at(0), 999, None, 0));
        assert_eq!(window.announce(0), 0, "less than a segment counts as nothing");
        assert!(window.read(at(0), 1, None, 0));
        assert_eq!(window.announce(0), 1000);
    }

    /// A buffer of 1 MB opens from the handshake's 65 535 B by two segments for each that arrives.
    #[test]
    fn a_large_window_opens_with_arrivals() {
        let mut window = fixed(1_000_000);
        for number in 0..5 {
            assert!(window.grow(1000, 0));
            window.arrive(number, 1000, number + 1);
            window.read(at(0), 1000, None, 0);
        }
        assert_eq!(window.announce(0), 65_535 + 5 * 2000);
    }

    /// Short segments count as what they carry, also beyond a gap and when they arrive twice.
    #[test]
    fn bytes_are_counted_not_segments() {
        let mut window = fixed(10_000);
        window.arrive(0, 300, 1);
        window.arrive(2, 400, 1);
        window.arrive(2, 400, 1);
        assert_eq!(window.arrived, 300);
        window.arrive(1, 1000, 3);
        window.arrive(2, 400, 3);
        assert_eq!(window.arrived, 1700);
    }

    /// A segment of 1448 B takes 2304 B of memory, so 160/256 of it is payload: 131 072 B of memory are a window of 81
    /// 920 B. The first estimate is 10 segments. In a round trip of 100 ms the application reads 40 segments: 2·40 and
    /// 2·80·(40 − 10)/10 = 480 make 560 segments. The next round trip brings 50 segments, which is more: 100 +
    /// 2·100·10/40 = 150 segments, no more than the buffer has. Without growth of what is read nothing changes, and the
    /// limit holds.
    #[test]
    fn the_buffer_follows_the_reader() {
        let start = Bytes::new(131_072);
        let auto = |most| ReceiveWindow::new(ReceiveBuffer::Auto { start, most: Bytes::new(most) }, 1448);
        let rtt = Some(Duration::from_millis(100));
        let mut window = auto(10_000_000);
        let mut next = 0;
        let mut round = |window: &mut ReceiveWindow, ms, count| {
            for _ in 0..count {
                window.arrive(next, 1448, next + 1);
                next += 1;
            }
            window.read(at(ms), 1448 * count, rtt, 0);
            window.size
        };
        assert_eq!(window.size, 81_920);
        assert_eq!(round(&mut window, 99, 39), 81_920);
        assert_eq!(round(&mut window, 100, 1), 560 * 1448);
        assert_eq!(round(&mut window, 200, 50), 560 * 1448);
        assert_eq!(round(&mut window, 300, 40), 560 * 1448);
        let mut limited = auto(262_144);
        for number in 0..40 {
            limited.arrive(number, 1448, number + 1);
        }
        limited.read(at(100), 40 * 1448, rtt, 0);
        assert_eq!(limited.size, 163_840);
        // Below a millisecond: 2·40·(1 + 0.5) = 120 segments.
        let mut short = auto(10_000_000);
        for number in 0..40 {
            short.arrive(number, 1448, number + 1);
        }
        short.read(at(1), 40 * 1448, Some(Duration::from_micros(500)), 0);
        assert_eq!(short.size, 120 * 1448);
    }
}
