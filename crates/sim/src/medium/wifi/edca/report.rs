//! Tables of the stations and links of 802.11n, ac and ax.

use super::category::CATEGORIES;
use super::mac::Edca;
use super::way::WayCounts;
use crate::packet::NodeId;
use windward_tables::{Frames, table};
use windward_units::Time;

table! {
    /// Stations of networks of 802.11n, ac and ax: position, frames, air time and queue.
    pub struct EdcaStationStats: "edca_stations", Totals, "node", IfAny;
    columns {
        /// Node of the station.
        node: u32 @ "nodes" fixed [""],
        /// Position at the start of the run.
        x_m: f64 fixed ["m"],
        /// Position at the start of the run.
        y_m: f64 fixed ["m"],
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
        /// RTS frames sent.
        rts_frames: u64 ["frames"],
        /// CTS frames sent.
        cts_frames: u64 ["frames"],
        /// PPDUs with data sent.
        data_frames: u64 ["frames"],
        /// ACK frames sent, the answers to single MPDUs.
        ack_frames: u64 ["frames"],
        /// BlockAck frames sent.
        block_ack_frames: u64 ["frames"],
        /// BlockAck requests sent.
        request_frames: u64 ["frames"],
        /// Frames that the station detected and could not decode, because of a collision or of noise.
        garbled_frames: u64 ["frames"],
        /// Share of the measured time in which the station sent.
        sending: f64 [""],
        /// Share of the measured time in which the station sensed others and did not send.
        sensing: f64 [""],
        /// Time average of the number of packets in the station's queue; MPDUs sent and not yet acknowledged are not in
        /// it.
        mean_queue: f64 ["packets"],
        /// Largest number of packets in the queue.
        longest_queue: u64 ["packets"],
    }
}

table! {
    /// Links of networks of 802.11n, ac and ax: the columns that other links lack.
    pub struct EdcaLinkStats: "edca_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Attempts: PPDUs with data or, where RTS precedes them, RTS; and BlockAck requests.
        attempts: u64 [""],
        /// Attempts without an answer.
        failures: u64 [""],
        /// PPDUs with data sent.
        ppdus: u64 [""],
        /// MPDUs in them, retransmissions included.
        mpdus: u64 [""],
        /// MPDUs per PPDU in the mean: the size of an aggregate. NaN without PPDUs.
        mean_ampdu: f64 [""],
        /// MPDUs sent that no answer acknowledged.
        mpdu_failures: u64 [""],
        /// Acknowledged packets.
        successes: u64 ["packets"],
        /// Packets given up after all their transmissions.
        given_up: u64 ["packets"],
        /// BlockAck requests sent.
        requests: u64 ["frames"],
        /// Mean contention window CW of the backoff before an attempt. A backoff is drawn from 0 to CW slots. NaN
        /// without attempts.
        mean_cw: f64 ["slots"],
        /// Share of the measured time that the link's exchanges took on the air, from the first frame to the end of the
        /// answer or to the time at which it was missed.
        airtime: f64 [""],
        /// Mean rate of the data in a PPDU's air time, preamble included: bytes of PSDUs over the duration of PPDUs.
        /// NaN without PPDUs.
        mean_rate_bps: f64 ["bit/s"],
        /// Mean duration of a PPDU with data. NaN without PPDUs.
        mean_ppdu_s: f64 ["s"],
    }
}

impl EdcaLinkStats {
    /// Row of the link whose port is `link`, over `span` seconds.
    fn new(link: u32, counts: &WayCounts, span: f64) -> Self {
        let ppdus = counts.ppdus as f64;
        let data = counts.data_time.as_secs();
        Self {
            link,
            attempts: counts.attempts,
            failures: counts.failures,
            ppdus: counts.ppdus,
            mpdus: counts.mpdus,
            mean_ampdu: counts.mpdus as f64 / ppdus,
            mpdu_failures: counts.mpdu_failures,
            successes: counts.successes,
            given_up: counts.given_up,
            requests: counts.requests,
            mean_cw: counts.windows / counts.attempts as f64,
            airtime: counts.airtime.as_secs() / span,
            mean_rate_bps: counts.psdu_bytes as f64 * 8.0 / data,
            mean_ppdu_s: data / ppdus,
        }
    }
}

impl Edca {
    /// Adds the rows of the stations, which are the nodes given, and of the links, which are `members`.
    pub(super) fn fill(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
        let span = now.since(self.counts_from).as_secs();
        let nodes = (0..).zip(stations).map(|(at, &node)| self.station_row(now, at, node, span));
        tables.add(&nodes.collect::<Vec<_>>());
        let links = members.iter().zip(&self.ways).map(|(&port, way)| EdcaLinkStats::new(port, &way.counts, span));
        tables.add(&links.collect::<Vec<_>>());
    }

    /// Row of station `at`, which is `node`.
    fn station_row(&self, now: Time, at: u32, node: NodeId, span: f64) -> EdcaStationStats {
        let station = &self.stations[at as usize];
        let (x_m, y_m) = self.config.stations[at as usize].place;
        let [rts_frames, cts_frames, data_frames, ack_frames, _, block_ack_frames, request_frames] = station.air.frames;
        let sending = station.air.sent.iter().map(|span| span.as_secs()).sum::<f64>();
        let [background_txops, best_effort_txops, video_txops, voice_txops]: [u64; CATEGORIES] = station.counts.txops;
        EdcaStationStats {
            node,
            x_m,
            y_m,
            background_txops,
            best_effort_txops,
            video_txops,
            voice_txops,
            internal_collisions: station.counts.internal_collisions,
            rts_frames,
            cts_frames,
            data_frames,
            ack_frames,
            block_ack_frames,
            request_frames,
            garbled_frames: station.air.garbled,
            sending: sending / span,
            sensing: station.air.sensed.as_secs() / span,
            mean_queue: station.queued(now) / span,
            longest_queue: station.longest_queue,
        }
    }
}
