//! Configuration of a link.

use super::Opportunities;
use crate::queue::Buffer;
use std::sync::Arc;
use windward_units::{BitRate, Duration};

/// A one-way FIFO link: buffer, transmitter, random loss, propagation delay, jitter, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Key of the link's random streams; unique.
    pub key: u64,
    /// Transmission rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
    /// Buffer limit, excluding the packet in transmission.
    pub buffer: Buffer,
    /// Random loss on the wire: a lost packet has used its transmission time.
    pub loss: Loss,
    /// Random extra delay; packets keep their order.
    pub jitter: Jitter,
    /// Reordering.
    pub reorder: Option<Reorder>,
}

/// Reordering: a share of packets is delayed and overtaken. The delayed ones keep their order, and so do all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reorder {
    /// Share of delayed packets, drawn independently; positive.
    pub share: f64,
    /// Extra delay of these packets; positive.
    pub delay: Duration,
}

/// Transmission rate of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Constant rate; positive.
    Constant(BitRate),
    /// Delivery opportunities of a recording.
    Recorded(Arc<Opportunities>),
}

impl Rate {
    /// The constant rate, or the mean rate of the whole recording.
    pub fn mean(&self) -> BitRate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Recorded(trace) => trace.mean_rate(),
        }
    }
}

impl LinkConfig {
    /// Creates a link of this rate and delay with an unlimited buffer, without loss or jitter.
    pub fn new(key: u64, rate: impl Into<Rate>, delay: Duration) -> Self {
        let rate = rate.into();
        Self { key, rate, delay, buffer: Buffer::Unlimited, loss: Loss::None, jitter: Jitter::None, reorder: None }
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

/// Random loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each packet is lost with this probability, independently.
    Bernoulli(f64),
    /// Two states, advanced once per packet before its own draw (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Probability of going from good to bad.
        good_to_bad: f64,
        /// Probability of going from bad to good.
        bad_to_good: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
}

impl Loss {
    /// Long-term loss rate.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Bernoulli(p) => p,
            Self::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                let moves = good_to_bad + bad_to_good;
                // Without transitions the chain stays good.
                let bad = if moves > 0.0 { good_to_bad / moves } else { 0.0 };
                loss_good * (1.0 - bad) + loss_bad * bad
            }
        }
    }
}

/// Random extra delay of each packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// None.
    None,
    /// Uniform between zero and this.
    Uniform(Duration),
    /// Normal with mean zero and this deviation, added to the propagation delay; the sum is clipped at zero.
    Normal(Duration),
    /// Normal as above, but the sum is at least the propagation delay: half of the packets have no extra delay.
    ClippedNormal(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}
