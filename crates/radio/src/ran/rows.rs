//! Rows of the tables of a cell.

use super::bearer::RanBearerStats;
use super::cell::Ran;
use super::delay::Delays;
use super::mobility::{Event, Mover, Moves, RanHandover, RanMobilityStats};
use super::phy::SlotKind;
use super::report::Air;
use windward_tables::Frames;
use windward_units::Time;

impl Ran {
    /// Adds the rows of all tables of the cell, whose links are `members`.
    pub(super) fn add_rows(&self, now: Time, members: &[u32], tables: &mut Frames) {
        let carrier = &self.config.carrier;
        let slots = now.since(self.since).ratio(carrier.slot);
        let share = |is_used: fn(SlotKind) -> bool| {
            let used = carrier.pattern.slots().iter().filter(|&&kind| is_used(kind)).count();
            used as f64 / carrier.pattern.period() as f64 * slots * f64::from(carrier.prbs)
        };
        let all = [share(SlotKind::has_downlink), share(SlotKind::has_uplink)];
        let links = || (0..).zip(members).zip((0..2).cycle());
        let legs = |link: u32| self.bearers.legs(link).map(|id| &self.legs[id]);
        let air = |link: u32| {
            let mut all = legs(link);
            let first = all.next().map_or_else(Air::default, |leg| leg.air.clone());
            all.fold(first, |mut sum, leg| {
                sum.merge(&leg.air);
                sum
            })
        };
        let airs: Vec<Air> = links().map(|((link, _), _)| air(link)).collect();
        let rows = links().zip(&airs).map(|(((link, &port), way), air)| {
            // The outer loop is that of the default bearer.
            air.row(port, all[way], self.legs[link as usize].offset)
        });
        tables.add(&rows.collect::<Vec<_>>());
        let by_mcs = members.iter().zip(&airs).flat_map(|(&port, air)| air.mcs_rows(port));
        tables.add(&by_mcs.collect::<Vec<_>>());
        let delays = |((link, &port), _): ((u32, &u32), usize)| {
            let mut sum = Delays::default();
            legs(link).for_each(|leg| sum.merge(&leg.delays));
            sum.row(port)
        };
        tables.add(&links().map(delays).collect::<Vec<_>>());
        tables.add(&self.bearer_rows(members));
        let Some(mobility) = &self.mobility else { return };
        let number = |home: u32| mobility.geometry.sites[home as usize].number;
        let downlink = |station: usize| members[2 * station];
        let of_station = |(station, mover): (usize, &Option<Mover>)| {
            let Moves { handovers, failures, interrupted, forwarded } = mover.as_ref()?.counts;
            let (link, interrupted_s) = (downlink(station), interrupted.as_secs());
            Some(RanMobilityStats { link, handovers, failures, interrupted_s, forwarded })
        };
        tables.add(&mobility.movers.iter().enumerate().filter_map(of_station).collect::<Vec<_>>());
        let of_event = |event: &Event| RanHandover {
            link: downlink(event.station as usize),
            time_s: event.time.as_secs(),
            from: number(event.from),
            to: number(event.to),
            interrupted_s: event.interrupted.as_secs(),
            forwarded: event.forwarded,
            failure: u32::from(event.is_failure),
        };
        tables.add(&mobility.log.iter().map(of_event).collect::<Vec<_>>());
    }

    /// Rows of the bearers of stations that have more than one.
    pub(super) fn bearer_rows(&self, members: &[u32]) -> Vec<RanBearerStats> {
        if !self.bearers.has_others {
            return Vec::new();
        }
        let of_link = |(link, &port): (u32, &u32)| {
            let legs: Vec<usize> = self.bearers.legs(link).collect();
            let row = move |&id: &usize| {
                let leg = &self.legs[id];
                let (packets, mean_delay_s, [delay_p50_s, delay_p95_s, delay_p99_s], late) = leg.delays.summary();
                RanBearerStats {
                    link: port,
                    qi: self.config.qos(id / 2).qi,
                    packets,
                    mean_delay_s,
                    delay_p50_s,
                    delay_p95_s,
                    delay_p99_s,
                    budget_s: leg.terms.budget.as_secs(),
                    late,
                    dropped: leg.counts.dropped,
                    lost: leg.counts.lost,
                }
            };
            if legs.len() > 1 { legs.iter().map(row).collect() } else { Vec::new() }
        };
        (0..).zip(members).flat_map(of_link).collect()
    }
}
