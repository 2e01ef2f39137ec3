//! Dynamic right-sizing of an autotuned receive buffer, and the growth of the window in it, as in Linux 6.18
//! (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`, `tcp_measure_rcv_mss` and `tcp_grow_window` of net/ipv4/tcp_input.c).
//!
//! The kernel counts memory. A full segment in a packet of 1500 B takes 2304 B (a power of two for packet and
//! `struct skb_shared_info`, and 256 B for `struct sk_buff`), so a share of 160/256 of the memory is payload. The first
//! full segment that arrives sets this share (`scaling_ratio`).

use crate::network::{ReceiveBuffer, TcpOptions};
use windward_units::{Bytes, Duration, Time};

/// Linux's initial window in segments (`TCP_INIT_CWND`), the first estimate of what the application reads in a round
/// trip.
const INITIAL: u64 = 10;
/// Round trip below which the buffer grows more slowly (`tcp_rcvbuf_low_rtt`).
const SHORT: u64 = 1_000_000;
/// Unit of the share of memory that is payload (`TCP_RMEM_TO_WIN_SCALE`).
const WHOLE: u64 = 256;
/// Bytes around a packet in its memory (headroom and `struct skb_shared_info`), and those of its descriptor
/// (`struct sk_buff`).
const OVERHEAD: u64 = 384;
const DESCRIPTOR: u64 = 256;
/// Payload below which a segment does not raise the window (`tcp_event_data_recv`).
const SHORTEST: u32 = 128;

/// Payload that fits into `memory`, with full segments of `segment` bytes.
fn payload_in(memory: Bytes, segment: u64) -> u64 {
    let packet = segment + TcpOptions::LEAST_HEADER + u64::from(super::headers::TIMESTAMPS);
    let share = (segment * WHOLE / ((packet + OVERHEAD).next_power_of_two() + DESCRIPTOR)).max(1);
    memory.count() * share / WHOLE
}

/// Size of a buffer that follows the application.
#[derive(Clone, Copy, Debug)]
pub struct RightSizing {
    /// Largest size in bytes of payload.
    most: u64,
    /// Bytes that the application read in a round trip, less those that still waited.
    space: u64,
    /// Bytes read at the start of the current round trip, and that time.
    began: (u64, Time),
}

impl RightSizing {
    /// A buffer of `start` to `most` bytes of memory for full segments of `segment` bytes, and its size in bytes of
    /// payload.
    pub fn new(start: Bytes, most: Bytes, segment: u64) -> (Self, u64) {
        let (size, most) = (payload_in(start, segment), payload_in(most, segment));
        (Self { most, space: size.min(INITIAL * segment), began: (0, Time::ZERO) }, size)
    }

    /// Adapts the size once per round trip: the application has `read` so many bytes, `waiting` ones wait for it, and
    /// `beyond` ones lie beyond a gap. Returns the size that it needs, if that is known anew.
    #[inline]
    pub fn adapt(&mut self, now: Time, rtt: Duration, read: u64, waiting: u64, beyond: u64) -> Option<u64> {
        if self.is_due(now, rtt) { self.renew(now, rtt, read, waiting, beyond) } else { None }
    }

    /// True if a round trip of `rtt` has passed since the last adaptation.
    #[inline]
    fn is_due(&self, now: Time, rtt: Duration) -> bool {
        now.since(self.began.1) >= rtt
    }

    fn renew(&mut self, now: Time, rtt: Duration, read: u64, waiting: u64, beyond: u64) -> Option<u64> {
        let (from, _) = std::mem::replace(&mut self.began, (read, now));
        let copied = (read - from).saturating_sub(waiting);
        if copied <= self.space {
            return None;
        }
        let old = std::mem::replace(&mut self.space, copied);
        // The estimate is a round trip late, and the sender may double its rate until the next.
        let window = 2 * copied;
        let growth = if rtt.as_nanos() < SHORT {
            window * rtt.as_nanos() / SHORT
        } else {
            (u128::from(2 * window) * u128::from(copied - old) / u128::from(old.max(1))) as u64
        };
        Some((window + growth + beyond).min(self.most))
    }
}

/// Window of a receiver whose application reads everything at once, from a buffer without a limit that matters: of
/// interest is only when it grows.
#[derive(Clone, Debug)]
pub struct WindowGrowth {
    /// Payload of a full segment.
    segment: u64,
    /// Header bytes in the size of a packet.
    header: u32,
    size: u64,
    /// Largest window in force, which grows with arrivals (`rcv_ssthresh`).
    threshold: u64,
    arrived: u64,
    sizing: RightSizing,
    /// Round-trip time that the receiver would measure; `None` before the first.
    pub rtt: Option<Duration>,
}

