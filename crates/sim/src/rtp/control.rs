//! The interface of a law that chooses the bit rate of a stream.

use super::config::{RtpConfig, RtpControl};
use super::gcc::Gcc;
use super::nada::Nada;
use super::scream::Scream;
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

/// Constant rate.
#[derive(Clone, Debug)]
pub struct Constant {
    rate: f64,
    /// Frames per second.
    fps: f64,
}

impl Control for Constant {
    fn on_feedback(&mut self, _feedback: &Feedback<'_>) {}

    fn target(&self, _queued: u64) -> f64 {
        self.rate
    }

    /// What waits leaves within a frame, or frames of varying sizes would wait ever longer.
    fn pacing(&self, queued: u64) -> f64 {
        self.rate.max(queued as f64 * 8.0 * self.fps)
    }
}

/// Calls a method of the law at hand.
macro_rules! each {
    ($self:ident, $law:ident => $call:expr) => {
        match $self {
            AnyControl::Constant($law) => $call,
            AnyControl::Nada($law) => $call,
            AnyControl::Scream($law) => $call,
            AnyControl::Gcc($law) => $call,
        }
    };
}

/// A law of any kind.
#[derive(Clone, Debug)]
pub enum AnyControl {
    /// Constant rate.
    Constant(Constant),
    /// NADA.
    Nada(Nada),
    /// SCReAM v2.
    Scream(Scream),
    /// GCC.
    Gcc(Gcc),
}

impl AnyControl {
    /// The law of a stream, before the first packet.
    pub fn new(config: &RtpConfig) -> Self {
        let fps = 1.0 / config.frame.as_secs();
        match config.control {
            RtpControl::Constant { rate } => Self::Constant(Constant { rate, fps }),
            RtpControl::Nada { least, most, priority } => Self::Nada(Nada::new([least, most], priority, fps)),
            RtpControl::Scream { least, most, is_l4s } => {
                Self::Scream(Scream::new([least, most], is_l4s, config.frame))
            }
            RtpControl::Gcc { least, most } => Self::Gcc(Gcc::new([least, most], config.packet)),
        }
    }
}

impl Control for AnyControl {
    fn on_sent(&mut self, now: Time, in_flight: u64) {
        each!(self, law => law.on_sent(now, in_flight));
    }

    fn on_frame(&mut self, bytes: f64, waited: Duration) {
        each!(self, law => law.on_frame(bytes, waited));
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        each!(self, law => law.on_feedback(feedback));
    }

    fn target(&self, queued: u64) -> f64 {
        each!(self, law => law.target(queued))
    }

    fn pacing(&self, queued: u64) -> f64 {
        each!(self, law => law.pacing(queued))
    }

    fn window(&self) -> f64 {
        each!(self, law => law.window())
    }
}
