//! Tables of a run, each declared once: rows per flow, link and source, and samples.
//!
//! Totals and means count from the warm-up to the end of the run.

use windward_tables::table;
use windward_units::Time;

table! {
    /// Totals and means of each flow, from the end of the warm-up to the end of the run.
    pub struct FlowStats: "flows", Totals, "flow", Always;
    about {
        /// Name of the flow.
        flow: Text fixed [""],
        /// Name of the `[[flow]]` entry that made the flow, shared by all flows of the entry.
        group: Text fixed [""],
        /// Congestion control law.
        law: Text fixed [""],
        /// Node that sends the data.
        from: Text fixed [""],
        /// Node that receives the data.
        to: Text fixed [""],
    }
    columns {
        /// Payload that arrived at the receiver per second, each byte counted once, over the time the flow was open
        /// after the warm-up. For a connection of a transfer (`connections`), over the transfer's whole time. Data
        /// beyond a gap counts when it arrives, not when the gap is filled: no flow gets more than its links carry.
        goodput_bps: f64 ["bit/s"],
        /// Goodput in full segments per second.
        goodput_pps: f64 ["segments/s"],
        /// Payload that arrived after the warm-up, each byte counted once.
        delivered_bytes: u64 ["bytes"],
        /// Data segments sent, retransmissions included. Over QUIC: datagrams of the sender.
        segments_sent: u64 ["segments"],
        /// Retransmissions. Over QUIC: packets that the sender has declared lost, whose content it sends again.
        retransmits: u64 ["segments"],
        /// Data segments dropped by queues or lost on the wire so far. Segments in flight at the end are not lost.
        segments_lost: u64 ["segments"],
        /// Fast recoveries entered.
        recoveries: u64 [""],
        /// Retransmission timeouts. Over QUIC: persistent congestions (RFC 9002 §7.6).
        timeouts: u64 [""],
        /// Data segments that arrived with an ECN mark.
        marked: u64 ["segments"],
        /// Time average of the congestion window, while the flow was open.
        mean_cwnd: f64 ["packets"],
        /// Time average, while the flow was open, of the congestion window divided by a smoothed RTT with weight 1/256
        /// for each sample. It is the sending rate as ns-2's scripts for FAST record it. In an emulation: the mean over
        /// samples of the kernel's window divided by its smoothed RTT.
        mean_window_rate_pps: f64 ["packets/s"],
        /// Mean of the RTT samples after the warm-up. It averages over samples, not over time: the sender takes about
        /// one sample per ACK. NaN without samples.
        mean_rtt_s: f64 ["s"],
        /// Least RTT sample since the connection opened, the warm-up included. NaN without samples.
        min_rtt_s: f64 ["s"],
        /// Largest RTT sample after the warm-up. NaN without samples.
        max_rtt_s: f64 ["s"],
        /// Median of the RTT samples after the warm-up. NaN without samples, and in an emulation, where the kernel
        /// shows the smoothed RTT only.
        rtt_p50_s: f64 binned ["s"],
        /// 95th percentile of these samples.
        rtt_p95_s: f64 binned ["s"],
        /// 99th percentile of these samples.
        rtt_p99_s: f64 binned ["s"],
        /// Completion time of a flow with a `size`: from its start, before the handshake, to the ACK of its last byte,
        /// or with `read` to the read of its last byte. NaN if the flow has no size or did not complete within the run.
        completion_s: f64 ["s"],
        /// 1 for a flow with a `size` that did not complete within the run, otherwise 0.
        unfinished: u64 ["flows"],
        /// Lost segments divided by sent ones. For a coded flow, divided by its combinations. NaN if nothing was sent.
        loss: f64 [""],
    }
}

