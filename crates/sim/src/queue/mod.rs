//! Queues in front of transmitters: what waits, what is refused, and who goes first.
//!
//! A queue knows nothing of the transmitter behind it; `now` is an argument. Drop-tail is the only discipline so far. One that
//! drops or marks at the head does so in [`Queue::take`].

mod tail;

use crate::packet::Packet;
pub use tail::Tail;
use windward_units::{Bytes, Duration, Time};

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// No limit.
    Unlimited,
    /// So many packets may wait.
    Packets(u64),
    /// So many bytes may wait.
    Bytes(Bytes),
    /// A packet that would wait longer than this is dropped.
    Time(Duration),
}

impl Buffer {
    /// Whether there is no room for `size` bytes behind so many packets and bytes, after which they would wait for `wait`.
    #[inline]
    pub(crate) fn is_full(self, packets: u64, bytes: u64, size: u32, wait: Duration) -> bool {
        match self {
            Self::Unlimited => false,
            Self::Packets(most) => packets >= most,
            Self::Bytes(most) => bytes + u64::from(size) > most.count(),
            Self::Time(most) => wait > most,
        }
    }
}

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// When it came.
    pub since: Time,
    /// What it is.
    pub packet: Packet,
}

/// A discipline.
pub trait Queue {
    /// Takes a packet in; false where it is refused. A packet that comes now would wait for `wait`, as far as the transmitter
    /// can tell.
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration) -> bool;
    /// The packet to be sent next goes. What the discipline drops before it is given to `dropped`.
    fn take(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<Waiting>;
    /// The packet that would go next, as things are.
    fn head(&self) -> Option<&Waiting>;
    /// Packets waiting.
    fn packets(&self) -> usize;
    /// Their bytes.
    fn bytes(&self) -> u64;
}

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
