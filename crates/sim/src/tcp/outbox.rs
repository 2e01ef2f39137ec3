//! The send buffer: the memory of written data that is not acknowledged, and the application that waits while it is
//! full.
//!
//! The rules are those of Linux 6.18 (`tcp_sendmsg_locked` and `tcp_stream_alloc_skb` of net/ipv4/tcp.c,
//! `tcp_sndbuf_expand` and `tcp_new_space` of tcp_input.c, `tcp_tso_autosize` and `tso_fragment` of tcp_output.c,
//! `sk_stream_is_writeable` and `sk_stream_memory_free` of include/net/sock.h):
//!
//! * Data is held in socket buffers of up to 64 KiB, each of which takes memory beside its payload. What is sent is cut
//!   into smaller ones: of a millisecond's worth, and at least two segments.
//! * An application writes in calls of one size. A call goes on while the last socket buffer has room, whatever the
//!   memory, and so for as long as the window lets segments out of it. A new one needs free memory. A call that finds
//!   none waits until a third is free.
//! * More than half of the largest receive window after the last pushed byte, a full socket buffer is pushed: all of it
//!   leaves, and the call needs a new one (`forced_push`). The end of a call and a wait push too.
//! * While an application waits and the congestion window is not full, an ACK enlarges an autotuned buffer to the
//!   memory of two windows, or three for BBR.
//!
//! **Where we differ**
//! * The calls of an application that does not state their size have 128 KiB.
//! * Repetitions cut socket buffers no further.

use crate::network::{SendBuffer, TcpOptions, Writing};
use std::collections::VecDeque;
use windward_laws::AnyLaw;
use windward_units::Time;

/// Least window for which an autotuned buffer has room (`TCP_INIT_CWND`).
const LEAST_WINDOW: u32 = 10;
/// Bytes of headers and of the kernel's bookkeeping in the memory of a segment (`MAX_TCP_HEADER` with wireless
/// devices, `struct skb_shared_info`), and of the segment's descriptor (`struct sk_buff`).
const OVERHEAD: u64 = 640;
const DESCRIPTOR: u64 = 256;
/// Windows for which an autotuned buffer has room, and those for BBR.
const WINDOWS: u64 = 2;
const WINDOWS_OF_BBR: u64 = 3;
/// Memory of a socket buffer beside its payload: 256 B of headers, 320 B of bookkeeping and 256 B of descriptor in
/// kernels without wireless devices; 896 B with them.
const SOCKET_BUFFER: u64 = 832;
/// Most bytes of a socket buffer (`sk_gso_max_size`).
const LARGEST: u64 = 65_215;
/// Bytes of a call without a size of its own, as iperf3 writes.
const CALL: u64 = 128 << 10;
/// Least segments of a socket buffer that is sent (`sysctl_tcp_min_tso_segs`), and parts of a second whose worth it
/// holds (`sk_pacing_shift`).
const LEAST_SENT: u32 = 2;
const SPANS: f64 = 1024.0;

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

/// The socket buffers of data in flight.
#[derive(Clone, Debug, Default)]
struct Sent {
    /// Byte of the stream at which each ends, the oldest first.
    ends: VecDeque<u64>,
    /// Time of the newest one, its segments, and the most that it takes.
    newest: (Time, u32, u32),
    /// True if nothing was left to be sent after it.
    is_drained: bool,
}

