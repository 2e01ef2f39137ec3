//! Tables of the stations and links of 802.11n, ac and ax.

use super::air::air_format;
use super::counts::{QueueCounts, RateCount};
use super::mac::Edca;
use super::way::{WayCounts, WayState};
use crate::wifi::category::CATEGORIES;
use crate::wifi::tables::{WifiLinkStats, WifiStationStats};
use windward_elements::packet::NodeId;
use windward_elements::status::Counts;
use windward_tables::{Frames, table};
use windward_units::Time;

table! {
    /// Stations of networks of 802.11n, ac and ax: what `wifi_stations` does not have.
    pub struct EdcaStationStats: "edca_stations", Totals, "node", IfAny;
    columns {
        /// Node of the station.
        node: u32 @ "nodes" fixed [""],
        /// Transmission opportunities won by background traffic.
        background_txops: u64 [""],
        /// Transmission opportunities won by best-effort traffic.
        best_effort_txops: u64 [""],
        /// Transmission opportunities won by video traffic.
        video_txops: u64 [""],
        /// Transmission opportunities won by voice traffic.
        voice_txops: u64 [""],
        /// Backoffs of two categories of the station that ended together: the lower one acts as after a collision.
        internal_collisions: u64 [""],
        /// BlockAck frames sent.
        block_ack_frames: u64 ["frames"],
        /// BlockAck requests sent.
        request_frames: u64 ["frames"],
    }
}

table! {
    /// Links of networks of 802.11n, ac and ax: what `wifi_links` does not have.
    pub struct EdcaLinkStats: "edca_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// MPDUs sent, retransmissions included.
        mpdus: u64 [""],
        /// MPDUs per PPDU in the mean: the size of an aggregate. NaN without PPDUs.
        mean_ampdu: f64 [""],
        /// Packets per MPDU in the mean: the size of an A-MSDU; 1 without. NaN without MPDUs.
        mean_amsdu: f64 [""],
        /// MPDUs sent that no answer acknowledged.
        mpdu_failures: u64 [""],
        /// Packets given up after all their transmissions.
        given_up: u64 ["packets"],
        /// BlockAck requests sent.
        requests: u64 ["frames"],
        /// Share of the measured time that the link's exchanges took on the air, from the first frame to the end of the
        /// answer or to the time at which it was missed.
        airtime: f64 [""],
        /// Rate during PPDUs: bits of PSDUs over the duration of the PPDUs, preambles included. NaN without PPDUs.
        mean_rate_bps: f64 ["bit/s"],
        /// Mean duration of a PPDU with data. NaN without PPDUs.
        mean_ppdu_s: f64 ["s"],
    }
}

table! {
    /// Queues of networks of 802.11n, ac and ax: one row per link and access category with packets.
    pub struct WifiQueueStats: "wifi_queues", Parts, "link", IfAny;
    columns {
        /// Link from the station that has the queue.
        link: u32 @ "links" fixed [""],
        /// Access category: `background`, `best-effort`, `video` or `voice`.
        category: u32 @ "categories" fixed [""],
        /// Packets that arrived.
        arrived: u64 ["packets"],
        /// Packets dropped by the full buffer or by the queue discipline.
        dropped: u64 ["packets"],
        /// Packets marked (ECN) by the queue discipline.
        marked: u64 ["packets"],
        /// Packets whose first transmission began.
        sent: u64 ["packets"],
        /// Time average of the number of packets before their first transmission.
        mean_queue: f64 ["packets"],
        /// Largest number of these packets.
        longest_queue: u64 ["packets"],
        /// Mean wait (sojourn) from arrival to the first transmission. NaN without packets sent.
        mean_wait_s: f64 ["s"],
        /// Median of these waits.
        wait_p50_s: f64 binned ["s"],
        /// 95th percentile of these waits.
        wait_p95_s: f64 binned ["s"],
        /// 99th percentile of these waits.
        wait_p99_s: f64 binned ["s"],
        /// Median of the latency of the link, from arrival at the sender to delivery in order at the receiver. It
        /// contains retransmissions and the wait for missing MPDUs. NaN without packets delivered.
        delay_p50_s: f64 binned ["s"],
        /// 95th percentile of these latencies.
        delay_p95_s: f64 binned ["s"],
        /// 99th percentile of these latencies.
        delay_p99_s: f64 binned ["s"],
    }
}

