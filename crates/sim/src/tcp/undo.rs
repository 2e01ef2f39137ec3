//! Whether the last reduction of the window was a mistake, as Linux finds out.
//!
//! Two ways: the receiver has reported every repetition as a duplicate (D-SACK, RFC 2883, RFC 3708), or an ACK echoes a stamp from
//! before the first repetition (Eifel, RFC 3522). The third, F-RTO, is the sender's.

/// The repetitions since the window was reduced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// The first segment not acknowledged when the window was reduced; `None` where there is nothing to take back.
    marker: Option<u32>,
    /// Repetitions not reported as duplicates; `None` before the first.
    repeats: Option<u32>,
    /// When the first was sent; zero before.
    first_at: u64,
}

impl Undo {
    /// The window is reduced with `repeats` repetitions on their way.
    pub fn begin(&mut self, una: u32, repeats: u32) {
        self.marker = Some(una);
        self.repeats = (repeats > 0).then_some(repeats);
    }

    /// Nothing can be taken back any more.
    pub fn forget(&mut self) {
        self.marker = None;
    }

    /// No repetition is on its way: the next is the first.
    pub fn settle(&mut self) {
        self.first_at = 0;
    }

    /// Whether there is a reduction to take back.
    pub fn is_possible(&self) -> bool {
        self.marker.is_some()
    }

    /// A segment is sent again.
    pub fn repeat(&mut self, now: u64) {
        self.repeats = Some(self.repeats.unwrap_or(0) + 1);
        if self.first_at == 0 {
            self.first_at = now;
        }
    }

    /// A repetition of `number` was a duplicate.
    pub fn report(&mut self, number: u32) {
        if self.marker.is_some_and(|marker| number >= marker) {
            self.repeats = self.repeats.map(|repeats| repeats.saturating_sub(1));
        }
    }

    /// Whether all repetitions were duplicates.
    pub fn is_all_duplicate(&self) -> bool {
        self.marker.is_some() && self.repeats == Some(0)
    }

    /// Whether an ACK of new data that echoes `stamp`, where there are stamps, was sent for an original.
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
        // Nothing was repeated: what was missing was late.
        assert!(undo.is_delayed(None));
        undo.repeat(50);
        undo.repeat(60);
        assert_eq!([Some(49), Some(50), None].map(|stamp| undo.is_delayed(stamp)), [true, false, false]);
    }
}