impl WindowGrowth {
    /// The state before the first segment, where a packet's size has `header` bytes besides its payload.
    pub fn new(tcp: &TcpOptions, header: u32) -> Self {
        let segment = tcp.segment.count();
        let window = u64::from(tcp.receive_window) * segment;
        let (mut sizing, size) = RightSizing::new(ReceiveBuffer::START, ReceiveBuffer::MOST, segment);
        sizing.most = sizing.most.min(window);
        let threshold = first_window(segment).min(window);
        Self { segment, header, size: size.min(window), threshold, arrived: 0, sizing, rtt: None }
    }

    /// Starts over with the same options.
    pub fn recycle(&mut self, tcp: &TcpOptions) {
        *self = Self::new(tcp, self.header);
    }

    /// Records the arrival of a segment in a packet of `size` bytes that is not a duplicate, with `beyond()` segments
    /// beyond a gap. Returns true if it raises the window.
    #[inline]
    pub fn arrive(&mut self, now: Time, size: u32, beyond: impl FnOnce() -> u32) -> bool {
        let payload = size.saturating_sub(self.header);
        let room = self.size.saturating_sub(self.threshold + u64::from(payload));
        let grows = room > 0 && payload >= SHORTEST;
        if grows {
            self.threshold += room.min(2 * self.segment);
        }
        self.arrived += u64::from(payload);
        if let Some(rtt) = self.rtt
            && self.sizing.is_due(now, rtt)
        {
            let beyond = u64::from(beyond()) * self.segment;
            let read = self.arrived.saturating_sub(beyond).max(self.sizing.began.0);
            if let Some(size) = self.sizing.renew(now, rtt, read, 0, beyond) {
                self.size = self.size.max(size);
            }
        }
        grows
    }
}

/// Window of a SYN-ACK: whole segments in the 16 bits of its field.
fn first_window(segment: u64) -> u64 {
    (u64::from(u16::MAX) / segment * segment).max(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.18.44 behind a TUN device, 25 Mbit/s and 51 ms: `tcpi_rcv_ssthresh` of an upload by the bytes that the
    /// application had read, in segments of 1448 B. The buffer of 131 072 B of memory holds 81 920 B; the segment that
    /// raises the window is in it, so it ends at 80 472 B (the kernel: 80 480 B, because 2304 · 160/256 = 1440). After
    /// 28 960 B in a round trip that follows one of 15 928 B the buffer is 2·28 960 + 4·28 960·13 032/15 928 B.
    #[test]
    fn the_window_grows_as_linuxs() {
        let mut growth = WindowGrowth::new(&TcpOptions::default(), 52);
        let at = |us: u64| Time::ZERO + Duration::from_micros(us);
        let arrive = |growth: &mut WindowGrowth, us| (growth.arrive(at(us), 1500, || 0), growth.threshold);
        let first = [68_056, 70_952, 73_848, 76_744, 79_640, 80_472].map(|threshold| (true, threshold));
        assert_eq!([500, 1000, 1400, 1900, 2400, 2900].map(|us| arrive(&mut growth, us)), first);
        for us in [3400, 3800, 4300, 4800] {
            assert_eq!(arrive(&mut growth, us), (false, 80_472));
        }
        growth.rtt = Some(Duration::from_millis(51));
        for at in 0..20 {
            assert_eq!(arrive(&mut growth, 52_200 + 400 * at), (false, 80_472));
        }
        // The kernel's segments 31 to 44 reached 83 376 B with the first one of the next round trip.
        assert_eq!(arrive(&mut growth, 103_800), (false, 80_472));
        assert_eq!(growth.size, 2 * 28_960 + 4 * 28_960 * 13_032 / 15_928);
        assert_eq!(arrive(&mut growth, 104_200), (true, 83_368));
    }

    /// A window that is bounded does not grow beyond its bound, and short segments do not raise it.
    #[test]
    fn a_bounded_window_stops() {
        let mut growth = WindowGrowth::new(&TcpOptions { receive_window: 46, ..TcpOptions::default() }, 52);
        assert!(!growth.arrive(Time::ZERO, 179, || 0));
        let bound = 46 * 1448;
        assert_eq!((growth.size, growth.threshold), (bound, 65_160));
        assert!(!growth.arrive(Time::ZERO, 1500, || 0));
        let mut open = WindowGrowth::new(&TcpOptions::default(), 52);
        assert!([180, 179].map(|size| open.arrive(Time::ZERO, size, || 0)) == [true, false]);
    }
}
