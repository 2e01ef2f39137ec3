//! Delivery accounting (draft-cheng-iccrg-delivery-rate-estimation), and round trips counted by it.

use super::scoreboard::Segment;
use windward_units::{Duration, Time};

/// Deliveries so far, and the rate at which they arrive.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryRate {
    /// Segments delivered.
    pub delivered: u32,
    /// Segments found lost.
    pub lost: u32,
    /// Time of the latest delivery.
    pub delivered_at: u64,
    /// Time of transmission of the packet with the latest delivery.
    pub first_sent_at: u64,
    /// Delivered count below which transmissions are app-limited: no more data, as Linux's `app_limited`.
    pub app_limited_until: u32,
}

impl DeliveryRate {
    /// Restarts the clock of a sender with nothing in flight.
    #[inline]
    pub fn restart(&mut self, now: Time) {
        self.delivered_at = now.as_nanos();
        self.first_sent_at = now.as_nanos();
    }

    /// Record of a segment that leaves now, with `flight` segments in flight including it.
    #[inline]
    pub fn segment(&self, now: Time, flight: u32) -> Segment {
        Segment {
            sent_at: now.as_nanos(),
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            flight,
            is_app_limited: self.delivered < self.app_limited_until,
            ..Segment::default()
        }
    }

    /// Takes the delivery of `newest`, the segment sent last among those that an ACK delivers. Returns the number of
    /// segments delivered since it was sent, and the time that this took: the slower of sending and acknowledging.
    #[inline]
    pub fn sample(&mut self, now: Time, newest: &Segment) -> (u32, Duration) {
        let sending = newest.sent_at - newest.first_sent_at;
        let acknowledging = now.as_nanos() - newest.delivered_at;
        self.first_sent_at = newest.sent_at;
        (self.delivered - newest.delivered, Duration::from_nanos(sending.max(acknowledging)))
    }
}

/// Round trips, counted by deliveries.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Number of round trips so far.
    pub number: u64,
    /// Delivered count at which this one ends.
    ends_at: u32,
    /// Window at its beginning.
    cwnd: f64,
    /// True while slow start doubles the window.
    pub is_doubling: bool,
}

impl Round {
    /// State before the first segment, with the window `cwnd`.
    pub const fn new(cwnd: f64) -> Self {
        Self { number: 0, ends_at: 0, cwnd, is_doubling: true }
    }

    /// Handles the delivery of a segment sent when `delivered_then` segments were delivered; the count is now
    /// `delivered`.
    #[inline]
    pub fn advance(&mut self, delivered_then: u32, delivered: u32, cwnd: impl FnOnce() -> f64) {
        if delivered_then >= self.ends_at {
            self.number += 1;
            self.ends_at = delivered;
            let cwnd = cwnd();
            self.is_doubling = cwnd >= 1.5 * self.cwnd;
            self.cwnd = cwnd;
        }
    }
}