table! {
    /// Totals and means of each one-way link, from the end of the warm-up to the end of the run. Wired links, stations
    /// of cells and links of wireless networks each have a row.
    pub struct LinkStats: "links", Totals, "link", Always;
    about {
        /// Name of the link.
        link: Text fixed [""],
        /// Node at the start of the link.
        from: Text fixed [""],
        /// Node at the end of the link.
        to: Text fixed [""],
        /// Nominal rate of the link. Wired: its rate at the start, of a recorded link the mean of the recording. Wi-Fi
        /// and CSMA: the bit rate of data frames, without overhead. Cell: the mean rate of the station alone. Slotted:
        /// the mean with a packet of 1500 bytes in every slot in which the link is ON.
        rate_bps: f64 fixed ["bit/s"],
        /// Propagation delay at the start of the run.
        delay_s: f64 fixed ["s"],
    }
    columns {
        /// Packets whose transmission began. On Wi-Fi each packet counts once, at its first attempt.
        packets: u64 ["packets"],
        /// Their bytes.
        bytes: u64 ["bytes"],
        /// Packets dropped by the full buffer or by the queue discipline.
        dropped: u64 ["packets"],
        /// Packets marked (ECN) by the queue discipline.
        marked: u64 ["packets"],
        /// Transmitted packets that were lost on the wire or given up on the air.
        lost: u64 ["packets"],
        /// Busy time of the link as a share of the measured time. Wired: the transmitter sends. Recorded rate: the
        /// share of the offered bytes that was used. Wi-Fi: the sender's MAC serves a packet of this link, from the
        /// start of its contention to its ACK or its last retry. It includes backoff, deferring to others and retries,
        /// so it is the share of the MAC's time, not of the air: the links of one sender add up to at most 1, those of
        /// a channel to more. 802.11n, ac and ax: the link's exchanges are on the air. Cell: the carrier sends the
        /// station's packets; LTE and NR: the share of time, each slot by its share of resource blocks. CSMA: the link
        /// is active. Slotted: slots with a packet.
        utilization: f64 [""],
        /// Time average of the number of waiting packets, without the one in transmission.
        mean_backlog: f64 ["packets"],
        /// Largest number of waiting packets.
        max_backlog: u64 ["packets"],
        /// Mean wait in the queue, over packets whose transmission began; a packet that finds the link idle waits for
        /// zero. On Wi-Fi the wait ends at the packet's first attempt and includes the contention before it. NaN
        /// without packets. A slotted link has no queue of its own: 0.
        mean_queue_delay_s: f64 ["s"],
        /// Median of these waits. NaN without packets, and for slotted links.
        queue_delay_p50_s: f64 binned ["s"],
        /// 95th percentile of these waits.
        queue_delay_p95_s: f64 binned ["s"],
        /// 99th percentile of these waits.
        queue_delay_p99_s: f64 binned ["s"],
        /// Dropped and lost packets divided by all that were offered. NaN without packets.
        loss: f64 [""],
        /// Bytes sent per second of the measured time, headers included.
        throughput_bps: f64 ["bit/s"],
    }
}

table! {
    /// Totals of each source of datagrams, from the end of the warm-up to the end of the run. Games and pings are
    /// sources too.
    pub struct SourceStats: "background", Totals, "source", Always;
    about {
        /// Name of the source. A game has two, NAME:up and NAME:down.
        source: Text fixed [""],
        /// Name of the `[[background]]` or `[[app]]` entry that made the source.
        group: Text fixed [""],
        /// Node that sends.
        from: Text fixed [""],
        /// Node that receives.
        to: Text fixed [""],
    }
    columns {
        /// Datagrams sent since the end of the warm-up. `lost`, `received` and all delays are of these.
        sent: u64 ["datagrams"],
        /// Datagrams dropped by queues or lost on the wire so far. Datagrams in flight at the end are not lost.
        lost: u64 ["datagrams"],
        /// Datagrams that arrived: `sent` − `lost` − `received` are in flight at the end. Of a ping: replies.
        received: u64 ["datagrams"],
        /// Datagrams that arrived with an ECN mark.
        marked: u64 ["datagrams"],
        /// Rate of arrivals on the wire, headers included, also of datagrams in flight at the end of the warm-up.
        received_bps: f64 ["bit/s"],
        /// Mean delay from source to sink; of a ping, round-trip time. NaN without arrivals.
        mean_delay_s: f64 ["s"],
        /// Lost datagrams divided by sent ones. NaN if none was sent.
        loss: f64 [""],
        /// Median of the delays. NaN without arrivals.
        delay_p50_s: f64 binned ["s"],
        /// 95th percentile of the delays.
        delay_p95_s: f64 binned ["s"],
        /// 99th percentile of the delays.
        delay_p99_s: f64 binned ["s"],
        /// 99.9th percentile of the delays: the longest if fewer than a thousand arrived.
        delay_p999_s: f64 binned ["s"],
        /// Share of the arrived datagrams with a delay of more than 50 ms. NaN without arrivals.
        late_50ms: f64 [""],
        /// Share with a delay of more than 100 ms.
        late_100ms: f64 [""],
        /// Longest time between two arrivals. NaN with fewer than two.
        longest_gap_s: f64 ["s"],
    }
}