table! {
    /// Rates of networks of 802.11n, ac and ax: one row per link and rate that it used.
    pub struct WifiRateStats: "wifi_rates", Parts, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Format: `ht`, `vht` or `he`.
        format: u32 @ "formats" fixed [""],
        /// Channel width.
        width_hz: f64 fixed ["Hz"],
        /// Spatial streams.
        streams: u32 fixed [""],
        /// Modulation and coding scheme (MCS), counted per stream.
        mcs: u32 fixed [""],
        /// Guard interval.
        guard_s: f64 fixed ["s"],
        /// Bit rate.
        rate_bps: f64 fixed ["bit/s"],
        /// PPDUs with data.
        ppdus: u64 ["frames"],
        /// MPDUs in them: attempts.
        mpdus: u64 [""],
        /// MPDUs that a BlockAck or ACK acknowledged.
        successes: u64 [""],
        /// Share of the link's MPDUs.
        share: f64 [""],
        /// Share of the measured time that these PPDUs were on the air, without interframe spaces and answers.
        airtime: f64 [""],
    }
}

table! {
    /// Sizes of A-MPDUs in networks of 802.11n, ac and ax: one row per link and size that occurred.
    pub struct AmpduSizeStats: "ampdu_sizes", Parts, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// MPDUs in a PPDU.
        mpdus: u32 fixed [""],
        /// PPDUs of this size.
        ppdus: u64 ["frames"],
    }
}

/// Row of the queue of link `link` and a category; `None` if it had no packets over `span` seconds.
fn queue_row(now: Time, link: u32, category: usize, counts: &QueueCounts, span: f64) -> Option<WifiQueueStats> {
    let shown = counts.line.show(now, Counts::default());
    if counts.arrived == 0 && shown.backlog_time == 0 {
        return None;
    }
    let [wait_p50_s, wait_p95_s, wait_p99_s] = counts.line.waits().percentiles();
    let [delay_p50_s, delay_p95_s, delay_p99_s] = counts.delays.percentiles();
    Some(WifiQueueStats {
        link,
        category: category as u32,
        arrived: counts.arrived,
        dropped: counts.dropped,
        marked: counts.marked,
        sent: counts.sent,
        mean_queue: shown.backlog_time as f64 / 1e9 / span,
        longest_queue: shown.max_backlog,
        mean_wait_s: shown.waited as f64 / 1e9 / counts.sent as f64,
        wait_p50_s,
        wait_p95_s,
        wait_p99_s,
        delay_p50_s,
        delay_p95_s,
        delay_p99_s,
    })
}

/// Rows of the rates of link `link`, over `span` seconds.
fn rate_rows(link: u32, way: &WayState, span: f64) -> impl Iterator<Item = WifiRateStats> {
    let all = way.counts.mpdus as f64;
    way.rates.used().into_iter().map(move |RateCount { mode, ppdus, mpdus, successes, time }| WifiRateStats {
        link,
        format: air_format(mode) as u32,
        width_hz: f64::from(mode.width().mhz()) * 1e6,
        streams: u32::from(mode.streams()),
        mcs: u32::from(mode.mcs()),
        guard_s: f64::from(mode.guard().nanos() as u32) / 1e9,
        rate_bps: mode.bits_per_sec() as f64,
        ppdus,
        mpdus,
        successes,
        share: mpdus as f64 / all,
        airtime: time.as_secs() / span,
    })
}

