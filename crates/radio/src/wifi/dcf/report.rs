//! Rows of the stations and links of a network under DCF.

use super::mac::{Router, Wifi};
use super::station::{WayCounts, WayState};
use crate::wifi::tables::{WifiLinkStats, WifiStationStats};
use windward_elements::packet::NodeId;
use windward_tables::Frames;
use windward_units::Time;

impl WifiLinkStats {
    /// Row of the link whose port is `link`.
    fn new(link: u32, counts: &WayCounts) -> Self {
        Self {
            link,
            attempts: counts.attempts,
            data_frames: counts.data_frames,
            failures: counts.failures,
            successes: counts.successes,
            mean_cw: counts.mean_cw(),
        }
    }
}

impl<R: Router> Wifi<R> {
    /// Adds the rows of the stations, which are the nodes given, and of the links, which are `members`.
    pub(super) fn fill(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
        let nodes = (0..).zip(stations).map(|(at, &node)| self.station_row(now, at, node));
        tables.add(&nodes.collect::<Vec<_>>());
        let links = members.iter().zip(&self.ways).map(|(&port, way)| WifiLinkStats::new(port, &way.counts));
        tables.add(&links.collect::<Vec<_>>());
    }

    /// Row of station `at`, which is `node`.
    fn station_row(&self, now: Time, at: u32, node: NodeId) -> WifiStationStats {
        let station = &self.stations[at as usize];
        let (x_m, y_m) = self.config.stations[at as usize].place;
        let mut all = WayCounts::default();
        for WayState { counts, .. } in self.ways.iter().filter(|way| way.from == at) {
            all.attempts += counts.attempts;
            all.failures += counts.failures;
            all.windows += counts.windows;
        }
        let [rts_frames, cts_frames, data_frames, ack_frames, broadcast_frames, ..] = station.air.frames;
        let span = now.since(self.counts_from).as_secs();
        let sending = station.air.sent.iter().map(|span| span.as_secs()).sum::<f64>();
        let (routing_messages, routing_bytes) = station.air.messages;
        WifiStationStats {
            node,
            x_m,
            y_m,
            attempts: all.attempts,
            failures: all.failures,
            mean_cw: all.mean_cw(),
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
            routing_messages,
            routing_bytes,
        }
    }
}
