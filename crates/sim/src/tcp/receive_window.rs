//! The receive window in bytes: the buffer of a receiver, what its application has read, and the window that ACKs
//! announce.
//!
//! The rules are those of Linux 6.18 (`__tcp_select_window`, `tcp_select_window`, `tcp_grow_window`,
//! `__tcp_cleanup_rbuf`, `tcp_rcv_space_adjust`), which keep RFC 9293 §3.8.6: the right edge never moves back, no
//! window below a segment is announced, and a window that at least doubles is announced when the application reads.
//!
//! **Where we differ**
//! * The window counts bytes of payload. Linux counts the memory of packets, of which about half is payload.
//!   [`Autotuning`] counts memory and takes half of it.

use crate::network::ReceiveBuffer;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Largest window of a handshake, whose field has 16 bits and is not scaled (RFC 7323 §2.2).
const HANDSHAKE: u64 = 65_535;
/// Largest window: 16 bits, scaled by 14 (RFC 7323 §2.3).
const LARGEST: u64 = HANDSHAKE << 14;
/// Linux's initial window in segments (`TCP_INIT_CWND`), the first estimate of what the application reads in a round
/// trip.
const INITIAL: u64 = 10;
/// Share of the socket's memory that is payload (`TCP_DEFAULT_SCALING_RATIO`): its inverse.
const MEMORY: u64 = 2;
/// Round trip below which autotuning grows more slowly.
const SHORT: u64 = 1_000_000;

/// Autotuning of the buffer: dynamic right-sizing as in Linux (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`).
#[derive(Clone, Copy, Debug)]
struct Autotuning {
    /// Largest buffer in bytes of memory.
    most: u64,
    /// Bytes that the application read in a round trip, less those that still waited.
    space: u64,
    /// Bytes read at the start of the current round trip, and that time.
    began: (u64, Time),
}

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
    tuning: Option<Autotuning>,
}

impl ReceiveWindow {
    /// An empty buffer, with full segments of `segment` bytes.
    pub fn new(buffer: ReceiveBuffer, segment: u32) -> Self {
        let segment = u64::from(segment);
        let (size, tuning) = match buffer {
            ReceiveBuffer::Fixed(bytes) => (bytes.count(), None),
            ReceiveBuffer::Auto { start, most } => {
                let space = (start.count() / MEMORY).min(INITIAL * segment);
                let tuning = Autotuning { most: most.count(), space, began: (0, Time::ZERO) };
                (start.count() / MEMORY, Some(tuning))
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
        let before = std::mem::replace(&mut self.arrived, u64::from(next) * self.segment - self.missing);
        if self.arrived > before {
            // Linux: `tcp_grow_window`, two segments for each one that arrives.
            let room = self.free(0).saturating_sub(self.clamp);
            self.clamp += room.min(2 * self.segment);
        }
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
            self.tune(now, rtt, u64::from(beyond) * self.segment);
        }
        let announced = self.announced();
        if bytes == 0 || 2 * announced > self.size {
            return false;
        }
        let window = self.select(beyond);
        window > 0 && window >= 2 * announced
    }

    /// Adapts the buffer once per round trip to what the application reads in it.
    fn tune(&mut self, now: Time, rtt: Duration, beyond: u64) {
        let waiting = self.waiting();
        let Some(tuning) = &mut self.tuning else { return };
        let (from, since) = tuning.began;
        if now.since(since) < rtt {
            return;
        }
        tuning.began = (self.read, now);
        let copied = (self.read - from).saturating_sub(waiting);
        if copied <= tuning.space {
            return;
        }
        let old = std::mem::replace(&mut tuning.space, copied);
        // The estimate is a round trip late, and the sender may double its rate until the next.
        let window = 2 * copied;
        let growth = if rtt.as_nanos() < SHORT {
            window * rtt.as_nanos() / SHORT
        } else {
            (u128::from(2 * window) * u128::from(copied - old) / u128::from(old.max(1))) as u64
        };
        let size = (MEMORY * (window + growth + beyond)).min(tuning.most) / MEMORY;
        self.size = self.size.max(size);
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

    /// 131 072 B of memory are a window of 65 536 B; the first estimate is 10 segments of 1000 B. In a round trip of
    /// 100 ms the application reads 40 000 B: 2·40 000 and 2·80 000·(40 000 − 10 000)/10 000 = 480 000 make 560 000 B.
    /// The next round trip brings 50 000 B, which is more: 100 000 + 2·100 000·10 000/40 000 = 150 000, no more than
    /// the buffer has. Without growth of what is read nothing changes, and the limit holds.
    #[test]
    fn the_buffer_follows_the_reader() {
        let start = Bytes::new(131_072);
        let auto = |most| ReceiveWindow::new(ReceiveBuffer::Auto { start, most: Bytes::new(most) }, 1000);
        let rtt = Some(Duration::from_millis(100));
        let mut window = auto(10_000_000);
        let mut next = 0;
        let mut round = |window: &mut ReceiveWindow, ms, count| {
            for _ in 0..count {
                window.arrive(next, 1000, next + 1);
                next += 1;
            }
            window.read(at(ms), 1000 * count, rtt, 0);
            window.size
        };
        assert_eq!(window.size, 65_536);
        assert_eq!(round(&mut window, 99, 39), 65_536);
        assert_eq!(round(&mut window, 100, 1), 560_000);
        assert_eq!(round(&mut window, 200, 50), 560_000);
        assert_eq!(round(&mut window, 300, 40), 560_000);
        let mut limited = auto(262_144);
        for number in 0..40 {
            limited.arrive(number, 1000, number + 1);
        }
        limited.read(at(100), 40_000, rtt, 0);
        assert_eq!(limited.size, 131_072);
        // Below a millisecond: 2·40 000·(1 + 0.5) = 120 000.
        let mut short = auto(10_000_000);
        for number in 0..40 {
            short.arrive(number, 1000, number + 1);
        }
        short.read(at(1), 40_000, Some(Duration::from_micros(500)), 0);
        assert_eq!(short.size, 120_000);
    }
}