/// Send buffer of an end.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// Payload of a full segment.
    segment: u64,
    /// Memory that is full.
    size: u64,
    tuning: Option<Autotuning>,
    /// Payload of a full socket buffer.
    largest: u64,
    /// Bytes of a call, and those of the current one that have not moved into the buffer.
    call: u64,
    rest: u64,
    /// Bytes that the application has written and that have not moved into the buffer.
    waiting: u64,
    /// Byte of the stream after the last pushed one.
    pushed: u64,
    /// Half of the largest receive window of the other end; `None` if the window does not move.
    half_window: Option<u64>,
    /// True while the application waits for a third of the memory.
    sleeps: bool,
    /// True if the stream ends with the last byte written.
    is_closing: bool,
    sent: Sent,
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
        let largest = (LARGEST / segment).max(1) * segment;
        let call = tcp.writing.map_or(CALL, Writing::bytes);
        let mut own = Self {
            segment,
            size,
            tuning,
            largest,
            call,
            rest: 0,
            waiting: 0,
            pushed: 0,
            half_window: None,
            sleeps: false,
            is_closing: false,
            sent: Sent::default(),
        };
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

    /// True if data has not moved into the buffer.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.waiting > 0
    }

    /// True while the application waits for a third of the memory.
    pub fn sleeps(&self) -> bool {
        self.sleeps
    }

    /// True if the next bytes begin a call.
    pub fn begins_call(&self) -> bool {
        self.rest == 0 && !self.sleeps
    }

    /// Bytes that have not moved into the buffer.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Writes `bytes`, the last ones if `is_last`, behind those that wait.
    pub fn write(&mut self, bytes: u64, is_last: bool) {
        if self.waiting == 0 {
            self.rest = 0;
        }
        self.waiting += bytes;
        self.is_closing |= is_last;
    }

    /// Records a receive window of the other end, in bytes.
    #[inline]
    pub fn note_window(&mut self, window: u64) {
        self.half_window = self.half_window.max(Some(window / 2));
    }

    /// Moves data into the buffer, in which the stream is acknowledged up to the byte `acked`, `held` bytes are not
    /// acknowledged, and `unsent` of these not sent. Returns the bytes, at most a socket buffer; zero if the
    /// application waits.
    pub fn fill(&mut self, acked: u64, held: u64, unsent: u64) -> u64 {
        self.sent.acknowledge(acked);
        let written = acked + held;
        let count = self.sent.ends.len() as u64 + unsent.div_ceil(self.largest);
        let memory = held + count * SOCKET_BUFFER;
        let in_last = unsent % self.largest;
        // A call whose data leaves as it comes finds room in the socket buffer from which it leaves, until that is
        // pushed.
        let goes_on = !self.sleeps && self.rest > 0 && unsent == 0 && written > self.pushed;
        if self.sleeps {
            self.sleeps = 3 * memory > 2 * self.size;
        } else if in_last == 0 && !goes_on {
            self.sleeps = memory >= self.size;
        }
        if self.sleeps {
            if unsent > 0 {
                self.pushed = written;
            }
            return 0;
        }
        if self.rest == 0 {
            self.rest = self.call;
        }
        let room = if unsent > 0 { self.largest - in_last } else { self.largest.min(self.to_push(written)) };
        let bytes = room.min(self.rest).min(self.waiting);
        self.rest -= bytes;
        self.waiting -= bytes;
        let written = written + bytes;
        let is_forced = bytes == room && self.half_window.is_some_and(|half| written - self.pushed > half);
        if is_forced || self.rest == 0 {
            self.pushed = written;
        }
        bytes
    }

    /// Bytes from `written` to the next push of a call whose data leaves as it comes. After the first one, the socket
    /// buffer is full again whenever a part of it has left.
    fn to_push(&self, written: u64) -> u64 {
        let Some(half) = self.half_window else { return u64::MAX };
        let part = self.segment * u64::from(self.sent.newest.2.max(LEAST_SENT));
        let parts = (half + 1).saturating_sub(self.largest).div_ceil(part);
        (self.pushed + self.largest + parts * part).saturating_sub(written).max(1)
    }

    /// Records the transmission of a new segment that ends at the byte `end`, where `unsent` bytes remain and the
    /// connection would be paced at `rate` segments a second.
    pub fn note_sent(&mut self, now: Time, end: u64, unsent: u64, rate: impl FnOnce() -> f64) {
        let sent = &mut self.sent;
        let (at, count, most) = sent.newest;
        if at == now
            && count < most
            && !sent.is_drained
            && let Some(last) = sent.ends.back_mut()
        {
            *last = end;
            sent.newest.1 += 1;
        } else {
            let worth = (rate() / SPANS) as u32;
            sent.newest = (now, 1, worth.clamp(LEAST_SENT, (self.largest / self.segment).max(2) as u32));
            sent.ends.push_back(end);
        }
        sent.is_drained = unsent == 0;
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

impl Sent {
    /// Frees the socket buffers below the byte `acked`.
    fn acknowledge(&mut self, acked: u64) {
        while self.ends.front().is_some_and(|end| *end <= acked) {
            self.ends.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_laws::LawSpec;
    use windward_units::{Bytes, Duration, Packets};

    fn outbox(buffer: SendBuffer, law: &str, chunk: u64) -> Outbox {
        let law = LawSpec::from_json(law, serde_json::json!({})).expect("the law is known").build(Packets::new(10.0));
        let writing = Writing::Fixed { chunk: Bytes::new(chunk), every: Duration::from_millis(1) };
        let tcp = TcpOptions { send_buffer: Some(buffer), writing: Some(writing), ..TcpOptions::linux(true) };
        Outbox::new(&tcp, &law).expect("the buffer is limited")
    }

    /// Writes until the application waits, and sends each piece at once. Returns the bytes, up to which all is
    /// acknowledged but for `held`, and the memory.
    fn fill(outbox: &mut Outbox, from: u64, held: u64) -> (u64, u64) {
        let mut to = from;
        loop {
            let bytes = outbox.fill(from - held, to + held - from, 0);
            if bytes == 0 {
                let held = to + held - from;
                return (to, held + SOCKET_BUFFER * outbox.sent.ends.len() as u64);
            }
            let end = to + bytes;
            while to < end {
                to = (to + 1448).min(end);
                outbox.note_sent(Time::ZERO, to, end - to, || 0.0);
            }
        }
    }

    /// Linux 6.18 without Nagle's algorithm, 64 KiB: calls of 4096 B are two full segments and 1200 B, in two socket
    /// buffers, 5760 B of memory. Twelve are more than the buffer. It takes five more once 43 690 B are left: seven are
    /// 40 320 B.
    #[test]
    fn small_calls_take_memory_for_bookkeeping() {
        let mut outbox = outbox(SendBuffer::Fixed(Bytes::new(65_536)), "reno", 4096);
        outbox.write(1 << 30, true);
        assert_eq!(fill(&mut outbox, 0, 0), (12 * 4096, 12 * 5760));
        let from = 12 * 4096;
        assert_eq!(fill(&mut outbox, from, 8 * 4096), (from, 8 * 5760));
        assert_eq!(fill(&mut outbox, from, 7 * 4096), (17 * 4096, 12 * 5760));
        assert!(!outbox.is_complete());
    }

    /// A call of 1 MB that leaves as it comes asks for no memory; what cannot leave fills one socket buffer of 45
    /// segments.
    #[test]
    fn a_large_call_goes_on_while_it_leaves() {
        let mut outbox = outbox(SendBuffer::Fixed(Bytes::new(65_536)), "reno", 1 << 20);
        outbox.write(2 << 20, true);
        assert_eq!(fill(&mut outbox, 0, 0).0, 1 << 20);
        // The second call, of which nothing can leave.
        assert_eq!(outbox.fill(1 << 20, 0, 0), 65_160);
        assert_eq!((outbox.fill(1 << 20, 65_160, 65_160), outbox.sleeps()), (0, true));
        assert_eq!((outbox.fill(1 << 20, 65_160, 0), outbox.sleeps()), (0, true));
        assert_eq!(outbox.fill((1 << 20) + 30_000, 35_160, 0), 65_160);
        outbox.expand(1000, 3);
        assert_eq!(outbox.size, 65_536);
    }

    /// Linux 6.18 behind 100 Mbit/s and 20 ms: with a receive window of 1 052 672 B, calls of 1 MiB leave in two bursts
    /// of 357 to 377 segments. More than 526 336 B are 365 segments, if parts of two leave: 65 160 + 160 · 2896.
    #[test]
    fn a_call_is_pushed_after_half_of_the_receive_window() {
        let mut outbox = outbox(SendBuffer::Fixed(Bytes::new(65_536)), "reno", 1 << 20);
        outbox.note_window(1_052_672);
        outbox.note_window(65_535);
        outbox.write(2 << 20, true);
        let burst = 365 * 1448;
        assert_eq!(fill(&mut outbox, 0, 0).0, burst);
        assert_eq!(fill(&mut outbox, burst, 50_000).0, burst);
        // The rest of the call is less than that.
        assert_eq!(fill(&mut outbox, burst, 0).0, 1 << 20);
        assert_eq!(fill(&mut outbox, 1 << 20, 0).0, (1 << 20) + burst);
    }

    /// A segment of 1448 B takes 1448 + 12 + 640 = 2100 B, so 4096 B, and 256 B. Twice ten segments are 87 040 B, the
    /// initial buffer of Linux; three times 130 560 B. A window of 400 gives 3 481 600 B; twice that is above the
    /// limit.
    #[test]
    fn an_autotuned_buffer_follows_the_window() {
        let auto = SendBuffer::Auto { most: SendBuffer::MOST };
        assert_eq!(outbox(auto, "bbr", 1448).size, 130_560);
        let mut outbox = outbox(auto, "cubic", 1448);
        assert_eq!(outbox.size, 87_040);
        let sizes = [(400, 3), (100, 3), (800, 3)].map(|(cwnd, reordering)| {
            outbox.expand(cwnd, reordering);
            outbox.size
        });
        assert_eq!(sizes, [3_481_600, 3_481_600, 4_194_304]);
    }
}
