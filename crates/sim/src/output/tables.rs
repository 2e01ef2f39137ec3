//! Output of a run: one row per flow, link and source, and sampled series as columns.
//!
//! Totals and means count from the warm-up to the end of the run. Rates are in bits per second and times in seconds, as
//! plain `f64`: these are columns of a table, named with their unit.

use super::air::AirLog;
use super::figures::Figures;
use crate::status::CAUSES;
use windward_units::Time;

/// The outcome of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The seed of the run.
    pub seed: u64,
    /// One per flow, in the order of the network.
    pub flows: Vec<FlowStats>,
    /// One per port, in the order of the topology.
    pub links: Vec<LinkStats>,
    /// Further figures of the members of media, one table for each kind of medium.
    pub figures: Vec<Figures>,
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
    /// Samples of every flow.
    pub flow_series: FlowSeries,
    /// Samples of every link.
    pub link_series: LinkSeries,
    /// Internal state of the laws, if requested.
    pub internals: Internals,
    /// Frames on the air of wireless networks, within the requested part of the run.
    pub air: AirLog,
    /// Accounting of all packets.
    pub balance: Balance,
    /// Number of events handled.
    pub events: u64,
    /// Port traversals of packets, lost ones included.
    pub packet_hops: u64,
}

/// Totals and means of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowStats {
    /// Payload that arrived at the receiver per second, each byte counted once, over the time the flow was open after
    /// the warm-up; for a connection of a transfer, over the transfer's whole time. Data beyond a gap counts when it
    /// arrives, not when the gap is filled: no flow gets more than its links carry.
    pub goodput_bps: f64,
    /// Goodput in full segments per second.
    pub goodput_pps: f64,
    /// Payload that arrived after the warm-up, in bytes, each byte counted once.
    pub delivered_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Data segments dropped by queues or lost on the wire so far; segments in flight at the end are not lost.
    pub segments_lost: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data segments that arrived with a mark.
    pub marked: u64,
    /// Time average of cwnd, in packets.
    pub mean_cwnd: f64,
    /// Time average of cwnd divided by the law's average RTT (1/256 filter), in packets per second: the rate as ns-2's
    /// FAST scripts record it.
    pub mean_window_rate_pps: f64,
    /// Mean of the RTT samples after the warm-up, in seconds. It averages over packets, not over time. NaN without
    /// samples.
    pub mean_rtt_s: f64,
    /// Least RTT sample of the connection, in seconds; NaN without samples.
    pub min_rtt_s: f64,
    /// Largest RTT sample after the warm-up, in seconds; NaN without samples.
    pub max_rtt_s: f64,
    /// Time from the flow's start to the acknowledgement of its last byte, in seconds; NaN if unfinished.
    pub completion_s: f64,
    /// 1 for a sized flow that was not complete at the end of the run, else 0.
    pub unfinished: u64,
}

/// Totals and means of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// Packets transmitted, or being transmitted at the end.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped by the full buffer or by the queue discipline.
    pub dropped: u64,
    /// Packets marked by the queue discipline.
    pub marked: u64,
    /// Transmitted packets that were lost on the wire.
    pub lost: u64,
    /// Fraction of the time for which the transmitter was busy.
    pub utilization: f64,
    /// Mean number of packets waiting, without the one in transmission.
    pub mean_backlog: f64,
    /// Largest number of packets waiting.
    pub max_backlog: u64,
    /// Mean wait before transmission, in seconds; NaN without packets.
    pub mean_queue_delay_s: f64,
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

/// Identity of a queue of a node that forwards by backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// 0: a flow's data, 1: a flow's ACKs, 2: a background source's datagrams.
    pub class: u32,
    /// Index of the flow, or of the source.
    pub flow: u32,
}

/// The queue of a flow at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct BacklogStats {
    /// The node.
    pub node: u32,
    /// Identity of the queue.
    pub of: Queued,
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets of the queue dropped because the node's buffer was full.
    pub dropped: u64,
    /// Time average of the number of packets, including the one being sent.
    pub mean_backlog: f64,
    /// Time average of the number of packets while the queue is stalled, which means it has sent none for more than a
    /// second.
    pub mean_trapped: f64,
    /// Largest number of packets.
    pub max_backlog: u64,
    /// Packets at the end of the run.
    pub last_backlog: u64,
}

