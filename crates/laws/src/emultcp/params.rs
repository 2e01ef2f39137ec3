//! Which of the two laws, and its parameters.

use crate::shared::{STEP, between};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which law changes the number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// The paper's (21).
    #[serde(rename = "emultcp")]
    Paper,
    /// That of MULTFRC, which decreases by steps.
    #[serde(rename = "multfrc")]
    Additive,
    /// The same purpose within seconds.
    #[serde(rename = "emultcp-fast")]
    Fast,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Additive, Self::Fast];

    /// Its name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "emultcp",
            Self::Additive => "multfrc",
            Self::Fast => "emultcp-fast",
        }
    }

    /// The law of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the real n becomes a number of connections. chen2007 says that n is real and that the number of connections is whole,
/// and not how the one becomes the other.
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
    /// Which law.
    pub law: Kind,
    /// Seconds between the paper's updates (its τ, 20 s); the time scale of the fast law (1 s). 0.001 to 1e6.
    pub tau: f64,
    /// Connections added per τ, times n; 1e-6 to 1e6. Default 1/4, the paper's.
    pub alpha: f64,
    /// What a queue leaves of n after τ, 0.01 to 0.99. Default 3/4, the paper's. Of MULTFRC the connections that a queue takes
    /// in τ, 0.01 to 1e6; its default is 1.
    pub beta: f64,
    /// A queue of more than this share of the base RTT is congestion; 1e-6 to 1e6. Default 0.14; the paper has 0.2.
    pub gamma: f64,
    /// A shorter queue than this is none, in seconds: timers and bursts make as much on short paths. Default 0.01; the
    /// paper has none.
    pub floor: f64,
    /// Most connections. Default 64.
    pub max: u32,
    /// A connection's RTT counts only so many seconds after it opened: its slow start makes a queue of its own. A
    /// connection that would end sooner is not opened. Default 1; the paper has none.
    pub settle: f64,
    /// How n becomes a whole number under the paper's law and MULTFRC's; the fast law has its own rule. Default: floor.
    pub rounding: Rounding,
    /// Seconds over which the least RTT is taken, so that a longer path is one after so long; 0: for ever, as the paper has
    /// it. 0 to 1e6.
    pub window: f64,
    /// Of the fast law: once several connections make a queue, the sum of their receive windows is bounded, so that the queue
    /// is shorter. A host that has no window of theirs in hand says false. Default: true.
    pub bound: bool,
}

impl Params {
    /// The defaults of `law`: for the paper's, what the paper says.
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
            window: 0.0,
            bound: true,
        };
        match law {
            Kind::Paper => Self { tau: 20.0, gamma: 0.2, floor: 0.0, settle: 0.0, bound: false, ..fast },
            Kind::Additive => Self { law, alpha: 1.0, beta: 1.0, ..Self::of(Kind::Paper) },
            Kind::Fast => fast,
        }
    }

    /// Whether every value is possible.
    ///
    /// # Errors
    /// The first field that is not, and why.
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
            ("window", self.window, 0.0..=1e6),
        ];
        ranges.into_iter().try_for_each(|(field, value, range)| between(field, value, range))
    }

    /// The longest queue that is not yet congestion, in seconds, over a base RTT of `rtt_min` seconds.
    pub fn threshold(&self, rtt_min: f64) -> f64 {
        (self.gamma * rtt_min).max(self.floor)
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::of(Kind::Fast)
    }
}
