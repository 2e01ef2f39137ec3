//! Outcome of one run.

use super::coded::{BlockStats, CodingStats};
use super::figures::{nearest_rank, share};
use super::requests::{AppStats, RequestClassStats, RequestLog};
use super::tables::{
    BacklogSeries, BacklogStats, CallVideoSeries, DatagramHistograms, FlowSeries, FlowStats, FlowWindowStats,
    GroupStats, InternalSeries, Internals, LinkSeries, LinkStats, LinkWindowStats, QueueDelayHistograms, RttHistograms,
    ShareStats, SourceStats,
};
use windward_elements::status::CAUSES;
use windward_radio::air::{AirLog, MpduLog, RanBlockLog};
use windward_tables::{Chunked, Frame, Frames, Histogram, Row, Series, Shape, Table};

/// Tables of flows and links. [`crate::tables`] has all, with those of media and of kinds of applications.
pub const ENTITIES: &[&Table] = &[FlowStats::TABLE, LinkStats::TABLE];

/// Tables of groups, of requests and of windows, which several kinds of senders share.
pub const SHARED: &[&Table] = &[
    GroupStats::TABLE,
    AppStats::TABLE,
    RequestClassStats::TABLE,
    RequestLog::TABLE,
    FlowWindowStats::TABLE,
    LinkWindowStats::TABLE,
];

/// Series, and tables of what only some networks have.
pub const SERIES: &[&Table] = &[
    FlowSeries::TABLE,
    LinkSeries::TABLE,
    CallVideoSeries::TABLE,
    InternalSeries::TABLE,
    BacklogStats::TABLE,
    ShareStats::TABLE,
    BacklogSeries::TABLE,
    CodingStats::TABLE,
    BlockStats::TABLE,
    RttHistograms::TABLE,
    QueueDelayHistograms::TABLE,
    DatagramHistograms::TABLE,
    AirLog::TABLE,
    MpduLog::TABLE,
    RanBlockLog::TABLE,
];

/// The outcome of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The seed of the run.
    pub seed: u64,
    /// One per flow, in the order of the network.
    pub flows: Vec<FlowStats>,
    /// One per port, in the order of the topology.
    pub links: Vec<LinkStats>,
    /// Tables of the members and stations of media.
    pub media: Frames,
    /// Queues of nodes that forward by backlog: one per pair of a node and a flow that crossed it.
    pub backlogs: Vec<BacklogStats>,
    /// Transmissions of these nodes: one per pair of a link and a flow that used it.
    pub shares: Vec<ShareStats>,
    /// Samples of these queues.
    pub backlog_series: BacklogSeries,
    /// Counters of the coding layer of each coded flow.
    pub coding: Vec<CodingStats>,
    /// Decoded blocks.
    pub blocks: Vec<BlockStats>,
    /// One per background source.
    pub sources: Vec<SourceStats>,
    /// Tables of sources that carry something, such as speech.
    pub of_sources: Frames,
    /// One per group of flows; see [`Self::group`].
    pub groups: Vec<GroupStats>,
    /// One per application.
    pub apps: Vec<AppStats>,
    /// Its requests by the size of their responses.
    pub request_classes: Vec<RequestClassStats>,
    /// Its requests after the warm-up.
    pub requests: RequestLog,
    /// Figures of each flow over the windows of the network.
    pub flow_windows: Vec<FlowWindowStats>,
    /// Figures of each link over these windows.
    pub link_windows: Vec<LinkWindowStats>,
    /// Tables of kinds of applications.
    pub of_apps: Frames,
    /// Samples of every flow.
    pub flow_series: Chunked<FlowSeries>,
    /// Samples of every link.
    pub link_series: Chunked<LinkSeries>,
    /// Samples of the video of every call.
    pub call_video_series: CallVideoSeries,
    /// Internal state of the laws, if requested.
    pub internals: Internals,
    /// Frames on the air of wireless networks, within the requested part of the run.
    pub air: AirLog,
    /// MPDUs of these frames.
    pub air_mpdus: MpduLog,
    /// Transport blocks of LTE and NR cells, within the same part.
    pub ran_blocks: RanBlockLog,
    /// RTT samples of each flow after the warm-up; empty if they are not known.
    pub rtts: Vec<Histogram>,
    /// Waits of each link's packets after the warm-up.
    pub waits: Vec<Histogram>,
    /// Delays of each source's datagrams after the warm-up.
    pub datagram_delays: Vec<Histogram>,
    /// Accounting of all packets.
    pub balance: Balance,
    /// Number of events handled.
    pub events: u64,
    /// Port traversals of packets, lost ones included.
    pub packet_hops: u64,
}

