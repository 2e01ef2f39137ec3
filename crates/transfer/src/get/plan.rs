//! Assignment of missing bytes to connections. Every byte has at most one writer at any time.

use std::collections::BTreeMap;

/// Smallest lease: below it, requests cost more than they save.
pub(super) const LEAST_LEASE: u64 = 64 << 10;

/// Identifies a lease.
pub(super) type LeaseId = u64;
/// Identifies the holder of a lease.
pub(super) type Owner = u64;
/// A lease granted to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub lease: LeaseId,
    /// Its first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// The bytes of a file: missing, leased to a connection, or received.
#[derive(Debug)]
pub(super) struct Plan {
    /// Runs of missing, unleased bytes: from the first byte to the one after the last. Runs neither touch nor overlap.
    missing: BTreeMap<u64, u64>,
    leases: BTreeMap<LeaseId, Lease>,
    issued: LeaseId,
}

/// Bytes requested by one connection.
#[derive(Debug)]
struct Lease {
    owner: Owner,
    /// The first byte that has not arrived.
    next: u64,
    end: u64,
    /// True if its response has begun.
    has_begun: bool,
}

impl Plan {
    /// A plan for `length` bytes, of which `there` (first byte, byte after the last) are already received.
    pub fn new(length: u64, there: &[(u64, u64)]) -> Self {
        let mut there = there.to_vec();
        there.sort_unstable();
        let mut missing = BTreeMap::new();
        let mut next = 0;
        for (start, end) in there {
            if start > next {
                missing.insert(next, start);
            }
            next = next.max(end);
        }
        if next < length {
            missing.insert(next, length);
        }
        Self { missing, leases: BTreeMap::new(), issued: 0 }
    }

    /// Number of missing bytes that are not leased.
    pub fn unassigned(&self) -> u64 {
        self.missing.iter().map(|(start, end)| end - start).sum()
    }

    /// Number of missing bytes.
    pub fn left(&self) -> u64 {
        self.unassigned() + self.leases.values().map(|lease| lease.end - lease.next).sum::<u64>()
    }

    /// True if connections still hold leases.
    pub fn is_leased(&self) -> bool {
        !self.leases.is_empty()
    }

    /// Leases the first missing bytes to `owner`, at most `most`.
    pub fn lease(&mut self, owner: Owner, most: u64) -> Option<Grant> {
        let (start, end) = self.missing.pop_first()?;
        let middle = end.min(start.saturating_add(most));
        if middle < end {
            self.missing.insert(middle, end);
        }
        Some(self.issue(owner, start, middle))
    }

    /// Leases the bytes from `start` to `end`, if none of them is received or leased.
    pub fn lease_exactly(&mut self, owner: Owner, start: u64, end: u64) -> Option<Grant> {
        let (&first, &last) = self.missing.range(..=start).next_back().filter(|(_, last)| **last >= end)?;
        self.missing.remove(&first);
        if first < start {
            self.missing.insert(first, start);
        }
        if end < last {
            self.missing.insert(end, last);
        }
        Some(self.issue(owner, start, end))
    }

    /// Takes bytes from the end of the longest lease for an idle connection: all of the lease if its response has not
    /// begun, or its second half if that is worth a request.
    pub fn split(&mut self, owner: Owner) -> Option<Grant> {
        let worth = |lease: &Lease| if lease.has_begun { (lease.end - lease.next) / 2 } else { lease.end - lease.next };
        let lease = self.leases.values_mut().max_by_key(|lease| worth(lease))?;
        let end = lease.end;
        let middle = end - worth(lease);
        if end - middle < LEAST_LEASE / 2 {
            return None;
        }
        lease.end = middle;
        Some(self.issue(owner, middle, end))
    }

    fn issue(&mut self, owner: Owner, start: u64, end: u64) -> Grant {
        self.issued += 1;
        self.leases.insert(self.issued, Lease { owner, next: start, end, has_begun: false });
        Grant { lease: self.issued, start, end }
    }

