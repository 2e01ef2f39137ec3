//! Base of the window laws: window and slow-start threshold, their reduction and its undo ([`Window`]), and the classic
//! laws, Reno with another growth and another cut ([`Classic`]).

use crate::shared::slow_start;
use crate::{Ack, Congestion, CongestionKind, Law};
use windward_units::Packets;

/// Congestion window and slow-start threshold, in packets.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Threshold that an undo of the last reduction restores.
    before: f64,
}

impl Window {
    /// A window of `initial` packets in slow start.
    pub(crate) fn new(initial: Packets) -> Self {
        Self { cwnd: initial.count(), ssthresh: f64::INFINITY, before: f64::INFINITY }
    }

    /// True if the window is below the threshold.
    #[inline]
    pub(crate) fn is_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Reduces threshold and window to `ssthresh`, the window to one packet after a timeout.
    pub(crate) fn reduce(&mut self, kind: CongestionKind, ssthresh: f64) {
        self.set(if kind == CongestionKind::Timeout { 1.0 } else { ssthresh }, ssthresh);
    }

    /// Reduces the window to `cwnd` and the threshold to `ssthresh`.
    pub(crate) fn set(&mut self, cwnd: f64, ssthresh: f64) {
        // Linux: `tcp_current_ssthresh`.
        self.before = self.ssthresh.max(0.75 * self.cwnd);
        (self.cwnd, self.ssthresh) = (cwnd, ssthresh);
    }

    /// Undoes the last reduction, before which the window was `before`: neither window nor threshold stays below its
    /// old value (Linux: `tcp_reno_undo_cwnd`, `tcp_undo_cwnd_reduction`).
    pub(crate) fn undo(&mut self, before: Packets) {
        self.cwnd = self.cwnd.max(before.count());
        self.ssthresh = self.ssthresh.max(self.before);
    }
}

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
        slow_start(window.cwnd, window.ssthresh, ack.acked.count())
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

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Packets;

    /// In packets: a timeout at 40 with a threshold of 20 leaves 1 and 15; the undo restores 40 and 30, three quarters
    /// of 40. In slow start it restores the window without a threshold. A window that has grown beyond its old value
    /// stays.
    #[test]
    fn an_undo_restores_window_and_threshold() {
        let mut window = Window { cwnd: 40.0, ssthresh: 20.0, before: f64::INFINITY };
        window.reduce(CongestionKind::Timeout, 15.0);
        assert_eq!((window.cwnd, window.ssthresh), (1.0, 15.0));
        window.undo(Packets::new(40.0));
        assert_eq!((window.cwnd, window.ssthresh), (40.0, 30.0));
        window = Window::new(Packets::new(40.0));
        window.reduce(CongestionKind::Loss, 20.0);
        window.cwnd = 50.0;
        window.undo(Packets::new(40.0));
        assert_eq!((window.cwnd, window.ssthresh), (50.0, f64::INFINITY));
    }
}