/// Accounting of all packets, from the beginning of the run to its end: `sent` is the sum of the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Packets of every kind that endpoints sent.
    pub sent: u64,
    /// Packets that reached the end of their route.
    pub delivered: u64,
    /// Lost packets, by [`crate::Cause`].
    pub lost: [u64; CAUSES],
    /// Packets waiting or in flight.
    pub under_way: u64,
}

impl Output {
    /// Completes the row of a flow by its share of lost packets, after [`Self::coding`]: of a coded flow, combinations
    /// are sent and lost.
    #[must_use]
    pub fn with_loss(&self, flow: usize, stats: FlowStats) -> FlowStats {
        let layer = self.coding.binary_search_by_key(&(flow as u32), |layer| layer.flow);
        let sent = layer.map_or(stats.segments_sent, |at| self.coding[at].combinations);
        FlowStats { loss: share(stats.segments_lost, sent), ..stats }
    }

    /// Fills the table of groups; `group_of` has the group of every flow.
    pub fn group(&mut self, group_of: &[u32]) {
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (flow, &group) in group_of.iter().enumerate() {
            members.resize_with(members.len().max(group as usize + 1), Vec::new);
            members[group as usize].push(flow);
        }
        let row = |(group, members): (u32, &Vec<usize>)| {
            let mut rtts = Histogram::default();
            members.iter().filter_map(|&flow| self.rtts.get(flow)).for_each(|own| rtts.merge(own));
            let times = members.iter().map(|&flow| self.flows[flow].completion_s).filter(|time| !time.is_nan());
            let mut times: Vec<f64> = times.collect();
            times.sort_unstable_by(f64::total_cmp);
            let completion = |percent: usize| nearest_rank(&times, percent);
            let [rtt_p50_s, rtt_p95_s, rtt_p99_s] = rtts.percentiles();
            GroupStats {
                group,
                flows: members.len() as u64,
                completed: times.len() as u64,
                unfinished: members.iter().map(|&flow| self.flows[flow].unfinished).sum(),
                completion_p50_s: completion(50),
                completion_p95_s: completion(95),
                completion_p99_s: completion(99),
                rtt_p50_s,
                rtt_p95_s,
                rtt_p99_s,
            }
        };
        self.groups = (0..).zip(&members).map(row).collect();
    }

    /// The output without tables that grow with the length of the run, and without histograms.
    #[must_use]
    pub fn totals(mut self) -> Self {
        self.of_apps.0.retain(|frame| frame.table.shape == Shape::Totals);
        Self {
            flow_series: Chunked::default(),
            link_series: Chunked::default(),
            call_video_series: CallVideoSeries::default(),
            backlog_series: BacklogSeries::default(),
            internals: Internals::default(),
            air: AirLog::default(),
            air_mpdus: MpduLog::default(),
            ran_blocks: RanBlockLog::default(),
            blocks: Vec::new(),
            requests: RequestLog::default(),
            rtts: Vec::new(),
            waits: Vec::new(),
            datagram_delays: Vec::new(),
            ..self
        }
    }

