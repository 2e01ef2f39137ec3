//! The classic laws: Reno with another growth and another slow-start threshold.

use crate::shared::LOSS_FLOOR;
use crate::{Ack, Congestion, CongestionKind, Law, Needs, Response, Window};
use windward_units::Packets;

/// Growth and threshold of a classic law: Reno's, unless the law has its own.
pub trait Avoidance {
    /// State beside the window.
    type State: Clone + std::fmt::Debug + Default;

    /// True if the law reads the base round trip ([`Needs::reads_base_rtt`]).
    const READS_BASE_RTT: bool = false;

    /// Returns the state of a new connection.
    fn begin(&self) -> Self::State {
        Self::State::default()
    }

    /// Learns from an ACK, also from one on which the window does not grow.
    #[inline]
    fn learn(&self, _state: &mut Self::State, _ack: &Ack) {}

    /// Learns from an ACK on which a window of `cwnd` packets grows.
    #[inline]
    fn measure(&self, _state: &mut Self::State, _cwnd: f64, _ack: &Ack) {}

    /// Returns the window after an ACK in slow start.
    #[inline]
    fn slow_start(&self, _state: &Self::State, window: &Window, ack: &Ack) -> f64 {
        window.doubled(ack.counted().count())
    }

    /// Returns the packets that an ACK adds to a window of `cwnd` packets in congestion avoidance.
    #[inline]
    fn gain(&self, _state: &mut Self::State, cwnd: f64, ack: &Ack) -> f64 {
        ack.counted().count() / cwnd
    }

    /// Returns the window and threshold to which the law reduces a window of `cwnd` packets by itself, after the growth
    /// by an ACK; `None` if it does not.
    #[inline]
    fn give_way(&self, _state: &mut Self::State, _cwnd: f64, _ack: &Ack) -> Option<f64> {
        None
    }

    /// Returns the slow-start threshold after `event`. [`Classic`] raises it to two packets.
    fn ssthresh(&self, _state: &mut Self::State, event: &Congestion) -> f64 {
        event.flight.count() / 2.0
    }

    /// Returns the window after a loss or mark in a window of `cwnd` packets that left a threshold of `ssthresh`.
    fn after_loss(&self, _cwnd: f64, ssthresh: f64) -> f64 {
        ssthresh
    }

    /// Undoes the changes of the last event in `state`.
    fn undo(&self, _state: &mut Self::State) {}

    /// Shows named internals after `ssthresh`, as [`Law::observe`].
    fn observe(&self, _state: &Self::State, _cwnd: f64, _sink: &mut dyn FnMut(&str, f64)) {}
}

/// A memoryless law is its parameters.
impl<R: Response> Avoidance for R {
    type State = ();

    #[inline]
    fn slow_start(&self, _state: &(), window: &Window, ack: &Ack) -> f64 {
        Response::slow_start(self, window, ack.counted()).count()
    }

    #[inline]
    fn gain(&self, _state: &mut (), cwnd: f64, ack: &Ack) -> f64 {
        Response::gain(self, ack.counted(), Packets::new(cwnd), ack.srtt).count()
    }

    fn ssthresh(&self, _state: &mut (), event: &Congestion) -> f64 {
        let cut = match event.kind {
            CongestionKind::Timeout => self.cut_by_timeout(event.flight, event.srtt),
            CongestionKind::Loss | CongestionKind::Mark => self.cut(event.flight, event.srtt),
        };
        (event.flight - cut).count()
    }
}

/// A law that differs from Reno in growth and threshold alone.
#[derive(Clone, Debug)]
pub struct Classic<A: Avoidance> {
    params: A,
    pub(crate) window: Window,
    pub(crate) state: A::State,
}

impl<A: Avoidance> Classic<A> {
    /// A sender whose window begins at `initial`.
    pub fn new(params: A, initial: Packets) -> Self {
        Self { window: Window::new(initial), state: params.begin(), params }
    }
}

impl<A: Avoidance> Law for Classic<A> {
    const NEEDS: Needs = Needs { reads_base_rtt: A::READS_BASE_RTT, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let Self { params, window, state } = self;
        params.learn(state, ack);
        if ack.app_limited || ack.recovering {
            return;
        }
        params.measure(state, window.cwnd, ack);
        if window.is_slow_start() {
            window.cwnd = params.slow_start(state, window, ack);
        } else {
            window.cwnd += params.gain(state, window.cwnd, ack);
        }
        if let Some(cwnd) = params.give_way(state, window.cwnd, ack) {
            window.set(cwnd, cwnd);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let Self { params, window, state } = self;
        let ssthresh = params.ssthresh(state, event).max(LOSS_FLOOR);
        let is_timeout = event.kind == CongestionKind::Timeout;
        window.set(if is_timeout { 1.0 } else { params.after_loss(window.cwnd, ssthresh) }, ssthresh);
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.window.restart(cwnd);
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.window.remember(ssthresh)
    }

    fn on_undo(&mut self, before: Packets) {
        self.window.undo(before);
        self.params.undo(&mut self.state);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.window.ssthresh);
        self.params.observe(&self.state, self.window.cwnd, sink);
    }
}
