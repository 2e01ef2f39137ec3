//! Stations that move between sites: measurements, event A3, and radio link failure.

use super::channel::linear;
use super::config::RanConfig;
use super::geometry::{Geometry, Radio};
use crate::wifi::{Position, place_at};
use std::sync::Arc;
use windward_elements::engine::{Purpose, Stream};
use windward_tables::table;
use windward_units::{Duration, Time};

/// Initial room for events.
const ROOM: usize = 256;

table! {
    /// Stations of LTE and NR cells that have a place: handovers and failures. A link is the downlink of a station.
    pub struct RanMobilityStats: "ran_mobility", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Handovers.
        handovers: u64 [""],
        /// Radio link failures.
        failures: u64 [""],
        /// Time without a site.
        interrupted_s: f64 ["s"],
        /// Packets of the downlink that the source forwarded to the target.
        forwarded: u64 ["packets"],
    }
}

table! {
    /// Serving sites of the stations of LTE and NR cells over time. A row for the first site of a station that has a
    /// place, and one for each handover or failure, from the beginning of the run.
    pub struct RanHandover: "ran_handovers", Parts, "link", IfAny;
    columns {
        /// Link: the downlink of the station.
        link: u32 @ "links" fixed [""],
        /// Time at which the target begins to serve the station.
        time_s: f64 fixed ["s"],
        /// Site that served the station before.
        from: u32 @ "sites" fixed [""],
        /// Site that serves the station from now on.
        to: u32 @ "sites" fixed [""],
        /// Time without a site.
        interrupted_s: f64 ["s"],
        /// Packets of the downlink that the source forwarded.
        forwarded: u64 ["packets"],
        /// 1 after a radio link failure, otherwise 0.
        failure: u32 [""],
    }
}

/// Next step of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// None.
    Stay,
    /// The station leaves its site at the start of a slot.
    Leave { slot: u64, to: u32, is_failure: bool },
    /// The target serves the station from a slot on.
    Enter { slot: u64, to: u32 },
}

impl Step {
    fn slot(self) -> Option<u64> {
        match self {
            Self::Stay => None,
            Self::Leave { slot, .. } | Self::Enter { slot, .. } => Some(slot),
        }
    }
}

/// A station with a place.
#[derive(Debug)]
pub(super) struct Mover {
    way: Arc<[(Time, Position)]>,
    radios: Vec<Radio>,
    /// Power received from each site in dBm, and its filtered value.
    pub levels: Vec<f64>,
    filtered: Vec<f64>,
    /// Time since which the condition of A3 holds, by site.
    since: Vec<Option<Time>>,
    /// Time since which the link is out of sync.
    poor_since: Option<Time>,
    pub step: Step,
    pub counts: Moves,
}

/// Counters of a station.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moves {
    pub handovers: u64,
    pub failures: u64,
    pub interrupted: Duration,
    pub forwarded: u64,
}

/// An event of a station.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub station: u32,
    pub time: Time,
    pub from: u32,
    pub to: u32,
    pub interrupted: Duration,
    pub forwarded: u64,
    pub is_failure: bool,
}

/// Places and handovers of a cell's stations.
#[derive(Debug)]
pub(super) struct Mobility {
    pub geometry: Geometry,
    /// Noise at stations and at sites, in dBm.
    noise: [f64; 2],
    /// Slots between measurements, and the next one.
    pub period: u64,
    pub next_sample: u64,
    /// Next slot with a measurement or a step.
    pub due: u64,
    /// `None`: a station without a place.
    pub movers: Vec<Option<Mover>>,
    pub log: Vec<Event>,
    /// Share of resource blocks that each site sends on, over about a second.
    pub loads: Vec<f64>,
}

impl Mobility {
    /// Mobility of a cell in the run of `seed`; `None` without sites.
    pub fn new(config: &RanConfig, seed: u64) -> Option<Self> {
        let geometry = config.geometry.clone()?;
        let mover = |station: &super::StationConfig| {
            let way = Arc::clone(station.way.as_ref()?);
            let place = place_at(&way, Time::ZERO);
            let radio = |at: usize| {
                let key = station.keys[0].rotate_left(17) ^ geometry.sites[at].key;
                Radio::new(&geometry, at, place, Stream::new(seed, key, Purpose::Shadowing))
            };
            let radios: Vec<Radio> = (0..geometry.sites.len()).map(radio).collect();
            let sites = radios.len();
            let mut mover = Mover {
                way,
                radios,
                levels: vec![0.0; sites],
                filtered: vec![0.0; sites],
                since: vec![None; sites],
                poor_since: None,
                step: Step::Stay,
                counts: Moves::default(),
            };
            mover.measure(Time::ZERO, &geometry);
            mover.filtered.clone_from(&mover.levels);
            Some(mover)
        };
        let movers = config.stations.iter().map(mover).collect();
        let period = geometry.handover.sample.as_nanos().div_ceil(config.carrier.slot.as_nanos()).max(1);
        Some(Self {
            noise: Geometry::noise(config.carrier.prbs, config.carrier.slot),
            period,
            next_sample: period,
            due: period,
            movers,
            log: Vec::with_capacity(ROOM),
            loads: vec![0.0; geometry.sites.len()],
            geometry,
        })
    }

