//! Statistics and series of a run.

use super::windows::Windows;
use crate::apps::{Client, Source, Transfer, no_rows, report_sources};
use crate::endpoint::Endpoint;
use crate::net::Net;
use crate::network::{Network, Pattern, Timing};
use crate::output::{
    AppStats, BlockStats, CodingStats, FlowStats, LinkStats, Output, RequestClassStats, Series, SourceStats, share,
};
use windward_elements::status::Counts;
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// Collects an [`Output`].
pub struct Recorder {
    output: Output,
    timing: Timing,
    has_internals: bool,
    /// Bytes that had arrived for each flow at the warm-up, and the sender's counters.
    at_warmup: Vec<Mark>,
    /// Bytes that had arrived for each flow at the last sample.
    arrived: Vec<u64>,
    /// Bytes of each link at the last sample, and drops before the warm-up.
    sent: Vec<u64>,
    dropped_before: Vec<u64>,
    windows: Windows,
}

#[derive(Clone, Default)]
struct Mark {
    arrived: u64,
    sent: u64,
    retransmits: u64,
    recoveries: u64,
    timeouts: u64,
    marked: u64,
    /// Counters of the coding layer, if there is one.
    coding: Option<Box<CodingStats>>,
}

impl Mark {
    fn of(flow: &Endpoint) -> Self {
        let counts = flow.counts();
        Self {
            arrived: flow.payload_arrived(),
            sent: counts.sent,
            retransmits: counts.retransmits,
            recoveries: counts.recoveries,
            timeouts: counts.timeouts,
            marked: flow.marked(),
            coding: flow.tcp().and_then(|flow| flow.coding.as_ref()).map(|coding| {
                let (source, sink) = coding.counts();
                Box::new(CodingStats::new(0, &source, &sink))
            }),
        }
    }
}

impl Recorder {
    /// An empty record with room for all samples of a run of `network`.
    pub fn new(seed: u64, network: &Network) -> Self {
        let timing = network.timing;
        let (ports, flows) = (network.topology.ports.len(), network.flows.len());
        let samples = (timing.duration.as_nanos() / timing.sample_interval.as_nanos().max(1)) as usize + 1;
        let mut output = Output { seed, ..Output::default() };
        output.flow_series.reserve(samples, flows);
        output.link_series.reserve(samples, ports);
        let rows = samples * network.sources.iter().filter(|source| matches!(source.pattern, Pattern::Rtp(_))).count();
        let series = &mut output.call_video_series;
        series.source.reserve(rows);
        for column in [&mut series.time_s, &mut series.target_bps, &mut series.received_bps, &mut series.frame_delay_s]
        {
            column.reserve(rows);
        }
        Self {
            output,
            timing,
            has_internals: network.internals,
            at_warmup: vec![Mark::default(); flows],
            arrived: vec![0; flows],
            sent: vec![0; ports],
            dropped_before: vec![0; ports],
            windows: Windows::new(&network.windows),
        }
    }

    /// Starts the totals at the end of the warm-up.
    pub fn warm(&mut self, net: &mut Net, flows: &mut [Endpoint], sources: &mut [Source]) {
        for (index, flow) in flows.iter_mut().enumerate() {
            flow.averages_mut().reset(net.now);
            self.at_warmup[index] = Mark::of(flow);
        }
        for index in 0..net.port_count() {
            let counts = net.counts(index as u32);
            self.dropped_before[index] = counts.dropped + counts.lost;
            // The series counts bytes since the last sample; keep its difference correct.
            self.sent[index] = self.sent[index].wrapping_sub(counts.bytes);
        }
        net.reset_counts();
        for source in sources {
            source.reset(net.now);
        }
    }

    /// Begins or ends a window; `number` is that of its event.
    pub fn turn_window(&mut self, number: u32, net: &mut Net, flows: &[Endpoint]) {
        self.windows.turn(number, net, flows);
    }

