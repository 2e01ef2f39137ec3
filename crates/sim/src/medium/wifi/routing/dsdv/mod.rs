//! Destination-sequenced distance vectors (Perkins and Bhagwat, SIGCOMM 1994): every station keeps a route to every other one and
//! tells its neighbours what it knows, from time to time and when something changed.
//!
//! A route with a newer sequence number replaces an older one, of the same number the one with fewer hops. A number comes along
//! several ways, the best often last; so a changed route is told only after twice the time in which routes to that destination
//! settled before. An odd number says that the way is broken.

mod routes;
mod updates;

use crate::engine::Stream;
pub use routes::DsdvRouting;
use windward_units::{Duration, Time};

/// Metric of a broken route.
const BROKEN: u16 = u16::MAX;

/// Weight of the past in settling times.
const SETTLING_WEIGHT: f64 = 0.875;

/// Bytes of an update beside its entries (an IP header), and of an entry.
const HEADER: u32 = 20;
const ENTRY: u32 = 12;

/// Numbers of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DsdvConfig {
    /// A station tells everything it knows once in this time, or up to a quarter sooner; positive.
    pub period: Duration,
    /// How long routes are taken to settle before it is known.
    pub settling: Duration,
    /// Least distance of updates that tell changes.
    pub spacing: Duration,
    /// A neighbour that has not been heard for so many periods is gone.
    pub missed: u32,
    /// First updates are spread over this time.
    pub start: Duration,
    /// Whether a packet that the MAC gave up breaks the route.
    pub asks_mac: bool,
    /// Packets of a station without a route that wait for one.
    pub waiting: u32,
}

impl Default for DsdvConfig {
    /// The numbers of ns-2.35, which does not ask the MAC.
    fn default() -> Self {
        Self {
            period: Duration::from_millis(15_000),
            settling: Duration::from_millis(6_000),
            spacing: Duration::from_millis(1_000),
            missed: 3,
            start: Duration::from_millis(2_000),
            asks_mac: false,
            waiting: 5,
        }
    }
}

/// What an update says of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub to: u32,
    pub hops: u16,
    pub number: u32,
}

/// What a station knows of a destination.
#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    hops: u16,
    number: u32,
    /// The hops that it last told.
    told: u16,
    /// Mean time in which the best route of a number arrived after the first.
    settling: f64,
    /// When the first route of this number arrived.
    since: Time,
    /// When it may be told.
    settled_at: Time,
    has_changed: bool,
}

/// What a station knows.
#[derive(Clone, Debug)]
struct Table {
    number: u32,
    entries: Vec<Option<Entry>>,
    /// When each neighbour was last heard.
    heard: Vec<Time>,
    /// When everything is told, and when what has changed may be.
    full_at: Time,
    change_at: Time,
    last_change: Time,
}

/// The routing of all stations.
#[derive(Debug)]
pub struct Dsdv {
    config: DsdvConfig,
    tables: Vec<Table>,
}

impl Dsdv {
    /// Stations that know of nobody.
    pub fn new(config: DsdvConfig, stations: usize) -> Self {
        let table = Table {
            number: 0,
            entries: vec![None; stations],
            heard: vec![Time::ZERO; stations],
            full_at: Time::NEVER,
            change_at: Time::NEVER,
            last_change: Time::ZERO,
        };
        Self { config, tables: vec![table; stations] }
    }

    /// When a station's first update is due.
    pub fn begin(&mut self, at: u32, luck: &mut Stream) -> Time {
        let first = Time::ZERO + self.config.start.scale(luck.uniform());
        self.tables[at as usize].full_at = first;
        first
    }

    /// When a station has something to tell next.
    pub fn due(&self, at: u32) -> Time {
        let table = &self.tables[at as usize];
        table.full_at.min(table.change_at)
    }

    /// The neighbour by which a station reaches `to`.
    pub fn next_hop(&self, at: u32, to: u32) -> Option<u32> {
        let entry = self.tables[at as usize].entries[to as usize].as_ref()?;
        (entry.hops != BROKEN).then_some(entry.next)
    }

    /// Packets that may wait for a route at a station.
    pub fn waiting(&self) -> usize {
        self.config.waiting as usize
    }