/// Rows of the link whose port is `link`, over `span` seconds.
fn link_rows(link: u32, counts: &WayCounts, span: f64) -> (WifiLinkStats, EdcaLinkStats) {
    let ppdus = counts.ppdus as f64;
    let data = counts.data_time.as_secs();
    let common = WifiLinkStats {
        link,
        attempts: counts.attempts,
        data_frames: counts.ppdus,
        failures: counts.failures,
        successes: counts.successes,
        mean_cw: counts.windows / counts.attempts as f64,
    };
    let own = EdcaLinkStats {
        link,
        mpdus: counts.mpdus,
        mean_ampdu: counts.mpdus as f64 / ppdus,
        mean_amsdu: counts.link.packets as f64 / counts.numbered as f64,
        mpdu_failures: counts.mpdu_failures,
        given_up: counts.given_up,
        requests: counts.requests,
        airtime: counts.airtime.as_secs() / span,
        mean_rate_bps: counts.psdu_bytes as f64 * 8.0 / data,
        mean_ppdu_s: data / ppdus,
    };
    (common, own)
}

impl Edca {
    /// Adds the rows of the stations, which are the nodes given, and of the links, which are `members`.
    pub(super) fn fill(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
        let span = now.since(self.counts_from).as_secs();
        let mut sums = vec![WayCounts::default(); stations.len()];
        for WayState { from, counts, .. } in &self.ways {
            let sum = &mut sums[*from as usize];
            sum.attempts += counts.attempts;
            sum.failures += counts.failures;
            sum.windows += counts.windows;
        }
        let nodes = (0..).zip(stations.iter().zip(&sums));
        let nodes = nodes.map(|(at, (&node, sum))| self.station_rows(now, (at, node), sum, span));
        let (common, own): (Vec<_>, Vec<_>) = nodes.unzip();
        tables.add(&common);
        tables.add(&own);
        let links = members.iter().zip(&self.ways).map(|(&port, way)| link_rows(port, &way.counts, span));
        let (common, own): (Vec<_>, Vec<_>) = links.unzip();
        tables.add(&common);
        tables.add(&own);
        let members = || members.iter().copied().zip(&self.ways);
        let queues = members().zip(self.queue_counts.chunks(CATEGORIES)).flat_map(|((port, _), of_link)| {
            let rows = of_link.iter().enumerate();
            rows.filter_map(move |(category, counts)| queue_row(now, port, category, counts, span))
        });
        tables.add(&queues.collect::<Vec<_>>());
        tables.add(&members().flat_map(|(port, way)| rate_rows(port, way, span)).collect::<Vec<_>>());
        let sizes = members()
            .flat_map(|(link, way)| way.sizes.used().map(move |(mpdus, ppdus)| AmpduSizeStats { link, mpdus, ppdus }));
        tables.add(&sizes.collect::<Vec<_>>());
    }

    /// Rows of station `at`, which is `node`, with the sums over its links.
    fn station_rows(
        &self,
        now: Time,
        (at, node): (u32, NodeId),
        all: &WayCounts,
        span: f64,
    ) -> (WifiStationStats, EdcaStationStats) {
        let station = &self.stations[at as usize];
        let (x_m, y_m) = self.config.stations[at as usize].place;
        let [rts_frames, cts_frames, data_frames, ack_frames, broadcast_frames, block_ack_frames, request_frames] =
            station.air.frames;
        let sending = station.air.sent.iter().map(|span| span.as_secs()).sum::<f64>();
        let common = WifiStationStats {
            node,
            x_m,
            y_m,
            attempts: all.attempts,
            failures: all.failures,
            mean_cw: all.windows / all.attempts as f64,
            rts_frames,
            cts_frames,
            data_frames,
            ack_frames,
            broadcast_frames,
            garbled_frames: station.air.garbled,
            sending: sending / span,
            sensing: station.air.sensed.as_secs() / span,
            mean_queue: station.queued(now) / span,
            longest_queue: station.longest_queue,
            routing_messages: 0,
            routing_bytes: 0,
        };
        let [background_txops, best_effort_txops, video_txops, voice_txops]: [u64; CATEGORIES] = station.counts.txops;
        let own = EdcaStationStats {
            node,
            background_txops,
            best_effort_txops,
            video_txops,
            voice_txops,
            internal_collisions: station.counts.internal_collisions,
            block_ack_frames,
            request_frames,
        };
        (common, own)
    }
}
