//! An LTE or NR cell at run time: slots on demand.
//!
//! The medium wakes only for slots in which something may happen: a data slot of the downlink while a station has
//! downlink data, the decisions and blocks of the uplink while it has uplink data, scheduling requests, and RLC timers.
//! The outcome of a transmission is drawn when it is sent, so the time of a packet's delivery is known as soon as the
//! gap before it closes.

use super::bearer::{Bearers, Guarantee};
use super::channel::{Channel, Selectivity, linear};
use super::config::{Grids, RanConfig};
use super::delay::Cause as DelayCause;
use super::drx::Sleep;
use super::harq::{PROCESSES, Process, Stage, Status};
use super::leg::{Bands, Fate, Leg, Terms};
use super::mobility::Mobility;
use super::phy::{LAYER_LOSS, LAYERS, Technology};
use super::qos::Qos;
use super::request::{Grant, Request};
use super::rlc::RlcMode;
use super::share::{Rule, Share};
use crate::Hooks;
use crate::air::RanBlock;
use crate::cell::{Candidate, MeanChange, SchedulerConfig};
use crate::interface::Out;
use std::collections::VecDeque;
use std::sync::Arc;
use windward_elements::engine::{Purpose, Stream};

use windward_elements::queue::{AnyQueue, Queue};
use windward_elements::status::{Cause, Line};

use windward_units::{Duration, Time};

/// Number of the only timer: the next slot with something to do.
const SLOT: u32 = 0;
/// Most decibels per resource block that an uplink reaches by using few of them, unless the whole carrier has more: a
/// guess.
pub(super) const UPLINK_CAP: f64 = 25.0;
/// Direction of a leg: downlink 0, uplink 1.
pub(super) const DOWN: usize = 0;
pub(super) const UP: usize = 1;

/// Stations of one LTE or NR cell.
#[derive(Debug)]
pub struct Ran {
    pub(super) config: RanConfig,
    pub(super) grids: Arc<Grids>,
    pub(super) bearers: Bearers,
    /// Leg 2b is the downlink of bearer b, leg 2b + 1 its uplink.
    pub(super) legs: Vec<Leg>,
    /// Waits in the queues of each link.
    pub(super) lines: Vec<Line>,
    pub(super) sleeps: Vec<Option<Sleep>>,
    pub(super) requests: Vec<Request>,
    pub(super) bases: Vec<Base>,
    /// Base station of each station.
    pub(super) homes: Vec<u32>,
    pub(super) mobility: Option<Box<Mobility>>,
    /// True if the channel of a station depends on the frequency.
    pub(super) is_selective: bool,
    pub(super) share: Share,
    /// Grants of uplink blocks, in order of their slots.
    pub(super) grants: VecDeque<Grant>,
    /// Legs with a running timer.
    timed: Vec<u32>,
    /// Retransmissions of a slot: number of the block, leg, process.
    pub(super) repeats: Vec<(u64, u32, usize)>,
    /// Number of blocks so far.
    pub(super) blocks: u64,
    /// 10·lg(N/n) by n, less one.
    pub(super) concentration: Vec<f64>,
    /// Earliest wake that is scheduled.
    pub(super) scheduled: Time,
    /// Slots that are done.
    pub(super) done: u64,
    changes: VecDeque<MeanChange>,
    pub(super) since: Time,
}

/// A base station: what it schedules.
#[derive(Debug)]
pub(super) struct Base {
    /// Legs of each direction that have something to send or to repeat, in order.
    pub active: [Vec<u32>; 2],
    pub rules: [Rule; 2],
    /// Resource blocks sent in the downlink since the last measurement.
    pub sent: u64,
}