    /// What a station tells at `now`; nothing if nothing is due.
    pub fn tell(&mut self, now: Time, at: u32, luck: &mut Stream) -> Vec<Told> {
        let config = self.config;
        let is_full = self.tables[at as usize].full_at <= now;
        if self.due(at) > now {
            return Vec::new();
        }
        if is_full {
            self.forget_silent(now, at);
        }
        let table = &mut self.tables[at as usize];
        let mut told = Vec::new();
        if is_full {
            table.full_at = now + config.period.scale(0.75 + 0.25 * luck.uniform());
            table.number += 2;
            told.push(Told { to: at, hops: 0, number: table.number });
        }
        let mut next = Time::NEVER;
        for (to, entry) in (0..).zip(&mut table.entries) {
            let Some(entry) = entry.as_mut() else { continue };
            if entry.settled_at > now {
                if entry.has_changed {
                    next = next.min(entry.settled_at);
                }
            } else if is_full || entry.has_changed {
                entry.has_changed = false;
                entry.told = entry.hops;
                told.push(Told { to, hops: entry.hops, number: entry.number });
            }
        }
        table.last_change = now;
        table.change_at = if next == Time::NEVER { next } else { next.max(now + config.spacing) };
        told
    }

    /// Bytes of an update.
    pub fn bytes(told: &[Told]) -> u32 {
        HEADER + ENTRY * told.len() as u32
    }

    /// A station hears an update of a neighbour.
    pub fn hear(&mut self, now: Time, at: u32, from: u32, told: &[Told]) {
        let config = self.config;
        let table = &mut self.tables[at as usize];
        table.heard[from as usize] = now;
        let mut due = table.change_at;
        for &Told { to, hops, number } in told {
            if to == at {
                // Somebody takes us for gone: a newer number says that we are not.
                if number > table.number {
                    table.number = number + number % 2;
                    table.full_at = now;
                }
                continue;
            }
            let hops = if hops == BROKEN { BROKEN } else { hops + 1 };
            let settled_at = match &mut table.entries[to as usize] {
                entry @ None if hops != BROKEN => {
                    let settling = config.settling.as_secs();
                    *entry = Some(Entry {
                        next: from,
                        hops,
                        number,
                        told: BROKEN,
                        settling,
                        since: now,
                        settled_at: now,
                        has_changed: true,
                    });
                    now
                }
                None => continue,
                Some(entry) if number > entry.number => {
                    let was = (entry.hops, entry.told);
                    (entry.next, entry.hops, entry.number, entry.since) = (from, hops, number, now);
                    // Broken is told at once, and so is what mends it; other changes may not be the last.
                    let is_urgent = hops == BROKEN || was.0 == BROKEN;
                    entry.has_changed = hops != was.1;
                    entry.settled_at = match is_urgent || !entry.has_changed {
                        true => now,
                        false => now + Duration::from_secs(2.0 * entry.settling),
                    };
                    if !entry.has_changed {
                        continue;
                    }
                    entry.settled_at
                }
                Some(entry) if number == entry.number && hops < entry.hops => {
                    let passed = now.since(entry.since).as_secs();
                    entry.settling = SETTLING_WEIGHT * entry.settling + (1.0 - SETTLING_WEIGHT) * passed;
                    (entry.next, entry.hops) = (from, hops);
                    entry.has_changed = hops != entry.told;
                    entry.settled_at = now + Duration::from_secs(2.0 * entry.settling);
                    if !entry.has_changed {
                        continue;
                    }
                    entry.settled_at
                }
                Some(_) => continue,
            };
            due = due.min(settled_at.max(table.last_change + config.spacing));
        }
        table.change_at = due;
    }

    /// A station's packets to a neighbour do not arrive.
    pub fn lose_link(&mut self, now: Time, at: u32, to: u32) {
        if self.config.asks_mac {
            self.break_link(now, at, to);
        }
    }

    fn break_link(&mut self, now: Time, at: u32, to: u32) {
        let table = &mut self.tables[at as usize];
        for entry in table.entries.iter_mut().flatten().filter(|entry| entry.next == to && entry.hops != BROKEN) {
            entry.hops = BROKEN;
            entry.number += 1;
            entry.has_changed = true;
            entry.settled_at = now;
            table.change_at = table.change_at.min((table.last_change + self.config.spacing).max(now));
        }
    }

