//! Composition of a PPDU: which MPDUs go out together.

use super::config::EdcaConfig;
use super::mac::Edca;
use crate::medium::wifi::ppdu::{Format, ppdu_duration};
use windward_units::{Duration, Time};

/// Bytes of a delimiter.
const DELIMITER: u64 = 4;

/// Accumulates the MPDUs of a PPDU within its limits.
struct Composition {
    /// Most bytes of the PSDU.
    most: u64,
    /// Most MPDUs.
    frames: usize,
    /// Least bytes from the start of a subframe to the next.
    step: u64,
    /// Bytes so far, the last subframe unpadded.
    bytes: u64,
    /// Start of the last subframe.
    last: u64,
}

impl Composition {
    /// Bytes of the PSDU with one more MPDU of `mpdu` bytes, and the start of its subframe.
    fn with(&self, mpdu: u64) -> (u64, u64) {
        let start = match self.bytes {
            0 => 0,
            bytes => bytes.next_multiple_of(4).max((self.last + self.step).next_multiple_of(4)),
        };
        (start + DELIMITER + mpdu, start)
    }
}

impl Edca {
    /// Composes the next PPDU of a session, no longer than `most`; a first MPDU is always taken. Those that failed come
    /// first, in order, then new ones. Returns false without an MPDU.
    pub(super) fn compose(&mut self, now: Time, id: u32, session: u32, most: Duration) -> bool {
        let Self { config, stations, sessions, queues, ways, times, .. } = self;
        let EdcaConfig { ampdu, overhead, block_ack, timing, spacing, .. } = config;
        let station = &mut stations[id as usize];
        let way = &mut ways[(session / 4) as usize];
        let mode = way.rate;
        let overhead = overhead.count();
        let (frames, bytes, longest) = match ampdu {
            Some(limits) => (limits.frames, limits.bytes, limits.duration),
            None => (1, u64::MAX, Duration::MAX),
        };
        let room = way.longest_psdu(mode, longest.as_nanos().min(most.as_nanos()), timing);
        let bits_per_nano = mode.bits_per_sec() as u128 * u128::from(spacing.as_nanos());
        let mut composition = Composition {
            most: bytes.min(room),
            frames: frames as usize,
            step: bits_per_nano.div_ceil(8_000_000_000) as u64,
            bytes: 0,
            last: 0,
        };
        let (of, queue) = (&mut sessions[session as usize], &mut queues[session as usize]);
        let sending = &mut station.sending;
        sending.numbers.clear();
        sending.ends.clear();
        let mut take = |number: u32, size: u64| {
            let (bytes, start) = composition.with(size + overhead);
            let is_first = sending.numbers.is_empty();
            if !is_first && (bytes > composition.most || sending.numbers.len() >= composition.frames) {
                return false;
            }
            (composition.bytes, composition.last) = (bytes, start);
            sending.numbers.push(number);
            sending.ends.push(bytes as u32);
            true
        };
        let mut is_full = false;
        for (number, mpdu) in of.unacknowledged() {
            if !take(number, u64::from(mpdu.packet.size)) {
                is_full = true;
                break;
            }
        }
        let window = if ampdu.is_some() { block_ack.window } else { 1 };
        while !is_full && of.has_room(window) {
            let Some(&waiting) = queue.front() else { break };
            if !take(of.next(), u64::from(waiting.packet.size)) {
                break;
            }
            queue.pop_front();
            station.queue_time += station.waiting as f64 * now.since(station.queue_since).as_secs();
            station.queue_since = now;
            station.waiting -= 1;
            station.bytes -= u64::from(waiting.packet.size);
            of.push(waiting.packet);
            way.counts.link.packets += 1;
            way.counts.link.bytes += u64::from(waiting.packet.size);
            way.line.leave(waiting.since, now);
        }
        let count = sending.numbers.len();
        if count == 0 {
            return false;
        }
        let is_bare = count == 1 && (config.format == Format::Ht || ampdu.is_none());
        if is_bare {
            sending.ends[0] -= DELIMITER as u32;
        }
        sending.session = session;
        sending.mode = mode;
        sending.is_single = count == 1;
        sending.control = Some(*times.control(mode));
        sending.duration = ppdu_duration(mode, u64::from(sending.ends[count - 1]), timing);
        true
    }
}