/// Traffic of a flow on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareStats {
    /// Port of the link.
    pub port: u32,
    /// Identity of the queue.
    pub of: Queued,
    /// Packets that arrived.
    pub packets: u64,
}

/// Samples of the queues of nodes that forward by backlog: one row per used queue and sampling time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BacklogSeries {
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// The node.
    pub node: Vec<u32>,
    /// Class of the queue: see [`Queued`].
    pub class: Vec<u32>,
    /// Index of the flow, or of the source.
    pub flow: Vec<u32>,
    /// Number of packets.
    pub backlog: Vec<u32>,
    /// Time for which the queue has had packets and has sent none, in seconds.
    pub idle_s: Vec<f64>,
    /// K of the node.
    pub threshold: Vec<f64>,
}

/// Counters of a flow's coding layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodingStats {
    /// The flow.
    pub flow: u32,
    /// Combinations that left the source.
    pub combinations: u64,
    /// Repairs among them, in answer to requests.
    pub repairs: u64,
    /// Segments that a full queue at the source dropped and that TCP sees missing.
    pub unmasked: u64,
    /// Combinations that arrived.
    pub received: u64,
    /// Innovative combinations among them.
    pub innovative: u64,
    /// Number of requests.
    pub requests: u64,
    /// Combinations requested.
    pub requested: u64,
}

/// A decoded block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockStats {
    /// The flow.
    pub flow: u32,
    /// Number of the block.
    pub block: u32,
    /// Number of its segments.
    pub size: u32,
    /// Time at which its first segment was sent, in seconds.
    pub opened_s: f64,
    /// Time at which its first combination arrived, in seconds.
    pub began_s: f64,
    /// Time at which its last segment was handed to the receiver, in order, in seconds.
    pub decoded_s: f64,
    /// Number of requests for it.
    pub requests: u32,
}

/// Totals of a background source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceStats {
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams dropped by queues or lost on the wire so far; datagrams in flight at the end are not lost.
    pub lost: u64,
    /// Datagrams that arrived, including those that were in flight when counting started.
    pub received: u64,
    /// Datagrams that arrived with a mark.
    pub marked: u64,
    /// Rate of arrivals on the wire, in bits per second.
    pub received_bps: f64,
    /// Mean delay from source to sink, in seconds; NaN without arrivals.
    pub mean_delay_s: f64,
}

/// Samples of flows, one row per flow and sampling time, as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// Index of the flow.
    pub flow: Vec<u32>,
    /// Window of the law, in packets; NaN while the flow is not open.
    pub cwnd: Vec<f64>,
    /// Packets in flight.
    pub flight: Vec<f64>,
    /// Smoothed RTT, in milliseconds; NaN before the first sample.
    pub srtt_ms: Vec<f64>,
    /// Latest RTT sample, in milliseconds; NaN before the first.
    pub rtt_ms: Vec<f64>,
    /// Goodput since the last sample, in bits per second: payload that arrived, each byte counted once.
    pub goodput_bps: Vec<f64>,
    /// Retransmissions since the beginning.
    pub retransmits: Vec<u64>,
}

/// Samples of links, one row per link and sampling time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSeries {
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// Index of the link.
    pub link: Vec<u32>,
    /// Number of packets waiting.
    pub backlog: Vec<f64>,
    /// Wait of a packet that would arrive now, in milliseconds.
    pub queue_delay_ms: Vec<f64>,
    /// Rate on the wire since the last sample, in bits per second.
    pub rate_bps: Vec<f64>,
    /// Packets dropped or lost since the beginning.
    pub dropped: Vec<u64>,
}

/// Series sampled so far in a running run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Samples of flows.
    pub flows: FlowSeries,
    /// Samples of links.
    pub links: LinkSeries,
}

/// Samples of the laws' internal state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Internals {
    /// Names, referred to by index.
    pub names: Vec<String>,
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// Index of the flow.
    pub flow: Vec<u32>,
    /// Index into `names`.
    pub name: Vec<u32>,
    /// Value, in the law's own unit.
    pub value: Vec<f64>,
}

impl Internals {
    /// Adds a sample of the internal state of `flow`'s law at `now`.
    pub fn push(&mut self, now: Time, flow: usize, name: &str, value: f64) {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.time_s.push(now.as_secs());
        self.flow.push(flow as u32);
        self.name.push(index as u32);
        self.value.push(value);
    }
}
