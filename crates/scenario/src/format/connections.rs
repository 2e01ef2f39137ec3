//! Number of connections of a transfer: the laws that control it.

use super::{Count, Number, Positive, Written, zero};
use windward_laws::emultcp::{Kind, Params, Rounding};
use windward_units::Duration;

tagged! {
    /// Law that controls the number of connections of a flow.
    Connections by "law", "a table with a `law`" {
        /// E-MULTCP as published: chen2007 (21), updated every `tau`.
        "emultcp" Emultcp {
            /// Time between updates, 1 ms to 1e6 s.
            #[serde(default = "paper_tau")]
            tau: Positive<Duration>,
            /// α: n grows by α/n per `tau`; 1e-6 to 1e6.
            #[serde(default = "alpha")]
            alpha: Number,
            /// β: congestion multiplies n by this; 0.01 to 0.99.
            #[serde(default = "beta")]
            beta: Number,
            /// γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
            #[serde(default = "paper_gamma")]
            gamma: Number,
            /// Conversion of the real n to a number of connections: its integer part, or the nearest integer. The paper
            /// does not specify it.
            #[serde(default)]
            rounding: Rounding,
            /// Window of the minimum-RTT filter, after which a longer path is recognised. 0 s: the whole transfer, as
            /// published.
            #[serde(default = "zero")]
            window: Written<Duration>,
            /// Measures round trips by UDP probes of 32 bytes, one for each data packet, which the receiver returns
            /// (chen2007 §IV-A). They take their share of the links, and `background` counts them as `NAME-probes`.
            /// When the number of hops changes, the minimum RTT is that of the new route. Default: round trips of the
            /// connections themselves.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            probes: bool,
            /// Sends at n times the rate of a connection over a single one, without steps of whole connections
            /// (AIO-TFRC, chen2007 §V-A). Needs `law = "tfrc"`. Default: n connections side by side.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            combined: bool,
            /// Maximum number of connections.
            #[serde(default = "max")]
            max: Count,
        }
        /// MULTFRC's law, chen2007's predecessor: as `emultcp`, but congestion subtracts β connections.
        "multfrc" Multfrc {
            /// Time between updates, 1 ms to 1e6 s.
            #[serde(default = "paper_tau")]
            tau: Positive<Duration>,
            /// α: n grows by α/n per `tau`; 1e-6 to 1e6.
            #[serde(default = "one")]
            alpha: Number,
            /// β: number of connections that congestion subtracts; 0.01 to 1e6.
            #[serde(default = "one")]
            beta: Number,
            /// γ: the mean RTT signals congestion when it exceeds the minimum by this share; 1e-6 to 1e6.
            #[serde(default = "paper_gamma")]
            gamma: Number,
            /// Conversion of n to a number of connections, as for `emultcp`.
            #[serde(default)]
            rounding: Rounding,
            /// Window of the minimum-RTT filter, as for `emultcp`.
            #[serde(default = "zero")]
            window: Written<Duration>,
            /// Measures round trips by UDP probes of 32 bytes, one for each data packet, which the receiver returns
            /// (chen2007 §IV-A). They take their share of the links, and `background` counts them as `NAME-probes`.
            /// When the number of hops changes, the minimum RTT is that of the new route. Default: round trips of the
            /// connections themselves.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            probes: bool,
            /// Sends at n times the rate of a connection over a single one, without steps of whole connections
            /// (AIO-TFRC, chen2007 §V-A). Needs `law = "tfrc"`. Default: n connections side by side.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            combined: bool,
            /// Maximum number of connections.
            #[serde(default = "max")]
            max: Count,
        }
        /// A faster variant for transfers of about a minute: n follows the queue within seconds.
        "emultcp-fast" EmultcpFast {
            /// Time scale: at the start, n doubles every `tau` while there is no queue; 1 ms to 1e6 s.
            #[serde(default = "fast_tau")]
            tau: Positive<Duration>,
            /// α: n grows by α/n per `tau` without a queue; 1e-6 to 1e6.
            #[serde(default = "alpha")]
            alpha: Number,
            /// β: a queue of twice the threshold multiplies n by this within `tau`; 0.01 to 0.99.
            #[serde(default = "beta")]
            beta: Number,
            /// γ: the queueing-delay threshold as a share of the minimum RTT; 1e-6 to 1e6.
            #[serde(default = "fast_gamma")]
            gamma: Number,
            /// Minimum threshold.
            #[serde(default = "floor")]
            floor: Written<Duration>,
            /// Time after a connection opens during which its RTT is ignored.
            #[serde(default = "settle")]
            settle: Written<Duration>,
            /// Window of the minimum-RTT filter, as for `emultcp`.
            #[serde(default = "zero")]
            window: Written<Duration>,
            /// Bounds the sum of the receive windows once several connections make a queue, as `windward get` does.
            /// TFRC has no window.
            #[serde(default = "bound")]
            bound: bool,
            /// Maximum number of connections.
            #[serde(default = "max")]
            max: Count,
        }
    }
}

impl Connections {
    /// True if probes measure the round trips.
    pub fn has_probes(&self) -> bool {
        match self {
            Self::Emultcp(law) => law.probes,
            Self::Multfrc(law) => law.probes,
            Self::EmultcpFast(_) => false,
        }
    }

    /// True if one connection sends at the rate of n.
    pub fn is_combined(&self) -> bool {
        match self {
            Self::Emultcp(law) => law.combined,
            Self::Multfrc(law) => law.combined,
            Self::EmultcpFast(_) => false,
        }
    }

    /// The parameters of the controller.
    pub fn params(&self) -> Params {
        match self {
            Self::Emultcp(law) => Params {
                tau: law.tau.0.as_secs(),
                alpha: law.alpha.0,
                beta: law.beta.0,
                gamma: law.gamma.0,
                rounding: law.rounding,
                min_rtt_window: law.window.0.as_secs(),
                max: law.max.0,
                ..Params::of(Kind::Paper)
            },
            Self::Multfrc(law) => Params {
                tau: law.tau.0.as_secs(),
                alpha: law.alpha.0,
                beta: law.beta.0,
                gamma: law.gamma.0,
                rounding: law.rounding,
                min_rtt_window: law.window.0.as_secs(),
                max: law.max.0,
                ..Params::of(Kind::Additive)
            },
            Self::EmultcpFast(law) => Params {
                law: Kind::Fast,
                tau: law.tau.0.as_secs(),
                alpha: law.alpha.0,
                beta: law.beta.0,
                gamma: law.gamma.0,
                floor: law.floor.0.as_secs(),
                settle: law.settle.0.as_secs(),
                min_rtt_window: law.window.0.as_secs(),
                bound: law.bound,
                max: law.max.0,
                ..FAST
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

fn bound() -> bool {
    FAST.bound
}

fn alpha() -> Number {
    Number(FAST.alpha)
}

fn beta() -> Number {
    Number(FAST.beta)
}

fn one() -> Number {
    Number(Params::of(Kind::Additive).alpha)
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
