//! noq's interface to congestion control, where it differs from quinn's: packets one by one, a rate for the pacer, and
//! reductions that are taken back.

#![expect(clippy::disallowed_types, reason = "noq tells the time by std's Instant")]

use super::stack::stock::Stocked;
use crate::controller::Controlled;
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerMetrics};
use std::any::Any;
use std::time::{Duration, Instant};

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

impl Controller for Stocked {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest: u64) {
        self.with(|stock| stock.own.get_mut().on_sent(now, bytes, largest));
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, number: u64) {
        self.with(|stock| {
            stock.sent(bytes.into());
            stock.own.get_mut().on_packet_sent(now, bytes, number);
        });
    }

    fn on_cwnd_limited(&mut self) {
        self.with(|stock| stock.own.get_mut().on_cwnd_limited());
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, number: u64, app_limited: bool, rtt: &RttEstimator) {
        self.with(|stock| {
            stock.acked(sent, rtt);
            stock.own.get_mut().on_ack(now, sent, bytes, number, app_limited, rtt);
        });
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.with(|stock| {
            stock.end_acks(now, in_flight);
            stock.own.get_mut().on_end_acks(now, in_flight, app_limited, largest);
        });
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost: u64,
    ) {
        self.with(|stock| {
            stock.congested(now, sent, is_persistent, lost_bytes);
            let own = stock.own.get_mut();
            own.on_congestion_event(now, sent, is_persistent, is_ecn, lost_bytes, largest_lost);
        });
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, number: u64, now: Instant) {
        self.with(|stock| stock.own.get_mut().on_packet_lost(lost_bytes, number, now));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.with(|stock| stock.own.get_mut().on_spurious_congestion_event());
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, max_ack_delay: Duration) {
        self.with(|stock| stock.own.get_mut().on_ack_frequency_update(threshold, max_ack_delay));
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.with(|stock| {
            stock.set_mtu(new_mtu);
            stock.own.get_mut().on_mtu_update(new_mtu);
        });
    }

    fn window(&self) -> u64 {
        self.with(|stock| stock.own.get().window())
    }

    fn metrics(&self) -> ControllerMetrics {
        self.with(|stock| stock.own.get().metrics())
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.copy())
    }

    fn initial_window(&self) -> u64 {
        self.with(|stock| stock.own.get().initial_window())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
