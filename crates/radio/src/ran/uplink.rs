//! Uplink: scheduling requests, buffer status reports, grants, and the blocks that answer them.
//!
//! A station whose data comes to an empty buffer sends a scheduling request at its next occasion. The base station
//! hears it some slots later and grants a small block; each block reports the backlog that remains. The base station
//! grants by what it believes: the last report, less what it granted since. All grants of an uplink slot are decided in
//! the last downlink slot from which they reach it.

use super::cell::{Ran, UP, UPLINK_CAP};
use super::config::RanConfig;
use super::harq::{Process, Stage};
use super::request::Grant;
use super::share::Groups;
use crate::interface::Out;
use windward_units::Time;

impl Ran {
    /// Asks for a grant if nothing else tells the base station of the data that waits at `now`.
    pub(super) fn consider_request(&mut self, now: Time, bearer: u32) {
        let from = self.slot_from(now);
        let request = &mut self.requests[bearer as usize];
        let leg = &mut self.legs[2 * bearer as usize + 1];
        let knows = request.asked.is_some()
            || request.believed > 0
            || request.issued.iter().any(|grant| grant.0 >= from)
            || request.reports.iter().any(|report| report.2 > 0);
        if knows {
            return;
        }
        request.asked = Some(request.occasion(from));
        request.since.get_or_insert(now);
        leg.air.requests += 1;
    }

    /// Next slot of the uplink with something to do.
    pub(super) fn next_up(&self, from: u64) -> Option<u64> {
        let pattern = &self.config.carrier.pattern;
        let gnb_slots = u64::from(self.config.harq.gnb_slots);
        let of_leg = |&id: &u32| {
            let request = &self.requests[id as usize / 2];
            let leg = &self.legs[id as usize];
            if request.believed > 0 || leg.busy > 0 || request.unasked_until > from {
                return from;
            }
            let heard = request.asked.map(|asked| asked + gnb_slots);
            let known = request.reports.front().map(|report| report.0);
            [heard, known].into_iter().flatten().min().unwrap_or(from).max(from)
        };
        let active = self.bases.iter().flat_map(|base| &base.active[UP]);
        let decision = active.map(of_leg).min().map(|slot| pattern.next_downlink(slot));
        let block = self.grants.front().map(|grant| grant.slot);
        [decision, block].into_iter().flatten().min()
    }

    /// Decides the grants of the uplink slots that a grant of `slot` reaches last.
    pub(super) fn decide_uplink(&mut self, slot: u64) {
        let pattern = &self.config.carrier.pattern;
        let k2 = u64::from(self.config.uplink.min_k2);
        let next = pattern.next_downlink(slot + 1);
        for target in slot + k2..next + k2 {
            if !self.config.carrier.pattern.kind(target).has_uplink() {
                continue;
            }
            for base in 0..self.bases.len() {
                if !self.bases[base].active[UP].is_empty() {
                    self.grant(base, (slot, target));
                }
            }
        }
        for base in 0..self.bases.len() {
            self.retire_uplink(base, slot);
        }
    }

