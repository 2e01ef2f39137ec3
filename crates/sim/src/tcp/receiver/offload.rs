//! Receive offload: a host joins the segments that arrive together, and acknowledges them once (GRO in Linux).

use windward_units::{Duration, Time};

/// Most segments joined into one: a packet of 64 KiB (`GRO_LEGACY_MAX_SIZE`) holds 45 of 1448 bytes.
const MOST: u32 = 45;

/// Segments that arrive together.
#[derive(Clone, Copy, Debug)]
pub struct Offload {
    /// Time over which segments are joined; zero: none are.
    span: Duration,
    /// End of that time for the segments that arrive now.
    until: Time,
}

impl Offload {
    /// Joins what arrives within `span` of the first segment; `None`: nothing.
    pub fn new(span: Option<Duration>) -> Self {
        Self { span: span.unwrap_or(Duration::ZERO), until: Time::ZERO }
    }

    /// True if segments are joined.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.span > Duration::ZERO
    }

    /// Records the arrival of a segment.
    #[inline]
    pub fn arrive(&mut self, now: Time) {
        if now > self.until {
            self.until = now + self.span;
        }
    }

    /// Time of the ACK of `unacked` segments that is due now; `None`: at once.
    #[inline]
    pub fn ack_at(&self, unacked: u32) -> Option<Time> {
        (self.is_on() && unacked < MOST).then_some(self.until)
    }

    /// True if an ACK that is due at this time waits for the end of its segments, not for a second one.
    pub fn ends(&self, now: Time) -> bool {
        self.is_on() && now == self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first segment opens 50 µs; the one after them opens new ones. The 45th is acknowledged at once.
    #[test]
    fn segments_within_the_span_are_joined() {
        let at = |us| Time::ZERO + Duration::from_micros(us);
        let mut offload = Offload::new(Some(Duration::from_micros(50)));
        offload.arrive(at(100));
        offload.arrive(at(112));
        assert_eq!(offload.ack_at(2), Some(at(150)));
        offload.arrive(at(150));
        assert_eq!((offload.ack_at(44), offload.ack_at(45)), (Some(at(150)), None));
        assert!(offload.ends(at(150)) && !offload.ends(at(151)));
        offload.arrive(at(160));
        assert_eq!(offload.ack_at(1), Some(at(210)));
        assert_eq!(Offload::new(None).ack_at(2), None);
    }
}
