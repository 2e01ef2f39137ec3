//! Paths through satellites in a low orbit.

use super::{Degrees, Number, Positive, Probability, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{BitRate, Distance, Duration};

/// A path through satellites in a low orbit (LEO), by geometry: delay, rate, loss and outages of a link over time. The
/// path changes its satellite from epoch to epoch, and goes up and down by way of it to a gateway near the station.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { capacity = \"100 Mbit/s\" }")]
pub(crate) struct Leo {
    /// Time between changes of the satellite.
    #[serde(default = "fifteen_seconds")]
    pub epoch: Positive<Duration>,
    /// Time of the first change.
    #[serde(default = "fifteen_seconds_later")]
    pub offset: Written<Duration>,
    /// Altitude of the satellites.
    #[serde(default = "altitude")]
    pub altitude: Positive<Distance>,
    /// Least elevation of a satellite in use, in degrees; 5 to 85.
    #[serde(default = "elevation")]
    pub min_elevation: Degrees,
    /// One-way delay from the gateway on.
    #[serde(default = "gateway")]
    pub gateway: Written<Duration>,
    /// Median of the capacity.
    pub capacity: Positive<BitRate>,
    /// Standard deviation of the logarithm of the capacity from epoch to epoch, 0 to 3.
    #[serde(default = "spread")]
    pub spread: Number,
    /// Standard deviation of the logarithm of the capacity around that of the epoch, 0 to 3; a first-order
    /// autoregression that keeps 0.8 from one update to the next.
    #[serde(default = "variation")]
    pub variation: Number,
    /// Interval of the updates of delay and capacity.
    #[serde(default = "one_second")]
    pub update: Positive<Duration>,
    /// Time without a link at each change, which loses the packets on the way; shorter than `update`.
    #[serde(default = "outage")]
    pub outage: Written<Duration>,
    /// Loss from a change to the next update.
    #[serde(default = "loss_at_change")]
    pub loss_at_change: Probability,
    /// Loss at other times.
    #[serde(default = "no_loss")]
    pub loss: Probability,
    /// Seed of satellites and capacities, which are the same for all seeds of the scenario. Links with one seed use the
    /// same satellites, so give both directions the same.
    #[serde(default = "first")]
    pub seed: u32,
}

fn fifteen_seconds() -> Positive<Duration> {
    Positive(Duration::from_secs(15.0))
}

fn fifteen_seconds_later() -> Written<Duration> {
    Written(Duration::from_secs(15.0))
}

fn altitude() -> Positive<Distance> {
    Positive(Distance::metres(550e3))
}

fn elevation() -> Degrees {
    Degrees(25.0)
}

fn gateway() -> Written<Duration> {
    Written(Duration::from_millis(5))
}

fn spread() -> Number {
    Number(0.4)
}

fn variation() -> Number {
    Number(0.15)
}

fn one_second() -> Positive<Duration> {
    Positive(Duration::from_secs(1.0))
}

fn outage() -> Written<Duration> {
    Written(Duration::from_millis(75))
}

fn loss_at_change() -> Probability {
    Probability(0.01)
}

fn no_loss() -> Probability {
    Probability(0.0)
}

fn first() -> u32 {
    1
}
