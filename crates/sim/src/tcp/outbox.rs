//! The send buffer: written data that is not acknowledged, and the application that waits while it is full.
//!
//! The rules are those of Linux 6.18 (`tcp_sndbuf_expand` and `tcp_new_space` of net/ipv4/tcp_input.c,
//! `sk_stream_is_writeable` and `sk_stream_memory_free` of include/net/sock.h, `tcp_sendmsg_locked` of tcp.c):
//!
//! * A write fills the buffer with whole segments until it holds at least its size, and then waits until a third of it
//!   is free.
//! * While an application waits and the congestion window is not full, an ACK enlarges an autotuned buffer to the
//!   memory of two windows, or three for BBR.
//!
//! **Where we differ**
//! * The size counts bytes of payload. Linux counts memory: payload, and about a kilobyte for each buffer of up to 64
//!   KiB.
//! * A write ends with the segment that fills the buffer; Linux's with the buffer of up to 64 KiB.

use crate::network::{SendBuffer, TcpOptions};
use windward_laws::AnyLaw;

/// Least window for which an autotuned buffer has room (`TCP_INIT_CWND`).
const LEAST_WINDOW: u32 = 10;
/// Bytes of headers and of the kernel's bookkeeping in the memory of a segment (`MAX_TCP_HEADER` with wireless
/// devices, `struct skb_shared_info`), and of the segment's descriptor (`struct sk_buff`).
const OVERHEAD: u64 = 640;
const DESCRIPTOR: u64 = 256;
/// Windows for which an autotuned buffer has room, and those for BBR.
const WINDOWS: u64 = 2;
const WINDOWS_OF_BBR: u64 = 3;

/// Growth of a buffer.
#[derive(Clone, Copy, Debug)]
struct Autotuning {
    /// Largest size.
    most: u64,
    /// Windows for which there is room.
    windows: u64,
    /// Memory of a segment.
    memory: u64,
}

/// Send buffer of an end.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// Payload of a full segment.
    segment: u64,
    size: u64,
    tuning: Option<Autotuning>,
    /// Bytes that the application has written and that found no room.
    waiting: u64,
    /// True if the stream ends with these.
    is_closing: bool,
}

impl Outbox {
    /// The empty buffer of an end with this law; `None` if it is unlimited.
    pub fn new(tcp: &TcpOptions, law: &AnyLaw) -> Option<Self> {
        let segment = tcp.segment.count();
        let (size, tuning) = match tcp.send_buffer? {
            SendBuffer::Fixed(bytes) => (bytes.count(), None),
            SendBuffer::Auto { most } => {
                let is_bbr = matches!(law, AnyLaw::Bbr(_) | AnyLaw::Bbr3(_));
                let windows = if is_bbr { WINDOWS_OF_BBR } else { WINDOWS };
                let with_options = segment + tcp.real_header_bytes() - TcpOptions::LEAST_HEADER;
                let memory = (with_options + OVERHEAD).next_power_of_two() + DESCRIPTOR;
                (0, Some(Autotuning { most: most.count(), windows, memory }))
            }
        };
        let mut own = Self { segment, size, tuning, waiting: 0, is_closing: false };
        own.expand(0, 0);
        Some(own)
    }

    /// Enlarges an autotuned buffer for a window of `cwnd` segments and a reordering distance.
    pub fn expand(&mut self, cwnd: u32, reordering: u32) {
        if let Some(Autotuning { most, windows, memory }) = self.tuning {
            let segments = u64::from(cwnd.max(reordering.saturating_add(1)).max(LEAST_WINDOW));
            self.size = self.size.max((windows * segments * memory).min(most));
        }
    }

    /// True if the application waits for room.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.waiting > 0
    }

    /// Bytes that wait for room.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Writes `bytes`, the last ones if `is_last`, behind those that wait, while `held` bytes are in the buffer.
    /// Returns the bytes that move into it.
    pub fn write(&mut self, bytes: u64, is_last: bool, held: u64) -> u64 {
        self.is_closing |= is_last;
        if self.is_blocked() {
            self.waiting += bytes;
            return 0;
        }
        self.waiting = bytes;
        self.fill(held)
    }

    /// Wakes an application that waits, with `held` bytes in the buffer, if a third of it is free. Returns the bytes
    /// that move into it.
    pub fn wake(&mut self, held: u64) -> u64 {
        if 3 * held > 2 * self.size { 0 } else { self.fill(held) }
    }

    fn fill(&mut self, held: u64) -> u64 {
        let segments = self.size.saturating_sub(held).div_ceil(self.segment);
        let bytes = self.waiting.min(segments * self.segment);
        self.waiting -= bytes;
        bytes
    }

    /// True if the last byte is in the buffer and the stream ends with it.
    pub fn is_complete(&self) -> bool {
        self.is_closing && self.waiting == 0
    }

    /// Ends the stream with what waits.
    pub fn close(&mut self) {
        self.is_closing = true;
    }

    /// Drops what waits.
    pub fn cut(&mut self) {
        self.waiting = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_laws::LawSpec;
    use windward_units::{Bytes, Packets};

    fn outbox(buffer: SendBuffer, law: &str) -> Outbox {
        let law = LawSpec::from_json(law, serde_json::json!({})).expect("the law is known").build(Packets::new(10.0));
        let tcp = TcpOptions { send_buffer: Some(buffer), ..TcpOptions::linux(true) };
        Outbox::new(&tcp, &law).expect("the buffer is limited")
    }

    /// A buffer of 10 000 B takes seven segments of 1448 B, 10 136 B, of a write of 100 000 B. It takes more once no
    /// more than 6666 B are left: with 5792 B of them three segments, 10 136 B again.
    #[test]
    fn a_full_buffer_wakes_the_writer_with_a_third_free() {
        let mut outbox = outbox(SendBuffer::Fixed(Bytes::new(10_000)), "reno");
        assert_eq!((outbox.write(100_000, true, 0), outbox.is_blocked()), (7 * 1448, true));
        assert_eq!([10_136, 8688, 7240].map(|held| outbox.wake(held)), [0, 0, 0]);
        assert_eq!(outbox.wake(5792), 3 * 1448);
        assert!(!outbox.is_complete());
        // The rest, with an empty buffer each time.
        let taken: u64 = (0..9).map(|_| outbox.wake(0)).sum();
        assert_eq!((taken, outbox.is_complete()), (100_000 - 10 * 1448, true));
        outbox.expand(1000, 3);
        assert_eq!(outbox.size, 10_000);
    }

    /// A segment of 1448 B takes 1448 + 12 + 640 = 2100 B, so 4096 B, and 256 B. Twice ten segments are 87 040 B, the
    /// initial buffer of Linux; three times 130 560 B. A window of 400 gives 3 481 600 B; twice that is above the
    /// limit.
    #[test]
    fn an_autotuned_buffer_follows_the_window() {
        let auto = SendBuffer::Auto { most: SendBuffer::MOST };
        assert_eq!(outbox(auto, "bbr").size, 130_560);
        let mut outbox = outbox(auto, "cubic");
        assert_eq!(outbox.size, 87_040);
        let sizes = [(400, 3), (100, 3), (800, 3)].map(|(cwnd, reordering)| {
            outbox.expand(cwnd, reordering);
            outbox.size
        });
        assert_eq!(sizes, [3_481_600, 3_481_600, 4_194_304]);
    }
}