    /// Grants the blocks of a base station in uplink slot `target`, in `slot`.
    fn grant(&mut self, base: usize, (slot, target): (u64, u64)) {
        let now = self.start(slot);
        let carrier = &self.config.carrier;
        let mut groups = Groups::new(carrier.prbs, carrier.group);
        let (processes, length) = (carrier.processes as usize, carrier.slot.as_secs());
        let mut most = self.config.per_slot;
        let (gnb_slots, first) = (u64::from(self.config.harq.gnb_slots), self.config.uplink.first_grant);
        self.repeats.clear();
        for at in 0..self.bases[base].active[UP].len() {
            let id = self.bases[base].active[UP][at];
            self.feedback(id, slot);
            self.requests[id as usize / 2].hear(slot, gnb_slots, first);
            let failed = self.legs[id as usize].processes.iter().enumerate();
            let failed = failed.filter(|(_, process)| process.stage == Stage::Failed);
            self.repeats.extend(failed.map(|(at, process)| (process.made_at, id, at)));
        }
        self.repeats.sort_unstable();
        for at in 0..self.repeats.len() {
            let (_, id, process) = self.repeats[at];
            // A block keeps its size, and all uplink slots have as many resource elements.
            let prbs = self.legs[id as usize].processes[process].elements / carrier_elements(&self.config);
            if most > 0
                && let Some(first) = groups.take(prbs)
            {
                most -= 1;
                self.legs[id as usize].processes[process].stage = Stage::Granted;
                self.grants.push_back(Grant { slot: target, leg: id, process, first, prbs });
            }
        }
        let mut share = std::mem::take(&mut self.share);
        share.clear();
        for at in 0..self.bases[base].active[UP].len() {
            let id = self.bases[base].active[UP][at];
            let request = &mut self.requests[id as usize / 2];
            // Prescheduling: a guess of the backlog, which the block's report corrects.
            if request.believed == 0 && slot < request.unasked_until {
                request.believed = first;
            }
            let believed = request.believed;
            if believed == 0 || self.legs[id as usize].free_process(processes).is_none() {
                continue;
            }
            self.refresh(id, slot);
            let rate = match self.legs[id as usize].report.cqi {
                0 => 0.0,
                _ => self.uplink_bits(id, self.config.carrier.prbs).unwrap_or(0.0) / length,
            };
            let view = self.look(id, slot, rate.max(1.0), believed);
            let claim = self.claim(id, now);
            share.add(id, view, claim);
        }
        if most > 0 && groups.free > 0 && !share.legs.is_empty() {
            let mut first = groups.first();
            let idle = super::share::Rule::RoundRobin { next: 0 };
            let mut rule = std::mem::replace(&mut self.bases[base].rules[UP], idle);
            share.divide(&mut rule, (slot, now), &mut groups, most, |id, prbs, _| self.uplink_bits(id, prbs));
            self.bases[base].rules[UP] = rule;
            for at in 0..share.legs.len() {
                if share.prbs[at] > 0 {
                    self.grant_new(share.legs[at], (slot, target), (first, share.prbs[at]));
                    first += share.prbs[at];
                }
            }
        }
        self.share = share;
    }

    /// Ratio at which a leg's block on `prbs` resource blocks is sent: one power for all of them.
    fn uplink_snr(&self, id: u32, prbs: u32) -> f64 {
        let leg = &self.legs[id as usize];
        let snr = leg.report.snr;
        (snr + self.concentration[prbs as usize - 1]).min(snr.max(UPLINK_CAP)) + leg.offset
    }

    /// Bits of a block on at most `prbs` resource blocks; `None` if the power does not reach that far.
    fn uplink_bits(&self, id: u32, prbs: u32) -> Option<f64> {
        let grid = &self.grids.uplink;
        let prbs = self.config.carrier.granted(prbs);
        let snr = self.uplink_snr(id, prbs);
        let mcs = self.uplink_mcs(snr, prbs);
        // One group is granted at any ratio: the station at the cell's edge keeps its ACKs, at the lowest MCS.
        let reaches = prbs <= self.config.carrier.group || grid.mcs(mcs).threshold <= snr;
        reaches.then(|| f64::from(grid.entry(0, mcs, prbs).bits))
    }

    /// MCS of a block at a ratio of `snr` decibels. Without the outer loop the transport block decides, as for a CQI.
    fn uplink_mcs(&self, snr: f64, prbs: u32) -> u8 {
        let grid = &self.grids.uplink;
        match self.config.adaptation.target {
            Some(_) => grid.choose(snr),
            None => grid.choose_block(&self.grids.curves, snr, prbs),
        }
    }

