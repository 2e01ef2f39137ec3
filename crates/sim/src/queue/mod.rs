//! Queue disciplines (AQM) before transmitters: drop-tail, RED, CoDel, FQ-CoDel, PIE, DualPI2.
//!
//! A queue is independent of the transmitter behind it; `now` is an argument. Disciplines that drop or mark at the head
//! do so in [`Queue::take`], those at the tail in [`Queue::offer`].

mod codel;
mod config;
mod discipline;
mod dualpi2;
mod fq_codel;
mod front;
mod key;
mod line;
mod pie;
mod red;
mod tail;
#[cfg(test)]
mod tests;

use crate::packet::Packet;
use codel::CoDel;
pub use codel::{Control, Version};
pub use config::{CoDelConfig, DualPi2Config, FqCoDelConfig, PieConfig, QueueConfig, RedConfig, Sharing};
pub use discipline::{Buffer, Queue, Waiting};
use dualpi2::DualPi2;
use fq_codel::FqCoDel;
pub use front::Front;
pub use key::conversation;
use line::Ruled;
use pie::Pie;
use red::Red;
pub use tail::Tail;
use windward_units::{Duration, Time};

/// Generates the enum of all disciplines, which dispatches statically.
macro_rules! queues {
    ($($(#[$doc:meta])* $name:ident($queue:ty),)*) => {
        /// Any queue discipline.
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

queues! {
    /// Drop-tail: FIFO that drops arrivals when full.
    Tail(Tail),
    /// RED: random early detection.
    Red(Ruled<Red>),
    /// CoDel: controlled delay.
    CoDel(Ruled<CoDel>),
    /// FQ-CoDel: a CoDel queue for each flow.
    FqCoDel(FqCoDel),
    /// PIE: proportional integral controller enhanced.
    Pie(Ruled<Pie>),
    /// DualPI2: dual queue with coupled PI².
    DualPi2(DualPi2),
}

impl AnyQueue {
    /// Creates the queue of `config` with the limit `buffer` before a transmitter of `rate` bits a second. Its random
    /// stream depends on `key` and `seed`.
    pub fn new(config: QueueConfig, buffer: Buffer, rate: f64, key: u64, seed: u64) -> Self {
        match config {
            QueueConfig::DropTail => Self::Tail(Tail::new(buffer)),
            QueueConfig::Red(config) => Self::Red(Ruled::new(Red::new(config, rate, key, seed), buffer)),
            QueueConfig::CoDel(config) => Self::CoDel(Ruled::new(CoDel::new(config), buffer)),
            QueueConfig::FqCoDel(config) => Self::FqCoDel(FqCoDel::new(config, buffer, key, seed)),
            QueueConfig::Pie(config) => Self::Pie(Ruled::new(Pie::new(config, key, seed), buffer)),
            QueueConfig::DualPi2(config) => Self::DualPi2(DualPi2::new(config, buffer)),
        }
    }
}
