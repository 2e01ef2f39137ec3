//! What a run returns: one row per flow, link and source, and sampled series as columns.
//!
//! Totals and means count from the warm-up to the end of the run. Rates are in bits a second and times in seconds,
//! as plain `f64`: these are columns of a table, named with their unit.

use super::figures::Figures;
use crate::medium::{AirLog, CAUSES};
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
    /// What the members of media have beyond that, a table for each kind of medium.
    pub figures: Vec<Figures>,
    /// Queues of nodes that forward by backlog: one per node and flow that met.
    pub backlogs: Vec<BacklogStats>,
    /// What these nodes sent: one per link and flow that took it.
    pub shares: Vec<ShareStats>,
    /// Samples of these queues.
    pub backlog_series: BacklogSeries,
    /// Of each flow that is coded, what its coding layer counted.
    pub coding: Vec<CodingStats>,
    /// The blocks that were decoded.
    pub blocks: Vec<BlockStats>,
    /// One per background source.
    pub sources: Vec<SourceStats>,
    /// Samples of every flow.
    pub flow_series: FlowSeries,
    /// Samples of every link.
    pub link_series: LinkSeries,
    /// What the laws showed of themselves, where asked for.
    pub internals: Internals,
    /// Frames on the air of wireless networks, of the part of the run that was asked for.
    pub air: AirLog,
    /// Where all packets went.
    pub balance: Balance,
    /// Events handled.
    pub events: u64,
    /// Link traversals of packets, the lost ones included.
    pub packet_hops: u64,
}

/// Totals and means of a flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowStats {
    /// Payload that arrived at the receiver, each byte once, per second, over the time the flow was open after the
    /// warm-up; for a connection of a transfer over the transfer's whole time. What arrived beyond a gap counts when it
    /// arrives, not when the gap is filled: no flow gets more than its links carry.
    pub goodput_bps: f64,
    /// The same in full segments a second.
    pub goodput_pps: f64,
    /// Payload that arrived after the warm-up, each byte once, in bytes.
    pub delivered_bytes: u64,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Of the segments sent, those dropped by queues or lost on the wire so far; segments under way at the end are not lost.
    pub segments_lost: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data segments that arrived with a mark of a queue.
    pub marked: u64,
    /// Mean of cwnd over time, in packets.
    pub mean_cwnd: f64,
    /// Mean over time of cwnd divided by the law's average RTT (1/256 filter), packets a second: the rate as
    /// ns-2's FAST scripts record it.
    pub mean_window_rate_pps: f64,
    /// Mean over the RTT samples after the warm-up, each counted once, in seconds: over packets, not over time. NaN without samples.
    pub mean_rtt_s: f64,
    /// Least RTT sample of the connection, in seconds; NaN without samples.
    pub min_rtt_s: f64,
    /// Largest RTT sample after the warm-up, in seconds; NaN without samples.
    pub max_rtt_s: f64,
    /// When the last byte of a sized flow was acknowledged, seconds after its start; NaN if it was not.
    pub completion_s: f64,
    /// 1 for a sized flow that was not complete at the end of the run, else 0.
    pub unfinished: u64,
}

/// Totals and means of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// Packets transmitted, or in transmission at the end.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped by the full buffer or by the discipline of the queue.
    pub dropped: u64,
    /// Packets marked by the discipline of the queue.
    pub marked: u64,
    /// Of the packets transmitted, those lost on the wire.
    pub lost: u64,
    /// Share of the time that the transmitter was busy.
    pub utilization: f64,
    /// Mean number of packets waiting, the one in transmission not counted.
    pub mean_backlog: f64,
    /// Most packets waiting at once.
    pub max_backlog: u64,
    /// Mean wait before transmission, in seconds; NaN without packets.
    pub mean_queue_delay_s: f64,
}

/// Where all packets went, from the beginning of the run to its end: `sent` is the sum of the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Packets of every kind that endpoints sent.
    pub sent: u64,
    /// Packets that came to the end of their route.
    pub delivered: u64,
    /// Packets that did not, by [`crate::Cause`].
    pub lost: [u64; CAUSES],
    /// Packets that wait or are in flight.
    pub under_way: u64,
}

/// What is queued apart where nodes forward by backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// 0: a flow's data, 1: a flow's ACKs, 2: a background source's datagrams.
    pub class: u32,
    /// The flow, or the source.
    pub flow: u32,
}

