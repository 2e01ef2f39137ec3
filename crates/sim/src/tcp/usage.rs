//! Whether the window holds a sender back, as Linux finds out (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).
//!
//! A window that was not used does not grow (RFC 7661 in spirit): in a round trip in which the window never kept a segment back, it
//! grows in slow start alone, up to twice what was outstanding at most.

/// How the window was used in the round trip that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    is_limited: bool,
    /// Most segments outstanding.
    most: u32,
    /// The round trip ends when this segment is acknowledged.
    until: u32,
    /// Something was sent since it was looked at.
    pub has_sent: bool,
}

impl Usage {
    /// The sender pauses: the window `is_full`, and the segments from `una` to `next` are outstanding.
    #[inline]
    pub fn pause(&mut self, is_full: bool, una: u32, next: u32) {
        if !(std::mem::take(&mut self.has_sent) || is_full) {
            return;
        }
        let outstanding = next - una;
        if una >= self.until || is_full || (!self.is_limited && outstanding > self.most) {
            (self.is_limited, self.most, self.until) = (is_full, outstanding, next);
        }
    }

    /// Whether a window of `cwnd` segments may grow; `ssthresh` is asked for only where the window did not hold the sender back.
    #[inline]
    pub fn lets_grow(&self, cwnd: f64, ssthresh: impl FnOnce() -> f64) -> bool {
        self.is_limited || (cwnd < f64::from(2 * self.most) && cwnd < ssthresh())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_is_not_used_grows_to_twice_what_was_out() {
        let mut usage = Usage::default();
        assert!(!usage.lets_grow(10.0, || f64::INFINITY));
        // Six of ten: up to 12 in slow start, and nothing beyond it.
        usage.has_sent = true;
        usage.pause(false, 0, 6);
        assert_eq!([10.0, 11.0, 12.0].map(|cwnd| usage.lets_grow(cwnd, || f64::INFINITY)), [true, true, false]);
        assert!(!usage.lets_grow(10.0, || 10.0));
        // Within the round trip fewer count for nothing; a full window does.
        usage.has_sent = true;
        usage.pause(false, 2, 7);
        assert!(usage.lets_grow(11.0, || f64::INFINITY));
        usage.pause(true, 2, 12);
        assert!(usage.lets_grow(50.0, || 10.0));
        // A pause in which nothing was sent says nothing; after the round trip the next one does.
        usage.pause(false, 12, 12);
        assert!(usage.lets_grow(50.0, || 10.0));
        usage.has_sent = true;
        usage.pause(false, 12, 14);
        assert!(!usage.lets_grow(50.0, || 10.0));
    }
}
