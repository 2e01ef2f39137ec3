//! quinn's interface to congestion control.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use super::stack::stock::Stocked;
use crate::controller::Controlled;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerMetrics};
use std::any::Any;
use std::time::Instant;

impl Controller for Controlled {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let now = self.nanos(now);
        self.then(|host| host.sent(now, bytes));
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        let sent = self.nanos(sent);
        self.then(|host| host.acked(sent, bytes));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        let now = self.nanos(now);
        self.then(|host| host.end_acks(now, in_flight, app_limited));
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let (now, sent) = (self.nanos(now), self.nanos(sent));
        self.then(|host| match lost_bytes {
            0 => host.marked(now, sent),
            bytes => host.lost(now, sent, is_persistent_congestion, bytes),
        });
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
        (metrics.ssthresh, metrics.pacing_rate) = self.thresholds();
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
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.with(|stock| {
            stock.sent(bytes);
            stock.own.get_mut().on_sent(now, bytes, last_packet_number);
        });
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.with(|stock| {
            stock.acked(sent, rtt);
            stock.own.get_mut().on_ack(now, sent, bytes, app_limited, rtt);
        });
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.with(|stock| {
            stock.end_acks(now, in_flight);
            stock.own.get_mut().on_end_acks(now, in_flight, app_limited, largest);
        });
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        self.with(|stock| {
            stock.congested(now, sent, is_persistent_congestion, lost_bytes);
            stock.own.get_mut().on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        });
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