    fn grant_new(&mut self, id: u32, (slot, target): (u64, u64), (first, prbs): (u32, u32)) {
        let prbs = self.config.carrier.granted(prbs);
        let mcs = self.uplink_mcs(self.uplink_snr(id, prbs), prbs);
        let entry = self.grids.uplink.entry(0, mcs, prbs);
        let leg = &mut self.legs[id as usize];
        // The process is taken at the grant, but filled when the block goes out: packets that come between use it too.
        let Some(at) = leg.free_process(self.config.carrier.processes as usize) else { return };
        let elements = prbs * carrier_elements(&self.config);
        leg.processes[at] = Process { stage: Stage::Granted, entry, mcs, elements, ..Process::default() };
        leg.busy += 1;
        self.grants.push_back(Grant { slot: target, leg: id, process: at, first, prbs });
        let bytes = u64::from(entry.bits / 8);
        let request = &mut self.requests[id as usize / 2];
        // Otherwise each slot until the next report would grant the same bytes again.
        request.believed = request.believed.saturating_sub(bytes);
        request.issued.push_back((target, 0, bytes));
        self.credit(id, entry.bits);
        if let Some(sleep) = &mut self.sleeps[self.bearers.station(id) as usize] {
            sleep.stay(slot);
        }
    }

    /// Sends the blocks that were granted for `slot`.
    pub(super) fn send_grants(&mut self, slot: u64, out: &mut impl Out) {
        let (now, end) = (self.start(slot), self.start(slot + 1));
        let known = slot + u64::from(self.config.harq.gnb_slots);
        while let Some(&Grant { slot: of, leg: id, process, first, prbs }) = self.grants.front()
            && of == slot
        {
            self.grants.pop_front();
            let block = self.legs[id as usize].processes[process];
            // A repetition has its contents already.
            if block.attempts > 0 {
                let on = self.groups_from(first, prbs);
                self.transmit((id, process), (slot, end, known), (first, prbs, on), out);
                continue;
            }
            // The process was kept for the grant.
            let leg = &mut self.legs[id as usize];
            leg.processes[process].stage = Stage::Free;
            leg.busy -= 1;
            let filled = self.fill(id, (slot, end), Process { stage: Stage::Free, ..block }, out);
            let request = &mut self.requests[id as usize / 2];
            let grant = request.issued.iter_mut().find(|grant| grant.0 == slot && grant.1 == 0);
            match filled {
                None => {
                    // A station without data leaves the grant unused, and the base station notices.
                    request.believed = 0;
                    request.issued.retain(|grant| grant.0 != slot);
                }
                Some(at) => {
                    if let Some(grant) = grant {
                        grant.1 = self.blocks;
                    }
                    let leg = &mut self.legs[id as usize];
                    if let Some(since) = request.since.take() {
                        leg.air.grants += 1;
                        leg.air.grant_wait += now.since(since).as_nanos();
                    }
                    let on = self.groups_from(first, prbs);
                    self.transmit((id, at), (slot, end, known), (first, prbs, on), out);
                }
            }
        }
    }

    /// Removes the legs of the uplink that have nothing under way; asks anew for those that the base station has
    /// forgotten.
    fn retire_uplink(&mut self, base: usize, slot: u64) {
        let now = self.start(slot);
        let mut list = std::mem::take(&mut self.bases[base].active[UP]);
        for &id in &list {
            let is_stuck = self.legs[id as usize].busy == 0 && self.wanted(id, now) > 0;
            if is_stuck {
                self.consider_request(now, id / 2);
            }
        }
        list.retain(|&id| {
            let request = &self.requests[id as usize / 2];
            let stays = self.legs[id as usize].busy > 0
                || self.wanted(id, now) > 0
                || request.is_pending()
                || !request.reports.is_empty()
                || slot < request.unasked_until;
            self.legs[id as usize].is_active = stays;
            stays
        });
        self.bases[base].active[UP] = list;
    }
}

/// Resource elements of an uplink resource block.
const fn carrier_elements(config: &RanConfig) -> u32 {
    config.carrier.elements.uplink
}
