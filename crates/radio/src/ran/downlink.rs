//! Downlink of a slot: retransmissions, then the groups of resource blocks by the scheduler's rule.

use super::cell::{DOWN, Ran};
use super::channel::linear;
use super::harq::{Process, Stage};
use super::phy::SlotKind;
use super::share::{Groups, Share};
use crate::cell::SchedulerConfig;
use crate::interface::Out;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

impl Ran {
    /// Next slot of the downlink with something to do.
    pub(super) fn next_down(&self, from: u64) -> Option<u64> {
        let pattern = &self.config.carrier.pattern;
        let awake = |&id: &u32| {
            let station = self.bearers.station(id);
            match &self.sleeps[station as usize] {
                Some(sleep) if !self.is_kept_awake(station) => sleep.next_awake(from),
                _ => from,
            }
        };
        let first = match self.config.drx {
            None if self.bases.iter().all(|base| base.active[DOWN].is_empty()) => return None,
            None => from,
            Some(_) => self.bases.iter().flat_map(|base| &base.active[DOWN]).map(awake).min()?,
        };
        Some(pattern.next_downlink(first))
    }

    /// True if a station listens whatever its cycle: a retransmission or a grant is expected.
    fn is_kept_awake(&self, station: u32) -> bool {
        let is_failed = |process: &Process| {
            matches!(process.stage, Stage::Failed | Stage::Granted | Stage::Sent { is_good: false, .. })
        };
        // Active Time includes retransmission timers and a pending scheduling request (TS 38.321 §5.7).
        self.bearers.of(station).any(|bearer| {
            let legs = &self.legs[2 * bearer as usize..][..2];
            legs.iter().any(|leg| leg.processes.iter().any(is_failed)) || self.requests[bearer as usize].is_pending()
        })
    }

    /// True if a station listens in `slot`.
    fn is_awake(&self, station: u32, slot: u64) -> bool {
        match &self.sleeps[station as usize] {
            None => true,
            Some(sleep) => sleep.next_awake(slot) == slot || self.is_kept_awake(station),
        }
    }

    /// Resource elements of a resource block, and the end of a block.
    fn extent(&self, slot: u64, kind: SlotKind) -> (u32, Time) {
        let carrier = &self.config.carrier;
        match kind {
            SlotKind::Special => {
                // 14 symbols a slot; rounded once, at the end.
                let symbols = u64::from(carrier.elements.special / 12 + 3);
                let length = carrier.slot.as_nanos() * symbols / 14;
                (carrier.elements.special, self.start(slot) + Duration::from_nanos(length))
            }
            _ => (carrier.elements.downlink, self.start(slot + 1)),
        }
    }

    /// Groups that hold `prbs` resource blocks from `first` on, a bit each; zero if all channels are flat.
    pub(super) fn groups_from(&self, first: u32, prbs: u32) -> u32 {
        if self.is_selective { Groups::holding(first, prbs, self.config.carrier.group) } else { 0 }
    }

    /// Slot from which the base station knows the feedback on a block of `slot`.
    fn feedback_slot(&self, slot: u64) -> u64 {
        let harq = &self.config.harq;
        self.config.carrier.pattern.next_uplink(slot + u64::from(harq.min_k1)) + u64::from(harq.gnb_slots)
    }

    /// Serves the downlink of a base station in a slot.
    pub(super) fn serve_downlink(&mut self, base: usize, (slot, kind): (u64, SlotKind), out: &mut impl Out) {
        let now = self.start(slot);
        let (elements, end) = self.extent(slot, kind);
        let known = self.feedback_slot(slot);
        let carrier = &self.config.carrier;
        let mut groups = Groups::new(carrier.prbs, carrier.group);
        let processes = carrier.processes as usize;
        let mut most = self.config.per_slot;
        self.repeats.clear();
        for at in 0..self.bases[base].active[DOWN].len() {
            let id = self.bases[base].active[DOWN][at];
            self.feedback(id, slot);
            let failed = self.legs[id as usize].processes.iter().enumerate();
            let failed = failed.filter(|(_, process)| process.stage == Stage::Failed);
            self.repeats.extend(failed.map(|(at, process)| (process.made_at, id, at)));
        }
        // Repetitions go first, the oldest before others.
        self.repeats.sort_unstable();
        for at in 0..self.repeats.len() {
            let (_, id, process) = self.repeats[at];
            // A block keeps its size: in a shorter slot it takes more resource blocks.
            let prbs = self.legs[id as usize].processes[process].elements.div_ceil(elements);
            if most > 0
                && self.is_awake(self.bearers.station(id), slot)
                && let Some(first) = groups.take(prbs)
            {
                most -= 1;
                let on = self.groups_from(first, prbs);
                self.transmit((id, process), (slot, end, known), (first, prbs, on), out);
            }
        }
        let mut share = std::mem::take(&mut self.share);
        share.clear();
        let is_own = matches!(self.config.scheduler, SchedulerConfig::Own(_));
        let listed = if is_own { self.config.stations.len() } else { self.bases[base].active[DOWN].len() };
        for at in 0..listed {
            let id = if is_own { 2 * at as u32 } else { self.bases[base].active[DOWN][at] };
            self.propose((id, slot), (base, kind), processes, &mut share);
        }
        if groups.free > 0 && most > 0 {
            let Self { legs, grids, bases, .. } = self;
            let grid = grids.of(kind);
            let carried = |id: u32, prbs: u32, on: u32| {
                let leg = &legs[id as usize];
                let mcs = grid.choose(leg.reported_on(on) + leg.offset);
                Some(f64::from(grid.entry(leg.report.rank, mcs, prbs).bits))
            };
            let mut first = groups.first();
            share.divide(&mut bases[base].rules[DOWN], (slot, now), &mut groups, most, carried);
            for at in 0..share.legs.len() {
                if share.prbs[at] > 0 {
                    let (id, prbs) = (share.legs[at], share.prbs[at]);
                    let on = share.groups[at];
                    self.send_new(id, (slot, kind), (first, prbs, on), (elements, end, known), out);
                    first += prbs;
                }
            }
        }
        self.share = share;
        self.retire_downlink(base, now);
    }