/// The queue of a flow at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct BacklogStats {
    /// The node.
    pub node: u32,
    /// Whose packets.
    pub of: Queued,
    /// Packets that came.
    pub arrived: u64,
    /// Packets of it that had to go because the node's buffer was full.
    pub dropped: u64,
    /// Mean number of packets over time, the one being sent counted.
    pub mean_backlog: f64,
    /// Mean number of packets over time in the queue while it is stalled: while it has sent none for more than a second.
    pub mean_trapped: f64,
    /// Most packets at once.
    pub max_backlog: u64,
    /// Packets at the end of the run.
    pub last_backlog: u64,
}

/// What of a flow went by a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareStats {
    /// The port that the link is.
    pub port: u32,
    /// Whose packets.
    pub of: Queued,
    /// Packets that arrived.
    pub packets: u64,
}

/// Samples of the queues of nodes that forward by backlog, one row per queue that was ever used and sampling instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BacklogSeries {
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// The node.
    pub node: Vec<u32>,
    /// What it is a queue of: see [`Queued`].
    pub class: Vec<u32>,
    /// The flow, or the source.
    pub flow: Vec<u32>,
    /// Packets.
    pub backlog: Vec<u32>,
    /// Seconds for which the queue has had packets and has sent none.
    pub idle_s: Vec<f64>,
    /// K of the node.
    pub threshold: Vec<f64>,
}

/// What the coding layer of a flow counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodingStats {
    /// The flow.
    pub flow: u32,
    /// Combinations that left the source.
    pub combinations: u64,
    /// Of these, answers to requests.
    pub repairs: u64,
    /// Segments that a full queue at the source dropped: TCP sees them missing.
    pub unmasked: u64,
    /// Combinations that arrived.
    pub received: u64,
    /// Of these, those that said something new.
    pub innovative: u64,
    /// Requests.
    pub requests: u64,
    /// Combinations asked for.
    pub requested: u64,
}

/// A block that was decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockStats {
    /// The flow.
    pub flow: u32,
    /// Its number.
    pub block: u32,
    /// Its segments.
    pub size: u32,
    /// When its first segment was sent, in seconds.
    pub opened_s: f64,
    /// When its first combination arrived.
    pub began_s: f64,
    /// When its last segment was handed to the receiver, in order.
    pub decoded_s: f64,
    /// Requests for it.
    pub requests: u32,
}

/// Totals of a background source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceStats {
    /// Datagrams sent.
    pub sent: u64,
    /// Of these, those dropped by queues or lost on the wire so far; datagrams under way at the end are not lost.
    pub lost: u64,
    /// Datagrams that arrived, those among them that were on their way when the counting began.
    pub received: u64,
    /// Of these, those that a queue had marked.
    pub marked: u64,
    /// Rate on the wire that arrived.
    pub received_bps: f64,
    /// Mean delay from source to sink, in seconds; NaN without arrivals.
    pub mean_delay_s: f64,
}

/// Samples of flows, one row per flow and sampling instant, as columns of equal length.
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
    /// Last RTT sample, in milliseconds; NaN before the first.
    pub rtt_ms: Vec<f64>,
    /// Goodput since the last sample, in bits a second: payload that arrived, each byte once.
    pub goodput_bps: Vec<f64>,
    /// Retransmissions since the beginning.
    pub retransmits: Vec<u64>,
}

/// Samples of links, one row per link and sampling instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSeries {
    /// Seconds since the beginning.
    pub time_s: Vec<f64>,
    /// Index of the link.
    pub link: Vec<u32>,
    /// Packets waiting.
    pub backlog: Vec<f64>,
    /// Wait that a packet arriving now would have, in milliseconds.
    pub queue_delay_ms: Vec<f64>,
    /// Rate on the wire since the last sample, in bits a second.
    pub rate_bps: Vec<f64>,
    /// Packets dropped or lost since the beginning.
    pub dropped: Vec<u64>,
}

/// What has been sampled of a run that goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Of the flows.
    pub flows: FlowSeries,
    /// Of the links.
    pub links: LinkSeries,
}

/// Samples of what laws show of themselves.
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
    /// The value, in the law's own unit.
    pub value: Vec<f64>,
}

impl Internals {
    /// Adds what the law of `flow` shows of itself at `now`.
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
