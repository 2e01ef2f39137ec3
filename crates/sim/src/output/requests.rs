//! Requests of applications: one row each, and their totals.

use super::figures::nearest_rank;
use windward_tables::table;
use windward_units::{Duration, Time};

table! {
    /// Totals of each application, over the requests that arrived after the warm-up.
    pub struct AppStats: "apps", Totals, "app", IfAny;
    about {
        /// Name of the application.
        app: Text fixed [""],
        /// Name of the `[[app]]` entry that made the application.
        group: Text fixed [""],
        /// Congestion control law of both ends.
        law: Text fixed [""],
        /// Node of the client.
        from: Text fixed [""],
        /// Node of the server.
        to: Text fixed [""],
    }
    columns {
        /// Requests that arrived.
        requests: u64 ["requests"],
        /// Requests among them whose response was complete within the run.
        finished: u64 ["requests"],
        /// Requests among them whose response was not. Percentiles leave them out.
        unfinished: u64 ["requests"],
        /// Payload of all responses that were asked for, per second.
        offered_bps: f64 ["bit/s"],
        /// These responses with headers, per second, divided by the rate of the slowest link on their way. NaN if that
        /// rate is not known.
        load: f64 [""],
        /// Time average of the number of requests that have arrived and are not finished.
        mean_active: f64 ["requests"],
        /// Mean completion time: from the arrival of a request, the wait for a connection included, to the last byte of
        /// its response. NaN if none finished.
        completion_mean_s: f64 ["s"],
        /// Median completion time, exact.
        completion_p50_s: f64 ["s"],
        /// 95th percentile of the completion times.
        completion_p95_s: f64 ["s"],
        /// 99th percentile of the completion times.
        completion_p99_s: f64 ["s"],
        /// Mean slowdown: completion time divided by that of the same response on the path without other traffic, as
        /// one round trip and its transmission over the slowest link. Handshake, slow start and the server's time are
        /// part of the slowdown. NaN if none finished.
        slowdown_mean: f64 [""],
        /// Median slowdown.
        slowdown_p50: f64 [""],
        /// 95th percentile of the slowdowns.
        slowdown_p95: f64 [""],
        /// 99th percentile of the slowdowns.
        slowdown_p99: f64 [""],
        /// Requests that finished after the `deadline`, or did not finish within it.
        late: u64 ["requests"],
        /// Connections opened since the beginning of the run.
        connections: u64 ["connections"],
        /// Retransmissions of both ends while these requests were served, each counted once.
        retransmits: u64 ["segments"],
        /// Retransmission timeouts of both ends meanwhile.
        timeouts: u64 [""],
    }
}

table! {
    /// Requests of each application by the size of their responses.
    pub struct RequestClassStats: "request_classes", Parts, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Sizes: at most 10 kB, above that at most 100 kB, above that at most 1 MB, or larger.
        class: u32 @ "size_classes" fixed [""],
        /// Requests that arrived.
        requests: u64 ["requests"],
        /// Requests among them that finished.
        finished: u64 ["requests"],
        /// Requests among them that did not finish within the run.
        unfinished: u64 ["requests"],
        /// Median completion time. NaN if none finished.
        completion_p50_s: f64 ["s"],
        /// 95th percentile of the completion times.
        completion_p95_s: f64 ["s"],
        /// 99th percentile of the completion times.
        completion_p99_s: f64 ["s"],
        /// Mean slowdown.
        slowdown_mean: f64 [""],
        /// Median slowdown.
        slowdown_p50: f64 [""],
        /// 99th percentile of the slowdowns.
        slowdown_p99: f64 [""],
    }
}

table! {
    /// Requests that arrived after the warm-up, those that did not finish included.
    pub series RequestLog: "requests", Series, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Number of the request, from zero.
        number: u64 fixed [""],
        /// Time at which it arrived, from which its completion time counts.
        intended_s: f64 ["s"],
        /// Time at which a connection took it. NaN if none did.
        start_s: f64 ["s"],
        /// Time at which the first byte of the response arrived. NaN if it did not finish.
        first_byte_s: f64 ["s"],
        /// Time at which the last byte arrived. NaN if it did not finish.
        end_s: f64 ["s"],
        /// Bytes of the response.
        size_bytes: u64 ["bytes"],
        /// Number of its connection among those of the application. NaN if it did not finish.
        connection: f64 [""],
        /// 1 if the connection had carried a request before, otherwise 0.
        reused: u64 [""],
        /// Retransmissions of both ends while it was served; on a shared connection, since the response before it.
        retransmits: u64 ["segments"],
        /// Retransmission timeouts of both ends meanwhile.
        timeouts: u64 [""],
        /// Completion time. NaN if it did not finish.
        completion_s: f64 ["s"],
        /// Completion time divided by that on the path without other traffic. NaN if it did not finish.
        slowdown: f64 [""],
    }
}

