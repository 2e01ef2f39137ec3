//! Detection of window-limited senders, as in Linux (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).
//!
//! An unused window does not grow (in the spirit of RFC 7661). After a round trip in which the window never held back a
//! segment, it grows in slow start only, to at most twice the number of outstanding segments.

/// Use of the window in the current round trip.
#[derive(Clone, Copy, Debug, Default)]
pub struct CwndValidation {
    is_limited: bool,
    /// Largest number of outstanding segments.
    most: u32,
    /// Segment whose acknowledgement ends the round trip.
    until: u32,
    /// True if a segment was sent since the last check.
    pub has_sent: bool,
}

impl CwndValidation {
    /// Records a pause of the sender: the window `is_full` or not, and the segments from `una` to `next` are
    /// outstanding.
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

    /// True if a window of `cwnd` segments may grow. Evaluates `ssthresh` only if the window did not hold back the
    /// sender.
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
        let mut usage = CwndValidation::default();
        assert!(!usage.lets_grow(10.0, || f64::INFINITY));
        // Six of ten: up to 12 in slow start, no growth beyond.
        usage.has_sent = true;
        usage.pause(false, 0, 6);
        assert_eq!([10.0, 11.0, 12.0].map(|cwnd| usage.lets_grow(cwnd, || f64::INFINITY)), [true, true, false]);
        assert!(!usage.lets_grow(10.0, || 10.0));
        // Within the round trip a lower use does not count; a full window does.
        usage.has_sent = true;
        usage.pause(false, 2, 7);
        assert!(usage.lets_grow(11.0, || f64::INFINITY));
        usage.pause(true, 2, 12);
        assert!(usage.lets_grow(50.0, || 10.0));
        // A pause without a transmission is ignored; after the round trip the next pause counts.
        usage.pause(false, 12, 12);
        assert!(usage.lets_grow(50.0, || 10.0));
        usage.has_sent = true;
        usage.pause(false, 12, 14);
        assert!(!usage.lets_grow(50.0, || 10.0));
    }
}
