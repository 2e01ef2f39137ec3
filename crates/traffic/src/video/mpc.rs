//! Model-predictive control: a search over the levels of the next chunks.

use super::config::VideoConfig;

/// Difference of two qualities of experience that count as equal.
const EQUAL: f64 = 1e-9;

/// The first level of the best sequence over the next `horizon` chunks, the first among equals. The throughput is
/// `predicted` bits per second; `state` is the buffer in seconds and the level of the chunk before.
pub fn level(config: &VideoConfig, chunk: u32, state: (f64, usize), predicted: f64, horizon: u32) -> usize {
    let end = config.chunks.min(chunk.saturating_add(horizon));
    let qualities = (0..config.ladder.len()).map(|level| config.qoe.quality(config, level)).collect();
    let search = Search { config, qualities, end, predicted };
    let mut best = (f64::NEG_INFINITY, 0);
    for level in 0..config.ladder.len() {
        let value = search.best_from(chunk, state, level);
        // Sequences whose steps cancel differ by rounding alone.
        if value > best.0 + EQUAL {
            best = (value, level);
        }
    }
    best.1
}

struct Search<'a> {
    config: &'a VideoConfig,
    /// Quality of each level.
    qualities: Vec<f64>,
    /// The first chunk beyond the horizon.
    end: u32,
    predicted: f64,
}

impl Search<'_> {
    /// Largest quality of experience of the chunks from `chunk` on, which itself has `level`.
    fn best_from(&self, chunk: u32, (buffer, last): (f64, usize), level: usize) -> f64 {
        let config = self.config;
        let download = config.size(chunk, level) as f64 * 8.0 / self.predicted;
        let stall = (download - buffer).max(0.0);
        let quality = self.qualities[level];
        let own = quality - config.qoe.penalty() * stall - (quality - self.qualities[last]).abs();
        if chunk + 1 >= self.end {
            return own;
        }
        let after = ((buffer - download).max(0.0) + config.chunk.as_secs(), level);
        let next = (0..config.ladder.len()).map(|next| self.best_from(chunk + 1, after, next));
        own + next.fold(f64::NEG_INFINITY, f64::max)
    }
}
