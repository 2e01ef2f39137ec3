//! Token bucket policer: drops arrivals that find too few tokens, and delays none.
//!
//! Tokens are bytes. They come at `rate`, up to `burst`; a packet that arrives takes as many as it has bytes, or is
//! dropped (RFC 2697 with one rate and two colours, of which the second is dropped). The bucket is full at first. What
//! passes waits in a FIFO, as behind any link whose rate is finite.
//!
//! **Where we differ**
//! * An arrival that finds the FIFO full takes no tokens.

use super::discipline::{Configure, Queue, Site, Waiting};
use super::line::{Line, Rule, Ruled};
use crate::packet::Packet;
use windward_units::{BitRate, Bytes, Duration, Time};

/// Parameters of the policer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicerConfig {
    /// Rate of the tokens; `None` polices nothing.
    pub rate: Option<BitRate>,
    /// Size of the bucket.
    pub burst: Bytes,
}

impl Default for PolicerConfig {
    /// A bucket of 64 KiB, a guess: no standard has one.
    fn default() -> Self {
        Self { rate: None, burst: Bytes::new(65_536) }
    }
}

impl Configure for PolicerConfig {
    type Queue = Ruled<Policer>;
    const IS_RANDOM: bool = false;

    fn build(self, site: Site) -> Self::Queue {
        Ruled::new(Policer::new(self), site.buffer)
    }

    /// Policers drop.
    fn with_marks(self, _: bool) -> Option<Self> {
        None
    }
}

/// Bits times nanoseconds a second in a byte: tokens are exact at rates of whole bits a second.
const BYTE: u128 = 8 * 1_000_000_000;

/// A token bucket before a FIFO queue.
#[derive(Debug)]
pub struct Policer {
    /// Bits a second; none polices nothing.
    rate: Option<u128>,
    /// Tokens of a full bucket and of this one, in [`BYTE`]ths of a byte, and the time of the latter.
    most: u128,
    tokens: u128,
    at: Time,
}

impl Policer {
    /// A full bucket.
    pub fn new(config: PolicerConfig) -> Self {
        let most = u128::from(config.burst.count()) * BYTE;
        let rate = config.rate.map(|rate| u128::from(rate.as_bits_per_sec()));
        Self { rate, most, tokens: most, at: Time::ZERO }
    }

    /// Takes the tokens of a packet; false if there are too few.
    #[inline]
    fn admits(&mut self, now: Time, size: u32) -> bool {
        let Some(rate) = self.rate else { return true };
        self.tokens = (self.tokens + rate * u128::from(now.since(self.at).as_nanos())).min(self.most);
        self.at = now;
        let needed = u128::from(size) * BYTE;
        let has_enough = self.tokens >= needed;
        if has_enough {
            self.tokens -= needed;
        }
        has_enough
    }
}

impl Rule for Policer {
    #[inline]
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool {
        let is_queued = !line.queue.is_full(&packet, wait) && self.admits(now, packet.size);
        if is_queued {
            line.queue.join(now, packet);
        }
        is_queued
    }

    #[inline]
    fn pass(&mut self, _: &mut Line, now: Time, packet: Packet) -> Option<Packet> {
        self.admits(now, packet.size).then_some(packet)
    }

    #[inline]
    fn take(&mut self, line: &mut Line, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        line.queue.take(now, dropped)
    }
}
