//! Tables of the stations and links of 802.11n, ac and ax.

use super::mac::Edca;
use super::way::{WayCounts, WayState};
use crate::medium::wifi::category::CATEGORIES;
use crate::medium::wifi::report::{WifiLinkStats, WifiStationStats};
use crate::packet::NodeId;
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
        let nodes = (0..).zip(stations).map(|(at, &node)| self.station_rows(now, at, node, span));
        let (common, own): (Vec<_>, Vec<_>) = nodes.unzip();
        tables.add(&common);
        tables.add(&own);
        let links = members.iter().zip(&self.ways).map(|(&port, way)| link_rows(port, &way.counts, span));
        let (common, own): (Vec<_>, Vec<_>) = links.unzip();
        tables.add(&common);
        tables.add(&own);
    }

    /// Rows of station `at`, which is `node`.
    fn station_rows(&self, now: Time, at: u32, node: NodeId, span: f64) -> (WifiStationStats, EdcaStationStats) {
        let station = &self.stations[at as usize];
        let (x_m, y_m) = self.config.stations[at as usize].place;
        let mut all = WayCounts::default();
        for WayState { counts, .. } in self.ways.iter().filter(|way| way.from == at) {
            all.attempts += counts.attempts;
            all.failures += counts.failures;
            all.windows += counts.windows;
        }
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
