//! How stations share the air.

use crate::format::{Number, Positive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::wifi;
use windward_units::Duration;

tagged! {
    /// How stations share the air.
    Access by "kind", "a table with a `kind`" {
        /// The distributed coordination function of 802.11.
        "dcf" Dcf {}
        /// 802.11 with contention windows by the queueing delay of the link that was served (wang2013 (18)).
        ///
        /// After a success the mean backoff is exp(−ρ)/b, with ρ = `scale`·b·backlog/(average rate).
        "queueing-delay" ByDelay {
            /// β, the scale of the transmission aggressiveness; 1 as printed.
            #[serde(default = "one")]
            scale: Number,
            /// What is done with fractions of a window.
            #[serde(default)]
            rounding: Rounding,
        }
        /// 802.11 with contention windows by the queue length: ρ = `scale`·backlog, in packets.
        "queue-length" ByLength {
            /// Aggressiveness per packet.
            #[serde(default = "one")]
            scale: Number,
            /// What is done with fractions of a window.
            #[serde(default)]
            rounding: Rounding,
        }
        /// Ideal CSMA: links sense each other at once, wait for exponential times and never collide.
        "ideal" Ideal {
            /// β, the scale of the transmission aggressiveness b·(queueing delay).
            #[serde(default = "one")]
            scale: Number,
            /// Largest aggressiveness: schedules change every exp(`cap`) packets.
            #[serde(default = "eight")]
            cap: Number,
            /// A constant aggressiveness instead. Default: by queueing delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            aggressiveness: Option<Number>,
            /// Which links conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
        /// Slots under centralised MaxWeight (Tassiulas and Ephremides 1992).
        ///
        /// Each slot serves the links without conflicts whose backlogs differ most. One packet, of any size, a slot and link.
        ///
        /// Goes with `routing = "backpressure"`, of which only `k` and `links` count. A loss in `[[wifi.loss]]` is the probability
        /// that the link is OFF in a slot.
        "max-weight" MaxWeight {
            /// Length of a slot.
            #[serde(default = "slot")]
            slot: Positive<Duration>,
            /// Which links conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
    }
}

/// What is done with fractions of a contention window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"floor\" or \"random\"")]
pub(crate) enum Rounding {
    /// They are cut off.
    #[default]
    Floor,
    /// Randomised: right in the mean.
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

/// Which links conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"sense\", \"receive\" or \"primary\"")]
pub(crate) enum Conflicts {
    /// Those with ends in carrier-sense range of each other.
    #[default]
    Sense,
    /// Those with ends that can receive each other.
    Receive,
    /// Those with a station in common.
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

fn one() -> Number {
    Number(1.0)
}

fn eight() -> Number {
    Number(8.0)
}