impl Ran {
    /// Creates the cell of `config` in the run of `seed`; a user-defined scheduler comes from `hooks`.
    pub fn new(config: &RanConfig, hooks: &Hooks, seed: u64) -> Self {
        let is_fdd = config.carrier.pattern.is_fdd();
        let bearers = Bearers::new(config);
        let centres = config.centres();
        let leg = |id: u32| {
            let (local, way) = (bearers.link(id), id as usize % 2);
            let station = &config.stations[local as usize / 2];
            let other = config.other(id as usize / 2);
            let (keys, queues, buffers) = other.map_or((station.keys, station.queue, station.buffer), |bearer| {
                (bearer.keys, bearer.queue, bearer.buffer)
            });
            let (rlc, pdcp) = other.map_or((config.rlc, config.pdcp), |bearer| (bearer.rlc, bearer.pdcp));
            let urgency = other.map_or(station.urgency, |bearer| bearer.qos.urgency());
            // That of PDCP in NR; of RLC in LTE, where acknowledged mode never gives up.
            let give_up = match (config.carrier.technology, rlc.mode) {
                (Technology::Nr, _) => pdcp.reordering,
                (Technology::Lte, RlcMode::Unacknowledged) => Some(rlc.reassembly),
                (Technology::Lte, RlcMode::Acknowledged) => None,
            };
            let budget = config.qos(id as usize / 2).radio_budget();
            let guarantee = other.and_then(|bearer| bearer.guaranteed).map(Guarantee::new);
            // Both directions of TDD share a channel.
            let fading = Stream::new(seed, station.keys[if is_fdd { way } else { DOWN }], Purpose::Fading);
            let mean = 10.0 * libm::log10(station.mean_snr[way]);
            let spread = station.delay_spread;
            let selectivity = (spread > 0.0).then_some(Selectivity { spread, centres: &centres });
            let channel = Channel::new(&station.fading, mean, fading, selectivity)
                .unwrap_or_else(|| unreachable!("the check refuses models without a value at an instant"));
            let queue = AnyQueue::new(queues[way], buffers[way], config.mean_rate(local), keys[way], seed);
            let errors = Stream::new(seed, keys[way], Purpose::Error);
            let view = Candidate { urgency, average_rate: 1.0, average_offer: 1.0, ..Candidate::default() };
            let report = config.grid(local).of_cqi(config.adaptation.first_cqi);
            let terms = Terms { rlc, pdcp, give_up, budget };
            let mut leg = Leg::new(queue, channel, errors, way == UP, report, view, (terms, guarantee));
            leg.bands = (spread > 0.0 && way == DOWN).then(|| Box::new(Bands::all(report.snr)));
            leg
        };
        let (stations, count) = (config.stations.len(), bearers.count());
        let up = match config.scheduler {
            SchedulerConfig::Own(_) => SchedulerConfig::ProportionalFair,
            other => other,
        };
        let prbs = f64::from(config.carrier.prbs);
        let mobility = Mobility::new(config, seed).map(Box::new);
        let is_selective = config.stations.iter().any(|station| station.delay_spread > 0.0);
        let base = |_| Base {
            active: [Vec::with_capacity(count), Vec::with_capacity(count)],
            rules: [config.scheduler, up].map(|rule| Rule::new(rule, |index| hooks.scheduler(index))),
            sent: 0,
        };
        let sites = config.geometry.as_ref().map_or(1, |geometry| geometry.sites.len());
        let mut ran = Self {
            grids: Arc::clone(&config.grids),
            legs: (0..2 * count as u32).map(leg).collect(),
            lines: vec![Line::default(); 2 * stations],
            sleeps: (0..stations as u64).map(|at| config.drx.map(|drx| Sleep::new(drx, at * drx.on))).collect(),
            requests: (0..count as u64).map(|at| Request::new(at, config)).collect(),
            bases: (0..sites).map(base).collect(),
            homes: vec![0; stations],
            mobility,
            is_selective,
            share: Share::with_capacity(count, is_selective),
            grants: VecDeque::with_capacity(64.max(8 * count)),
            timed: Vec::with_capacity(2 * count),
            repeats: Vec::with_capacity(PROCESSES * count),
            blocks: 0,
            concentration: (1..=config.carrier.prbs).map(|n| 10.0 * libm::log10(prbs / f64::from(n))).collect(),
            scheduled: Time::NEVER,
            done: 0,
            changes: config.changes.iter().copied().collect(),
            since: Time::ZERO,
            config: RanConfig { average: config.average.max(1.0), ..config.clone() },
            bearers,
        };
        ran.place_stations();
        ran
    }

    /// Start of a slot.
    #[inline]
    pub(super) fn start(&self, slot: u64) -> Time {
        Time::from_nanos(slot * self.config.carrier.slot.as_nanos())
    }

    /// First slot that starts at or after `now`, and is not done.
    pub(super) fn slot_from(&self, now: Time) -> u64 {
        now.as_nanos().div_ceil(self.config.carrier.slot.as_nanos()).max(self.done)
    }

