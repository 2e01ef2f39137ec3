//! Congestion window validation: a window that does not limit the sender does not grow.
//!
//! One rule for every law and both stacks, Linux's (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`), in the spirit of RFC
//! 7661, RFC 9002 §7.8 and RFC 9438 §5.8. After a round trip in which the window held back no segment, it grows in slow
//! start only, to at most twice the number of outstanding segments. Retransmissions use the window as new segments do:
//! slow start after a timeout (RFC 5681 §3.1) needs no new data.

/// Use of the window in the current round trip.
#[derive(Clone, Copy, Debug)]
pub struct CwndValidation {
    is_limited: bool,
    /// Largest number of outstanding segments.
    most: u32,
    /// Segment whose acknowledgement ends the round trip.
    until: u32,
    /// True if a new segment was sent since the last check.
    pub has_sent: bool,
    /// True if data held back by pacing or the device counts as using the window (RFC 9002 §7.8); in Linux it does not.
    pub counts_delayed: bool,
}

impl CwndValidation {
    /// State before the first segment. With `counts_delayed`, data held back by pacing or the device use the window.
    pub fn new(counts_delayed: bool) -> Self {
        Self { is_limited: false, most: 0, until: 0, has_sent: false, counts_delayed }
    }

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
    pub fn lets_grow(&self, cwnd: impl FnOnce() -> f64, ssthresh: impl FnOnce() -> f64) -> bool {
        self.is_limited || self.is_doubling(cwnd(), ssthresh)
    }

    #[cold]
    fn is_doubling(&self, cwnd: f64, ssthresh: impl FnOnce() -> f64) -> bool {
        cwnd < f64::from(2 * self.most) && cwnd < ssthresh()
    }

    /// Window to which an ACK of `acked` packets lets slow start grow at most, if `usable` segments could be sent.
    pub fn bound(&self, acked: u32, usable: u32) -> u32 {
        self.most.max(usable).saturating_mul(2).saturating_add(acked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_is_not_used_grows_to_twice_what_was_out() {
        let mut usage = CwndValidation::new(false);
        let grows = |usage: &CwndValidation, cwnd: f64, ssthresh: f64| usage.lets_grow(|| cwnd, || ssthresh);
        assert!(!grows(&usage, 10.0, f64::INFINITY));
        // Six of ten: up to 12 in slow start, no growth beyond.
        usage.has_sent = true;
        usage.pause(false, 0, 6);
        assert_eq!([10.0, 11.0, 12.0].map(|cwnd| grows(&usage, cwnd, f64::INFINITY)), [true, true, false]);
        assert!(!grows(&usage, 10.0, 10.0));
        // Within the round trip a lower use does not count; a full window does.
        usage.has_sent = true;
        usage.pause(false, 2, 7);
        assert!(grows(&usage, 11.0, f64::INFINITY));
        usage.pause(true, 2, 12);
        assert!(grows(&usage, 50.0, 10.0));
        // A pause without a transmission is ignored; after the round trip the next pause counts.
        usage.pause(false, 12, 12);
        assert!(grows(&usage, 50.0, 10.0));
        usage.has_sent = true;
        usage.pause(false, 12, 14);
        assert!(!grows(&usage, 50.0, 10.0));
    }
}
