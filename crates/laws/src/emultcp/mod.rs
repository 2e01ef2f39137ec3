//! E-MULTCP: how many connections a transfer should have.
//!
//! M. Chen, A. Zakhor and R. Fujita, "Flow Control in Wireless Networks", University of California at Berkeley, 2007,
//! §IV. On a link that loses packets by itself one connection leaves most of the capacity unused; n connections get
//! about n times as much, until the link is full and a queue stands before it. So n grows while no queue is seen and
//! shrinks while one is: inversely increasing, multiplicatively decreasing (IIMD).
//!
//! Two laws share this interface. [`Kind::Paper`] is the paper's (21), and made for transfers that last for hours.
//! [`Kind::Fast`] is ours, for files that take a minute. Each states its equations in its own file;
//! docs/reference/laws/emultcp.md explains them.
//!
//! Like a [`Law`](crate::Law), a [`Controller`] reads no clock and opens nothing. Its **host**, a download or a
//! simulated transfer, calls [`Controller::update`] every [`Controller::period`] seconds with what it measured, and
//! brings the number of its connections to the answer.

mod fast;
mod paper;
#[cfg(test)]
mod tests;

use fast::Fast;
use paper::Paper;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which law changes the number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// The paper's (21).
    #[serde(rename = "emultcp")]
    Paper,
    /// The same purpose within seconds.
    #[serde(rename = "emultcp-fast")]
    Fast,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Paper, Self::Fast];

    /// Its name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "emultcp",
            Self::Fast => "emultcp-fast",
        }
    }

    /// The law of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How far below the number of connections n falls before the fast law closes one.
const CLOSING: f64 = 0.5;

/// Parameters of a [`Controller`]; the defaults are those of [`Kind::Fast`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Which law.
    pub law: Kind,
    /// Seconds between the paper's updates (its τ, 20 s); the time scale of the fast law (1 s).
    pub tau: f64,
    /// Connections added per τ, times n. Default 1/4, the paper's.
    pub alpha: f64,
    /// What a queue leaves of n after τ, between 0 and 1. Default 3/4, the paper's.
    pub beta: f64,
    /// A queue of more than this share of the base RTT is congestion. Default 0.15; the paper has 0.2.
    pub gamma: f64,
    /// A shorter queue than this is none, in seconds: timers and bursts make as much on short paths. Default 0.01; the
    /// paper has none.
    pub floor: f64,
    /// Most connections. Default 32.
    pub max: u32,
    /// A connection's RTT counts only so many seconds after it opened: its slow start makes a queue of its own. A
    /// connection that would end sooner is not opened. Default 1; the paper has none.
    pub settle: f64,
}

impl Params {
    /// The defaults of `law`: for the paper's, what the paper says.
    pub const fn of(law: Kind) -> Self {
        let fast = Self { law, tau: 1.0, alpha: 0.25, beta: 0.75, gamma: 0.15, floor: 0.01, max: 32, settle: 1.0 };
        match law {
            Kind::Paper => Self { tau: 20.0, gamma: 0.2, floor: 0.0, settle: 0.0, ..fast },
            Kind::Fast => fast,
        }
    }

    /// Whether every value is possible.
    ///
    /// # Errors
    /// The first field that is not, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let ranges = [
            ("tau", self.tau, self.tau > 0.0, "more than 0"),
            ("alpha", self.alpha, self.alpha > 0.0, "more than 0"),
            ("beta", self.beta, self.beta > 0.0 && self.beta < 1.0, "between 0 and 1"),
            ("gamma", self.gamma, self.gamma > 0.0, "more than 0"),
            ("floor", self.floor, self.floor >= 0.0, "at least 0"),
            ("max", f64::from(self.max), self.max > 0, "at least 1"),
            ("settle", self.settle, self.settle >= 0.0, "at least 0"),
        ];
        match ranges.into_iter().find(|(_, value, is_right, _)| !(*is_right && value.is_finite())) {
            Some((field, value, _, range)) => Err((field, format!("{value} is not {range}"))),
            None => Ok(()),
        }
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

/// What a host measured since its last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds on a clock that never goes back; any zero.
    pub now: f64,
    /// Mean round-trip time in seconds over the connections that received data and are open for [`Params::settle`]
    /// seconds; `None` if there are none. No evidence changes nothing.
    pub rtt: Option<f64>,
    /// The least RTT seen on this path, in seconds: handshakes see it best. Infinite while none is known.
    pub rtt_min: f64,
    /// What arrived on all connections, in bit/s.
    pub rate: f64,
    /// Connections open or opening.
    pub connections: u32,
    /// Bytes still to be requested or received; `None`: no end known.
    pub remaining: Option<f64>,
}

/// Decides how many connections a transfer has.
#[derive(Clone, Debug)]
pub struct Controller {
    params: Params,
    state: State,
    wanted: u32,
}

#[derive(Clone, Debug)]
enum State {
    Paper(Paper),
    Fast(Fast),
}

impl Controller {
    /// A transfer that begins. `remembered` is [`Controller::connections`] at the end of the last one from the same
    /// host; the paper's law has no memory and ignores it.
    pub fn new(params: Params, remembered: Option<f64>) -> Self {
        let state = match params.law {
            Kind::Paper => State::Paper(Paper::new()),
            Kind::Fast => State::Fast(Fast::new(&params, remembered)),
        };
        let mut controller = Self { params, state, wanted: 1 };
        controller.wanted = controller.round();
        controller
    }

    /// Takes a measurement; returns how many connections there should be now.
    pub fn update(&mut self, sample: Sample) -> u32 {
        match &mut self.state {
            State::Paper(paper) => paper.update(&self.params, &sample),
            State::Fast(fast) => fast.update(&self.params, &sample),
        }
        self.wanted = self.round();
        // The end game: a connection opened now would end in its slow start.
        if let Some(remaining) = sample.remaining
            && remaining * 8.0 < sample.rate * self.params.settle
        {
            self.wanted = self.wanted.min(sample.connections.max(1));
        }
        self.wanted
    }

    /// The whole number of connections for n: its integer part. The paper says nothing of rounding; this is our reading. The
    /// fast law closes one only once n is half a connection below it, so that none is closed and opened in turn.
    fn round(&self) -> u32 {
        let n = self.connections();
        let kept = f64::from(self.wanted);
        let is_kept = self.params.law == Kind::Fast && (kept - CLOSING..kept).contains(&n);
        // The conversion saturates.
        if is_kept { self.wanted } else { (n as u32).clamp(1, self.params.max) }
    }

    /// How many connections there should be.
    pub fn wanted(&self) -> u32 {
        self.wanted
    }

    /// n, which is real: its integer part is open.
    pub fn connections(&self) -> f64 {
        match &self.state {
            State::Paper(paper) => paper.n,
            State::Fast(fast) => fast.n,
        }
    }

    /// How many seconds the host should wait between calls: a tenth of τ, at most 0.1 s.
    pub fn period(&self) -> f64 {
        (self.params.tau / 10.0).min(0.1)
    }

    /// The queue that the law sees, in seconds; `None` before it saw any RTT. For the paper's law that of its last
    /// update.
    pub fn queue(&self) -> Option<f64> {
        match &self.state {
            State::Paper(paper) => paper.queue,
            State::Fast(fast) => fast.queue,
        }
    }

    /// Its parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
