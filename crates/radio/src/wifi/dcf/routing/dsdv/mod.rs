//! Destination-sequenced distance vector routing (Perkins and Bhagwat, SIGCOMM 1994). Every station keeps a route to
//! every other one and sends its table to its neighbours, periodically and after changes.
//!
//! A route with a newer sequence number replaces an older one; of equal numbers the one with fewer hops wins. A number
//! arrives over several paths, often over the best one last. A changed route is therefore announced only after twice
//! the time in which routes to that destination have settled before. An odd number marks a broken route.

mod routes;
mod updates;

use crate::wifi::protocol::DsdvConfig;
pub use routes::DsdvRouting;
use windward_elements::engine::Stream;
use windward_units::{Duration, Time};

/// Metric of a broken route.
const BROKEN: u16 = u16::MAX;

/// EWMA weight of the past in settling times.
const SETTLING_WEIGHT: f64 = 0.875;

/// Bytes of an update beside its entries (an IP header), and of an entry.
const HEADER: u32 = 20;
const ENTRY: u32 = 12;

/// Entry of an update: a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub to: u32,
    pub hops: u16,
    pub number: u32,
}

/// Route to a destination in a station's table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    hops: u16,
    number: u32,
    /// Hops last announced.
    told: u16,
    /// Mean time from the first route of a number to its best one.
    settling: f64,
    /// Arrival of the first route of this number.
    since: Time,
    /// Time from which it may be announced.
    settled_at: Time,
    has_changed: bool,
}

/// Routing table of a station.
#[derive(Clone, Debug)]
struct Table {
    number: u32,
    entries: Vec<Option<Entry>>,
    /// Time of each neighbour's last update.
    heard: Vec<Time>,
    /// Times of the next full update, and of the next one with changes.
    full_at: Time,
    change_at: Time,
    last_change: Time,
}

/// Routing state of all stations.
#[derive(Debug)]
pub struct Dsdv {
    config: DsdvConfig,
    tables: Vec<Table>,
}

impl Dsdv {
    /// Creates stations without routes.
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

    /// Draws the time of a station's first update.
    pub fn begin(&mut self, at: u32, stream: &mut Stream) -> Time {
        let first = Time::ZERO + self.config.start.scale(stream.uniform());
        self.tables[at as usize].full_at = first;
        first
    }

    /// Time of a station's next update.
    pub fn due(&self, at: u32) -> Time {
        let table = &self.tables[at as usize];
        table.full_at.min(table.change_at)
    }

    /// Next hop from a station to `to`.
    pub fn next_hop(&self, at: u32, to: u32) -> Option<u32> {
        let entry = self.tables[at as usize].entries[to as usize].as_ref()?;
        (entry.hops != BROKEN).then_some(entry.next)
    }

    /// Largest number of packets at a station that wait for a route.
    pub fn waiting(&self) -> usize {
        self.config.waiting as usize
    }

    /// Update of a station at `now`; empty if none is due.
    pub fn tell(&mut self, now: Time, at: u32, stream: &mut Stream) -> Vec<Told> {
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
            table.full_at = now + config.period.scale(0.75 + 0.25 * stream.uniform());
            // Even numbers are the station's own: each full update is newer than all before.
            table.number += 2;
            told.push(Told { to: at, hops: 0, number: table.number });
        }
        let mut next = Time::NEVER;
        for (to, entry) in (0..).zip(&mut table.entries) {
            let Some(entry) = entry.as_mut() else { continue };
            // A better route of the same number may still come: to announce this one would cost two updates.
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

    /// Size of an update in bytes.
    pub fn bytes(told: &[Told]) -> u32 {
        HEADER + ENTRY * told.len() as u32
    }

    /// Processes an update from a neighbour.
    pub fn hear(&mut self, now: Time, at: u32, from: u32, told: &[Told]) {
        let config = self.config;
        let table = &mut self.tables[at as usize];
        table.heard[from as usize] = now;
        let mut due = table.change_at;
        for &Told { to, hops, number } in told {
            if to == at {
                // A neighbour considers this station gone: a newer number corrects it.
                // Stations give even numbers; one that finds a route broken makes the number odd. Only the destination
                // may answer with the next even one.
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
                // An unknown destination that is out of reach is no news.
                None => continue,
                // A newer number replaces the route even if it is longer: older ones may form loops.
                Some(entry) if number > entry.number => {
                    let was = (entry.hops, entry.told);
                    (entry.next, entry.hops, entry.number, entry.since) = (from, hops, number, now);
                    // Broken routes and their repairs are announced at once; other changes may not be final.
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
                    // The better route came this long after the first of the same number: the mean of such times says
                    // how long to wait before the next announcement.
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

    /// Marks routes over a neighbour as broken.
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

    /// Removes neighbours that have been silent for too long.
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
    use windward_elements::engine::Purpose;

    fn secs(count: u64) -> Time {
        Time::from_nanos(count * 1_000_000_000)
    }

    /// Stations in a row, 0 – 1 – 2, whose updates reach their neighbours at once.
    fn exchange(dsdv: &mut Dsdv, until: Time, is_cut: bool) {
        let mut stream = Stream::new(1, 1, Purpose::Backoff);
        loop {
            let (at, now) = (0..3).map(|at| (at, dsdv.due(at))).min_by_key(|due| due.1).unwrap();
            if now > until {
                return;
            }
            let told = dsdv.tell(now, at, &mut stream);
            for to in 0..3_u32 {
                if to.abs_diff(at) == 1 && !(is_cut && to.max(at) == 2) {
                    dsdv.hear(now, to, at, &told);
                }
            }
        }
    }

    fn row() -> Dsdv {
        let mut dsdv = Dsdv::new(DsdvConfig { asks_mac: true, ..DsdvConfig::default() }, 3);
        let mut stream = Stream::new(2, 2, Purpose::Backoff);
        (0..3).for_each(|at| _ = dsdv.begin(at, &mut stream));
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

    /// 1 loses 2 at 30 s and announces it; 0 receives an odd number and has no route. After they meet again a newer
    /// even number repairs it.
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

    /// Without link-layer detection a neighbour is lost after three periods.
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

    /// Two paths to 3 with one number, the longer first: the better one replaces it, and is announced only after it has
    /// settled.
    #[test]
    fn a_better_way_of_one_number_waits_until_it_has_settled() {
        let mut dsdv = Dsdv::new(DsdvConfig::default(), 4);
        dsdv.hear(secs(1), 0, 1, &[Told { to: 3, hops: 4, number: 10 }]);
        let mut stream = Stream::new(1, 1, Purpose::Backoff);
        assert_eq!(dsdv.tell(secs(2), 0, &mut stream), [Told { to: 3, hops: 5, number: 10 }]);
        dsdv.hear(secs(3), 0, 2, &[Told { to: 3, hops: 1, number: 10 }]);
        assert_eq!(dsdv.next_hop(0, 3), Some(2));
        // Settling time: 0.875·6 + 0.125·2 = 5.5 s; announced after twice that.
        assert_eq!(dsdv.due(0), secs(14));
        assert_eq!(dsdv.tell(secs(13), 0, &mut stream), []);
        assert_eq!(dsdv.tell(secs(14), 0, &mut stream), [Told { to: 3, hops: 2, number: 10 }]);
        // An older number changes nothing.
        dsdv.hear(secs(15), 0, 1, &[Told { to: 3, hops: 0, number: 8 }]);
        assert_eq!(dsdv.next_hop(0, 3), Some(2));
    }
}
