//! Proportional rate reduction: how fast a sender sends while it recovers from losses and marks.

/// Proportional Rate Reduction (RFC 6937 §3.1), with the slow start reduction bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prr {
    ssthresh: u32,
    flight: u32,
    delivered: u32,
    out: u32,
    budget: u32,
}

impl Prr {
    /// Starts recovery with `flight` segments outstanding (RecoverFS) and the target `ssthresh`.
    pub fn new(flight: u32, ssthresh: u32) -> Self {
        Self { ssthresh, flight: flight.max(1), delivered: 0, out: 0, budget: 0 }
    }

    /// Handles an ACK that delivered `delivered` segments and left `pipe` in flight. `is_first` marks the ACK that
    /// started recovery: the fast retransmission is sent in any case.
    pub fn on_ack(&mut self, delivered: u32, pipe: u32, is_first: bool) {
        self.delivered += delivered;
        self.budget = if pipe > self.ssthresh {
            let due = (u64::from(self.delivered) * u64::from(self.ssthresh)).div_ceil(u64::from(self.flight));
            (due as u32).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + 1;
            (self.ssthresh - pipe).min(limit)
        };
        if is_first {
            self.budget = self.budget.max(1);
        }
    }

    /// Handles an ACK with the conservative bound of RFC 9937 §6.2, which Linux uses: sends more than was delivered
    /// only if the cumulative ACK `advances` without new losses. The first retransmission is sent in any case.
    pub fn on_ack_safely(&mut self, delivered: u32, pipe: u32, advances: bool) {
        if delivered > 0 {
            self.on_ack(delivered, pipe, false);
            if pipe <= self.ssthresh && !advances {
                let limit = self.delivered.saturating_sub(self.out).max(delivered);
                self.budget = self.budget.min(limit);
            }
        }
        if self.out == 0 {
            self.budget = self.budget.max(1);
        }
    }

    /// Records segments found lost without an ACK: they make room for others.
    pub fn on_loss(&mut self, count: u32) {
        self.budget += count;
    }

    /// Number of segments that may be sent now.
    pub fn budget(&self) -> u32 {
        self.budget
    }

    /// Records the transmission of a segment.
    pub fn on_send(&mut self) {
        self.out += 1;
        self.budget = self.budget.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937 §5's first example: 20 in flight, one lost, ssthresh 10. Every second ACK releases one segment, ten in
    /// all, and pipe ends at ssthresh.
    #[test]
    fn one_loss_halves_evenly() {
        let mut prr = Prr::new(20, 10);
        // The third duplicate: 3 of 20 delivered and 1 lost; the retransmission is sent first.
        let mut pipe = 20 - 4;
        let mut sent = Vec::new();
        for ack in 0..17 {
            let delivered = if ack == 0 { 3 } else { 1 };
            if ack > 0 {
                pipe -= 1;
            }
            prr.on_ack(delivered, pipe, ack == 0);
            let count = prr.budget();
            (0..count).for_each(|_| prr.on_send());
            pipe += count;
            sent.push(count);
        }
        assert_eq!(sent.iter().sum::<u32>(), 10, "{sent:?}");
        assert!(sent[1..].iter().all(|&n| n <= 1), "{sent:?}");
        assert_eq!(pipe, 10);
    }

    /// Nearly everything is lost: pipe is far below ssthresh, and slow start restores it, two segments out for one in.
    #[test]
    fn after_heavy_losses_it_slow_starts() {
        let mut prr = Prr::new(20, 10);
        prr.on_ack(3, 0, true);
        assert_eq!(prr.budget(), 4);
        (0..4).for_each(|_| prr.on_send());
        prr.on_ack(1, 3, false);
        assert_eq!(prr.budget(), 2);
    }

    /// RFC 9937 §6.2: below ssthresh, no more is sent than was delivered, except on ACKs that advance without a new
    /// loss. 10 of 20 are lost at once, then two ACKs of one segment each follow, the second cumulative.
    #[test]
    fn the_safe_bound_sends_one_more_only_where_the_ack_advances() {
        let mut prr = Prr::new(20, 10);
        prr.on_ack_safely(1, 7, false);
        assert_eq!(prr.budget(), 1);
        prr.on_send();
        prr.on_ack_safely(1, 7, false);
        assert_eq!(prr.budget(), 1);
        prr.on_send();
        prr.on_ack_safely(1, 7, true);
        assert_eq!(prr.budget(), 2);
        // A segment found lost without an ACK makes room for another.
        prr.on_loss(3);
        assert_eq!(prr.budget(), 5);
    }
}