    /// Bytes that a leg has to send: data, and a status report on the data of the other direction.
    pub(super) fn wanted(&self, id: u32, now: Time) -> u64 {
        self.legs[id as usize].backlog() + self.status_bytes(id, now).unwrap_or(0)
    }

    /// Bytes of the status report that leg `id` has to carry.
    fn status_bytes(&self, id: u32, now: Time) -> Option<u64> {
        let other = &self.legs[id as usize ^ 1];
        (other.owes_status && other.status_from <= now).then(|| Status::bytes(other.status_gaps()))
    }

    /// Adds a leg to the active ones.
    pub(super) fn activate(&mut self, id: u32) {
        let leg = &mut self.legs[id as usize];
        if !leg.is_active {
            leg.is_active = true;
            let home = self.homes[self.bearers.station(id) as usize];
            let list = &mut self.bases[home as usize].active[id as usize % 2];
            let place = list.partition_point(|other| *other < id);
            list.insert(place, id);
        }
    }

    /// A leg has something new to send at `now`.
    pub(super) fn want(&mut self, now: Time, id: u32) {
        if self.is_out(self.bearers.station(id)) {
            return;
        }
        self.activate(id);
        if id % 2 == 1 {
            self.consider_request(now, id / 2);
        }
    }

    /// Schedules the next wake if it is earlier than the scheduled one.
    pub(super) fn arm(&mut self, now: Time, out: &mut impl Out) {
        let Some(slot) = self.next_slot(self.slot_from(now)) else { return };
        let time = self.start(slot);
        if time < self.scheduled {
            self.scheduled = time;
            out.wake_at(time, SLOT);
        }
    }

    /// Next slot with something to do.
    fn next_slot(&self, from: u64) -> Option<u64> {
        let down = self.next_down(from);
        let up = self.next_up(from);
        let timer = self.timed.iter().filter_map(|&id| self.legs[id as usize].first_expiry()).min();
        let timer = timer.map(|time| self.slot_from(time).max(from));
        let moves = self.mobility.as_ref().map(|mobility| mobility.due.max(from));
        [down, up, timer, moves].into_iter().flatten().min()
    }

    /// Processes the feedback that is known by `slot`: outer loop, free processes, retransmissions.
    pub(super) fn feedback(&mut self, id: u32, slot: u64) {
        let Self { legs, grids, config, .. } = self;
        let leg = &mut legs[id as usize];
        if leg.busy == 0 {
            return;
        }
        let grid = if id.is_multiple_of(2) { &grids.downlink } else { &grids.uplink };
        let adaptation = &config.adaptation;
        for process in &mut leg.processes {
            let Stage::Sent { known, is_good } = process.stage else { continue };
            if known > slot {
                continue;
            }
            // The target is an error rate of first transmissions. A combined block says little about the MCS.
            if process.attempts == 1
                && let Some(target) = adaptation.target
            {
                // The offset rests where target·down = (1 − target)·up.
                let (down, up) = (adaptation.step, adaptation.step * target / (1.0 - target));
                let limit = adaptation.limit;
                // At the ends of the table the loop has no effect: it would run away.
                match is_good {
                    true if !grid.is_top(process.mcs) => leg.offset = (leg.offset + up).min(limit),
                    false if !grid.is_bottom(process.mcs) => leg.offset = (leg.offset - down).max(-limit),
                    _ => {}
                }
            }
            let is_over = is_good || process.attempts > config.harq.retransmissions;
            process.stage = if is_over { Stage::Free } else { Stage::Failed };
            leg.busy -= usize::from(is_over);
        }
    }