    /// Records one row for every flow and link.
    pub fn sample(&mut self, net: &mut Net, flows: &[Endpoint], transfers: &[Transfer], sources: &mut [Source]) {
        let now = net.now;
        self.windows.sample(now, flows);
        let seconds = now.as_secs();
        let interval = self.timing.sample_interval.as_secs();
        let or_nan = |span: Duration| if span == Duration::ZERO { f64::NAN } else { span.as_millis() };
        self.output.flow_series.add(|series| {
            for (index, flow) in flows.iter().enumerate() {
                let (srtt, last_rtt) = flow.rtts();
                let arrived = flow.payload_arrived();
                let payload = arrived - self.arrived[index];
                self.arrived[index] = arrived;
                series.time_s.push(seconds);
                series.flow.push(index as u32);
                series.cwnd.push(if flow.is_open() { flow.cwnd() } else { f64::NAN });
                series.flight.push(f64::from(flow.flight()));
                series.srtt_ms.push(or_nan(srtt));
                series.rtt_ms.push(or_nan(last_rtt));
                series.goodput_bps.push(payload as f64 * 8.0 / interval);
                series.retransmits.push(flow.counts().retransmits);
            }
        });
        if self.has_internals {
            self.sample_internals(now, flows, transfers);
        }
        self.output.link_series.add(|series| {
            for index in 0..net.port_count() {
                let counts = net.counts(index as u32);
                let sight = net.see(index as u32);
                series.time_s.push(seconds);
                series.link.push(index as u32);
                series.backlog.push(sight.backlog as f64);
                series.queue_delay_ms.push(sight.queue_delay.as_millis());
                series.rate_bps.push(counts.bytes.wrapping_sub(self.sent[index]) as f64 * 8.0 / interval);
                series.dropped.push(self.dropped_before[index] + counts.dropped + counts.lost);
                self.sent[index] = counts.bytes;
            }
        });
        let series = &mut self.output.call_video_series;
        for (index, source) in (0..).zip(sources) {
            let arrived = source.counts.received_bytes;
            let Some(video) = &mut source.video else { continue };
            series.time_s.push(seconds);
            series.source.push(index);
            series.target_bps.push(video.target);
            series.received_bps.push((arrived - video.sampled) as f64 * 8.0 / interval);
            series.frame_delay_s.push(video.picture.last_delay.map_or(f64::NAN, Duration::as_secs));
            video.sampled = arrived;
        }
        net.sample_backlogs(&mut self.output.backlog_series);
    }

    fn sample_internals(&mut self, now: Time, flows: &[Endpoint], transfers: &[Transfer]) {
        let internals = &mut self.output.internals;
        for (index, flow) in flows.iter().enumerate() {
            flow.observe(&mut |name, value| internals.push(now, index, name, value));
        }
        for transfer in transfers {
            transfer.observe(&mut |name, value| internals.push(now, transfer.flows().start, name, value));
        }
    }

    /// Counters of coding layers since the warm-up.
    fn coded(&self, flows: &[Endpoint]) -> (Vec<CodingStats>, Vec<BlockStats>) {
        let (mut totals, mut blocks) = (Vec::new(), Vec::new());
        for (index, flow) in flows.iter().enumerate() {
            let Some(coding) = flow.tcp().and_then(|flow| flow.coding.as_ref()) else { continue };
            let (source, sink) = coding.counts();
            let total = CodingStats::new(index as u32, &source, &sink);
            totals.push(match &self.at_warmup[index].coding {
                Some(before) => total.since(before),
                None => total,
            });
            let counted = coding.decoded().filter(|(_, record)| record.ended > self.timing.warmup);
            blocks.extend(counted.map(|(opened, record)| BlockStats::new(index as u32, opened, record)));
        }
        (totals, blocks)
    }

    /// Returns a copy of the samples so far.
    pub fn series(&self) -> Series {
        Series { flows: self.output.flow_series.unpack(), links: self.output.link_series.unpack() }
    }

    /// Totals of all ports at `now`.
    pub fn link_totals(&self, now: Time, net: &mut Net) -> Vec<LinkStats> {
        let span = now.since(self.timing.warmup);
        let seconds = now.as_secs() - self.timing.warmup.as_secs();
        let ports = net.port_count() as u32;
        let total = |port| {
            let waits = net.all_waits(port).unwrap_or_default();
            link_stats(&net.counts(port), &waits, span, seconds)
        };
        (0..ports).map(total).collect()
    }

    /// Returns the output at the end of the run.
    pub fn finish(
        mut self,
        end: Time,
        net: &mut Net,
        flows: &mut [Endpoint],
        transfers: &[Transfer],
        sources: &[Source],
        events: u64,
    ) -> Output {
        // The memory of the samples' books is free for the tables.
        (self.arrived, self.sent, self.dropped_before) = Default::default();
        let span = end.since(self.timing.warmup);
        for flow in flows.iter_mut() {
            flow.averages_mut().end(end);
        }
        (self.output.coding, self.output.blocks) = self.coded(flows);
        self.output.rtts = flows.iter_mut().map(|flow| flow.averages_mut().take_histogram()).collect();
        // The goodputs of a transfer's connections add up to that of the transfer.
        let mut spans: Vec<Duration> = flows.iter().map(|flow| flow.averages().open_for()).collect();
        for transfer in transfers {
            spans[transfer.flows().clone()].fill(transfer.span(self.timing.warmup, end));
        }
        self.output.flows = flows
            .iter()
            .zip(spans)
            .enumerate()
            .map(|(index, (flow, span))| {
                let rtts = self.output.rtts[index].percentiles();
                let stats = flow_stats(flow, span, &self.at_warmup[index], net.losses.segments[index], rtts);
                self.output.with_loss(index, stats)
            })
            .collect();
        self.output.waits = (0..net.port_count() as u32).map(|port| net.all_waits(port).unwrap_or_default()).collect();
        // The difference of seconds, not the seconds of the difference: both are rounded.
        let seconds = end.as_secs() - self.timing.warmup.as_secs();
        self.output.links = (0..)
            .zip(&self.output.waits)
            .map(|(port, waits)| link_stats(&net.counts(port), waits, span, seconds))
            .collect();
        (self.output.flow_windows, self.output.link_windows) = self.windows.finish();
        self.output.media = net.media_tables();
        (self.output.backlogs, self.output.shares) = net.backlog_stats();
        let air = net.air.take().map(|(_, record)| record).unwrap_or_default();
        (self.output.air, self.output.air_mpdus) = (air.frames, air.mpdus);
        self.output.ran_blocks = air.blocks;
        self.output.balance = net.balance();
        self.output.sources =
            sources.iter().zip(&net.losses.datagrams).map(|(source, &lost)| source_stats(source, lost, span)).collect();
        self.output.of_sources = report_sources(sources, &self.output.sources, end);
        self.output.datagram_delays = sources.iter().map(|source| source.counts.delays.clone()).collect();
        self.output.events = events;
        self.output.packet_hops = net.hops;
        self.output
    }
}

