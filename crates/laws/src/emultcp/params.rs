//! Choice of the E-MULTCP law, and its parameters.

use crate::shared::{STEP, between};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Law for the number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// The paper's (21).
    #[serde(rename = "emultcp")]
    Paper,
    /// MULTFRC's, which decreases by steps.
    #[serde(rename = "multfrc")]
    Additive,
    /// A law for the same purpose that acts within seconds.
    #[serde(rename = "emultcp-fast")]
    Fast,
}

impl Kind {
    /// All laws.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Additive, Self::Fast];

    /// Name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "emultcp",
            Self::Additive => "multfrc",
            Self::Fast => "emultcp-fast",
        }
    }

    /// Law of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Rounding of the real n to a number of connections. chen2007 has a real n and an integer number of connections, and
/// does not specify the rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"floor\" or \"nearest\"")]
#[schemars(rename = "ConnectionRounding")]
pub enum Rounding {
    /// ⌊n⌋: one more is opened once n has reached it.
    #[default]
    Floor,
    /// ⌊n + ½⌋.
    Nearest,
}

/// Parameters of a [`Controller`](super::Controller); the defaults are those of [`Kind::Fast`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Law.
    pub law: Kind,
    /// Seconds between the paper's updates (its τ, 20 s); the time scale of the fast law (1 s). 0.001 to 1e6.
    pub tau: f64,
    /// Connections added per τ, times n; 1e-6 to 1e6. Default 1/4, the paper's.
    pub alpha: f64,
    /// Decrease factor: share of n that remains after τ with a queue, 0.01 to 0.99. Default 3/4, the paper's. In
    /// MULTFRC the connections subtracted by a queue in τ, 0.01 to 1e6; its default is 1.
    pub beta: f64,
    /// Queue that counts as congestion, as a share of the base RTT; 1e-6 to 1e6. Default 0.14; the paper has 0.2.
    pub gamma: f64,
    /// Minimum queue that counts as congestion, in seconds: timers and bursts cause as much on short paths. Default
    /// 0.01; the paper has none.
    pub floor: f64,
    /// Maximum number of connections. Default 64.
    pub max: u32,
    /// Seconds after its opening from which a connection's RTT counts: its slow start makes a queue of its own. A
    /// connection that would end sooner is not opened. Default 1; the paper has none.
    pub settle: f64,
    /// Rounding of n under the paper's law and MULTFRC's; the fast law has its own rule. Default: floor.
    pub rounding: Rounding,
    /// Window of the minimum-RTT filter in seconds, after which a longer path is recognised; 0: unlimited, as in the
    /// paper. 0 to 1e6.
    pub min_rtt_window: f64,
    /// Fast law only: bound the sum of the receive windows once several connections make a queue, which shortens the
    /// queue. False for hosts that do not control these windows. Default: true.
    pub bound: bool,
}

impl Params {
    /// Defaults of `law`: for the paper's law, the paper's values.
    pub const fn of(law: Kind) -> Self {
        let fast = Self {
            law,
            tau: 1.0,
            alpha: 0.25,
            beta: 0.75,
            gamma: 0.14,
            floor: 0.01,
            max: 64,
            settle: 1.0,
            rounding: Rounding::Floor,
            min_rtt_window: 0.0,
            bound: true,
        };
        match law {
            Kind::Paper => Self { tau: 20.0, gamma: 0.2, floor: 0.0, settle: 0.0, bound: false, ..fast },
            Kind::Additive => Self { law, alpha: 1.0, beta: 1.0, ..Self::of(Kind::Paper) },
            Kind::Fast => fast,
        }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first invalid field, and the reason.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let beta = if self.law == Kind::Additive { 0.01..=1e6 } else { 0.01..=0.99 };
        let ranges = [
            ("tau", self.tau, 1e-3..=1e6),
            ("alpha", self.alpha, STEP),
            ("beta", self.beta, beta),
            ("gamma", self.gamma, STEP),
            ("floor", self.floor, 0.0..=1e6),
            ("max", f64::from(self.max), 1.0..=f64::from(u32::MAX)),
            ("settle", self.settle, 0.0..=1e6),
            ("min_rtt_window", self.min_rtt_window, 0.0..=1e6),
        ];
        ranges.into_iter().try_for_each(|(field, value, range)| between(field, value, range))
    }

    /// Longest queue that does not count as congestion, in seconds, over a base RTT of `rtt_min` seconds.
    pub fn threshold(&self, rtt_min: f64) -> f64 {
        (self.gamma * rtt_min).max(self.floor)
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::of(Kind::Fast)
    }
}
