//! Connections of applications: simulated ones, or those of an operating system.

use crate::ends::QuicHeard;
use crate::network::AppConfig;
use crate::tcp::Side;
use windward_elements::engine::AppTimer;
use windward_units::Time;

/// A connection over which both ends write and read.
pub trait TwoWay {
    /// Bytes written at `side` so far.
    fn written(&self, side: Side) -> u64;
    /// Bytes that have arrived at `side`, in order.
    fn arrived(&self, side: Side) -> u64;
    /// Wakes the application of `side`, once, by [`AppTimer::Heard`] when `bytes` have arrived in all.
    fn watch(&mut self, side: Side, bytes: u64);
    /// Retransmissions and timeouts of both ends so far.
    fn repairs(&self) -> [u64; 2];
    /// True if each request has a stream of its own, and the application takes what arrives by [`Self::take_heard`]
    /// each time [`AppTimer::Heard`] wakes it.
    fn has_streams(&self) -> bool {
        false
    }
    /// Takes out what has arrived next at `side` on a stream.
    fn take_heard(&mut self, _side: Side) -> Option<QuicHeard> {
        None
    }
}

/// A connection that opens.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Number of the client's end, which is even; the server's end has the next one.
    pub id: u32,
    /// Application.
    pub config: &'a AppConfig,
    /// Seed of the random numbers of the connection.
    pub seed: u64,
}

/// Clock, timers and connections of applications. The caller passes due timers to
/// [`Apps::handle`](super::Apps::handle).
pub trait Transport {
    /// Part of an application that the transport needs to open its connections.
    type App;
    /// A connection.
    type Link: TwoWay;

    /// Present time.
    fn now(&self) -> Time;
    /// Schedules the timer `which` of the application or the end `index`.
    fn schedule(&mut self, at: Time, which: AppTimer, index: u32, detail: u32);
    /// Opens a connection. When the handshake is complete, it wakes the client by [`AppTimer::Heard`]. A link that has
    /// ended is taken again where there is one.
    fn open(&mut self, app: &Self::App, opening: Opening<'_>, old: Option<&mut Self::Link>) -> Option<Self::Link>;
    /// Writes `bytes` at `side`: the request `number` or its answer. TCP closes the direction after them if they are
    /// the last.
    fn write(&mut self, link: &mut Self::Link, side: Side, number: u32, bytes: u64, is_last: bool);
    /// Drops the bytes of `side` that have not been sent, and closes its direction.
    fn cut(&mut self, link: &mut Self::Link, side: Side);
    /// Ends a connection that carries nothing any more.
    fn end(&mut self, link: &mut Self::Link);
}
