//! Base of the window laws: window and slow-start threshold, their reduction and its undo.

use crate::CongestionKind;
use crate::shared::{LOSS_FLOOR, slow_start};
use windward_units::Packets;

/// Congestion window and slow-start threshold, in packets.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Threshold that an undo of the last reduction restores.
    before: f64,
    /// Window at which the last slow start began.
    pub(crate) began: f64,
}

impl Window {
    /// A window of `initial` packets in slow start.
    pub(crate) fn new(initial: Packets) -> Self {
        let cwnd = initial.count();
        Self { cwnd, ssthresh: f64::INFINITY, before: f64::INFINITY, began: cwnd }
    }

    /// True if the window is below the threshold.
    #[inline]
    pub(crate) fn is_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Window after an ACK of `acked` packets in standard slow start.
    #[inline]
    pub(crate) fn doubled(&self, acked: f64) -> f64 {
        slow_start(self.cwnd, self.ssthresh, acked)
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
        if self.is_slow_start() {
            self.began = cwnd;
        }
    }

    /// Reduces the window to `cwnd` after an idle time. The threshold is at least three quarters of the old window
    /// (Linux: `tcp_cwnd_restart`).
    pub(crate) fn restart(&mut self, cwnd: Packets) {
        self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
        self.cwnd = self.cwnd.min(cwnd.count());
        self.began = self.cwnd;
    }

    /// Begins with a threshold, which is at least that of a loss.
    pub(crate) fn remember(&mut self, ssthresh: Packets) -> bool {
        self.ssthresh = ssthresh.count().max(LOSS_FLOOR);
        true
    }

    /// Undoes the last reduction, before which the window was `before`: neither window nor threshold stays below its
    /// old value (Linux: `tcp_reno_undo_cwnd`, `tcp_undo_cwnd_reduction`).
    pub(crate) fn undo(&mut self, before: Packets) {
        self.cwnd = self.cwnd.max(before.count());
        self.ssthresh = self.ssthresh.max(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Packets;

    /// Linux: 64 with a threshold of 40 leaves 32 and 48.
    #[test]
    fn a_restart_remembers_three_quarters() {
        let mut window = Window { cwnd: 64.0, ssthresh: 40.0, ..Window::new(Packets::ONE) };
        window.restart(Packets::new(32.0));
        assert_eq!((window.cwnd, window.ssthresh, window.is_slow_start()), (32.0, 48.0, true));
    }

    /// From 4 packets with a threshold of 10: 8, then no further than the threshold.
    #[test]
    fn a_remembered_threshold_ends_slow_start() {
        let mut window = Window::new(Packets::new(4.0));
        assert!(window.remember(Packets::new(10.0)));
        window.cwnd = window.doubled(4.0);
        assert_eq!((window.cwnd, window.is_slow_start()), (8.0, true));
        window.cwnd = window.doubled(8.0);
        assert_eq!((window.cwnd, window.is_slow_start()), (10.0, false));
    }

    /// In packets: a timeout at 40 with a threshold of 20 leaves 1 and 15; the undo restores 40 and 30, three quarters
    /// of 40. In slow start it restores the window without a threshold. A window that has grown beyond its old value
    /// stays.
    #[test]
    fn an_undo_restores_window_and_threshold() {
        let mut window = Window { cwnd: 40.0, ssthresh: 20.0, ..Window::new(Packets::ONE) };
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
