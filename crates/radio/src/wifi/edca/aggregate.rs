//! Composition of a PPDU: which packets form an A-MSDU, and which MPDUs go out together.

use super::config::EdcaConfig;
use super::mac::Edca;
use super::mpdu::MOST_PACKETS;
use super::packets::Waiting;
use super::sending::Sending;
use crate::interface::Out;
use crate::wifi::category::CATEGORIES;
use crate::wifi::ppdu::{DELIMITER, Format, LLC, Mode, ppdu_duration, subframe_bytes};
use windward_units::{Duration, Time};

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
    #[inline]
    fn new(mode: Mode, config: &EdcaConfig, most: u64, frames: usize) -> Self {
        let bits_per_nano = u128::from(mode.bits_per_sec()) * u128::from(config.spacing.as_nanos());
        let step = bits_per_nano.div_ceil(8_000_000_000) as u64;
        Self { most, frames, step, bytes: 0, last: 0 }
    }

    /// Bytes of the PSDU with one more MPDU of `mpdu` bytes, and the start of its subframe.
    #[inline]
    fn with(&self, mpdu: u64) -> (u64, u64) {
        let start = match self.bytes {
            0 => 0,
            bytes => bytes.next_multiple_of(4).max((self.last + self.step).next_multiple_of(4)),
        };
        (start + DELIMITER + mpdu, start)
    }

    /// Adds an MPDU if the limits allow it; a first one is always taken.
    #[inline]
    fn take(&mut self, sending: &mut Sending, number: u32, mpdu: u64) -> bool {
        let (bytes, start) = self.with(mpdu);
        // A single MPDU may exceed the limits: it could never go out otherwise.
        let count = sending.numbers().len();
        if count > 0 && (bytes > self.most || count >= self.frames) {
            return false;
        }
        (self.bytes, self.last) = (bytes, start);
        sending.push(number, bytes as u32);
        true
    }

    /// Lengthens the last MPDU if the limits allow it.
    #[inline]
    fn lengthen(&mut self, sending: &mut Sending, by: u64) -> bool {
        let bytes = self.bytes + by;
        if bytes > self.most {
            return false;
        }
        self.bytes = bytes;
        sending.set_bytes(bytes as u32);
        true
    }
}

impl Edca {
    /// Composes the next PPDU of a session at `mode`, no longer than `most`; a first MPDU is always taken, and only one
    /// if `is_single`. Those that failed come first, in order, then new ones, each with the packets that wait behind
    /// its first and fit into an A-MSDU. Returns false without an MPDU.
    pub(super) fn compose(
        &mut self,
        now: Time,
        id: u32,
        session: u32,
        (mode, most, is_single): (Mode, Duration, bool),
        out: &mut impl Out,
    ) -> bool {
        let Self { config, stations, sessions, ways, .. } = self;
        let overhead = config.overhead.count();
        let (frames, bytes, longest) = match &config.ampdu {
            Some(limits) => (limits.frames, limits.bytes, limits.duration),
            None => (1, u64::MAX, Duration::MAX),
        };
        let room = longest.as_nanos().min(most.as_nanos());
        let most = bytes.min(ways[session as usize / CATEGORIES].longest_psdu(mode, room, &config.timing));
        let mut composition = Composition::new(mode, config, most, if is_single { 1 } else { frames as usize });
        let sending = &mut stations[id as usize].sending;
        sending.begin(session);
        // Repetitions first: the window begins at the oldest MPDU without an acknowledgement, and moves with it alone.
        let mut is_full = false;
        for (number, mpdu) in sessions[session as usize].unacknowledged() {
            // No new MPDU overtakes one that does not fit any more.
            if !composition.take(sending, number, mpdu.bytes(overhead)) {
                is_full = true;
                break;
            }
        }
        let window = if config.ampdu.is_some() { config.block_ack.window } else { 1 };
        while !is_full && self.sessions[session as usize].has_room(window) {
            // The driver's queue is filled as it empties: its limits may be below a PPDU.
            self.fetch(now, id, session, out);
            let Self { stations, sessions, queues, .. } = self;
            if !stations[id as usize].may_leave(session) {
                break;
            }
            let (of, queue) = (&mut sessions[session as usize], &queues[session as usize]);
            let Some(size) = queue.front().map(|waiting| u64::from(waiting.packet.size)) else { break };
            if !composition.take(&mut stations[id as usize].sending, of.next(), size + overhead) {
                break;
            }
            if let Some(waiting) = self.leave_queue(now, id, session) {
                self.sessions[session as usize].push(waiting);
                self.ways[session as usize / CATEGORIES].counts.numbered += 1;
                self.join(now, id, session, (&mut composition, size), out);
            }
        }
        let queue = &mut self.queues[session as usize];
        if queue.is_empty() {
            // An empty ring restarts at its first place, which is cached, unlike the next one.
            queue.clear();
        }
        self.seal(id, mode)
    }