    /// Brings the report of a leg up to date.
    pub(super) fn refresh(&mut self, id: u32, slot: u64) {
        let length = self.config.carrier.slot.as_nanos();
        let adaptation = &self.config.adaptation;
        let station = u64::from(self.bearers.station(id));
        let period = adaptation.cqi_period.as_nanos().max(length);
        // Stations report in different slots.
        let offset = station * length % period;
        let known = (slot * length).checked_sub(adaptation.cqi_delay.as_nanos() + offset);
        let Some(number) = known.map(|time| time / period) else { return };
        let leg = &mut self.legs[id as usize];
        if leg.reported == Some(number) {
            return;
        }
        let made = Time::from_nanos(number * period + offset);
        // A report of the former site says nothing about this one.
        if made < leg.attached {
            return;
        }
        let made_in = made.as_nanos() / length;
        // A sleeping station sends no periodic report: the last one stays in use.
        if self.sleeps[station as usize].is_some_and(|sleep| sleep.next_awake(made_in) != made_in) {
            return;
        }
        leg.reported = Some(number);
        let snr = leg.channel.at(made);
        if let Some(bands) = &mut leg.bands {
            let grid = &self.grids.downlink;
            let rank = grid.report(snr).rank;
            let below = leg.channel.mean - LAYER_LOSS[usize::from(rank)];
            for (group, gain) in leg.channel.gains(made).into_iter().flatten().enumerate() {
                bands.set(group, grid.quantised(rank, below + super::channel::decibels(*gain)));
            }
        }
        leg.report = match id % 2 {
            0 => self.grids.downlink.report(snr),
            // The base station measures.
            _ => super::phy::Report { snr, ..self.grids.uplink.report(snr) },
        };
    }

    /// State of a leg for its scheduler; averages are current.
    pub(super) fn look(&mut self, id: u32, slot: u64, rate: f64, backlog: u64) -> Candidate {
        let keep = 1.0 - 1.0 / self.config.average;
        let now = self.start(slot);
        let leg = &mut self.legs[id as usize];
        let steps = slot - leg.averaged;
        leg.averaged = slot;
        let keep = match steps {
            0 => 1.0,
            1 => keep,
            steps => libm::pow(keep, steps as f64),
        };
        leg.view.average_rate *= keep;
        leg.view.average_offer = rate + (leg.view.average_offer - rate) * keep;
        leg.view.rate = rate;
        leg.view.snr = linear(leg.report.snr);
        leg.view.backlog_bits = 8.0 * backlog as f64;
        leg.view.backlog_packets = if backlog == 0 { 0 } else { (leg.waiting() as u64).max(1) };
        leg.view.head_wait = leg.queue.oldest().map_or(Duration::ZERO, |since| now.since(since));
        leg.view
    }

    /// Weight and rank of a leg at `now`.
    pub(super) fn claim(&mut self, id: u32, now: Time) -> (f64, u32) {
        let station = &self.config.stations[self.bearers.station(id) as usize];
        let Some(bearer) = self.config.other(id as usize / 2) else {
            return (station.weight, Qos::DEFAULT.rank(station.priority, false));
        };
        let holds = self.legs[id as usize].guarantee.as_mut().is_some_and(|guarantee| guarantee.holds(now));
        let weight = if bearer.qos.is_guaranteed { 1.0 } else { bearer.qos.weight() };
        (station.weight * weight, bearer.qos.rank(station.priority, holds))
    }

    /// Counts the bits that a leg gets in a slot.
    pub(super) fn credit(&mut self, id: u32, bits: u32) {
        let rate = f64::from(bits) / self.config.carrier.slot.as_secs();
        self.legs[id as usize].view.average_rate += rate / self.config.average;
    }

