//! Start: n doubles until a queue forms.
//!
//! * growth: dn/dt = (ln 2/T)·n·min(2e, 1) with T = max(2·rtt_min, 0.2 τ), so that it slows down from half of θ on.
//!   Hosts that control no windows have 0.4 τ.
//! * windows: the sum of the receive windows of several connections is max(2·x·rtt_min, 8·n segments), and on paths of
//!   more than 0.1 τ larger in proportion to rtt_min.
//! * end: n is reduced, or a bound or a hold begins.

use super::constants::{SEGMENT, START};
use super::params::Params;
use super::path::Path;
use core::f64::consts::LN_2;

/// State of a start.
#[derive(Clone, Debug)]
pub(super) struct Start {
    is_on: bool,
    /// Sum of the receive windows in bits, as last offered.
    window: Option<f64>,
}

impl Start {
    pub fn new() -> Self {
        Self { is_on: true, window: None }
    }

    /// dn/dt in connections per τ without a queue, while the start lasts.
    pub fn growth(&self, params: &Params, path: &Path, n: f64) -> Option<f64> {
        let least = if params.bound { START.doubling_least } else { START.doubling_least_unbound };
        let doubling = (START.doubling_rtts * path.rtt_min / params.tau).max(least);
        self.is_on.then(|| LN_2 * n * (path.slack / START.free_share).min(1.0) / doubling)
    }

    /// Offers windows to several connections.
    pub fn offer(&mut self, path: &Path, tau: f64, n: f64) {
        let factor = (path.rtt_min / (START.offered_rtt * tau)).max(1.0);
        let load = path.rate * path.rtt_min;
        let is_several = self.is_on && n >= 2.0;
        self.window =
            is_several.then(|| factor * (START.offered_loads * load).max(n * START.offered_segments * SEGMENT));
    }

    /// Sum of the receive windows in bits; `None` without a limit.
    pub fn window(&self) -> Option<f64> {
        self.window
    }

    pub fn end(&mut self) {
        self.is_on = false;
    }
}
