//! Pages: their totals, their visits, and the waterfall of every visit.

use crate::output::nearest_rank;
use windward_tables::table;
use windward_traffic::page::{Browser, Visit};
use windward_units::{Duration, Time};

table! {
    /// Totals of each page, over the visits that started after the warm-up.
    pub struct PageStats: "pages", Totals, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Visits.
        visits: u64 ["visits"],
        /// Visits among them that were not complete at the end of the run. Percentiles leave them out.
        unfinished: u64 ["visits"],
        /// Median time to the first byte of the page after redirects, address and handshakes included. NaN without
        /// visits.
        first_byte_p50_s: f64 ["s"],
        /// Median time to the last byte of all objects that block showing the page.
        paint_p50_s: f64 ["s"],
        /// 95th percentile of these times.
        paint_p95_s: f64 ["s"],
        /// Mean load time: from the start of a visit to the last byte of its last object.
        load_mean_s: f64 ["s"],
        /// Median load time.
        load_p50_s: f64 ["s"],
        /// 95th percentile of the load times.
        load_p95_s: f64 ["s"],
        /// 99th percentile of the load times.
        load_p99_s: f64 ["s"],
        /// Mean number of connections opened in a visit.
        connections: f64 ["connections"],
    }
}

table! {
    /// Visits of pages that started after the warm-up. Times count from the start of the visit.
    pub series VisitLog: "visits", Series, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Number of the visit, from zero.
        visit: u64 fixed [""],
        /// Start of the visit.
        start_s: f64 ["s"],
        /// Time to the first byte of the page, after redirects. NaN if it did not arrive.
        first_byte_s: f64 ["s"],
        /// Time to the last byte of all objects that block showing the page. NaN if one is missing.
        paint_s: f64 ["s"],
        /// Time to the last byte of all objects. NaN if one is missing.
        load_s: f64 ["s"],
        /// Connections opened.
        connections: u64 ["connections"],
    }
}

table! {
    /// Objects of these visits: a waterfall.
    pub series ObjectLog: "objects", Series, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Number of the visit.
        visit: u64 fixed [""],
        /// Object.
        object: u32 @ "objects" fixed [""],
        /// Object that names it; of the page itself, that.
        parent: u32 @ "objects" fixed [""],
        /// Number of its origin within the page.
        origin: u64 fixed [""],
        /// Its bytes.
        size_bytes: u64 fixed ["bytes"],
        /// Time at which the browser discovered it. NaN if it did not.
        discovered_s: f64 ["s"],
        /// Time at which a connection took its request. NaN if it did not arrive.
        start_s: f64 ["s"],
        /// Time at which its first byte arrived. NaN if it did not arrive.
        first_byte_s: f64 ["s"],
        /// Time at which its last byte arrived. NaN if it did not.
        end_s: f64 ["s"],
        /// Number of its connection among those of the application. NaN if it did not arrive.
        connection: f64 [""],
    }
}

/// Times of a visit in seconds: to the first byte, to all objects that block showing it, and to all objects; NaN if it
/// was not that far.
fn times(browser: &Browser, visit: &Visit) -> [f64; 3] {
    let page = browser.page();
    let or_nan = |time: Option<Duration>| time.map_or(f64::NAN, Duration::as_secs);
    let first = visit.objects[page.document as usize].first_byte.map(|at| at.since(visit.start));
    [first, visit.time_of(page, |object| object.is_blocking), visit.time_of(page, |_| true)].map(or_nan)
}

/// Visits that start at or after `begin`, with their numbers.
fn counted(browser: &Browser, begin: Time) -> impl Iterator<Item = (u64, &Visit)> {
    (0..).zip(browser.visits()).filter(move |(_, visit)| visit.start >= begin)
}

impl PageStats {
    /// Totals of the visits of an application from `begin` on.
    pub fn new(app: u32, browser: &Browser, begin: Time) -> Self {
        let all: Vec<[f64; 3]> = counted(browser, begin).map(|(_, visit)| times(browser, visit)).collect();
        let sorted = |which: usize| {
            let mut own: Vec<f64> = all.iter().map(|times| times[which]).filter(|time| !time.is_nan()).collect();
            own.sort_unstable_by(f64::total_cmp);
            own
        };
        let [first, paint, load] = [0, 1, 2].map(sorted);
        let connections: u64 = counted(browser, begin).map(|(_, visit)| visit.connections).sum();
        Self {
            app,
            visits: all.len() as u64,
            unfinished: (all.len() - load.len()) as u64,
            first_byte_p50_s: nearest_rank(&first, 50),
            paint_p50_s: nearest_rank(&paint, 50),
            paint_p95_s: nearest_rank(&paint, 95),
            load_mean_s: load.iter().sum::<f64>() / load.len() as f64,
            load_p50_s: nearest_rank(&load, 50),
            load_p95_s: nearest_rank(&load, 95),
            load_p99_s: nearest_rank(&load, 99),
            connections: connections as f64 / all.len() as f64,
        }
    }
}

impl VisitLog {
    /// Adds the visits of an application from `begin` on.
    pub fn add(&mut self, app: u32, browser: &Browser, begin: Time) {
        for (number, visit) in counted(browser, begin) {
            let [first_byte, paint, load] = times(browser, visit);
            self.app.push(app);
            self.visit.push(number);
            self.start_s.push(visit.start.as_secs());
            self.first_byte_s.push(first_byte);
            self.paint_s.push(paint);
            self.load_s.push(load);
            self.connections.push(visit.connections);
        }
    }
}

impl ObjectLog {
    /// Adds the objects of these visits; `first` is the number of the page's first object among those of all pages.
    pub fn add(&mut self, app: u32, browser: &Browser, begin: Time, first: u32) {
        let or_nan = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs);
        for (number, visit) in counted(browser, begin) {
            for (index, (object, loaded)) in (0..).zip(browser.page().objects.iter().zip(&visit.objects)) {
                self.app.push(app);
                self.visit.push(number);
                self.object.push(first + index);
                self.parent.push(first + object.parent.unwrap_or(index));
                self.origin.push(u64::from(object.origin));
                self.size_bytes.push(object.size);
                self.discovered_s.push(or_nan(loaded.discovered));
                self.start_s.push(or_nan(loaded.start));
                self.first_byte_s.push(or_nan(loaded.first_byte));
                self.end_s.push(or_nan(loaded.end));
                self.connection.push(loaded.connection.map_or(f64::NAN, |connection| connection as f64));
            }
        }
    }
}
