//! Where a sender stands after losses and marks, and how fast it may send meanwhile.

use windward_laws::Repair;

/// Loss recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// On a connection with SACK the window goes down because of a mark, until everything sent before is acknowledged: as evenly as
    /// after a loss, which is what Linux does (its state CWR).
    Reduction {
        /// The next new segment when it began.
        until: u32,
        /// Rate reduction.
        prr: Prr,
    },
    /// Fast recovery until everything sent before it is acknowledged.
    Recovery {
        /// The next new segment when it began (RFC 6675's RecoveryPoint, RFC 6582's `recover`).
        until: u32,
        /// Rate reduction, on connections with SACK.
        prr: Prr,
    },
    /// After a timeout, until everything sent before it is acknowledged.
    Loss {
        /// The next new segment when the timer expired, or, while F-RTO has the first repetition acknowledged, since.
        until: u32,
    },
}

impl Phase {
    /// What a law is told of it.
    #[inline]
    pub fn repair(&self) -> Repair {
        match self {
            Self::Open | Self::Reduction { .. } => Repair::Nothing,
            Self::Recovery { .. } => Repair::Losses,
            Self::Loss { .. } => Repair::Timeout,
        }
    }

    /// What says how many segments may go, where the window does not.
    #[inline]
    pub fn prr(&mut self) -> Option<&mut Prr> {
        match self {
            Self::Reduction { prr, .. } | Self::Recovery { prr, .. } => Some(prr),
            Self::Open | Self::Loss { .. } => None,
        }
    }
}

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
    /// Recovery begins with `flight` segments outstanding (RecoverFS) and shall end at `ssthresh`.
    pub fn new(flight: u32, ssthresh: u32) -> Self {
        Self { ssthresh, flight: flight.max(1), delivered: 0, out: 0, budget: 0 }
    }

    /// An ACK delivered `delivered` segments and left `pipe` in flight. `is_first` for the ACK that began recovery:
    /// the fast retransmission goes out whatever the rest says.
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

    /// The same with the conservative bound of RFC 9937 §6.2, which Linux has: beyond what was delivered it sends only where the
    /// cumulative ACK `advances` and nothing is newly lost. The first goes out whatever the rest says.
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

    /// Segments were found lost without an ACK: they leave room for others.
    pub fn on_loss(&mut self, count: u32) {
        self.budget += count;
    }

    /// Segments that may be sent now.
    pub fn budget(&self) -> u32 {
        self.budget
    }

    /// A segment was sent.
    pub fn on_send(&mut self) {
        self.out += 1;
        self.budget = self.budget.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937 §5's first example: 20 in flight, one lost, ssthresh 10: every second ACK lets one out, ten in all,
    /// and the pipe ends at ssthresh.
    #[test]
    fn one_loss_halves_evenly() {
        let mut prr = Prr::new(20, 10);
        // The third duplicate: 3 delivered and 1 lost of 20; the retransmission goes first.
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

    /// Nearly everything lost: pipe is far below ssthresh, and slow start brings it back, two out for one in.
    #[test]
    fn after_heavy_losses_it_slow_starts() {
        let mut prr = Prr::new(20, 10);
        prr.on_ack(3, 0, true);
        assert_eq!(prr.budget(), 4);
        (0..4).for_each(|_| prr.on_send());
        prr.on_ack(1, 3, false);
        assert_eq!(prr.budget(), 2);
    }

    /// RFC 9937 §6.2: below ssthresh, no more goes out than was delivered, but for ACKs that advance without a new loss: 10 of 20
    /// lost at once, then two ACKs of one segment each, the second cumulative.
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
        // What is found lost without an ACK leaves its room.
        prr.on_loss(3);
        assert_eq!(prr.budget(), 5);
    }
}