    /// Marks that the response to a lease has begun.
    pub fn begin(&mut self, id: LeaseId) {
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.has_begun = true;
        }
    }

    /// Counts `count` received bytes of a lease. Returns how many of them its holder may write; the holder writes them
    /// before another owner can lease them.
    pub fn take(&mut self, id: LeaseId, count: u64) -> u64 {
        let Some(lease) = self.leases.get_mut(&id) else { return 0 };
        let taken = count.min(lease.end - lease.next);
        lease.next += taken;
        taken
    }

    /// True if a lease has no bytes left.
    pub fn is_done(&self, id: LeaseId) -> bool {
        self.leases.get(&id).is_none_or(|lease| lease.next == lease.end)
    }

    /// Ends a lease; its unreceived bytes are missing again.
    pub fn finish(&mut self, id: LeaseId) {
        let Some(Lease { next: mut start, mut end, .. }) = self.leases.remove(&id) else { return };
        if start == end {
            return;
        }
        if let Some((&before, _)) = self.missing.range(..start).next_back().filter(|(_, last)| **last == start) {
            self.missing.remove(&before);
            start = before;
        }
        if let Some(after) = self.missing.remove(&end) {
            end = after;
        }
        self.missing.insert(start, end);
    }

    /// Ends all leases of an owner.
    pub fn release(&mut self, owner: Owner) {
        let held: Vec<_> = self.leases.iter().filter(|(_, lease)| lease.owner == owner).map(|(id, _)| *id).collect();
        held.into_iter().for_each(|id| self.finish(id));
    }

    /// Truncates the file at the position of the lease: nothing else is missing.
    pub fn end_at(&mut self, id: LeaseId) {
        self.missing.clear();
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.end = lease.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_there_is_not_missing() {
        let mut plan = Plan::new(10, &[(6, 8), (0, 2), (1, 3)]);
        assert_eq!(plan.unassigned(), 5);
        assert_eq!(plan.lease(0, 100), Some(Grant { lease: 1, start: 3, end: 6 }));
        assert_eq!(plan.lease(0, 1), Some(Grant { lease: 2, start: 8, end: 9 }));
        assert_eq!(Plan::new(0, &[]).left(), 0);
    }

    #[test]
    fn a_lease_is_exact_or_none() {
        let mut plan = Plan::new(10, &[(4, 5)]);
        assert_eq!(plan.lease_exactly(0, 3, 5), None);
        assert_eq!(plan.lease_exactly(0, 5, 11), None);
        assert_eq!(plan.lease_exactly(0, 6, 8), Some(Grant { lease: 1, start: 6, end: 8 }));
        assert_eq!(plan.lease_exactly(0, 7, 8), None);
        assert_eq!(plan.unassigned(), 7);
    }

    #[test]
    fn idle_connections_help_where_most_is_left() {
        let mut plan = Plan::new(10 * LEAST_LEASE, &[]);
        let long = plan.lease(0, 6 * LEAST_LEASE).unwrap().lease;
        let waiting = plan.lease(1, 4 * LEAST_LEASE).unwrap().lease;
        plan.begin(long);
        assert_eq!(plan.take(long, LEAST_LEASE), LEAST_LEASE);
        // The lease without a response is worth 4, half of the other's rest 2.5.
        let Grant { start, end, .. } = plan.split(2).unwrap();
        assert_eq!((start, end), (6 * LEAST_LEASE, 10 * LEAST_LEASE));
        assert!(plan.is_done(waiting));
        plan.release(2);
        assert_eq!(plan.unassigned(), 4 * LEAST_LEASE);
    }

    /// Operations of a connection on its leases.
    #[derive(Clone, Debug)]
    enum Step {
        Lease(u64),
        Split,
        Begin(usize),
        Write(usize, u64),
        Finish(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1..9 * LEAST_LEASE).prop_map(Step::Lease),
            Just(Step::Split),
            (0..8_usize).prop_map(Step::Begin),
            (0..8_usize, 1..3 * LEAST_LEASE).prop_map(|(which, count)| Step::Write(which, count)),
            (0..8_usize).prop_map(Step::Finish),
        ]
    }

    proptest! {
        /// Under any sequence of leasing, splitting, abandoning and finishing, each byte is written once and none is
        /// lost.
        #[test]
        fn every_byte_is_written_once(steps in prop::collection::vec(step(), 0..200)) {
            let unit = LEAST_LEASE / 4;
            let length = 100 * unit + 7;
            let mut plan = Plan::new(length, &[]);
            let mut held: Vec<(LeaseId, u64)> = Vec::new();
            let mut written: Vec<(u64, u64)> = Vec::new();
            let rest = [Step::Lease(length), Step::Write(0, length), Step::Finish(0)].into_iter().cycle().take(3000);
            for step in steps.into_iter().chain(rest) {
                let count = held.len().max(1);
                match step {
                    Step::Lease(most) => held.extend(plan.lease(0, most).map(|grant| (grant.lease, grant.start))),
                    Step::Split => held.extend(plan.split(0).map(|grant| (grant.lease, grant.start))),
                    Step::Begin(which) => if let Some((id, _)) = held.get(which % count) { plan.begin(*id) },
                    Step::Write(which, bytes) => if let Some((id, next)) = held.get_mut(which % count) {
                        let taken = plan.take(*id, bytes);
                        if taken > 0 { written.push((*next, *next + taken)); }
                        *next += taken;
                    },
                    Step::Finish(which) => if !held.is_empty() {
                        let (id, _) = held.remove(which % count);
                        plan.finish(id);
                    },
                }
            }
            prop_assert_eq!(plan.left(), 0);
            written.sort_unstable();
            let end = written.iter().try_fold(0, |end, (start, next)| (*start == end).then_some(*next));
            prop_assert_eq!(end, Some(length));
        }
    }
}