/// Largest sizes of the classes of responses, in bytes; the last class has the rest.
const CLASSES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct RequestRow {
    /// Its number.
    pub number: u64,
    /// Time at which it arrived.
    pub intended: Time,
    /// Time at which a connection took it; [`Time::NEVER`] if none did.
    pub start: Time,
    /// Arrival of the first byte of the response.
    pub first_byte: Option<Time>,
    /// Arrival of the last byte.
    pub end: Option<Time>,
    /// Bytes of the response.
    pub size: u64,
    /// Number of its connection.
    pub connection: Option<u64>,
    /// True if the connection had carried a request before.
    pub is_reused: bool,
    /// Retransmissions while it was served, or since the response before it.
    pub retransmits: u64,
    /// Timeouts in the same time.
    pub timeouts: u64,
    /// Completion time in seconds on the path without other traffic.
    pub ideal: f64,
}

impl RequestRow {
    /// Completion time in seconds; NaN if there is none.
    fn completion(&self) -> f64 {
        self.end.map_or(f64::NAN, |end| end.since(self.intended).as_secs())
    }

    fn class(&self) -> usize {
        CLASSES.iter().take_while(|most| self.size > **most).count()
    }
}

/// Circumstances of an application's requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext {
    /// Index of the application.
    pub app: u32,
    /// Start of the statistics and end of the run.
    pub span: [Time; 2],
    /// Time integral of the number of active requests over the span, in request seconds.
    pub active_time: f64,
    /// Time after which a response is late.
    pub deadline: Option<Duration>,
    /// Connections opened so far.
    pub connections: u64,
    /// Bytes on the wire of all responses that were asked for within the span.
    pub wire_bytes: u64,
    /// Rate of the slowest link on the way of the responses, in bits per second; zero if it is not known.
    pub rate: u64,
}

impl RequestLog {
    /// Adds the requests of an application, in the order of their numbers.
    pub fn add(&mut self, app: u32, rows: &[RequestRow]) {
        let or_nan = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs);
        for row in rows {
            self.app.push(app);
            self.number.push(row.number);
            self.intended_s.push(row.intended.as_secs());
            self.start_s.push(or_nan(Some(row.start).filter(|start| *start != Time::NEVER)));
            self.first_byte_s.push(or_nan(row.first_byte));
            self.end_s.push(or_nan(row.end));
            self.size_bytes.push(row.size);
            self.connection.push(row.connection.map_or(f64::NAN, |connection| connection as f64));
            self.reused.push(u64::from(row.is_reused));
            self.retransmits.push(row.retransmits);
            self.timeouts.push(row.timeouts);
            self.completion_s.push(row.completion());
            self.slowdown.push(row.completion() / row.ideal);
        }
    }
}

/// Sorted completion times and slowdowns.
struct Finished([Vec<f64>; 2]);

impl Finished {
    fn of<'a>(rows: impl Iterator<Item = &'a RequestRow> + Clone) -> Self {
        let sorted = |value: fn(&RequestRow) -> f64| {
            let mut values: Vec<f64> = rows.clone().map(value).filter(|value| !value.is_nan()).collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        Self([sorted(RequestRow::completion), sorted(|row| row.completion() / row.ideal)])
    }

    fn mean(&self, which: usize) -> f64 {
        self.0[which].iter().sum::<f64>() / self.0[which].len() as f64
    }

    fn percentile(&self, which: usize, percent: usize) -> f64 {
        nearest_rank(&self.0[which], percent)
    }
}

