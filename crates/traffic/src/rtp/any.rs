//! Laws of all kinds, dispatched statically.

use super::config::{RtpConfig, RtpControl};
use super::control::{Control, Feedback};
use super::gcc::Gcc;
use super::nada::Nada;
use super::scream::Scream;
use windward_units::{Duration, Time};

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

    /// Empties the queue within a frame: with frames of varying sizes it would grow without bound at the mean rate.
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
