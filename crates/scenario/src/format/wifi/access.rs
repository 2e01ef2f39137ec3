//! Channel access of the stations.

use crate::format::{Number, Positive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::wifi;
use windward_units::Duration;

tagged! {
    /// Channel access of the stations.
    Access by "kind", "a table with a `kind`" {
        /// The distributed coordination function of 802.11.
        "dcf" Dcf {}
        /// 802.11 with contention windows by the queueing delay of the served link (wang2013 (18)).
        ///
        /// After a success the mean backoff is exp(−ρ)/b, with ρ = `scale`·b·backlog/(average rate).
        "queueing-delay" ByDelay {
            /// β, the scale of the transmission aggressiveness; 1 as printed.
            #[serde(default = "one")]
            scale: Number,
            /// Rounding of fractional windows.
            #[serde(default)]
            rounding: Rounding,
        }
        /// 802.11 with contention windows by the queue length: ρ = `scale`·backlog, in packets.
        "queue-length" ByLength {
            /// Aggressiveness per packet.
            #[serde(default = "one")]
            scale: Number,
            /// Rounding of fractional windows.
            #[serde(default)]
            rounding: Rounding,
        }
        /// Ideal CSMA: links sense each other at once, wait for exponential times and never collide.
        "ideal" Ideal {
            /// β, the scale of the transmission aggressiveness b·(queueing delay).
            #[serde(default = "one")]
            scale: Number,
            /// Maximum aggressiveness: schedules change every exp(`cap`) packets.
            #[serde(default = "eight")]
            cap: Number,
            /// ε of the aggressiveness ε·b·(queue length in packets), with b the packets that the link alone carries in
            /// a second (wang2013 §II-C; Jiang and Walrand 2010). Default: by queueing delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            epsilon: Option<Positive<Duration>>,
            /// Constant aggressiveness that replaces the one by queueing delay. Default: by queueing delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            aggressiveness: Option<Number>,
            /// Pairs of links that conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
        /// Slots under centralised MaxWeight (Tassiulas and Ephremides 1992).
        ///
        /// Each slot serves the set of links without conflicts whose differences of backlog are largest. A link sends
        /// one packet per slot, of any size.
        ///
        /// Needs `routing = "backpressure"`, of which only `k` and `links` have an effect. A loss in `[[wifi.loss]]` is
        /// the probability that the link is OFF in a slot.
        "max-weight" MaxWeight {
            /// Length of a slot.
            #[serde(default = "slot")]
            slot: Positive<Duration>,
            /// Pairs of links that conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
    }
}

/// Rounding of fractional contention windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"floor\" or \"random\"")]
pub(crate) enum Rounding {
    /// Rounded down.
    #[default]
    Floor,
    /// Rounded randomly, with the exact mean.
    Random,
}

impl Rounding {
    pub fn of_sim(self) -> wifi::Rounding {
        match self {
            Self::Floor => wifi::Rounding::Floor,
            Self::Random => wifi::Rounding::Random,
        }
    }
}

/// Pairs of links that conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"sense\", \"receive\" or \"primary\"")]
pub(crate) enum Conflicts {
    /// Links with ends in carrier-sense range of each other.
    #[default]
    Sense,
    /// Links with ends that can receive each other.
    Receive,
    /// Links with a station in common.
    Primary,
}

impl Conflicts {
    pub fn of_sim(self) -> wifi::Conflict {
        match self {
            Self::Sense => wifi::Conflict::Sense,
            Self::Receive => wifi::Conflict::Receive,
            Self::Primary => wifi::Conflict::Primary,
        }
    }
}

fn slot() -> Positive<Duration> {
    Positive(Duration::from_millis(20))
}

pub(crate) fn one() -> Number {
    Number(1.0)
}

pub(crate) fn eight() -> Number {
    Number(8.0)
}
