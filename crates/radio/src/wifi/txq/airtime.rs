//! Airtime fairness and airtime queue limits (AQL): which TXQ of a category is served next.
//!
//! Deficit round robin in microseconds. A station's effective deficit is its deficit without the estimated airtime of
//! what is below its TXQs.

use super::NONE;
use super::config::{Aql, TxqConfig};
use crate::wifi::category::{CATEGORIES, Category, TIDS};
use windward_units::Time;

/// Nanoseconds of a tick of Linux's clock, HZ = 1000.
const TICK: u64 = 1_000_000;
/// Ticks for which a station's debts count after it had packets.
const ACTIVITY: u64 = 100;

/// Airtime of a station in a category, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Account {
    deficit: i64,
    /// Estimate of what was taken from its TXQs and is not completed.
    pending: u32,
    /// Tick until which its debts count.
    active_until: u64,
}

/// A station's accounts; none for group-addressed packets.
#[derive(Clone, Copy, Debug)]
struct Share {
    weight: Option<u16>,
    accounts: [Account; CATEGORIES],
}

/// A TXQ in the list of its category.
#[derive(Clone, Copy, Debug)]
struct Entry {
    behind: u32,
    is_listed: bool,
    /// Round in which it was last served.
    round: u16,
}

/// TXQs of a category in the order in which they are served.
#[derive(Clone, Copy, Debug)]
struct Order {
    first: u32,
    last: u32,
    listed: u32,
    /// Number of the round; zero if none is under way. As in Linux the count begins again after that, so that a TXQ may
    /// seem to have been served.
    round: u16,
    pending: u32,
}

/// Scheduler of the TXQs of a radio.
#[derive(Debug)]
pub(super) struct Airtime {
    is_fair: bool,
    aql: Option<Aql>,
    shares: Vec<Share>,
    entries: Vec<Entry>,
    orders: [Order; CATEGORIES],
    pending: u32,
}

/// Station of a TXQ.
pub(super) const fn station(txq: u32) -> usize {
    txq as usize / TIDS
}

/// Category of a TXQ.
pub(super) const fn category(txq: u32) -> Category {
    Category::of((txq as usize % TIDS) as u8)
}

impl Airtime {
    pub(super) const fn new(config: &TxqConfig) -> Self {
        let order = Order { first: NONE, last: NONE, listed: 0, round: 0, pending: 0 };
        Self {
            is_fair: config.airtime_fairness,
            aql: config.aql,
            shares: Vec::new(),
            entries: Vec::new(),
            orders: [order; CATEGORIES],
            pending: 0,
        }
    }

    /// Adds a station with its weight, or the destination of group-addressed packets.
    pub(super) fn add_station(&mut self, weight: Option<u16>) {
        let account = Account { deficit: weight.map_or(0, i64::from), pending: 0, active_until: ACTIVITY };
        self.shares.push(Share { weight, accounts: [account; CATEGORIES] });
        let entry = Entry { behind: NONE, is_listed: false, round: 0 };
        self.entries.extend([entry; TIDS]);
    }

    fn account(&self, station: usize, category: Category) -> &Account {
        &self.shares[station].accounts[category as usize]
    }

    fn account_mut(&mut self, station: usize, category: Category) -> &mut Account {
        &mut self.shares[station].accounts[category as usize]
    }

    /// Effective deficit of a station.
    pub(super) fn deficit(&self, station: usize, category: Category) -> i64 {
        let account = self.account(station, category);
        account.deficit - i64::from(account.pending)
    }

    /// Estimated airtime below a station's TXQs of a category.
    pub(super) fn pending(&self, station: usize, category: Category) -> u32 {
        self.account(station, category).pending
    }

    /// True if AQL lets another packet leave a TXQ.
    pub(super) fn admits(&self, txq: u32) -> bool {
        let Some(aql) = self.aql else { return true };
        if self.shares[station(txq)].weight.is_none() {
            return true;
        }
        let pending = self.pending(station(txq), category(txq));
        pending < aql.low || self.pending < aql.radio && pending < aql.high
    }

    /// True if AQL lets a category be served.
    fn admits_category(&self, order: &Order) -> bool {
        let Some(aql) = self.aql else { return true };
        let Some(others) = order.listed.checked_sub(1) else { return true };
        u64::from(order.pending) < u64::from(others) * u64::from(aql.low) / 2 + u64::from(aql.high)
    }

    /// TXQs of a category in the order of the list.
    #[cfg(test)]
    pub(super) fn listed(&self, category: Category) -> Vec<u32> {
        let some = |txq| (txq != NONE).then_some(txq);
        let first = some(self.orders[category as usize].first);
        std::iter::successors(first, |&txq| some(self.entries[txq as usize].behind)).collect()
    }

    /// Begins a round of a category: each TXQ is served once at most.
    pub(super) fn begin(&mut self, category: Category) {
        let is_admitted = self.admits_category(&self.orders[category as usize]);
        let order = &mut self.orders[category as usize];
        order.round = if is_admitted { order.round.wrapping_add(1).max(1) } else { 0 };
    }

