//! Queues in front of transmitters: what waits, what is refused, and who goes first.
//!
//! A queue knows nothing of the transmitter behind it; `now` is an argument. Drop-tail is the only discipline so far. One that
//! drops or marks at the head does so in [`Queue::take`].

mod discipline;
mod tail;

use crate::packet::Packet;
pub use discipline::{Buffer, Queue, Waiting};
pub use tail::Tail;
use windward_units::{Duration, Time};

/// Makes the enum of all disciplines, which dispatches statically.
macro_rules! queues {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Any of the disciplines.
        #[derive(Debug)]
        pub enum AnyQueue {
            $($(#[$doc])* $name($name),)*
        }

        impl Queue for AnyQueue {
            #[inline]
            fn offer(&mut self, now: Time, packet: Packet, wait: Duration) -> bool {
                match self { $(Self::$name(queue) => queue.offer(now, packet, wait),)* }
            }
            fn resize(&mut self, buffer: Buffer) {
                match self { $(Self::$name(queue) => queue.resize(buffer),)* }
            }
            #[inline]
            fn take(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<Waiting> {
                match self { $(Self::$name(queue) => queue.take(now, dropped),)* }
            }
            #[inline]
            fn head(&self) -> Option<&Waiting> {
                match self { $(Self::$name(queue) => queue.head(),)* }
            }
            #[inline]
            fn packets(&self) -> usize {
                match self { $(Self::$name(queue) => queue.packets(),)* }
            }
            #[inline]
            fn bytes(&self) -> u64 {
                match self { $(Self::$name(queue) => queue.bytes(),)* }
            }
        }
    };
}

queues! {
    /// First come, first served; what finds no room is dropped.
    Tail,
}

/// Which discipline a queue follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// First come, first served; what finds no room is dropped.
    DropTail,
}

impl AnyQueue {
    /// The queue of `config` with room for `buffer`.
    pub fn new(config: QueueConfig, buffer: Buffer) -> Self {
        match config {
            QueueConfig::DropTail => Self::Tail(Tail::new(buffer)),
        }
    }
}