table! {
    /// Flows of each group together: the flows that one `[[flow]]` entry made.
    pub struct GroupStats: "groups", Totals, "group", IfAny;
    columns {
        /// Name of the group.
        group: u32 @ "groups" fixed [""],
        /// Number of flows.
        flows: u64 fixed ["flows"],
        /// Flows that completed within the run.
        completed: u64 ["flows"],
        /// Flows with a `size` that did not complete within the run. Percentiles of completion times leave them out.
        unfinished: u64 ["flows"],
        /// Median of the completion times, from the exact times in `flows`. NaN if none completed.
        completion_p50_s: f64 ["s"],
        /// 95th percentile of the completion times: the least time that 95 % of them do not exceed.
        completion_p95_s: f64 ["s"],
        /// 99th percentile of the completion times.
        completion_p99_s: f64 ["s"],
        /// Median of the RTT samples of all flows together, after the warm-up. NaN without samples.
        rtt_p50_s: f64 binned ["s"],
        /// 95th percentile of these samples.
        rtt_p95_s: f64 binned ["s"],
        /// 99th percentile of these samples.
        rtt_p99_s: f64 binned ["s"],
    }
}

table! {
    /// Figures of each flow over the windows of `output`.
    pub struct FlowWindowStats: "flow_windows", Parts, "flow", IfAny;
    columns {
        /// Window.
        window: u32 @ "windows" fixed [""],
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Payload that arrived at the receiver within the window, per second, each byte counted once.
        goodput_bps: f64 ["bit/s"],
        /// Longest time without arriving payload within the window, known to one sample interval: from a sample before
        /// which payload arrived, or the beginning of the window, to the last one before payload arrived again.
        longest_gap_s: f64 ["s"],
        /// Segments sent within the window, retransmissions included.
        segments_sent: u64 ["segments"],
        /// Retransmission timeouts.
        timeouts: u64 [""],
    }
}

table! {
    /// Figures of each one-way link over the windows of `output`.
    pub struct LinkWindowStats: "link_windows", Parts, "link", IfAny;
    columns {
        /// Window.
        window: u32 @ "windows" fixed [""],
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Packets whose transmission began within the window.
        packets: u64 ["packets"],
        /// Packets that were dropped, or lost on the wire.
        lost: u64 ["packets"],
        /// Busy time of the link as a share of the window, as in `links`.
        utilization: f64 [""],
        /// Mean wait in the queue, over packets whose transmission began within the window. NaN without packets.
        mean_queue_delay_s: f64 ["s"],
        /// Median of these waits. NaN without packets, and for slotted links.
        queue_delay_p50_s: f64 binned ["s"],
        /// 95th percentile of these waits.
        queue_delay_p95_s: f64 binned ["s"],
        /// 99th percentile of these waits.
        queue_delay_p99_s: f64 binned ["s"],
    }
}

table! {
    /// Queues of stations that forward by backpressure: one row per station and flow that crossed it.
    pub struct BacklogStats: "backlogs", Parts, "node", IfAny;
    columns {
        /// Station.
        node: u32 @ "nodes" fixed [""],
        /// Flow or background source whose packets wait.
        flow: u32 @ "queued" fixed [""],
        /// Class of the packets: `data` or `acks` of a flow, `datagrams` of a background source.
        class: u32 @ "classes" fixed [""],
        /// Packets that arrived.
        arrived: u64 ["packets"],
        /// Packets dropped because the station's buffer was full.
        dropped: u64 ["packets"],
        /// Time average of the number of packets, including the one being sent.
        mean_backlog: f64 ["packets"],
        /// Time average of the number of trapped packets: packets in the queue at times when it has had packets and
        /// sent none for more than one second. At other times none is trapped.
        mean_trapped: f64 ["packets"],
        /// Largest number of packets.
        max_backlog: u64 ["packets"],
        /// Packets at the end of the run.
        last_backlog: u64 ["packets"],
    }
}

table! {
    /// Traffic of stations that forward by backpressure: one row per link and flow that used it.
    pub struct ShareStats: "shares", Parts, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Flow or background source.
        flow: u32 @ "queued" fixed [""],
        /// Class of the packets, as in `backlogs`.
        class: u32 @ "classes" fixed [""],
        /// Packets that arrived at the far end.
        packets: u64 ["packets"],
    }
}

