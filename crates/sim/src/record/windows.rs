//! Figures of flows and links over stated windows of a run, accumulated without series.

use crate::endpoint::Endpoint;
use crate::net::Net;
use crate::output::{FlowWindowStats, LinkWindowStats};
use std::ops::Range;
use windward_elements::status::Counts;
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// Windows of a run, and their figures so far.
pub struct Windows {
    spans: Vec<Range<Time>>,
    /// State of each window that is open.
    open: Vec<Option<Window>>,
    flows: Vec<FlowWindowStats>,
    links: Vec<LinkWindowStats>,
}

/// Counters at the beginning of a window.
struct Window {
    flows: Vec<Begun>,
    links: Vec<(Counts, Histogram)>,
}

/// Counters of a flow at the beginning of a window, and its gaps since.
struct Begun {
    arrived: u64,
    sent: u64,
    timeouts: u64,
    /// Bytes that had arrived when a sample last found new ones, and the time of that sample.
    last: (u64, Time),
    longest: Duration,
}

impl Begun {
    fn look(&mut self, now: Time, flow: &Endpoint) {
        let arrived = flow.payload_arrived();
        if arrived == self.last.0 {
            self.longest = self.longest.max(now.since(self.last.1));
        } else {
            self.last = (arrived, now);
        }
    }
}

impl Windows {
    /// Windows over these spans, none of them open.
    pub fn new(spans: &[Range<Time>]) -> Self {
        let open = spans.iter().map(|_| None).collect();
        Self { spans: spans.to_vec(), open, flows: Vec::new(), links: Vec::new() }
    }

    /// Begins the window of an event with an even `number`, or ends the one of an odd number.
    pub fn turn(&mut self, number: u32, net: &mut Net, flows: &[Endpoint]) {
        let at = (number / 2) as usize;
        if number.is_multiple_of(2) {
            self.open[at] = Some(Self::begin(net, flows));
        } else if let Some(window) = self.open[at].take() {
            self.end(at, window, net, flows);
        }
    }

    fn begin(net: &mut Net, flows: &[Endpoint]) -> Window {
        let now = net.now;
        let begun = |flow: &Endpoint| {
            let (arrived, counts) = (flow.payload_arrived(), flow.counts());
            let last = (arrived, now);
            Begun { arrived, sent: counts.sent, timeouts: counts.timeouts, last, longest: Duration::ZERO }
        };
        let ports = 0..net.port_count() as u32;
        let links = ports.map(|port| (net.counts(port), net.all_waits(port).unwrap_or_default())).collect();
        Window { flows: flows.iter().map(begun).collect(), links }
    }

    /// Notes which flows have received something since the last sample.
    pub fn sample(&mut self, now: Time, flows: &[Endpoint]) {
        for window in self.open.iter_mut().flatten() {
            window.flows.iter_mut().zip(flows).for_each(|(begun, flow)| begun.look(now, flow));
        }
    }

    fn end(&mut self, at: usize, window: Window, net: &mut Net, flows: &[Endpoint]) {
        let now = net.now;
        let span = now.since(self.spans[at].start);
        let of = at as u32;
        for ((index, flow), mut begun) in (0..).zip(flows).zip(window.flows) {
            begun.look(now, flow);
            let counts = flow.counts();
            self.flows.push(FlowWindowStats {
                window: of,
                flow: index,
                goodput_bps: (begun.last.0 - begun.arrived) as f64 * 8.0 / span.as_secs(),
                longest_gap_s: begun.longest.as_secs(),
                segments_sent: counts.sent - begun.sent,
                timeouts: counts.timeouts - begun.timeouts,
            });
        }
        for (port, (before, waits_before)) in (0..).zip(window.links) {
            let counts = net.counts(port);
            let waits = net.all_waits(port).unwrap_or_default().since(&waits_before);
            let [queue_delay_p50_s, queue_delay_p95_s, queue_delay_p99_s] = waits.percentiles();
            let packets = counts.packets - before.packets;
            self.links.push(LinkWindowStats {
                window: of,
                link: port,
                packets,
                lost: counts.dropped + counts.lost - before.dropped - before.lost,
                utilization: counts.busy.saturating_sub(before.busy) as f64 / span.as_nanos() as f64,
                mean_queue_delay_s: (counts.waited - before.waited) as f64 / 1e9 / packets as f64,
                queue_delay_p50_s,
                queue_delay_p95_s,
                queue_delay_p99_s,
            });
        }
    }

    /// Figures of the windows that have ended, by window and then by flow or link.
    pub fn finish(&mut self) -> (Vec<FlowWindowStats>, Vec<LinkWindowStats>) {
        self.flows.sort_by_key(|row| (row.window, row.flow));
        self.links.sort_by_key(|row| (row.window, row.link));
        (std::mem::take(&mut self.flows), std::mem::take(&mut self.links))
    }
}
