//! MPDUs of a session: their packets, their attempts, and the limits of these.

use super::config::BlockAckConfig;
use super::packets::Followers;
use crate::wifi::minstrel::{Chain, STAGES};
use windward_elements::packet::Packet;
use windward_units::Time;

/// Place of an MPDU at the originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// For the next PPDU.
    Free,
    /// In a PPDU that the hardware holds.
    Held,
    /// Known to be received.
    Acknowledged,
    /// Sent no more.
    GivenUp,
}

/// A numbered MPDU: a packet, or an A-MSDU of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mpdu {
    /// The packet, or the first.
    pub packet: Packet,
    /// Time of its arrival at the sender.
    pub since: Time,
    /// Airtime that AQL counts for it, in microseconds.
    pub estimate: u16,
    /// Bytes of the further packets of an A-MSDU with the headers and pads of all.
    pub extra: u16,
    /// Number of these packets, and place of the first.
    pub followers: u8,
    pub first_follower: u32,
    /// Transmissions so far.
    pub attempts: u32,
    /// RTS frames before it that no CTS answered (its short retry count).
    pub rts_failures: u32,
    /// Internal collisions before its transmissions.
    pub collisions: u32,
    /// True if the recipient has it or had it.
    pub is_received: bool,
    /// True if its first transmission, and its last, are among those that the counters count.
    pub starts_counted: bool,
    pub ends_counted: bool,
    /// Place at the originator.
    pub state: State,
    /// Time of its reception.
    pub received_at: Time,
}

impl Mpdu {
    /// True if the originator knows that it is received.
    pub fn is_acknowledged(&self) -> bool {
        self.state == State::Acknowledged
    }

    /// True if a transmission of it counts, so that its end does.
    pub fn is_counted(&self) -> bool {
        self.ends_counted
    }

    /// True if its first transmission counts.
    pub fn is_counted_whole(&self) -> bool {
        self.starts_counted
    }

    /// True if it is neither acknowledged nor given up.
    #[inline]
    pub fn is_outstanding(&self) -> bool {
        matches!(self.state, State::Free | State::Held)
    }

    /// True if it has been sent and waits for another PPDU.
    pub fn is_unanswered(&self) -> bool {
        self.state == State::Free && self.attempts > 0
    }

    /// Transmissions, of which all but an acknowledged last one failed, and internal collisions.
    pub fn failures(&self) -> u32 {
        self.attempts + self.collisions
    }

    /// Bytes of the MPDU, with `overhead` bytes beside a single packet.
    pub fn bytes(&self, overhead: u64) -> u64 {
        u64::from(self.packet.size) + overhead + u64::from(self.extra)
    }
}

/// Calls `of` with the packets of an MPDU in their order, with the time of arrival and AQL's estimate of each.
#[inline]
pub(super) fn each_packet(followers: &Followers, mpdu: &Mpdu, mut of: impl FnMut(&Packet, Time, u16)) {
    of(&mpdu.packet, mpdu.since, mpdu.estimate);
    if mpdu.followers > 0 {
        let places = mpdu.first_follower..mpdu.first_follower.wrapping_add(u32::from(mpdu.followers));
        followers.of(places).for_each(|waiting| of(&waiting.packet, waiting.since, waiting.estimate));
    }
}

/// Progress of a PPDU along its chain of rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub chain: Chain,
    /// Attempts so far at each stage.
    pub tries: [u8; STAGES],
    pub stage: usize,
}

impl Attempt {
    /// Start of a chain.
    #[inline]
    pub fn new(chain: Chain) -> Self {
        let stage = chain.stages.iter().position(|stage| stage.attempts > 0).unwrap_or(0);
        Self { chain, tries: [0; STAGES], stage }
    }

    /// Counts an attempt.
    pub fn count(&mut self) {
        self.tries[self.stage] += 1;
    }

    /// Moves on after a failure; false if all attempts are used.
    pub fn goes_on(&mut self) -> bool {
        while self.stage < STAGES && self.tries[self.stage] >= self.chain.stages[self.stage].attempts {
            self.stage += 1;
        }
        self.stage < STAGES
    }
}

/// Most packets of an A-MSDU. The longest of the standard holds 219 packets of an IP and a UDP header.
pub(super) const MOST_PACKETS: u64 = 255;

/// Attempts of an MPDU, after which its sender gives it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttemptLimits {
    /// Transmissions and internal collisions; `None`: unlimited.
    pub transmissions: Option<u32>,
    /// RTS frames without an answer: the short retry limit (IEEE 802.11-2020, §10.3.4.4).
    rts: u32,
}

impl AttemptLimits {
    /// Limits of a network. Without BlockAcks, transmissions end with the retry limit too.
    pub fn of(config: &BlockAckConfig, is_aggregating: bool, retries: u32) -> Self {
        Self { transmissions: if is_aggregating { config.attempts } else { Some(retries) }, rts: retries }
    }

    /// True if an MPDU has had all its attempts.
    pub fn end(&self, mpdu: &Mpdu) -> bool {
        self.are_reached(mpdu.failures(), mpdu.rts_failures)
    }

    pub fn are_reached(&self, transmissions: u32, rts_failures: u32) -> bool {
        self.transmissions.is_some_and(|most| transmissions >= most) || rts_failures >= self.rts
    }
}