    /// Sends a block: draws its outcome, and delivers what has become complete. `known` is the slot from which the
    /// feedback is known.
    pub(super) fn transmit(
        &mut self,
        (id, at): (u32, usize),
        (slot, end, known): (u64, Time, u64),
        (first, prbs, groups): (u32, u32, u32),
        out: &mut impl Out,
    ) {
        let now = self.start(slot);
        let leg = &mut self.legs[id as usize];
        let is_up = id % 2 == 1;
        let home = self.homes[self.bearers.station(id) as usize];
        let ratio = if groups == 0 { leg.channel.at(now) } else { leg.channel.on(now, groups) };
        let mut snr = ratio - LAYER_LOSS[usize::from(leg.processes[at].rank)];
        // One power for all resource blocks: each of a few has more. The cap does not lower a ratio that the whole
        // carrier has.
        if is_up {
            snr = (snr + self.concentration[prbs as usize - 1]).min(snr.max(UPLINK_CAP));
        }
        let process = &mut leg.processes[at];
        process.attempts += 1;
        // Chase combining adds the ratios of all transmissions.
        let combined = match process.attempts {
            1 => snr,
            _ => 10.0 * libm::log10(process.energy + linear(snr)),
        };
        let p = self.grids.curves.probability(process.entry.errors, combined);
        let is_good = p <= 0.0 || !leg.errors.chance(p);
        let harq = &self.config.harq;
        // A NACK that is read as an ACK frees the process with its block undelivered: RLC alone can repair it. No draw
        // without such errors, so that the option leaves other runs as they are.
        let is_misread = !is_good && harq.feedback_error > 0.0 && leg.errors.chance(harq.feedback_error);
        process.stage = Stage::Sent { known, is_good: is_good || is_misread };
        // Resource blocks as a share of time.
        let length = self.config.carrier.slot.as_nanos();
        leg.counts.busy += length * u64::from(prbs) / u64::from(self.config.carrier.prbs);
        let air = &mut leg.air;
        air.transmissions += 1;
        air.prbs += u64::from(prbs);
        air.snr += snr;
        if process.attempts == 1 {
            air.cqi += u64::from(leg.report.cqi);
            let counts = &mut air.by_mcs[usize::from(process.mcs)];
            counts[0] += 1;
            counts[1] += u64::from(!is_good);
        }
        if !is_up {
            self.bases[home as usize].sent += u64::from(prbs);
        }
        let site = self.mobility.as_ref().map_or(u32::MAX, |mobility| mobility.geometry.sites[home as usize].number);
        let (local, layers, size) =
            (self.bearers.link(id), LAYERS[usize::from(process.rank)], self.config.carrier.group);
        let (mcs, bits, attempt) = (u32::from(process.mcs), process.entry.bits, process.attempts);
        for (first_prb, of_run) in runs(groups, (first, prbs), size) {
            // A block on groups that are apart has a part of its bits on each run.
            let bits = (u64::from(bits) * u64::from(of_run) / u64::from(prbs)) as u32;
            out.on_block(|| RanBlock {
                began: now,
                ended: end,
                local,
                site,
                first_prb,
                prbs: of_run,
                mcs,
                layers,
                bits,
                attempt,
                is_received: is_good,
            });
        }
        if is_good {
            self.arrive((id, at), end, known, out);
            return;
        }
        process.energy += linear(snr);
        let is_lost = is_misread || process.attempts > harq.retransmissions;
        air.harq_lost += u64::from(is_lost);
        if is_lost {
            leg.lose(at, |packet| out.lose(packet, Cause::Sent));
        }
    }

    /// A block has been decoded at `end`.
    fn arrive(&mut self, (id, at): (u32, usize), end: Time, known: u64, out: &mut impl Out) {
        let process: Process = self.legs[id as usize].processes[at];
        let leg = &mut self.legs[id as usize];
        leg.receive(end, &process);
        let cause = if process.has_repeats { DelayCause::Rlc } else { DelayCause::Harq };
        self.release((end, cause), id, out);
        self.watch(id);
        // The report describes the backlog as the block was made, and is of use once the base station has decoded it.
        if id % 2 == 1 {
            self.requests[id as usize / 2].report(known, process.made_at, process.backlog);
            let pattern = &self.config.carrier.pattern;
            let decided = pattern.next_downlink(known);
            let reaches = self.start(pattern.next_uplink(decided + u64::from(self.config.uplink.min_k2)));
            let leg = &mut self.legs[id as usize];
            let oldest = leg.queue.oldest();
            leg.waits.hear(process.made, reaches, oldest);
        }
        // A status report of this direction acknowledges data of the other one.
        if let Some(status) = process.status {
            let other = id ^ 1;
            self.legs[other as usize].acknowledge(&status);
            self.release((end, DelayCause::Rlc), other, out);
            if self.legs[other as usize].backlog() > 0 {
                self.want(end, other);
            }
        }
    }

    /// Delivers the packets that are complete and in order at `end`; `cause` ended their wait for others.
    pub(super) fn release(&mut self, (end, cause): (Time, DelayCause), id: u32, out: &mut impl Out) {
        let way = id as usize % 2;
        let decoding = self.config.decoding[way];
        let decoded = end + decoding;
        let link = self.bearers.link(id);
        let arrival = decoded + self.config.stations[link as usize / 2].delay;
        let leg = &mut self.legs[id as usize];
        while let Some((sdu, fate)) = leg.release() {
            match fate {
                Fate::Arrives => {
                    let delay = decoded.since(sdu.sent).as_nanos();
                    leg.air.delays.record(delay);
                    leg.air.delay += u128::from(delay);
                    leg.count_delay(&sdu, (end, cause), decoding);
                    out.arrive_at(arrival, link, sdu.packet);
                }
                Fate::Lost => out.lose(sdu.packet, Cause::Sent),
                Fate::Gone => {}
            }
        }
    }

