//! Videos: the player as a client, its totals, and one row for each chunk.

use super::kind::{Kind, Own};
use super::request::Request;
use crate::network::{AppConfig, Application};
use crate::output::share;
use std::sync::Arc;
use windward_tables::table;
use windward_traffic::video::{Played, Player, VideoConfig};
use windward_units::{Duration, Time};

impl Application for VideoConfig {
    fn is_random(&self) -> bool {
        false
    }
}

impl Kind for Player {
    type Config = Arc<VideoConfig>;

    fn new(config: &Arc<VideoConfig>, _: &AppConfig, _: u64) -> Self {
        Self::new(config)
    }

    fn ask(&mut self, now: Time, request: Request) -> (Request, Option<Time>) {
        (Request { size: Player::ask(self, now), ..request }, None)
    }

    fn next_of_user(&mut self, now: Time, _: u32) -> Option<Time> {
        self.arrive(now)
    }

    fn report(&mut self, app: u32, [_, end]: [Time; 2], own: &mut Own) {
        self.end(end);
        let mut chunks = ChunkLog::default();
        chunks.add(app, self);
        own.tables.add(&[VideoStats::new(app, self)]);
        own.tables.add_series(chunks);
    }
}

table! {
    /// Totals of each video, from its first request on, the warm-up included.
    pub struct VideoStats: "videos", Totals, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Chunks that arrived.
        chunks: u64 ["chunks"],
        /// Time from the first request to the first picture. NaN without one.
        startup_s: f64 ["s"],
        /// Stalls after that, one that lasts at the end included.
        stalls: u64 ["stalls"],
        /// Their time.
        stalled_s: f64 ["s"],
        /// This time divided by itself and the playing time together. NaN if nothing was played.
        stall_share: f64 [""],
        /// Mean bit rate of the chunks. NaN without chunks.
        mean_bitrate_bps: f64 ["bit/s"],
        /// Chunks with another level than the one before.
        switches: u64 ["switches"],
        /// Mean change of the bit rate from a chunk to the next, without its sign. NaN with fewer than two chunks.
        mean_step_bps: f64 ["bit/s"],
        /// Share of the chunks at the highest level. NaN without chunks.
        top_share: f64 [""],
        /// Quality of experience by the formula `qoe` of the application. NaN without chunks.
        qoe: f64 [""],
        /// Quality of experience per chunk.
        mean_qoe: f64 [""],
    }
}

table! {
    /// Chunks of each video, the one that had not arrived at the end of the run included.
    pub series ChunkLog: "chunks", Series, "app", IfAny;
    columns {
        /// Application.
        app: u32 @ "apps" fixed [""],
        /// Number of the chunk, from zero.
        number: u64 fixed [""],
        /// Its level, from zero for the lowest bit rate.
        level: u64 [""],
        /// Bit rate of this level.
        bitrate_bps: f64 ["bit/s"],
        /// Bytes of the chunk.
        size_bytes: u64 ["bytes"],
        /// Time of the request.
        asked_s: f64 ["s"],
        /// Time at which the chunk was complete. NaN if it was not.
        end_s: f64 ["s"],
        /// Its size divided by the time from the request to the last byte, as the player measures it.
        throughput_bps: f64 ["bit/s"],
        /// Throughput that the rule expected when it chose. NaN if it did not look at throughputs, or knew none.
        expected_bps: f64 ["bit/s"],
        /// Buffered playing time at the request.
        buffer_before_s: f64 ["s"],
        /// Buffered playing time after the arrival.
        buffer_s: f64 ["s"],
        /// Length of the stall that the arrival ended, or that lasted at the end of the run.
        stall_s: f64 ["s"],
    }
}

impl VideoStats {
    /// Totals of the video of an application.
    fn new(app: u32, player: &Player) -> Self {
        let ladder = &player.config().ladder;
        let rate = |chunk: &&Played| ladder[chunk.level].as_bits_per_sec() as f64;
        let arrived: Vec<&Played> = player.chunks().iter().filter(|chunk| chunk.end.is_some()).collect();
        let rates: Vec<f64> = arrived.iter().map(rate).collect();
        let steps: Vec<f64> = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let (stalled, stalls) = player.stalls();
        let total = stalled + player.played();
        let top = arrived.iter().filter(|chunk| chunk.level + 1 == ladder.len()).count() as u64;
        let chunks = arrived.len() as u64;
        let qoe = player.qoe();
        Self {
            app,
            chunks,
            startup_s: player.startup().map_or(f64::NAN, Duration::as_secs),
            stalls,
            stalled_s: stalled.as_secs(),
            stall_share: if total > Duration::ZERO { stalled.ratio(total) } else { f64::NAN },
            mean_bitrate_bps: rates.iter().sum::<f64>() / chunks as f64,
            switches: steps.iter().filter(|step| **step > 0.0).count() as u64,
            mean_step_bps: steps.iter().sum::<f64>() / steps.len() as f64,
            top_share: share(top, chunks),
            qoe: if chunks > 0 { qoe } else { f64::NAN },
            mean_qoe: qoe / chunks as f64,
        }
    }
}

impl ChunkLog {
    /// Adds the chunks of the video of an application.
    fn add(&mut self, app: u32, player: &Player) {
        for (number, chunk) in (0..).zip(player.chunks()) {
            self.app.push(app);
            self.number.push(number);
            self.level.push(chunk.level as u64);
            self.bitrate_bps.push(player.config().ladder[chunk.level].as_bits_per_sec() as f64);
            self.size_bytes.push(chunk.size);
            self.asked_s.push(chunk.asked.as_secs());
            self.end_s.push(chunk.end.map_or(f64::NAN, Time::as_secs));
            let seconds = chunk.end.map_or(f64::NAN, |end| end.since(chunk.asked).as_secs());
            self.throughput_bps.push(chunk.size as f64 * 8.0 / seconds);
            self.expected_bps.push(chunk.expected);
            self.buffer_before_s.push(chunk.buffer_before.as_secs());
            self.buffer_s.push(chunk.end.map_or(f64::NAN, |_| chunk.buffer.as_secs()));
            self.stall_s.push(chunk.stall.as_secs());
        }
    }
}
