//! noq's interface to congestion control, where it differs from quinn's: packets one by one, a rate for the pacer, and
//! reductions that are taken back.

#![expect(clippy::disallowed_types, reason = "noq tells the time by std's Instant")]

use crate::controller::{Controlled, Laws};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

impl ControllerFactory for Laws {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(self.control(now, current_mtu))
    }
}

impl fmt::Debug for Controlled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controlled").field("law", &self.spec.name()).finish_non_exhaustive()
    }
}

impl Controller for Controlled {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, _number: u64) {
        let now = self.nanos(now);
        self.then(|host| host.sent(now, bytes.into()));
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _number: u64, _app_limited: bool, _: &RttEstimator) {
        let sent = self.nanos(sent);
        self.then(|host| host.acked(sent, bytes));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        let now = self.nanos(now);
        self.then(|host| host.end_acks(now, in_flight, app_limited));
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        _largest_lost: u64,
    ) {
        let (now, sent) = (self.nanos(now), self.nanos(sent));
        self.then(|host| {
            if is_ecn {
                host.marked(now, sent);
            } else {
                host.lost(now, sent, is_persistent_congestion, lost_bytes);
            }
        });
    }

    fn on_spurious_congestion_event(&mut self) {
        self.then(crate::host::Host::undo);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.set_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window;
        let (ssthresh, rate) = self.thresholds();
        metrics.ssthresh = ssthresh;
        // noq takes bytes per second.
        metrics.pacing_rate = rate.map(|bits| bits / 8);
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.fresh())
    }

    fn initial_window(&self) -> u64 {
        self.first_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
