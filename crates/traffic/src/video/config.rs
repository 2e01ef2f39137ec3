//! A video, its player, and the formula of its quality.

use std::sync::Arc;
use windward_units::{BitRate, Duration};

/// A video and its player.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoConfig {
    /// Bit rates of the levels, increasing; at least one.
    pub ladder: Arc<[BitRate]>,
    /// Playing time of a chunk; positive.
    pub chunk: Duration,
    /// Number of chunks; positive.
    pub chunks: u32,
    /// Bytes of every chunk, level by level; `None`: those of its bit rate.
    pub sizes: Option<Arc<[u64]>>,
    /// Choice of the levels.
    pub rule: AbrRule,
    /// Playing time for which the player has room; at least that of `start_after` chunks.
    pub buffer: Duration,
    /// Chunks that arrive before playback starts, and before it resumes after a stall; positive.
    pub start_after: u32,
    /// Formula of the quality of experience.
    pub qoe: Qoe,
}

impl VideoConfig {
    /// Pensieve's video and player, with this rule: 48 chunks of 4 s, and room for 60 s.
    pub fn pensieve(rule: AbrRule) -> Self {
        let ladder = [300, 750, 1200, 1850, 2850, 4300].map(|kbps| BitRate::bits_per_sec(kbps * 1000));
        Self {
            ladder: ladder.into(),
            chunk: Duration::from_millis(4000),
            chunks: 48,
            sizes: None,
            rule,
            buffer: Duration::from_millis(60_000),
            start_after: 1,
            qoe: Qoe::default(),
        }
    }

    /// Bytes of a chunk at a level.
    pub fn size(&self, chunk: u32, level: usize) -> u64 {
        match &self.sizes {
            Some(sizes) => sizes[chunk as usize * self.ladder.len() + level],
            None => libm::round(self.bits(level) / 8.0).max(1.0) as u64,
        }
    }

    /// Nominal bits of a chunk at a level.
    pub fn bits(&self, level: usize) -> f64 {
        self.ladder[level].as_bits_per_sec() as f64 * self.chunk.as_secs()
    }
}

/// Quality of experience (mao2017, Pensieve): Σ q(R_k) − μ·(seconds stalled) − Σ |q(R_k+1) − q(R_k)| over the chunks.
/// The wait for the first chunks does not count as a stall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Qoe {
    /// QoE_lin: q is the bit rate in Mbit/s, and μ = 4.3.
    #[default]
    Linear,
    /// QoE_log: q is the logarithm of the bit rate relative to the lowest, and μ = 2.66.
    Log,
}

impl Qoe {
    /// Quality of a level.
    pub fn quality(self, config: &VideoConfig, level: usize) -> f64 {
        let rate = |level: usize| config.ladder[level].as_bits_per_sec() as f64;
        match self {
            Self::Linear => rate(level) / 1e6,
            Self::Log => libm::log(rate(level) / rate(0)),
        }
    }

    /// Penalty μ of a stalled second.
    pub fn penalty(self) -> f64 {
        match self {
            Self::Linear => 4.3,
            Self::Log => 2.66,
        }
    }
}

/// Rule that chooses the level of a chunk. The first chunk has the lowest level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AbrRule {
    /// The largest bit rate of at most `safety` times the estimated throughput.
    Throughput {
        /// Share of the estimate; positive.
        safety: f64,
        /// Estimate of the throughput.
        estimate: Estimate,
    },
    /// BB as in Pensieve: level ⌊q_max·(B − reservoir)/cushion⌋ at the buffer B.
    Buffer {
        /// Buffer below which the level is the lowest.
        reservoir: Duration,
        /// Buffer above the reservoir at which the level is the highest; positive.
        cushion: Duration,
    },
    /// BBA-0 (huang2014): the buffer maps linearly to a bit rate, and the level changes once the map crosses the next
    /// higher or lower one.
    Bba {
        /// Buffer up to which the level is the lowest.
        reservoir: Duration,
        /// Buffer above the reservoir from which the level is the highest; positive.
        cushion: Duration,
    },
    /// BOLA-BASIC (spiteri2016): the level of the largest (V(u + γ) − B)/S, with u = ln(S/S_1) and
    /// V = (buffer − chunk)/(u_max + γ).
    Bola {
        /// γ times the playing time of a chunk; positive.
        gamma: f64,
        /// Buffer for which V is chosen; longer than a chunk.
        buffer: Duration,
    },
    /// Model-predictive control (yin2015): the best quality of experience over the next chunks at the harmonic mean of
    /// recent throughputs. The robust form divides that by 1 + the largest recent error.
    Mpc {
        /// Chunks that the search covers; positive.
        horizon: u32,
        /// True for the robust form.
        is_robust: bool,
    },
}

/// Estimate of the throughput from past downloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// Harmonic mean of the last five.
    Harmonic,
    /// The lesser of two averages whose weights halve in 3 s and in 8 s of downloading (dash.js).
    Ewma,
}
