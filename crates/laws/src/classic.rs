//! The classic laws: Reno with another growth and another cut.

use crate::shared::LOSS_FLOOR;
use crate::{Ack, Congestion, CongestionKind, Law, Response, Window};
use windward_units::Packets;

/// Growth and cut of a classic law.
pub trait Avoidance {
    /// Parameters of the law.
    type Params;

    /// State of a law whose window begins at `cwnd` packets.
    fn new(params: Self::Params, cwnd: f64) -> Self;

    /// Learns from an ACK, also from one on which the window does not grow.
    #[inline]
    fn learn(&mut self, _ack: &Ack) {}

    /// Learns from an ACK on which a window of `cwnd` packets grows.
    #[inline]
    fn measure(&mut self, _cwnd: f64, _ack: &Ack) {}

    /// Returns the window after an ACK in slow start.
    #[inline]
    fn slow_start(&mut self, window: &Window, ack: &Ack) -> f64 {
        window.doubled(ack.counted().count())
    }

    /// Returns the packets that an ACK adds to a window of `cwnd` packets in congestion avoidance.
    fn gain(&mut self, cwnd: f64, ack: &Ack) -> f64;

    /// Returns the slow-start threshold after `event`, at least two packets.
    fn cut(&mut self, event: &Congestion) -> f64;

    /// Returns the window after a loss or mark in a window of `cwnd` packets that left a threshold of `ssthresh`.
    fn after_loss(&self, _cwnd: f64, ssthresh: f64) -> f64 {
        ssthresh
    }

    /// Undoes the changes of the last event in this state.
    fn undo(&mut self) {}

    /// Shows named internals after `ssthresh`, as [`Law::observe`].
    fn observe(&self, _cwnd: f64, _sink: &mut dyn FnMut(&str, f64)) {}
}

/// A memoryless law is its parameters.
impl<R: Response> Avoidance for R {
    type Params = R;

    fn new(params: R, _cwnd: f64) -> Self {
        params
    }

    #[inline]
    fn slow_start(&mut self, window: &Window, ack: &Ack) -> f64 {
        Response::slow_start(self, window, ack.counted()).count()
    }

    #[inline]
    fn gain(&mut self, cwnd: f64, ack: &Ack) -> f64 {
        Response::gain(self, ack.counted(), Packets::new(cwnd), ack.srtt).count()
    }

    fn cut(&mut self, event: &Congestion) -> f64 {
        let cut = match event.kind {
            CongestionKind::Timeout => self.cut_by_timeout(event.flight, event.srtt),
            CongestionKind::Loss | CongestionKind::Mark => Response::cut(self, event.flight, event.srtt),
        };
        (event.flight - cut).count().max(LOSS_FLOOR)
    }
}

/// A law that differs from Reno in growth and cut alone.
#[derive(Clone, Debug)]
pub struct Classic<A> {
    pub(crate) window: Window,
    pub(crate) own: A,
}

impl<A: Avoidance> Classic<A> {
    /// A sender whose window begins at `initial`.
    pub fn new(params: A::Params, initial: Packets) -> Self {
        Self { window: Window::new(initial), own: A::new(params, initial.count()) }
    }
}

impl<A: Avoidance> Law for Classic<A> {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let Self { window, own } = self;
        own.learn(ack);
        if ack.app_limited || ack.recovering {
            return;
        }
        own.measure(window.cwnd, ack);
        if window.is_slow_start() {
            window.cwnd = own.slow_start(window, ack);
        } else {
            window.cwnd += own.gain(window.cwnd, ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let Self { window, own } = self;
        let ssthresh = own.cut(event);
        let is_timeout = event.kind == CongestionKind::Timeout;
        window.set(if is_timeout { 1.0 } else { own.after_loss(window.cwnd, ssthresh) }, ssthresh);
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    fn on_undo(&mut self, before: Packets) {
        self.window.undo(before);
        self.own.undo();
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.window.ssthresh);
        self.own.observe(self.window.cwnd, sink);
    }
}