    /// All tables, and the names that [`Internals`] refers to.
    pub fn into_tables(self) -> (Vec<Frame>, Vec<String>) {
        let mut frames = vec![Frame::of_rows(&self.flows), Frame::of_rows(&self.links)];
        frames.extend(self.media.0);
        frames.push(Frame::of_rows(&self.sources));
        frames.extend(self.of_sources.0);
        frames.extend([
            Frame::of_rows(&self.groups),
            Frame::of_rows(&self.apps),
            Frame::of_rows(&self.request_classes),
            Frame::of_series(self.requests),
            Frame::of_rows(&self.flow_windows),
            Frame::of_rows(&self.link_windows),
        ]);
        frames.extend(self.of_apps.0);
        frames.extend([
            Frame::of_chunked(self.flow_series),
            Frame::of_chunked(self.link_series),
            Frame::of_series(self.call_video_series),
            Frame::of_series(self.internals.samples),
            Frame::of_rows(&self.backlogs),
            Frame::of_rows(&self.shares),
            Frame::of_series(self.backlog_series),
            Frame::of_rows(&self.coding),
            Frame::of_rows(&self.blocks),
            Frame::of_series(rtt_histograms(&self.rtts)),
            Frame::of_series(queue_delay_histograms(&self.waits)),
            Frame::of_series(datagram_histograms(&self.datagram_delays)),
            Frame::of_series(self.air),
            Frame::of_series(self.air_mpdus),
            Frame::of_series(self.ran_blocks),
        ]);
        (frames, self.internals.names)
    }
}

/// Buckets of histograms by owner: index, lower bound in seconds, count.
fn buckets(histograms: &[Histogram]) -> impl Iterator<Item = (u32, f64, u64)> + '_ {
    (0..).zip(histograms).flat_map(|(of, histogram)| {
        histogram.buckets().map(move |bucket| (of, bucket.least as f64 / 1e9, bucket.count))
    })
}

fn rtt_histograms(histograms: &[Histogram]) -> RttHistograms {
    let mut table = RttHistograms::default();
    for (flow, least_s, count) in buckets(histograms) {
        table.flow.push(flow);
        table.least_s.push(least_s);
        table.count.push(count);
    }
    table
}

fn datagram_histograms(histograms: &[Histogram]) -> DatagramHistograms {
    let mut table = DatagramHistograms::default();
    for (source, least_s, count) in buckets(histograms) {
        table.source.push(source);
        table.least_s.push(least_s);
        table.count.push(count);
    }
    table
}

fn queue_delay_histograms(histograms: &[Histogram]) -> QueueDelayHistograms {
    let mut table = QueueDelayHistograms::default();
    for (link, least_s, count) in buckets(histograms) {
        table.link.push(link);
        table.least_s.push(least_s);
        table.count.push(count);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Group 0: three flows complete after 1, 2 and 3 s, one does not. Group 1: no flow has a size.
    #[test]
    fn groups_have_exact_percentiles_of_completion_times() {
        let flow = |completion_s: f64, unfinished| FlowStats { completion_s, unfinished, ..FlowStats::default() };
        let times = [3.0, f64::NAN, 1.0, f64::NAN, 2.0];
        let flows = times.into_iter().zip([0, 1, 0, 0, 0]).map(|(time, unfinished)| flow(time, unfinished)).collect();
        let rtts = (1..6_u64).map(|ms| {
            let mut rtts = Histogram::default();
            rtts.record_many(ms * 1_000_000, 10);
            rtts
        });
        let mut output = Output { flows, rtts: rtts.collect(), ..Output::default() };
        output.group(&[0, 0, 0, 1, 0]);
        let [first, second] = &output.groups[..] else { panic!("two groups") };
        assert_eq!((first.flows, first.completed, first.unfinished), (4, 3, 1));
        assert_eq!((first.completion_p50_s, first.completion_p95_s, first.completion_p99_s), (2.0, 3.0, 3.0));
        assert!((first.rtt_p50_s / 2e-3 - 1.0).abs() < 0.004 && (first.rtt_p99_s / 5e-3 - 1.0).abs() < 0.004);
        assert_eq!((second.flows, second.completed, second.unfinished), (1, 0, 0));
        assert!(second.completion_p50_s.is_nan() && (second.rtt_p50_s / 4e-3 - 1.0).abs() < 0.004);
    }

    /// The second flow has two samples below a nanosecond and three in the bucket from 256 ns.
    #[test]
    fn histograms_are_a_table_by_owner() {
        let mut rtts = vec![Histogram::default(); 2];
        rtts[1].record_many(256, 3);
        rtts[1].record_many(0, 2);
        let table = rtt_histograms(&rtts);
        assert_eq!((table.flow, table.least_s, table.count), (vec![1, 1], vec![0.0, 256e-9], vec![2, 3]));
    }
}