    /// Notes a leg whose timers run.
    pub(super) fn watch(&mut self, id: u32) {
        if self.legs[id as usize].first_expiry().is_some() && !self.timed.contains(&id) {
            self.timed.push(id);
        }
    }

    /// Handles the timers of RLC and PDCP that have expired by `now`.
    fn expire(&mut self, now: Time, out: &mut impl Out) {
        // Backwards: `swap_remove` then moves a leg that has been handled.
        for at in (0..self.timed.len()).rev() {
            let id = self.timed[at];
            let leg = &mut self.legs[id as usize];
            let opens = leg.expire(now);
            leg.repeat_poll(now);
            let has_more = leg.backlog() > 0;
            let owes = leg.owes_status && !leg.asks_status && leg.status_from <= now;
            if opens {
                self.release((now, DelayCause::Rlc), id, out);
            }
            if has_more {
                self.want(now, id);
            }
            if owes {
                self.legs[id as usize].asks_status = true;
                self.want(now, id ^ 1);
            }
            if self.legs[id as usize].first_expiry().is_none() {
                self.timed.swap_remove(at);
            }
        }
    }

    /// Applies the changes of means that are due.
    fn change_means(&mut self, now: Time) {
        while let Some(&MeanChange { at, station, mean_snr }) = self.changes.front()
            && at <= now
        {
            self.changes.pop_front();
            let of = &self.config.stations[station as usize].mean_snr;
            let below = 10.0 * libm::log10(of[DOWN] / of[UP]);
            let mean = 10.0 * libm::log10(mean_snr);
            for bearer in self.bearers.of(station) {
                self.legs[2 * bearer as usize].channel.mean = mean;
                // The uplink keeps its distance.
                self.legs[2 * bearer as usize + 1].channel.mean = mean - below;
            }
        }
    }

    /// Runs the slot that starts at `now`.
    pub(super) fn run(&mut self, slot: u64, out: &mut impl Out) {
        let now = self.start(slot);
        // Timers precede blocks: a status report or a poll that falls due now goes out in this slot.
        self.change_means(now);
        if self.mobility.as_ref().is_some_and(|mobility| mobility.due <= slot) {
            self.move_stations(slot, out);
        }
        if !self.timed.is_empty() {
            self.expire(now, out);
        }
        let kind = self.config.carrier.pattern.kind(slot);
        if kind.has_uplink() {
            self.send_grants(slot, out);
        }
        if kind.has_downlink() {
            for base in 0..self.bases.len() {
                if !self.bases[base].active[DOWN].is_empty() {
                    self.serve_downlink(base, (slot, kind), out);
                }
            }
            if self.bases.iter().any(|base| !base.active[UP].is_empty()) {
                self.decide_uplink(slot);
            }
        }
    }
}

/// First resource block and number of resource blocks of each run of neighbouring groups, of `prbs` from `first` on;
/// one run without groups.
fn runs(groups: u32, (first, prbs): (u32, u32), size: u32) -> impl Iterator<Item = (u32, u32)> {
    let (mut left, mut rest) = (groups, prbs);
    let is_flat = groups == 0;
    let next = move || {
        if rest == 0 {
            return None;
        }
        if is_flat {
            return Some((first, std::mem::take(&mut rest)));
        }
        let from = left.trailing_zeros();
        let count = (left >> from).trailing_ones();
        left &= !((u32::MAX >> (u32::BITS - count)) << from);
        // The last group may be smaller.
        let of_run = if left == 0 { rest } else { (count * size).min(rest) };
        rest -= of_run;
        Some((from * size, of_run))
    };
    std::iter::from_fn(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups 1, 2, 4 and 6 of 4 resource blocks, the last one of 2.
    #[test]
    fn runs_by_hand() {
        assert_eq!(runs(0b101_0110, (4, 14), 4).collect::<Vec<_>>(), [(4, 8), (16, 4), (24, 2)]);
        assert_eq!(runs(0, (3, 5), 4).collect::<Vec<_>>(), [(3, 5)]);
        assert_eq!(runs(u32::MAX >> 7, (0, 100), 4).collect::<Vec<_>>(), [(0, 100)]);
    }
}
