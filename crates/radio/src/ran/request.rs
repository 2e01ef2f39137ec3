//! Scheduling requests, buffer status reports and grants of a station, as the base station hears them.

use super::config::RanConfig;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Room for reports and grants under way.
const ROOM: usize = 64;

/// A granted block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    /// Slot of the uplink.
    pub slot: u64,
    pub leg: u32,
    pub process: usize,
    /// First resource block, and their number.
    pub first: u32,
    pub prbs: u32,
}

/// Requests and reports of a station, as the base station hears them.
#[derive(Debug)]
pub(super) struct Request {
    /// Period and offset of the occasions for scheduling requests, in slots.
    period: u64,
    offset: u64,
    /// Slot of the request under way.
    pub asked: Option<u64>,
    /// Arrival of the data that it is for, until its block is sent.
    pub since: Option<Time>,
    /// Bytes that the base station believes to wait.
    pub believed: u64,
    /// Slot up to which the base station grants unasked.
    pub unasked_until: u64,
    /// Reports under way: slot from which one is known, number of its block, bytes.
    pub reports: VecDeque<(u64, u64, u64)>,
    /// Newest block whose report is known.
    newest: u64,
    /// Granted blocks whose report is not known: slot, number of the block once it is sent, and bytes.
    pub issued: VecDeque<(u64, u64, u64)>,
}

impl Request {
    pub fn new(station: u64, config: &RanConfig) -> Self {
        let pattern = &config.carrier.pattern;
        let period = config.uplink.sr_period.max(pattern.period());
        // Occasions are in slots of the uplink; stations take different ones.
        let place = station * pattern.period() % period;
        let offset = match pattern.is_fdd() {
            true => station % period,
            false => pattern.next_uplink(place) % period,
        };
        Self {
            period,
            offset,
            asked: None,
            since: None,
            believed: 0,
            unasked_until: 0,
            reports: VecDeque::with_capacity(ROOM),
            newest: 0,
            issued: VecDeque::with_capacity(ROOM),
        }
    }

    /// Forgets all requests, reports and grants: the station changes its base station.
    pub fn restart(&mut self) {
        (self.asked, self.since, self.believed, self.unasked_until) = (None, None, 0, 0);
        self.reports.clear();
        self.issued.clear();
    }

    /// First occasion at or after `slot`.
    pub fn occasion(&self, slot: u64) -> u64 {
        slot + (self.offset + self.period - slot % self.period) % self.period
    }

    /// True if a request or a grant is under way.
    pub fn is_pending(&self) -> bool {
        self.asked.is_some() || self.believed > 0
    }

    /// Grants unasked for some time after a block of the downlink.
    pub fn preschedule(&mut self, slot: u64, length: Duration, of_slot: Duration) {
        let slots = length.as_nanos() / of_slot.as_nanos();
        if slots > 0 {
            self.unasked_until = slot + slots;
        }
    }

    /// A block's report of the backlog is known from slot `known` on.
    pub fn report(&mut self, known: u64, block: u64, bytes: u64) {
        self.reports.push_back((known, block, bytes));
    }

    /// Updates the belief of the base station by `slot`.
    pub fn hear(&mut self, slot: u64, gnb_slots: u64, first_grant: u64) {
        while let Some(&(known, block, bytes)) = self.reports.front()
            && known <= slot
        {
            self.reports.pop_front();
            // A block that HARQ repeated may report late.
            if block > self.newest {
                self.newest = block;
                self.issued.retain(|grant| grant.1 == 0 || grant.1 > block);
                let granted: u64 = self.issued.iter().map(|grant| grant.2).sum();
                self.believed = bytes.saturating_sub(granted);
            }
        }
        if self.asked.is_some_and(|asked| asked + gnb_slots <= slot) {
            self.asked = None;
            self.believed = self.believed.max(first_grant);
        }
    }
}
