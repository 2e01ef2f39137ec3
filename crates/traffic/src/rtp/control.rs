//! The interface of a law that chooses the bit rate of a stream.

use windward_units::{Duration, Time};

/// Fate of a packet, as a report tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Time of sending.
    pub sent: Time,
    /// Time of arrival by the receiver's clock; `None` if the packet is lost.
    pub arrived: Option<Time>,
    /// Bytes on the wire.
    pub bytes: u32,
    /// True if it arrived with a mark.
    pub is_marked: bool,
}

/// News from the receiver.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// Time at which the sender hears it.
    pub now: Time,
    /// Packets whose fate was not known before, in the order of sending; not empty.
    pub fates: &'a [Fate],
    /// Round-trip time of the newest that arrived, without the time that the report waited at the receiver.
    pub rtt: Option<Duration>,
}

/// A law of the bit rate of a stream. Rates are in bits per second on the wire, `queued` are the bytes that wait at the
/// sender.
pub trait Control {
    /// Handles the sending of a packet, after which `in_flight` bytes are under way.
    fn on_sent(&mut self, _now: Time, _in_flight: u64) {}

    /// Handles a frame of `bytes` when the oldest waiting packet has waited for `waited`.
    fn on_frame(&mut self, _bytes: f64, _waited: Duration) {}

    /// Handles feedback. `now` never decreases.
    fn on_feedback(&mut self, feedback: &Feedback<'_>);

    /// Bit rate that the encoder should have.
    fn target(&self, queued: u64) -> f64;

    /// Rate at which waiting packets leave; positive.
    fn pacing(&self, queued: u64) -> f64;

    /// Bytes that may be in flight.
    fn window(&self) -> f64 {
        f64::INFINITY
    }
}
