//! Handover of stations between sites, step by step.
//!
//! Event A3 triggers the preparation of the target; then the source sends the command with the blocks of a downlink
//! slot, and the station leaves at the end of that slot. It has no site for the time of interruption. Meanwhile the
//! source forwards what is not acknowledged and what waits, so the target begins when both have come.

use super::cell::{DOWN, Ran, UP};
use super::channel::linear;
use super::delay::Cause as DelayCause;
use super::mobility::{Event, Mobility, Step};
use super::rlc::RlcMode;
use crate::interface::Out;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

impl Ran {
    /// True if a station has no site.
    #[inline]
    pub(super) fn is_out(&self, station: u32) -> bool {
        self.mobility.as_ref().is_some_and(|mobility| mobility.is_out(station as usize))
    }

    /// Puts all stations at the strongest site, before the first slot.
    pub(super) fn place_stations(&mut self) {
        let Some(mut mobility) = self.mobility.take() else { return };
        for station in 0..self.homes.len() {
            let home = mobility.strongest(station);
            self.homes[station] = home;
            self.set_means(station, &mobility);
            if mobility.movers[station].is_some() {
                let (time, interrupted) = (Time::ZERO, Duration::ZERO);
                let (station, from, to) = (station as u32, home, home);
                let event = Event { station, time, from, to, interrupted, forwarded: 0, is_failure: false };
                mobility.log.push(event);
            }
        }
        self.mobility = Some(mobility);
    }

    /// Sets the mean ratios of a station with a place, and returns that of the downlink in decibels.
    fn set_means(&mut self, station: usize, mobility: &Mobility) -> Option<f64> {
        let means = mobility.means(station, self.homes[station])?;
        for (way, mean) in means.into_iter().enumerate() {
            for id in self.bearers.legs((2 * station + way) as u32) {
                self.legs[id].channel.mean = mean;
            }
            self.config.stations[station].mean_snr[way] = linear(mean);
        }
        Some(means[DOWN])
    }

    /// Number of slots that cover a time.
    fn slots(&self, time: Duration) -> u64 {
        time.as_nanos().div_ceil(self.config.carrier.slot.as_nanos())
    }

    /// Measures if it is due, and takes the steps of handovers that are due in `slot`.
    pub(super) fn move_stations(&mut self, slot: u64, out: &mut impl Out) {
        let Some(mut mobility) = self.mobility.take() else { return };
        let now = self.start(slot);
        if mobility.next_sample <= slot {
            self.measure((slot, now), &mut mobility);
        }
        for station in 0..self.homes.len() {
            let Some(mover) = &mobility.movers[station] else { continue };
            match mover.step {
                Step::Leave { slot: at, to, is_failure } if at <= slot => {
                    self.leave((station, to, is_failure), (slot, now), &mut mobility, out);
                }
                Step::Enter { slot: at, to } if at <= slot => {
                    if let Some(mover) = &mut mobility.movers[station] {
                        mover.step = Step::Stay;
                    }
                    self.homes[station] = to;
                    self.set_means(station, &mobility);
                    self.enter(station, (slot, now));
                }
                _ => {}
            }
        }
        mobility.plan();
        self.mobility = Some(mobility);
    }

    /// Measures all stations, and begins handovers and reacts to failures.
    fn measure(&mut self, (slot, now): (u64, Time), mobility: &mut Mobility) {
        let carrier = &self.config.carrier;
        let slots = carrier.pattern.slots();
        let down = slots.iter().filter(|kind| kind.has_downlink()).count() as f64 / slots.len() as f64;
        let all = (mobility.period * u64::from(carrier.prbs)) as f64 * down;
        // The load of about a second.
        let weight = (mobility.geometry.handover.sample.as_secs()).min(1.0);
        for (base, load) in self.bases.iter_mut().zip(&mut mobility.loads) {
            *load += weight * ((base.sent as f64 / all).min(1.0) - *load);
            base.sent = 0;
        }
        mobility.next_sample = slot + mobility.period;
        mobility.sample(now);
        let handover = mobility.geometry.handover;
        for station in 0..self.homes.len() {
            let Some(snr) = self.set_means(station, mobility) else { continue };
            if mobility.is_out(station) {
                continue;
            }
            let has_failed = mobility.fails(now, station, snr);
            let target = mobility.trigger(now, station, self.homes[station]);
            let strongest = mobility.strongest(station);
            let ready = self.slots((now + handover.preparation).since(Time::ZERO));
            let command = self.config.carrier.pattern.next_downlink(ready);
            let Some(mover) = &mut mobility.movers[station] else { continue };
            match (mover.step, target) {
                // A failure overtakes a handover in preparation: its command does not reach the station any more.
                _ if has_failed => mover.step = Step::Leave { slot, to: strongest, is_failure: true },
                (Step::Stay, Some(to)) => mover.step = Step::Leave { slot: command + 1, to, is_failure: false },
                _ => {}
            }
        }
    }