    /// Adds a leg to those among which the slot is divided.
    fn propose(
        &mut self,
        (id, slot): (u32, u64),
        (base, kind): (usize, SlotKind),
        processes: usize,
        share: &mut Share,
    ) {
        let now = self.start(slot);
        let mut backlog = self.wanted(id, now);
        let station = self.bearers.station(id);
        let is_able = backlog > 0
            && self.homes[station as usize] as usize == base
            && !self.is_out(station)
            && self.is_awake(station, slot)
            && self.legs[id as usize].free_process(processes).is_some();
        if !is_able {
            // A rule of the user sees all stations.
            if !matches!(self.config.scheduler, SchedulerConfig::Own(_)) {
                return;
            }
            backlog = 0;
        }
        self.refresh(id, slot);
        let leg = &self.legs[id as usize];
        let grid = self.grids.of(kind);
        let rate = match leg.report.cqi {
            // CQI 0: out of range (TS 38.214 table 5.2.2.1-2).
            0 => 0.0,
            _ => {
                let mcs = grid.choose(leg.report.snr + leg.offset);
                f64::from(grid.entry(leg.report.rank, mcs, self.config.carrier.prbs).bits)
                    / self.config.carrier.slot.as_secs()
            }
        };
        let view = self.look(id, slot, rate, backlog);
        let claim = self.claim(id, now);
        share.add(id, view, claim);
        if self.is_selective {
            let (leg, grid) = (&self.legs[id as usize], self.grids.of(kind));
            let length = self.config.carrier.slot.as_secs();
            share.add_bands(claim.0, |group| match leg.bands.as_ref().map(|bands| bands.at(group)) {
                None => (view.rate, view.snr),
                Some(snr) if snr == f64::NEG_INFINITY => (0.0, 0.0),
                Some(snr) => {
                    let mcs = grid.choose(snr + leg.offset);
                    (f64::from(grid.entry(leg.report.rank, mcs, self.config.carrier.prbs).bits) / length, linear(snr))
                }
            });
        }
    }

    /// Sends a new block to a station on `prbs` resource blocks.
    fn send_new(
        &mut self,
        id: u32,
        (slot, kind): (u64, SlotKind),
        (first, prbs, groups): (u32, u32, u32),
        (elements, end, known): (u32, Time, u64),
        out: &mut impl Out,
    ) {
        let leg = &self.legs[id as usize];
        let grid = self.grids.of(kind);
        let mcs = grid.choose(leg.reported_on(groups) + leg.offset);
        let rank = leg.report.rank;
        let entry = grid.entry(rank, mcs, prbs);
        let block = Process { entry, mcs, rank, elements: prbs * elements, ..Process::default() };
        let Some(at) = self.fill(id, (slot, end), block, out) else { return };
        self.credit(id, entry.bits);
        // New transmissions restart the inactivity timer, repetitions do not (TS 38.321 §5.7).
        if let Some(sleep) = &mut self.sleeps[self.bearers.station(id) as usize] {
            sleep.stay(slot);
        }
        // ACKs will follow the data: the grant comes before they ask for it.
        self.requests[id as usize / 2].preschedule(slot, self.config.uplink.prescheduling, self.config.carrier.slot);
        self.transmit((id, at), (slot, end, known), (first, prbs, groups), out);
    }

    /// Fills a block in a free process; `None` if there is nothing to send.
    pub(super) fn fill(
        &mut self,
        id: u32,
        (slot, end): (u64, Time),
        mut block: Process,
        out: &mut impl Out,
    ) -> Option<usize> {
        let now = self.start(slot);
        let at = self.legs[id as usize].free_process(self.config.carrier.processes as usize)?;
        let mut room = u64::from(block.entry.bits / 8);
        let other = &mut self.legs[id as usize ^ 1];
        // RLC's control PDUs precede its data (TS 36.322 §5.1.3.1.1).
        if other.owes_status && other.status_from <= now {
            let status = other.status(now);
            room = room.saturating_sub(super::harq::Status::bytes(status.count));
            block.status = Some(status);
        }
        self.blocks += 1;
        block.made_at = self.blocks;
        block.made = now;
        let (leg, line) = (&mut self.legs[id as usize], &mut self.lines[self.bearers.link(id) as usize]);
        let carried = leg.fill(line, (now, end), room, &mut block, |packet| out.lose(packet, Cause::Queue));
        if carried == 0 && block.status.is_none() {
            return None;
        }
        block.backlog = leg.backlog();
        leg.processes[at] = block;
        leg.busy += 1;
        self.watch(id);
        Some(at)
    }

    /// Removes the legs of the downlink that have nothing to send and nothing to repeat.
    fn retire_downlink(&mut self, base: usize, now: Time) {
        let mut list = std::mem::take(&mut self.bases[base].active[DOWN]);
        list.retain(|&id| {
            let leg = &self.legs[id as usize];
            // A block whose NACK is under way will need a repetition.
            let is_failed =
                |process: &Process| matches!(process.stage, Stage::Failed | Stage::Sent { is_good: false, .. });
            let stays = self.wanted(id, now) > 0 || leg.busy > 0 && leg.processes.iter().any(is_failed);
            self.legs[id as usize].is_active = stays;
            stays
        });
        self.bases[base].active[DOWN] = list;
    }
}
