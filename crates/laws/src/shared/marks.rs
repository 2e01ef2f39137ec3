//! Mean share of marked packets, α of DCTCP (RFC 8257 §3.3).

use super::LOSS_FLOOR;
use crate::Ack;

/// Mean share of marked packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// α; 1 before the first window, so that the first marks halve.
    pub alpha: f64,
    acked: f64,
    marked: f64,
}

impl Share {
    pub(crate) fn new() -> Self {
        Self { alpha: 1.0, acked: 0.0, marked: 0.0 }
    }

    #[inline]
    pub(crate) fn count(&mut self, ack: &Ack) {
        self.acked += ack.acked.count();
        self.marked += ack.marked.count();
    }

    /// Ends a window of data.
    pub(crate) fn end(&mut self, g: f64) {
        if self.acked > 0.0 {
            self.alpha += g * (self.marked / self.acked - self.alpha);
        }
        (self.acked, self.marked) = (0.0, 0.0);
    }

    /// Window after a reduction by marks.
    pub(crate) fn reduced(&self, cwnd: f64) -> f64 {
        (cwnd * (1.0 - self.alpha / 2.0)).max(LOSS_FLOOR.min(cwnd))
    }
}
