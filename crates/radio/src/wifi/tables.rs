//! Tables of the stations and links of 802.11 networks, under either MAC.

use windward_tables::table;

table! {
    /// Stations of 802.11 networks: position, frames, air time and queue.
    pub struct WifiStationStats: "wifi_stations", Totals, "node", IfAny;
    columns {
        /// Node of the station.
        node: u32 @ "nodes" fixed [""],
        /// Position at the start of the run.
        x_m: f64 fixed ["m"],
        /// Position at the start of the run.
        y_m: f64 fixed ["m"],
        /// Attempts of the station over all its links: RTS frames, and data frames that need no RTS.
        attempts: u64 [""],
        /// Attempts without an answer: no CTS after an RTS, no ACK after a data frame.
        failures: u64 [""],
        /// Mean contention window CW of the backoff before an attempt. A backoff is drawn from 0 to CW slots. Under
        /// DCF, CW is CWmin after a success and roughly doubles with every failure. NaN without attempts.
        mean_cw: f64 ["slots"],
        /// RTS frames sent.
        rts_frames: u64 ["frames"],
        /// CTS frames sent.
        cts_frames: u64 ["frames"],
        /// Data frames sent, retransmissions included; in 802.11n, ac and ax PPDUs with data.
        data_frames: u64 ["frames"],
        /// ACK frames sent.
        ack_frames: u64 ["frames"],
        /// Broadcast frames sent.
        broadcast_frames: u64 ["frames"],
        /// Frames that the station detected and could not decode, because of a collision or of noise.
        garbled_frames: u64 ["frames"],
        /// Share of the measured time in which the station sent.
        sending: f64 [""],
        /// Share of the measured time in which the station sensed others and did not send.
        sensing: f64 [""],
        /// Time average of the number of packets in the station's queue.
        mean_queue: f64 ["packets"],
        /// Largest number of packets in the queue.
        longest_queue: u64 ["packets"],
        /// Messages of the routing protocol sent.
        routing_messages: u64 [""],
        /// Their bytes.
        routing_bytes: u64 ["bytes"],
    }
}

table! {
    /// Links of 802.11 networks: the columns that other links lack.
    pub struct WifiLinkStats: "wifi_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Attempts: RTS frames, and data frames that need no RTS.
        attempts: u64 [""],
        /// Data frames sent, retransmissions included.
        data_frames: u64 ["frames"],
        /// Attempts without an answer: no CTS after an RTS, no ACK after a data frame.
        failures: u64 [""],
        /// Acknowledged packets.
        successes: u64 ["packets"],
        /// Mean contention window CW of the backoff before an attempt, as in `wifi_stations`. NaN without attempts.
        mean_cw: f64 ["slots"],
    }
}