    /// A station leaves its site at `now`.
    fn leave(
        &mut self,
        (station, to, is_failure): (usize, u32, bool),
        (slot, now): (u64, Time),
        mobility: &mut Mobility,
        out: &mut impl Out,
    ) {
        let handover = mobility.geometry.handover;
        let home = self.homes[station];
        let length = match is_failure {
            true => handover.reestablishment,
            // Both run at once: the target serves when the station has come and the forwarded packets have.
            false => handover.interruption.max(handover.forwarding.unwrap_or(Duration::ZERO)),
        };
        let back = slot + self.slots(length).max(1);
        let until = self.start(back);
        let mut forwarded = 0;
        for (bearer, way) in self.bearers.of(station as u32).flat_map(|bearer| [(bearer, DOWN), (bearer, UP)]) {
            let id = 2 * bearer + way as u32;
            let mode = self.legs[id as usize].terms.rlc.mode;
            self.bases[home as usize].active[way].retain(|other| *other != id);
            // What comes down waits at the source; the station keeps what it has.
            let is_kept = way == UP || is_failure || handover.forwarding.is_some();
            let leg = &mut self.legs[id as usize];
            leg.is_active = false;
            let begun = leg.reestablish(now, is_kept && mode == RlcMode::Acknowledged);
            if way == DOWN && is_kept && !is_failure && to != home {
                // In unacknowledged mode a packet that has been begun does not go out again (TS 38.323 §5.1.2), so it
                // is not forwarded.
                let begun = if mode == RlcMode::Acknowledged { begun } else { 0 };
                forwarded += begun + leg.waiting() as u64;
            }
            leg.waits.lose(now, until);
            self.release((now, DelayCause::Handover), id, out);
            let (leg, line) = (&mut self.legs[id as usize], &mut self.lines[self.bearers.link(id) as usize]);
            // Nothing will be sent again: the copies of delivered packets have no use.
            if !(is_kept && mode == RlcMode::Acknowledged) {
                leg.forget_delivered();
            }
            if !is_kept {
                leg.empty(line, now, |packet| out.lose(packet, Cause::Queue));
            }
            // The source's grants have no station any more.
            self.grants.retain(|grant| grant.leg != id);
        }
        self.bearers.of(station as u32).for_each(|bearer| self.requests[bearer as usize].restart());
        mobility.restart(station);
        let interrupted = until.since(now);
        let (from, time) = (home, until);
        mobility.log.push(Event { station: station as u32, time, from, to, interrupted, forwarded, is_failure });
        let Some(mover) = &mut mobility.movers[station] else { return };
        mover.counts.handovers += u64::from(!is_failure);
        mover.counts.failures += u64::from(is_failure);
        mover.counts.interrupted += interrupted;
        mover.counts.forwarded += forwarded;
        mover.step = Step::Enter { slot: back, to };
    }

    /// A site begins to serve a station at `now`.
    fn enter(&mut self, station: usize, (slot, now): (u64, Time)) {
        let first = self.config.adaptation.first_cqi;
        for bearer in self.bearers.of(station as u32) {
            for id in [2 * bearer, 2 * bearer + 1] {
                let report = self.config.grid(id).of_cqi(first);
                let leg = &mut self.legs[id as usize];
                (leg.report, leg.reported, leg.attached) = (report, None, now);
                if let Some(bands) = &mut leg.bands {
                    **bands = super::leg::Bands::all(report.snr);
                }
            }
        }
        if let Some(sleep) = &mut self.sleeps[station] {
            sleep.stay(slot);
        }
        for bearer in self.bearers.of(station as u32) {
            // The random access carries the first report of the backlog, and its answer the first grant.
            if self.wanted(2 * bearer + 1, now) > 0 {
                self.requests[bearer as usize].believed = self.config.uplink.first_grant;
            }
            for id in [2 * bearer, 2 * bearer + 1] {
                if self.wanted(id, now) > 0 {
                    self.want(now, id);
                }
            }
        }
    }

    /// Notes that a packet for a sleeping station waits for its next on-duration.
    pub(super) fn note_sleep(&mut self, now: Time, id: u32) {
        if self.config.drx.is_none() || !id.is_multiple_of(2) {
            return;
        }
        let slot = self.slot_from(now);
        if let Some(sleep) = &self.sleeps[self.bearers.station(id) as usize] {
            let until = self.start(sleep.next_awake(slot));
            if until > self.start(slot) {
                self.legs[id as usize].waits.sleep(now, until);
            }
        }
    }
}