impl AppStats {
    /// Totals of the requests of an application.
    pub fn new(context: &RequestContext, rows: &[RequestRow]) -> Self {
        let RequestContext { span: [begin, end], deadline, connections, .. } = *context;
        let seconds = end.since(begin).as_secs();
        let all = Finished::of(rows.iter());
        let finished = rows.iter().filter(|row| row.end.is_some()).count() as u64;
        let is_late =
            |row: &&RequestRow| deadline.is_some_and(|deadline| row.end.unwrap_or(end).since(row.intended) > deadline);
        let sum = |value: fn(&RequestRow) -> u64| rows.iter().map(value).sum::<u64>();
        Self {
            requests: rows.len() as u64,
            finished,
            unfinished: rows.len() as u64 - finished,
            offered_bps: sum(|row| row.size) as f64 * 8.0 / seconds,
            load: context.wire_bytes as f64 * 8.0
                / seconds
                / if context.rate > 0 { context.rate as f64 } else { f64::NAN },
            mean_active: context.active_time / seconds,
            completion_mean_s: all.mean(0),
            completion_p50_s: all.percentile(0, 50),
            completion_p95_s: all.percentile(0, 95),
            completion_p99_s: all.percentile(0, 99),
            slowdown_mean: all.mean(1),
            slowdown_p50: all.percentile(1, 50),
            slowdown_p95: all.percentile(1, 95),
            slowdown_p99: all.percentile(1, 99),
            late: rows.iter().filter(is_late).count() as u64,
            connections,
            retransmits: sum(|row| row.retransmits),
            timeouts: sum(|row| row.timeouts),
        }
    }
}

impl RequestClassStats {
    /// Totals of the classes of sizes that occur.
    pub fn of(app: u32, rows: &[RequestRow]) -> Vec<Self> {
        let class = |class: usize| {
            let own = rows.iter().filter(move |row| row.class() == class);
            let requests = own.clone().count() as u64;
            let finished = own.clone().filter(|row| row.end.is_some()).count() as u64;
            let all = Finished::of(own);
            (requests > 0).then(|| Self {
                app,
                class: class as u32,
                requests,
                finished,
                unfinished: requests - finished,
                completion_p50_s: all.percentile(0, 50),
                completion_p95_s: all.percentile(0, 95),
                completion_p99_s: all.percentile(0, 99),
                slowdown_mean: all.mean(1),
                slowdown_p50: all.percentile(1, 50),
                slowdown_p99: all.percentile(1, 99),
            })
        };
        (0..=CLASSES.len()).filter_map(class).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64, size: u64, ms: Option<u64>) -> RequestRow {
        let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        RequestRow {
            number,
            intended: at(1000),
            start: at(1000),
            first_byte: None,
            end: ms.map(|ms| at(1000 + ms)),
            size,
            connection: None,
            is_reused: false,
            retransmits: 1,
            timeouts: 0,
            ideal: 0.05,
        }
    }

    /// Completion times of 100, 200 and 300 ms where 50 ms are ideal, and one request that does not finish within the
    /// second that is left. A deadline of 250 ms is missed twice.
    #[test]
    fn unfinished_requests_are_counted_apart() {
        let rows =
            [row(0, 10_000, Some(300)), row(1, 10_001, Some(100)), row(2, 5_000_000, None), row(3, 20_000, Some(200))];
        let context = RequestContext {
            app: 0,
            span: [Time::ZERO, Time::ZERO + Duration::from_millis(2000)],
            active_time: 1.6,
            deadline: Some(Duration::from_millis(250)),
            connections: 4,
            wire_bytes: 250_000,
            rate: 2_000_000,
        };
        let stats = AppStats::new(&context, &rows);
        assert_eq!((stats.requests, stats.finished, stats.unfinished, stats.late), (4, 3, 1, 2));
        assert_eq!((stats.completion_p50_s, stats.completion_p99_s, stats.slowdown_p50), (0.2, 0.3, 4.0));
        assert_eq!((stats.mean_active, stats.load, stats.retransmits), (0.8, 0.5, 4));
        let classes = RequestClassStats::of(0, &rows);
        let counts: Vec<_> = classes.iter().map(|class| (class.class, class.requests, class.finished)).collect();
        assert_eq!(counts, [(0, 1, 1), (1, 2, 2), (3, 1, 0)]);
        assert!(classes[2].completion_p50_s.is_nan());
    }
}