    /// Composes a PPDU at `mode` again, of those of its MPDUs that are neither acknowledged nor given up. Returns false
    /// without one.
    pub(super) fn compose_again(&mut self, id: u32, session: u32, mode: Mode, numbers: &[u32]) -> bool {
        let Self { config, stations, sessions, .. } = self;
        let (overhead, of) = (config.overhead.count(), &sessions[session as usize]);
        let mut composition = Composition::new(mode, config, u64::MAX, usize::MAX);
        let sending = &mut stations[id as usize].sending;
        sending.begin(session);
        for &number in numbers.iter().filter(|&&number| of.is_held(number)) {
            composition.take(sending, number, of.mpdu(number).bytes(overhead));
        }
        self.seal(id, mode)
    }

    /// Completes a PPDU of its MPDUs; false without one.
    fn seal(&mut self, id: u32, mode: Mode) -> bool {
        let Self { config, stations, times, .. } = self;
        let sending = &mut stations[id as usize].sending;
        let count = sending.numbers().len();
        if count == 0 {
            return false;
        }
        if count == 1 && config.format == Format::Ht {
            // A bare MPDU. A PSDU of VHT or HE is always an A-MPDU (IEEE 802.11-2020, §9.7.1), with one MPDU too.
            sending.set_bytes(sending.bytes() - DELIMITER as u32);
        }
        sending.mode = mode;
        sending.is_single = count == 1;
        sending.control = Some(*times.control(mode));
        sending.duration = ppdu_duration(mode, u64::from(sending.bytes()), &config.timing);
        true
    }

    /// Joins packets to the new MPDU with a first packet of `size` bytes, as long as they fit into its A-MSDU and the
    /// PPDU.
    fn join(
        &mut self,
        now: Time,
        id: u32,
        session: u32,
        (composition, size): (&mut Composition, u64),
        out: &mut impl Out,
    ) {
        let most = self.ways[session as usize / CATEGORIES].longest_amsdu;
        if most == 0 {
            return;
        }
        let (mut bytes, mut packets) = (subframe_bytes(size), 1);
        // With a second packet the first one gets a subframe, which holds the LLC and SNAP of the MPDU.
        let mut framing = bytes - LLC - size;
        while packets < MOST_PACKETS {
            self.fetch(now, id, session, out);
            let next = self.queues[session as usize].front().filter(|_| self.stations[id as usize].may_leave(session));
            let Some(next) = next else { return };
            let longer = bytes.next_multiple_of(4) + subframe_bytes(u64::from(next.packet.size));
            let by = longer - bytes + framing;
            if longer > most || !composition.lengthen(&mut self.stations[id as usize].sending, by) {
                return;
            }
            let Some(waiting) = self.leave_queue(now, id, session) else { return };
            self.sessions[session as usize].join(waiting, by);
            (bytes, packets, framing) = (longer, packets + 1, 0);
        }
    }

    /// Removes the next packet of a session from the driver's queue, for its first transmission.
    #[inline]
    fn leave_queue(&mut self, now: Time, id: u32, session: u32) -> Option<Waiting> {
        let Self { stations, queues, ways, queue_counts, .. } = self;
        let station = &mut stations[id as usize];
        let waiting = queues[session as usize].pop_front()?;
        if let Some(order) = &mut station.order {
            order[session as usize % CATEGORIES].pop_front();
        }
        let size = waiting.packet.size;
        station.note_queue(now);
        station.waiting -= 1;
        station.bytes -= u64::from(size);
        let way = &mut ways[session as usize / CATEGORIES];
        way.counts.link.packets += 1;
        way.counts.link.bytes += u64::from(size);
        way.line.leave(waiting.since, now);
        let counts = &mut queue_counts[session as usize];
        counts.sent += 1;
        counts.line.leave(waiting.since, now);
        Some(waiting)
    }
}
