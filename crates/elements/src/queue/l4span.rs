//! L4S marks by predicted sojourn (Wan and Jamieson, L4Span, CoNEXT 2025): an arrival is marked for the time that it
//! will wait, its backlog over the recent rate of service.
//!
//! A radio link changes its rate within milliseconds. Marks at the head tell of the delay of packets that arrived under
//! an earlier rate; L4Span marks arrivals before the RLC queue by the bytes ahead of them. The rate is the mean of
//! samples taken while packets wait, ε their standard deviation. Short queues count too: a rate learned from long ones
//! alone would stay low after a fade that emptied the queue. Scalable packets are marked with a probability that
//! rises from 0 to 1 where the backlog over the threshold T passes from ρ − ε to ρ + ε.
//!
//! **Where we differ**
//! * Samples are of equal length, and do not come with reports of the base station.
//! * Classic packets with ECN are marked with (p/2)², the coupling of RFC 9332. A probability from each flow's
//!   round-trip time needs what a queue does not know.
//! * Marks go into data, never into ACKs. Packets without ECN pass.

use super::discipline::{Configure, Queue, Site, Waiting, recurs};
use super::line::{Line, Rule, Ruled};
use crate::ecn::Codepoint;
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Parameters of L4Span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L4SpanConfig {
    /// Predicted sojourn at which half of the scalable packets are marked.
    pub threshold: Duration,
    /// Time over which the rate of service is measured, while packets wait.
    pub window: Duration,
}

impl Default for L4SpanConfig {
    /// The threshold of the prototype. Its 50 samples follow the reports of the base station; a window of ten patterns
    /// DDDSU is a guess.
    fn default() -> Self {
        Self { threshold: Duration::from_millis(10), window: Duration::from_millis(25) }
    }
}

impl Configure for L4SpanConfig {
    type Queue = Ruled<L4Span>;
    const IS_RANDOM: bool = false;

    fn build(self, site: Site) -> Self::Queue {
        Ruled::new(L4Span::new(self), site.buffer)
    }

    /// Marks are its nature.
    fn with_marks(self, _: bool) -> Option<Self> {
        None
    }
}

/// Samples of the rate in the window.
const SAMPLES: usize = 10;
/// Least ε as a share of the mean rate: at a constant rate the marks begin at 0.9·T and are certain at 1.1·T. A guess.
const LEAST_SPREAD: f64 = 0.1;

/// Marks of a FIFO queue by predicted sojourn.
#[derive(Debug)]
pub struct L4Span {
    config: L4SpanConfig,
    /// Newest samples in bits a second, and their number since the start.
    samples: [f64; SAMPLES],
    sampled: usize,
    /// Time since which packets wait and the present sample counts; `None` while nothing waits.
    since: Option<Time>,
    /// Time of the present sample with packets waiting, and the bytes sent in it.
    busy: Duration,
    bytes: u64,
    /// Mean rate, and ε as a share of it.
    rate: f64,
    spread: f64,
    /// Accumulated marking probabilities of scalable and classic packets.
    scalable: f64,
    classic: f64,
}

impl L4Span {
    /// Initial state of an empty queue: nothing is marked before the first sample.
    pub fn new(config: L4SpanConfig) -> Self {
        Self {
            config,
            samples: [0.0; SAMPLES],
            sampled: 0,
            since: None,
            busy: Duration::ZERO,
            bytes: 0,
            rate: 0.0,
            spread: LEAST_SPREAD,
            scalable: 0.0,
            classic: 0.0,
        }
    }

    /// Counts a packet of `size` bytes that leaves at `now`; with `is_last` the queue is empty then, and the sample
    /// goes on with the next arrival.
    #[inline]
    fn serve(&mut self, now: Time, size: u32, is_last: bool) {
        let Some(since) = self.since else { return };
        self.busy += now.since(since);
        self.since = (!is_last).then_some(now);
        if self.busy.as_nanos() * SAMPLES as u64 >= self.config.window.as_nanos() {
            // The wait of a first packet, for a grant or a receiver that sleeps, is no rate of 0 bit/s.
            if self.bytes > 0 {
                self.learn(self.bytes as f64 * 8.0 / self.busy.as_secs());
            }
            (self.busy, self.bytes) = (Duration::ZERO, 0);
        }
        self.bytes += u64::from(size);
    }

    /// Takes a sample of the rate.
    fn learn(&mut self, rate: f64) {
        self.samples[self.sampled % SAMPLES] = rate;
        self.sampled += 1;
        let known = &self.samples[..self.sampled.min(SAMPLES)];
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let variance = known.iter().map(|sample| (sample - mean) * (sample - mean)).sum::<f64>() / known.len() as f64;
        self.rate = mean;
        self.spread = (variance.sqrt() / mean.max(1.0)).clamp(LEAST_SPREAD, 1.0);
    }

    /// Marking probability of a scalable arrival that brings the backlog to `bytes`.
    pub(super) fn probability(&self, bytes: u64) -> f64 {
        if self.sampled == 0 {
            return 0.0;
        }
        // Backlog over T, as a share of the rate.
        let demand = bytes as f64 * 8.0 / (self.config.threshold.as_secs() * self.rate.max(1.0));
        ((demand - (1.0 - self.spread)) / (2.0 * self.spread)).clamp(0.0, 1.0)
    }

    /// Marks an arrival if it is due.
    fn judge(&mut self, line: &mut Line, packet: &mut Packet) {
        let probability = self.probability(line.queue.bytes() + u64::from(packet.size));
        let is_due = match packet.ecn.codepoint() {
            Codepoint::NotCapable => false,
            Codepoint::Capable => recurs(&mut self.classic, probability * probability / 4.0),
            Codepoint::Scalable | Codepoint::Marked => recurs(&mut self.scalable, probability),
        };
        if is_due {
            line.marked += u64::from(packet.ecn.mark());
        }
    }
}

impl Rule for L4Span {
    fn offer(&mut self, line: &mut Line, now: Time, mut packet: Packet, wait: Duration) -> bool {
        if line.queue.is_full(&packet, wait) {
            return false;
        }
        self.judge(line, &mut packet);
        self.since.get_or_insert(now);
        line.queue.join(now, packet);
        true
    }

    /// An arrival that is sent at once waits for nothing.
    fn pass(&mut self, _: &mut Line, _: Time, packet: Packet) -> Option<Packet> {
        Some(packet)
    }

    fn take(&mut self, line: &mut Line, now: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        let taken = line.queue.leave()?;
        self.serve(now, taken.packet.size, line.queue.packets() == 0);
        Some(taken)
    }
}