table! {
    /// Samples of every flow, one row per flow and sampling time.
    pub series FlowSeries: "flow_series", Series, "flow", Always;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Congestion window. NaN while the flow is not open.
        cwnd: f64 ["packets"],
        /// Packets in flight.
        flight: f64 ["packets"],
        /// Smoothed RTT (RFC 6298). NaN before the first sample.
        srtt_ms: f64 ["ms"],
        /// Latest RTT sample. NaN before the first. In an emulation the smoothed RTT.
        rtt_ms: f64 ["ms"],
        /// Goodput since the last sample: payload that arrived, each byte counted once.
        goodput_bps: f64 ["bit/s"],
        /// Retransmissions since the beginning of the run.
        retransmits: u64 ["segments"],
    }
}

table! {
    /// Samples of every link, one row per link and sampling time.
    pub series LinkSeries: "link_series", Series, "link", Always;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Packets waiting.
        backlog: f64 ["packets"],
        /// Wait of a packet that would arrive now. An estimate in a medium.
        queue_delay_ms: f64 ["ms"],
        /// Rate on the wire since the last sample, headers included.
        rate_bps: f64 ["bit/s"],
        /// Packets dropped or lost since the beginning of the run.
        dropped: u64 ["packets"],
    }
}

table! {
    /// Samples of the video of each direction of a call, one row per direction and sampling time.
    pub series CallVideoSeries: "call_video_series", Series, "source", IfAny;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Source of the datagrams.
        source: u32 @ "sources" fixed [""],
        /// Bit rate of the last frame. NaN before the first.
        target_bps: f64 ["bit/s"],
        /// Rate of arrivals since the last sample, headers included.
        received_bps: f64 ["bit/s"],
        /// Delay of the last frame that was shown, from its encoding. NaN before the first.
        frame_delay_s: f64 ["s"],
    }
}

table! {
    /// Samples of the queues of stations that forward by backpressure: one row per station, flow and sampling time.
    pub series BacklogSeries: "backlog_series", Series, "node", IfAny;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Station.
        node: u32 @ "nodes" fixed [""],
        /// Flow or background source whose packets wait.
        flow: u32 @ "queued" fixed [""],
        /// Class of the packets, as in `backlogs`.
        class: u32 @ "classes" fixed [""],
        /// Packets in the queue.
        backlog: u32 ["packets"],
        /// Time for which the queue has had packets and sent none.
        idle_s: f64 ["s"],
        /// Threshold K of the station: in the difference of queues that ranks links, a queue of the station below K
        /// counts as K packets.
        threshold: f64 ["packets"],
    }
}

table! {
    /// Samples of the laws' internal state, if the scenario asks for them.
    pub series InternalSeries: "internals", Series, "flow", IfAny;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Name of the quantity, as on the page of the law.
        name: u32 @ "internals" fixed [""],
        /// Value, in the unit of the law.
        value: f64 [""],
    }
}

table! {
    /// Histograms of the RTT samples of each flow after the warm-up: one row per bucket that is not empty.
    pub series RttHistograms: "rtt_histograms", Series, "flow", IfAny;
    columns {
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Lower bound of the bucket. The next bucket begins at most 0.78 % higher.
        least_s: f64 fixed ["s"],
        /// Samples in the bucket.
        count: u64 ["samples"],
    }
}

table! {
    /// Histograms of the delays of each source's datagrams after the warm-up: one row per bucket that is not empty.
    pub series DatagramHistograms: "datagram_histograms", Series, "source", IfAny;
    columns {
        /// Source.
        source: u32 @ "sources" fixed [""],
        /// Lower bound of the bucket. The next bucket begins at most 0.78 % higher.
        least_s: f64 fixed ["s"],
        /// Datagrams in the bucket. Of a ping: round trips.
        count: u64 ["datagrams"],
    }
}

table! {
    /// Histograms of the waits at each link after the warm-up: one row per bucket that is not empty.
    pub series QueueDelayHistograms: "queue_delay_histograms", Series, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Lower bound of the bucket. The next bucket begins at most 0.78 % higher.
        least_s: f64 fixed ["s"],
        /// Packets in the bucket.
        count: u64 ["packets"],
    }
}

/// Samples of flows and links so far in a running run.
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
    /// Names of the quantities, referred to by index.
    pub names: Vec<String>,
    /// The samples.
    pub samples: InternalSeries,
}

impl Internals {
    /// Adds a sample of the internal state of `flow`'s law at `now`.
    pub fn push(&mut self, now: Time, flow: usize, name: &str, value: f64) {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.samples.time_s.push(now.as_secs());
        self.samples.flow.push(flow as u32);
        self.samples.name.push(index as u32);
        self.samples.value.push(value);
    }
}
