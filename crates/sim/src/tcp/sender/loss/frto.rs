//! F-RTO (RFC 5682 §3.1): tells by the ACKs that follow a timeout whether it was spurious.

use super::news::News;

/// State of F-RTO.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frto {
    /// True while it waits for the ACKs that follow a timeout.
    is_judging: bool,
}

/// Verdict on a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The timeout was spurious.
    Spurious,
    /// New segments will decide.
    SendNew,
    /// There is no verdict, and nothing depends on the next one.
    Unknown,
}

impl Frto {
    /// Handles a timeout; `judges` is false if its outcome cannot be told.
    pub fn start(&mut self, judges: bool) {
        self.is_judging = judges;
    }

    /// Evaluates an ACK that leaves the segments from `una` to `next` in flight, after a timeout at which `until` was
    /// the next new segment.
    pub fn judge(&mut self, news: &News, until: u32, una: u32, next: u32) -> Verdict {
        if !self.is_judging {
            return Verdict::Unknown;
        }
        // Step 3.b: spurious, because a segment arrived that was never retransmitted.
        if news.lowest_clean.is_some_and(|lowest| lowest < until) {
            return Verdict::Spurious;
        }
        if next > until {
            // Step 3.a: new segments arrived before the one that timed out. A reported duplicate is none of them.
            if news.sacked > 0 || !(news.advances || news.has_duplicate) {
                self.is_judging = false;
            }
        } else if news.advances && una < until {
            // Step 2.b.
            return Verdict::SendNew;
        }
        Verdict::Unknown
    }

    /// Ends without a verdict.
    pub fn give_up(&mut self) {
        self.is_judging = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: News =
        News { advances: false, una: 0, sacked: 0, has_duplicate: false, lowest_clean: None, stamp: None };

    /// RFC 5682 §3.1: segments 0 to 9 are in flight when the timer expires, and 0 is retransmitted. An ACK of it alone
    /// asks for new segments; then the ACK of an original tells that nothing was lost.
    #[test]
    fn an_original_that_arrives_shows_a_spurious_timeout() {
        let mut frto = Frto::default();
        let advance = News { advances: true, ..NOTHING };
        assert_eq!(frto.judge(&advance, 10, 1, 10), Verdict::Unknown, "no timeout");
        frto.start(true);
        assert_eq!(frto.judge(&advance, 10, 1, 10), Verdict::SendNew);
        assert_eq!(frto.judge(&News { lowest_clean: Some(1), ..advance }, 10, 2, 12), Verdict::Spurious);
    }

    /// Step 3.a: the new segments arrive first, so that the others were lost. What follows is no longer judged.
    #[test]
    fn new_segments_that_arrive_first_end_the_judgement() {
        let mut frto = Frto::default();
        frto.start(true);
        let new = News { sacked: 1, lowest_clean: Some(10), ..NOTHING };
        assert_eq!(frto.judge(&new, 10, 1, 12), Verdict::Unknown);
        assert_eq!(frto.judge(&News { advances: true, lowest_clean: Some(5), ..NOTHING }, 10, 6, 12), Verdict::Unknown);
        // A reported duplicate alone does not end it.
        frto.start(true);
        assert_eq!(frto.judge(&News { has_duplicate: true, ..NOTHING }, 10, 1, 12), Verdict::Unknown);
        assert_eq!(frto.judge(&News { lowest_clean: Some(5), ..NOTHING }, 10, 1, 12), Verdict::Spurious);
    }
}