/// Adds the requests of applications to the output of a run that has ended at `end`.
pub fn add_requests(output: &mut Output, apps: Vec<Client>, end: Time) {
    let mut own = no_rows();
    for (app, mut client) in (0..).zip(apps) {
        client.report(app, end, &mut own);
        let (context, rows) = client.end(app, end);
        output.apps.push(AppStats::new(&context, &rows));
        output.request_classes.extend(RequestClassStats::of(app, &rows));
        output.requests.add(app, &rows);
    }
    output.of_apps = own.tables;
}

/// Totals and means of a flow whose goodput counts over `span`.
fn flow_stats(flow: &Endpoint, span: Duration, before: &Mark, lost: u64, rtts: [f64; 3]) -> FlowStats {
    let after = Mark::of(flow);
    let payload = after.arrived - before.arrived;
    let span = span.as_secs();
    let rate = if span > 0.0 { payload as f64 / span } else { 0.0 };
    let (mean_rtt_s, min_rtt_s, max_rtt_s) = flow.averages().rtts();
    let [rtt_p50_s, rtt_p95_s, rtt_p99_s] = rtts;
    FlowStats {
        goodput_bps: rate * 8.0,
        goodput_pps: rate / f64::from(flow.segment()),
        delivered_bytes: payload,
        segments_sent: after.sent - before.sent,
        retransmits: after.retransmits - before.retransmits,
        segments_lost: lost,
        recoveries: after.recoveries - before.recoveries,
        timeouts: after.timeouts - before.timeouts,
        marked: after.marked - before.marked,
        mean_cwnd: flow.averages().mean_cwnd(),
        mean_window_rate_pps: flow.averages().mean_window_rate(),
        mean_rtt_s,
        min_rtt_s,
        max_rtt_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        completion_s: flow.completion().map_or(f64::NAN, Duration::as_secs),
        unfinished: u64::from(flow.is_sized() && flow.completion().is_none()),
        loss: f64::NAN,
    }
}

/// Totals and means of a link over `span`, which is `seconds` as the difference of its ends in seconds.
fn link_stats(counts: &Counts, waits: &Histogram, span: Duration, seconds: f64) -> LinkStats {
    let nanos = span.as_nanos() as f64;
    let [queue_delay_p50_s, queue_delay_p95_s, queue_delay_p99_s] = waits.percentiles();
    LinkStats {
        packets: counts.packets,
        bytes: counts.bytes,
        dropped: counts.dropped,
        marked: counts.marked,
        lost: counts.lost,
        utilization: counts.busy as f64 / nanos,
        mean_backlog: counts.backlog_time as f64 / nanos,
        max_backlog: counts.max_backlog,
        mean_queue_delay_s: counts.waited as f64 / 1e9 / counts.packets as f64,
        queue_delay_p50_s,
        queue_delay_p95_s,
        queue_delay_p99_s,
        loss: share(counts.dropped + counts.lost, counts.packets + counts.dropped),
        throughput_bps: counts.bytes as f64 * (8.0 / seconds),
    }
}

fn source_stats(source: &Source, lost: u64, span: Duration) -> SourceStats {
    let counts = &source.counts;
    let [delay_p50_s, delay_p95_s, delay_p99_s, delay_p999_s] = counts.delays.quantiles([500, 950, 990, 999]);
    let [late_50ms, late_100ms] = counts.late.map(|late| share(late, counts.received));
    SourceStats {
        sent: counts.sent,
        lost,
        received: counts.received,
        marked: counts.marked,
        received_bps: counts.received_bytes as f64 * 8.0 / span.as_secs(),
        mean_delay_s: counts.delay / counts.received as f64,
        loss: share(lost, counts.sent),
        delay_p50_s,
        delay_p95_s,
        delay_p99_s,
        delay_p999_s,
        late_50ms,
        late_100ms,
        longest_gap_s: if counts.received > 1 { counts.longest_gap.as_secs() } else { f64::NAN },
    }
}
