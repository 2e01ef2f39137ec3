//! Games: their round trips.

use super::carries::Carries;
use super::source::Source;
use crate::output::SourceStats;
use windward_tables::table;
use windward_units::Time;

table! {
    /// Round trips of each game, from the end of the warm-up to the end of the run. A round trip is the delay of a
    /// datagram of the client and that of the server's next one, without the time between the two at the server.
    pub struct GameStats: "games", Totals, "source", IfAny;
    columns {
        /// Source of the server's datagrams, NAME:down.
        source: u32 @ "sources" fixed [""],
        /// Round trips: datagrams of the server that followed one of the client, and arrived.
        round_trips: u64 ["round trips"],
        /// Mean of the round trips. NaN without any.
        mean_rtt_s: f64 ["s"],
        /// Median of the round trips.
        rtt_p50_s: f64 binned ["s"],
        /// 95th percentile.
        rtt_p95_s: f64 binned ["s"],
        /// 99th percentile.
        rtt_p99_s: f64 binned ["s"],
        /// 99.9th percentile.
        rtt_p999_s: f64 binned ["s"],
    }
}

impl Carries for GameStats {
    fn of(index: u32, source: &Source, _: &SourceStats, _: Time) -> Option<Self> {
        let counts = &source.counts;
        let round_trips = counts.round_trips.count();
        let [rtt_p50_s, rtt_p95_s, rtt_p99_s, rtt_p999_s] = counts.round_trips.quantiles([500, 950, 990, 999]);
        let mean_rtt_s = counts.round_trip / round_trips as f64;
        source.is_game_server().then_some(Self {
            source: index,
            round_trips,
            mean_rtt_s,
            rtt_p50_s,
            rtt_p95_s,
            rtt_p99_s,
            rtt_p999_s,
        })
    }
}