    /// True if a round in which no TXQ was served yet passes over the first for one: after a pause by AQL rounds are
    /// counted from 1 again, and it was last served in a round of the same number.
    pub(super) fn is_mistaken(&self, category: Category) -> bool {
        let order = &self.orders[category as usize];
        order.round != 0 && order.first != NONE && self.entries[order.first as usize].round == order.round
    }

    /// Removes the next TXQ of a category from the list.
    pub(super) fn next(&mut self, category: Category) -> Option<u32> {
        let at = category as usize;
        if self.orders[at].round == 0 {
            return None;
        }
        let mut head = NONE;
        let mut is_any_admitted = false;
        loop {
            let txq = self.orders[at].first;
            // Linux, `ieee80211_next_txq`: after a whole turn without a TXQ that AQL admits, the round ends. Otherwise
            // the turn is repeated until a deficit is positive.
            if txq == NONE || txq == head && !is_any_admitted {
                return None;
            }
            if txq == head {
                is_any_admitted = false;
            }
            if head == NONE {
                head = txq;
            }
            if let Some(weight) = self.shares[station(txq)].weight {
                let is_admitted = self.admits(txq);
                is_any_admitted |= is_admitted;
                let deficit = self.deficit(station(txq), category);
                if deficit < 0 {
                    // Alone, it gets all its turns at once.
                    let is_alone = is_admitted && self.orders[at].listed == 1;
                    let turns = if is_alone { (-deficit).unsigned_abs().div_ceil(u64::from(weight)) } else { 1 };
                    self.account_mut(station(txq), category).deficit += i64::from(weight) * turns as i64;
                }
                if deficit < 0 || !is_admitted {
                    self.remove_first(at);
                    self.push_last(at, txq);
                    continue;
                }
            }
            // It was served in this round: TXQs of other stations go first.
            if self.entries[txq as usize].round == self.orders[at].round {
                return None;
            }
            self.remove_first(at);
            self.entries[txq as usize].round = self.orders[at].round;
            return Some(txq);
        }
    }

    /// Lists a TXQ that has packets, or whose station owes airtime and had packets lately.
    pub(super) fn schedule(&mut self, now: Time, txq: u32, has_packets: bool) {
        if self.entries[txq as usize].is_listed {
            return;
        }
        let (station, category) = (station(txq), category(txq));
        let has_account = self.shares[station].weight.is_some();
        let owes = has_account && self.deficit(station, category) < 0;
        let is_kept = owes && now.as_nanos() / TICK <= self.account(station, category).active_until;
        if !has_packets && !is_kept {
            return;
        }
        // Whoever owes goes to the end when it is looked at.
        if has_account && has_packets && self.is_fair {
            self.push_first(category as usize, txq);
        } else {
            self.push_last(category as usize, txq);
        }
        if has_packets {
            self.account_mut(station, category).active_until = now.as_nanos() / TICK + ACTIVITY;
        }
    }

    /// Charges airtime, sent or received.
    pub(super) fn charge(&mut self, now: Time, station: usize, category: Category, micros: u32) {
        if !self.is_fair || self.shares[station].weight.is_none() {
            return;
        }
        let account = self.account_mut(station, category);
        if now.as_nanos() / TICK <= account.active_until {
            account.deficit -= i64::from(micros);
        }
    }

    /// Counts a packet that leaves its TXQ.
    pub(super) fn take(&mut self, txq: u32, estimate: u32) {
        let (station, category) = (station(txq), category(txq));
        self.account_mut(station, category).pending += estimate;
        self.orders[category as usize].pending += estimate;
        self.pending += estimate;
    }

    /// Counts a packet that was acknowledged or given up.
    pub(super) fn complete(&mut self, txq: u32, estimate: u32) {
        let (station, category) = (station(txq), category(txq));
        self.account_mut(station, category).pending -= estimate;
        self.orders[category as usize].pending -= estimate;
        self.pending -= estimate;
    }

    fn remove_first(&mut self, at: usize) {
        let order = &mut self.orders[at];
        let entry = &mut self.entries[order.first as usize];
        order.first = entry.behind;
        order.listed -= 1;
        (entry.behind, entry.is_listed) = (NONE, false);
    }

    fn push_last(&mut self, at: usize, txq: u32) {
        let order = &mut self.orders[at];
        match order.first {
            NONE => order.first = txq,
            _ => self.entries[order.last as usize].behind = txq,
        }
        order.last = txq;
        order.listed += 1;
        let entry = &mut self.entries[txq as usize];
        (entry.behind, entry.is_listed) = (NONE, true);
    }

    fn push_first(&mut self, at: usize, txq: u32) {
        let order = &mut self.orders[at];
        if order.first == NONE {
            order.last = txq;
        }
        let entry = &mut self.entries[txq as usize];
        (entry.behind, entry.is_listed) = (order.first, true);
        order.first = txq;
        order.listed += 1;
    }
}