    /// Strongest site of a station at the last measurement; the first one for a station without a place.
    pub fn strongest(&self, station: usize) -> u32 {
        let Some(mover) = &self.movers[station] else { return 0 };
        // `max_by` returns the last of equals; the first site is meant.
        let best = (0..).zip(&mover.filtered).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        best.map_or(0, |(site, _)| site)
    }

    /// Mean ratios of a station at its site `home`, down and up, in decibels; `None` for a station without a place.
    pub fn means(&self, station: usize, home: u32) -> Option<[f64; 2]> {
        let mover = self.movers[station].as_ref()?;
        let home = home as usize;
        let level = mover.levels[home];
        let mut noise = linear(self.noise[0]);
        for (site, (&load, &other)) in self.loads.iter().zip(&mover.levels).enumerate() {
            // A neighbour disturbs the share of resource blocks that it uses.
            if site != home && load > 0.0 {
                noise += load * linear(other);
            }
        }
        let loss = self.geometry.sites[home].power - level;
        Some([level - 10.0 * libm::log10(noise), self.geometry.station_power - loss - self.noise[1]])
    }

    /// Measures at `now`, and filters.
    pub fn sample(&mut self, now: Time) {
        let weight = self.geometry.handover.weight();
        for mover in self.movers.iter_mut().flatten() {
            mover.measure(now, &self.geometry);
            for (filtered, level) in mover.filtered.iter_mut().zip(&mover.levels) {
                *filtered += weight * (level - *filtered);
            }
        }
    }

    /// Target of a handover that event A3 triggers at `now` for a station of site `home`.
    pub fn trigger(&mut self, now: Time, station: usize, home: u32) -> Option<u32> {
        let handover = self.geometry.handover;
        let mover = self.movers[station].as_mut()?;
        let threshold = mover.filtered[home as usize] + handover.offset + handover.hysteresis;
        let mut best: Option<(u32, f64)> = None;
        for (site, (&level, since)) in (0..).zip(mover.filtered.iter().zip(&mut mover.since)) {
            // The entry condition must hold for all measurements of the time to trigger (TS 38.331 §5.5.4.1): one that
            // misses it starts anew.
            if site == home || level <= threshold {
                *since = None;
                continue;
            }
            let held = now.since(*since.get_or_insert(now));
            if held >= handover.time_to_trigger && best.is_none_or(|(_, most)| level > most) {
                best = Some((site, level));
            }
        }
        best.map(|(site, _)| site)
    }

    /// True if the link of a station, of mean ratio `snr`, has failed by `now`.
    pub fn fails(&mut self, now: Time, station: usize, snr: f64) -> bool {
        let handover = self.geometry.handover;
        let Some(mover) = &mut self.movers[station] else { return false };
        if snr >= handover.out_of_sync {
            mover.poor_since = None;
            return false;
        }
        now.since(*mover.poor_since.get_or_insert(now)) >= handover.failure
    }

    /// Forgets the conditions of a station that changes its site.
    pub fn restart(&mut self, station: usize) {
        if let Some(mover) = &mut self.movers[station] {
            mover.since.fill(None);
            mover.poor_since = None;
        }
    }

    /// True if a station has no site.
    pub fn is_out(&self, station: usize) -> bool {
        self.movers[station].as_ref().is_some_and(|mover| matches!(mover.step, Step::Enter { .. }))
    }

    /// Updates [`Self::due`].
    pub fn plan(&mut self) {
        let steps = self.movers.iter().flatten().filter_map(|mover| mover.step.slot());
        self.due = steps.fold(self.next_sample, u64::min);
    }
}

impl Mover {
    /// Measures all sites at `now`.
    fn measure(&mut self, now: Time, geometry: &Geometry) {
        let place = place_at(&self.way, now);
        for (at, (level, radio)) in self.levels.iter_mut().zip(&mut self.radios).enumerate() {
            *level = geometry.sites[at].power - radio.loss(geometry, at, place);
        }
    }
}
