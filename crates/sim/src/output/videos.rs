//! Videos: their totals, and one row for each chunk.

use super::run::share;
use super::tables::{ChunkLog, VideoStats};
use crate::video::{Played, Player};
use windward_units::{Duration, Time};

impl VideoStats {
    /// Totals of the video of an application.
    pub fn new(app: u32, player: &Player) -> Self {
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
    pub fn add(&mut self, app: u32, player: &Player) {
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
