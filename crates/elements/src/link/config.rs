//! Configuration of a link, and its scheduled changes.

use super::{DelayTrace, Opportunities};
use crate::queue::{Buffer, QueueConfig};
use std::ops::RangeInclusive;
use std::sync::Arc;
use windward_units::{BitRate, Duration, Time};

/// Makes [`LinkConfig`] and [`LinkChange`] of the fields that a change may give.
macro_rules! link_fields {
    ($($(#[$meta:meta])* $field:ident: $type:ty,)*) => {
        /// A one-way FIFO link: buffer, transmitter, random loss, propagation delay, jitter, in this order.
        #[derive(Clone, Debug, PartialEq)]
        pub struct LinkConfig {
            /// Key of the link's random streams; unique.
            pub key: u64,
            $($(#[$meta])* pub $field: $type,)*
            /// Discipline of the queue.
            pub queue: QueueConfig,
            /// Aggregation of the packets behind the transmitter.
            pub hold: Option<Hold>,
            /// Numbers of the packets that are lost on the wire, counted from 1 in the order of their transmission, as
            /// ranges in order.
            pub lose: Arc<[RangeInclusive<u64>]>,
            /// Changes during the run, in order of time.
            pub steps: Arc<[LinkStep]>,
        }

        /// Change of a link's parameters. `None` leaves a parameter unchanged.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct LinkChange {
            $($(#[$meta])* pub $field: Option<$type>,)*
            /// Start (`Some(false)`) or end (`Some(true)`) of an outage.
            pub is_up: Option<bool>,
            /// Packets lost at the change.
            pub drops: Drops,
        }

        impl LinkChange {
            /// Applies the change to a configuration, which does not hold whether the link is up.
            pub fn apply(&self, link: &mut LinkConfig) {
                $(if let Some(value) = &self.$field {
                    link.$field = value.clone();
                })*
            }
        }
    };
}

link_fields! {
    /// Transmission rate.
    rate: Rate,
    /// Propagation delay of the packets whose transmission ends from then on.
    delay: Delay,
    /// Buffer limit, excluding the packet in transmission. A change leaves queued packets.
    buffer: Buffer,
    /// Random loss on the wire of the packets whose transmission ends from then on: a lost packet has used its
    /// transmission time.
    loss: Loss,
    /// Random extra delay of the packets whose transmission ends from then on; packets keep their order.
    jitter: Jitter,
    /// Reordering of the packets whose transmission ends from then on.
    reorder: Option<Reorder>,
}

/// Reordering: a share of packets is delayed and overtaken. The delayed ones keep their order, and so do all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reorder {
    /// Share of delayed packets, drawn independently; positive.
    pub share: f64,
    /// Extra delay of these packets; positive.
    pub delay: Duration,
}

/// Aggregation: a packet opens a hold, all packets of the hold leave together when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Length of a hold, from the end of its first packet's transmission; positive.
    pub length: Duration,
    /// True if an ACK in a hold takes the place of an earlier one of its flow that acknowledges less.
    pub thins: bool,
}

/// Packets that a link loses at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drops {
    /// None: packets in flight arrive, queued packets stay.
    #[default]
    Nothing,
    /// Packets in flight, including the one in transmission.
    Flight,
    /// Packets in flight, including the one in transmission, and queued packets.
    All,
}

/// A change and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkStep {
    /// Time of the change.
    pub at: Time,
    /// The change.
    pub change: LinkChange,
}

/// Propagation delay of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Constant delay.
    Constant(Duration),
    /// Delays of a recording.
    Recorded(Arc<DelayTrace>),
}

impl Delay {
    /// The constant delay, or the least of the recording.
    pub fn least(&self) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Recorded(trace) => trace.least(),
        }
    }
}

impl From<Duration> for Delay {
    fn from(delay: Duration) -> Self {
        Self::Constant(delay)
    }
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
    /// Creates a constant link of this rate and delay with an unlimited drop-tail queue, without loss or jitter.
    pub fn new(key: u64, rate: impl Into<Rate>, delay: impl Into<Delay>) -> Self {
        let (rate, delay) = (rate.into(), delay.into());
        Self {
            key,
            rate,
            delay,
            buffer: Buffer::Unlimited,
            loss: Loss::None,
            jitter: Jitter::None,
            reorder: None,
            queue: QueueConfig::DropTail,
            hold: None,
            lose: Arc::default(),
            steps: Arc::default(),
        }
    }

    /// Makes the link one that changes, without a change of its own: `Fabric::plan` adds them.
    pub fn make_changeable(&mut self) {
        if self.steps.is_empty() {
            self.steps = [LinkStep { at: Time::ZERO, change: LinkChange::default() }].into();
        }
    }

    /// True if packets arrive in the order in which they are carried, and nothing takes them out of the flight.
    pub fn keeps_order(&self) -> bool {
        let step_keeps = |step: &LinkStep| step.change.reorder.is_none() && step.change.drops == Drops::Nothing;
        self.reorder.is_none() && !self.hold.is_some_and(|hold| hold.thins) && self.steps.iter().all(step_keeps)
    }

    /// True if packets draw from the seed at any time of the run.
    pub fn is_random(&self) -> bool {
        let mut then = self.clone();
        let mut is_random_after = |step: &LinkStep| {
            step.change.apply(&mut then);
            then.draws()
        };
        self.draws() || self.steps.iter().any(&mut is_random_after)
    }

    /// True if packets draw from the seed without a change.
    fn draws(&self) -> bool {
        let Self { loss, jitter, reorder, queue, key: _, rate: _, delay: _, buffer: _, hold: _, lose: _, steps: _ } =
            self;
        loss.mean() > 0.0 || *jitter != Jitter::None || reorder.is_some() || queue.is_random()
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
