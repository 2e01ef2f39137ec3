//! Detection of spurious window reductions, as in Linux.
//!
//! Two methods: the receiver has reported every retransmission as a duplicate (D-SACK, RFC 2883, RFC 3708), or an ACK
//! echoes a timestamp from before the first retransmission (Eifel, RFC 3522). The third method, F-RTO, is part of the
//! sender.

/// The retransmissions since the last reduction of the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// First unacknowledged segment at the reduction of the window; `None` if there is no reduction to undo.
    marker: Option<u32>,
    /// Retransmissions not reported as duplicates; `None` before the first.
    repeats: Option<u32>,
    /// Time of the first retransmission; zero before.
    first_at: u64,
}

impl Undo {
    /// Records a reduction of the window with `repeats` retransmissions in flight.
    pub fn begin(&mut self, una: u32, repeats: u32) {
        self.marker = Some(una);
        self.repeats = (repeats > 0).then_some(repeats);
    }

    /// Rules out an undo.
    pub fn forget(&mut self) {
        self.marker = None;
    }

    /// Records that no retransmission is in flight: the next one is the first.
    pub fn settle(&mut self) {
        self.first_at = 0;
    }

    /// True if there is a reduction that may be undone.
    pub fn is_possible(&self) -> bool {
        self.marker.is_some()
    }

    /// Records a retransmission.
    pub fn repeat(&mut self, now: u64) {
        self.repeats = Some(self.repeats.unwrap_or(0) + 1);
        if self.first_at == 0 {
            self.first_at = now;
        }
    }

    /// Records that a retransmission of `number` was a duplicate.
    pub fn report(&mut self, number: u32) {
        if self.marker.is_some_and(|marker| number >= marker) {
            self.repeats = self.repeats.map(|repeats| repeats.saturating_sub(1));
        }
    }

    /// True if all retransmissions were duplicates.
    pub fn is_all_duplicate(&self) -> bool {
        self.marker.is_some() && self.repeats == Some(0)
    }

    /// True if an ACK of new data that echoes `stamp`, on connections with timestamps, was sent for an original.
    pub fn is_delayed(&self, stamp: Option<u64>) -> bool {
        self.marker.is_some() && (self.first_at == 0 || stamp.is_some_and(|stamp| stamp < self.first_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repetition_must_be_a_duplicate() {
        let mut undo = Undo::default();
        undo.begin(10, 0);
        assert!(!undo.is_all_duplicate());
        undo.repeat(50);
        undo.repeat(60);
        undo.report(9);
        undo.report(10);
        assert!(!undo.is_all_duplicate());
        undo.report(12);
        assert!(undo.is_all_duplicate());
        undo.forget();
        assert!(!undo.is_all_duplicate());
    }

    #[test]
    fn an_echo_from_before_the_first_repetition_is_an_originals() {
        let mut undo = Undo::default();
        undo.begin(10, 0);
        // No segment was retransmitted: the missing one was late.
        assert!(undo.is_delayed(None));
        undo.repeat(50);
        undo.repeat(60);
        assert_eq!([Some(49), Some(50), None].map(|stamp| undo.is_delayed(stamp)), [true, false, false]);
    }
}
