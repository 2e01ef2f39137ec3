//! How many connections a transfer has, as written.

use super::{Count, Number, Positive, Written};
use windward_laws::emultcp::{Kind, Params};
use windward_units::Duration;

tagged! {
    /// The law that changes how many connections carry a flow's data.
    Connections by "law", "a table with a `law`" {
        /// E-MULTCP as published: chen2007 (21), once in `tau`.
        "emultcp" Emultcp {
            /// Time between updates.
            #[serde(default = "paper_tau")]
            tau: Positive<Duration>,
            /// α: n grows by α/n in `tau`; above 0.
            #[serde(default = "alpha")]
            alpha: Number,
            /// β: what a queue leaves of n; between 0 and 1.
            #[serde(default = "beta")]
            beta: Number,
            /// γ: a mean round trip longer than the least one by this share of it is congestion; above 0.
            #[serde(default = "paper_gamma")]
            gamma: Number,
            /// Most connections.
            #[serde(default = "max")]
            max: Count,
        }
        /// The same for transfers of a minute: the number follows the queue within seconds.
        "emultcp-fast" EmultcpFast {
            /// Time scale: n doubles in it at the start while no queue is seen.
            #[serde(default = "fast_tau")]
            tau: Positive<Duration>,
            /// α: n grows by α/n in `tau` without a queue; above 0.
            #[serde(default = "alpha")]
            alpha: Number,
            /// β: what a queue of twice the threshold leaves of n after `tau`; between 0 and 1.
            #[serde(default = "beta")]
            beta: Number,
            /// γ: the threshold is this share of the least round trip; above 0.
            #[serde(default = "fast_gamma")]
            gamma: Number,
            /// Least threshold.
            #[serde(default = "floor")]
            floor: Written<Duration>,
            /// The round trip of a connection counts only so long after it opened.
            #[serde(default = "settle")]
            settle: Written<Duration>,
            /// Most connections.
            #[serde(default = "max")]
            max: Count,
        }
    }
}

impl Connections {
    /// The parameters of the controller.
    pub fn params(&self) -> Params {
        match self {
            Self::Emultcp(law) => Params {
                tau: law.tau.0.as_secs(),
                alpha: law.alpha.0,
                beta: law.beta.0,
                gamma: law.gamma.0,
                max: law.max.0,
                ..Params::of(Kind::Paper)
            },
            Self::EmultcpFast(law) => Params {
                law: Kind::Fast,
                tau: law.tau.0.as_secs(),
                alpha: law.alpha.0,
                beta: law.beta.0,
                gamma: law.gamma.0,
                floor: law.floor.0.as_secs(),
                settle: law.settle.0.as_secs(),
                max: law.max.0,
            },
        }
    }
}

// The defaults are the laws' own.

const PAPER: Params = Params::of(Kind::Paper);
const FAST: Params = Params::of(Kind::Fast);

fn paper_tau() -> Positive<Duration> {
    Positive(Duration::from_secs(PAPER.tau))
}

fn fast_tau() -> Positive<Duration> {
    Positive(Duration::from_secs(FAST.tau))
}

fn alpha() -> Number {
    Number(FAST.alpha)
}

fn beta() -> Number {
    Number(FAST.beta)
}

fn paper_gamma() -> Number {
    Number(PAPER.gamma)
}

fn fast_gamma() -> Number {
    Number(FAST.gamma)
}

fn floor() -> Written<Duration> {
    Written(Duration::from_secs(FAST.floor))
}

fn settle() -> Written<Duration> {
    Written(Duration::from_secs(FAST.settle))
}

fn max() -> Count {
    Count(FAST.max)
}
