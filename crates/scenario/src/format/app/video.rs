//! Videos: rules of adaptive bit rates.

use crate::format::{Count, Named, Number, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::traffic::video as traffic;
use windward_units::{BitRate, Duration};

tagged! {
    /// Rules of adaptive bit rates.
    Rule by "kind", "a rule, such as \"bola\", or a table with a `kind`" {
        /// Throughput: the largest bit rate of at most `safety` times the estimate (dash.js, sabre).
        "throughput" Throughput {
            /// Share of the estimate, above 0.
            #[serde(default = "safety")]
            safety: Number,
            /// Estimate: "harmonic" mean of the last five chunks, or "ewma", the lesser of two averages with half-lives
            /// of 3 s and 8 s.
            #[serde(default)]
            estimate: Estimate,
        }
        /// Buffer, as in Pensieve's "BB". The level is proportional to the buffer above `reservoir`, and the highest
        /// one `cushion` above it.
        "buffer" BufferBased {
            /// Buffer up to which the level is the lowest.
            #[serde(default = "five_s")]
            reservoir: Written<Duration>,
            /// Buffer above it at which the level is the highest.
            #[serde(default = "ten_s")]
            cushion: Positive<Duration>,
        }
        /// BBA-0 (Huang et al. 2014): a bit rate linear in the buffer; the level changes when it crosses the next one.
        "bba" Bba {
            /// Buffer up to which the level is the lowest. Default: 3/8 of the player's `buffer`, 90 s of 240 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reservoir: Option<Written<Duration>>,
            /// Buffer above it from which the level is the highest. Default: 21/40 of the player's `buffer`, 126 s of
            /// 240 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            cushion: Option<Positive<Duration>>,
        }
        /// BOLA-BASIC (Spiteri et al. 2016), by the buffer alone.
        "bola" Bola {
            /// γ times the playing time of a chunk, above 0: weight of the buffer against the quality.
            #[serde(default = "five")]
            gamma: Number,
            /// Buffer that it aims below; longer than a chunk, at most the player's `buffer`.
            #[serde(default = "twenty_five_s")]
            buffer: Positive<Duration>,
        }
        /// Model-predictive control (Yin et al. 2015): the best quality of experience over the next chunks.
        "mpc" Mpc {
            /// Chunks that the search covers: 1 to 8.
            #[serde(default = "five_chunks")]
            horizon: Count,
        }
        /// The robust form of MPC, which divides the expected throughput by one plus its largest recent error.
        "robust-mpc" RobustMpc {
            /// Chunks that the search covers: 1 to 8.
            #[serde(default = "five_chunks")]
            horizon: Count,
        }
    }
}

/// Estimate of the throughput.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"harmonic\" or \"ewma\"")]
pub(crate) enum Estimate {
    /// Harmonic mean of the last five chunks.
    #[default]
    Harmonic,
    /// The lesser of two averages.
    Ewma,
}

/// Formula of the quality of experience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"linear\" or \"log\"")]
pub(crate) enum Qoe {
    /// Bit rates in Mbit/s, and 4.3 for a stalled second.
    #[default]
    Linear,
    /// Logarithms of the bit rates relative to the lowest, and 2.66 for a stalled second.
    Log,
}

impl From<Estimate> for traffic::Estimate {
    fn from(estimate: Estimate) -> Self {
        match estimate {
            Estimate::Harmonic => Self::Harmonic,
            Estimate::Ewma => Self::Ewma,
        }
    }
}

impl From<Qoe> for traffic::Qoe {
    fn from(qoe: Qoe) -> Self {
        match qoe {
            Qoe::Linear => Self::Linear,
            Qoe::Log => Self::Log,
        }
    }
}

pub(super) fn bola() -> Named<Rule> {
    Named(Rule::Bola(Bola { gamma: five(), buffer: twenty_five_s() }))
}

pub(super) fn ladder() -> Vec<Positive<BitRate>> {
    [300, 750, 1200, 1850, 2850, 4300].map(|kbps| Positive(BitRate::bits_per_sec(1000 * kbps))).to_vec()
}

pub(super) fn chunk() -> Positive<Duration> {
    Positive(Duration::from_millis(4000))
}

pub(super) fn sixty_s() -> Positive<Duration> {
    Positive(Duration::from_millis(60_000))
}

fn twenty_five_s() -> Positive<Duration> {
    Positive(Duration::from_millis(25_000))
}

fn ten_s() -> Positive<Duration> {
    Positive(Duration::from_millis(10_000))
}

fn five_s() -> Written<Duration> {
    Written(Duration::from_millis(5000))
}

fn five_chunks() -> Count {
    Count(5)
}

fn five() -> Number {
    Number(5.0)
}

fn safety() -> Number {
    Number(0.9)
}