    /// Neighbours that have kept silent for too long are gone.
    fn forget_silent(&mut self, now: Time, at: u32) {
        let limit = self.config.period * u64::from(self.config.missed);
        for neighbour in 0..self.tables.len() as u32 {
            let table = &self.tables[at as usize];
            let is_used = table.entries.iter().flatten().any(|entry| entry.next == neighbour && entry.hops != BROKEN);
            if is_used && now.since(table.heard[neighbour as usize]) > limit {
                self.break_link(now, at, neighbour);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Purpose;

    fn secs(count: u64) -> Time {
        Time::from_nanos(count * 1_000_000_000)
    }

    /// Stations in a row: 0 – 1 – 2. What is told reaches the next ones at once.
    fn exchange(dsdv: &mut Dsdv, until: Time, is_cut: bool) {
        let mut luck = Stream::new(1, 1, Purpose::Backoff);
        loop {
            let (at, now) = (0..3).map(|at| (at, dsdv.due(at))).min_by_key(|due| due.1).unwrap();
            if now > until {
                return;
            }
            let told = dsdv.tell(now, at, &mut luck);
            for to in 0..3_u32 {
                if to.abs_diff(at) == 1 && !(is_cut && to.max(at) == 2) {
                    dsdv.hear(now, to, at, &told);
                }
            }
        }
    }

    fn row() -> Dsdv {
        let mut dsdv = Dsdv::new(DsdvConfig { asks_mac: true, ..DsdvConfig::default() }, 3);
        let mut luck = Stream::new(2, 2, Purpose::Backoff);
        (0..3).for_each(|at| _ = dsdv.begin(at, &mut luck));
        dsdv
    }

    #[test]
    fn routes_are_found_along_a_row() {
        let mut dsdv = row();
        assert_eq!(dsdv.next_hop(0, 2), None);
        exchange(&mut dsdv, secs(20), false);
        let hops = [dsdv.next_hop(0, 1), dsdv.next_hop(0, 2), dsdv.next_hop(2, 0), dsdv.next_hop(1, 0)];
        assert_eq!(hops, [Some(1), Some(1), Some(1), Some(0)]);
    }

    /// 1 loses 2 at 30 s and says so; 0 hears an odd number and has no route. When they meet again a newer even number mends it.
    #[test]
    fn a_broken_link_is_told_and_mended() {
        let mut dsdv = row();
        exchange(&mut dsdv, secs(30), false);
        dsdv.lose_link(secs(30), 1, 2);
        assert_eq!(dsdv.next_hop(1, 2), None);
        exchange(&mut dsdv, secs(32), true);
        assert_eq!(dsdv.next_hop(0, 2), None);
        exchange(&mut dsdv, secs(60), false);
        assert_eq!([dsdv.next_hop(0, 2), dsdv.next_hop(1, 2)], [Some(1), Some(2)]);
    }

    /// Without the MAC's word a neighbour is gone after three periods.
    #[test]
    fn a_silent_neighbour_is_gone_after_three_periods() {
        let mut dsdv = row();
        dsdv.config.asks_mac = false;
        exchange(&mut dsdv, secs(30), false);
        dsdv.lose_link(secs(30), 1, 2);
        exchange(&mut dsdv, secs(40), true);
        assert_eq!(dsdv.next_hop(1, 2), Some(2));
        exchange(&mut dsdv, secs(95), true);
        assert_eq!([dsdv.next_hop(1, 2), dsdv.next_hop(0, 2)], [None, None]);
    }

    /// Two ways to 3 with one number, the longer first: the better replaces it, and is told only after it has settled.
    #[test]
    fn a_better_way_of_one_number_waits_until_it_has_settled() {
        let mut dsdv = Dsdv::new(DsdvConfig::default(), 4);
        dsdv.hear(secs(1), 0, 1, &[Told { to: 3, hops: 4, number: 10 }]);
        let mut luck = Stream::new(1, 1, Purpose::Backoff);
        assert_eq!(dsdv.tell(secs(2), 0, &mut luck), [Told { to: 3, hops: 5, number: 10 }]);
        dsdv.hear(secs(3), 0, 2, &[Told { to: 3, hops: 1, number: 10 }]);
        assert_eq!(dsdv.next_hop(0, 3), Some(2));
        // Settling: 0.875·6 + 0.125·2 = 5.5 s, told after twice that.
        assert_eq!(dsdv.due(0), secs(14));
        assert_eq!(dsdv.tell(secs(13), 0, &mut luck), []);
        assert_eq!(dsdv.tell(secs(14), 0, &mut luck), [Told { to: 3, hops: 2, number: 10 }]);
        // An older number changes nothing.
        dsdv.hear(secs(15), 0, 1, &[Told { to: 3, hops: 0, number: 8 }]);
        assert_eq!(dsdv.next_hop(0, 3), Some(2));
    }
}
