//! Queue disciplines (AQM) before transmitters: drop-tail, RED, CoDel, FQ-CoDel, CAKE, PIE, DualPI2, L4Span, policers.
//!
//! A queue is independent of the transmitter behind it; `now` is an argument. Disciplines that drop or mark at the head
//! do so in [`Queue::take`], those at the tail in [`Queue::offer`].

mod arena;
mod cake;
mod codel;
mod discipline;
mod dualpi2;
mod fq_codel;
mod front;
mod key;
mod l4span;
mod line;
mod pie;
mod policer;
mod red;
mod tail;
#[cfg(test)]
mod tests;

use crate::packet::Packet;
pub use arena::{Arena, Chain};
pub use cake::{Cells, Framing, Isolation, Tins};
pub use codel::{Control, Version};
pub use discipline::{Buffer, Queue, Waiting};
use discipline::{Configure, Site};
pub use dualpi2::Sharing;
pub use front::Front;
pub use key::{Label, Labels, conversation, parcel_conversation};
pub use tail::Tail;
use windward_units::{Duration, Time};

/// Generates the enum of all queues, which dispatches statically.
macro_rules! any_queue {
    ($($(#[$doc:meta])* $name:ident($queue:ty),)*) => {
        /// Any queue.
        #[derive(Debug)]
        pub enum AnyQueue {
            $($(#[$doc])* $name($queue),)*
        }

        impl Queue for AnyQueue {
            #[inline]
            fn offer(&mut self, now: Time, packet: Packet, wait: Duration, dropped: impl FnMut(Waiting)) -> bool {
                match self { $(Self::$name(queue) => queue.offer(now, packet, wait, dropped),)* }
            }
            fn resize(&mut self, buffer: Buffer) {
                match self { $(Self::$name(queue) => queue.resize(buffer),)* }
            }
            fn change_rate(&mut self, rate: f64) {
                match self { $(Self::$name(queue) => queue.change_rate(rate),)* }
            }
            #[inline]
            fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
                match self { $(Self::$name(queue) => queue.pass(now, packet),)* }
            }
            #[inline]
            fn take(&mut self, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting> {
                match self { $(Self::$name(queue) => queue.take(now, dropped),)* }
            }
            #[inline]
            fn ready_at(&self) -> Option<Time> {
                match self { $(Self::$name(queue) => queue.ready_at(),)* }
            }
            fn label(&mut self, labels: &Labels) {
                match self { $(Self::$name(queue) => queue.label(labels),)* }
            }
            #[inline]
            fn since(&self) -> Option<Time> {
                match self { $(Self::$name(queue) => queue.since(),)* }
            }
            #[inline]
            fn oldest(&self) -> Option<Time> {
                match self { $(Self::$name(queue) => queue.oldest(),)* }
            }
            #[inline]
            fn packets(&self) -> usize {
                match self { $(Self::$name(queue) => queue.packets(),)* }
            }
            #[inline]
            fn bytes(&self) -> u64 {
                match self { $(Self::$name(queue) => queue.bytes(),)* }
            }
            #[inline]
            fn marked(&self) -> u64 {
                match self { $(Self::$name(queue) => queue.marked(),)* }
            }
        }
    };
}

/// Generates the enum of the disciplines with their parameters, and that of the queues.
macro_rules! queues {
    ($($(#[$doc:meta])* $module:ident $name:ident($config:ident),)*) => {
        /// Parameters of the disciplines.
        pub mod parameters {
            $(pub use super::$module::$config;)*
        }

        pub use parameters::*;

        /// Queue discipline.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum QueueConfig {
            /// Drop-tail: FIFO that drops arrivals when full.
            DropTail,
            $($(#[$doc])* $name($config),)*
        }

        impl QueueConfig {
            /// Every discipline with its default parameters.
            pub fn all() -> Vec<Self> {
                vec![Self::DropTail, $(Self::$name($config::default())),*]
            }

            /// True if the discipline draws from the seed.
            pub const fn is_random(&self) -> bool {
                match self {
                    Self::DropTail => false,
                    $(Self::$name(_) => $config::IS_RANDOM,)*
                }
            }

            /// The discipline with or without marks in place of drops; `None` if it has no choice.
            #[must_use]
            pub fn with_marks(self, marks: bool) -> Option<Self> {
                match self {
                    Self::DropTail => None,
                    $(Self::$name(config) => config.with_marks(marks).map(Self::$name),)*
                }
            }
        }

        any_queue! {
            /// Drop-tail.
            Tail(Tail),
            $($(#[$doc])* $name(<$config as Configure>::Queue),)*
        }

        impl AnyQueue {
            /// Creates the queue of `config` with the limit `buffer` before a transmitter of `rate` bits a second. Its
            /// random stream depends on `key` and `seed`.
            pub fn new(config: QueueConfig, buffer: Buffer, rate: f64, key: u64, seed: u64) -> Self {
                match config {
                    QueueConfig::DropTail => Self::Tail(Tail::new(buffer)),
                    $(QueueConfig::$name(config) => Self::$name(config.build(Site { buffer, rate, key, seed })),)*
                }
            }
        }
    };
}

queues! {
    /// RED: random early detection.
    red Red(RedConfig),
    /// CoDel: controlled delay.
    codel CoDel(CoDelConfig),
    /// FQ-CoDel: a CoDel queue for each flow.
    fq_codel FqCoDel(FqCoDelConfig),
    /// CAKE: shaper, host and flow isolation, COBALT.
    cake Cake(CakeConfig),
    /// PIE: proportional integral controller enhanced.
    pie Pie(PieConfig),
    /// DualPI2: dual queue with coupled PI².
    dualpi2 DualPi2(DualPi2Config),
    /// L4Span: marks by predicted sojourn.
    l4span L4Span(L4SpanConfig),
    /// Token bucket policer.
    policer Policer(PolicerConfig),
}
