//! Reception, carrier sense and noise.

use crate::format::named::Named;
use crate::format::{Number, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Decibels, Distance, Frequency, PowerLevel};

/// Reception and carrier sense: by distance, or by received power.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiReach")]
pub(crate) struct Reach {
    /// Maximum distance at which frames are received. Default: 250 m, if no threshold is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<Positive<Distance>>,
    /// Maximum distance at which frames are sensed. Default: 2.2 times `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Positive<Distance>>,
    /// Minimum power at which frames are received, instead of `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_threshold: Option<Written<PowerLevel>>,
    /// Minimum power at which frames are sensed, instead of `sense`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_threshold: Option<Written<PowerLevel>>,
    /// Transmit power of every station.
    #[serde(default = "power")]
    pub power: Written<PowerLevel>,
    /// Carrier frequency.
    #[serde(default = "frequency")]
    pub frequency: Positive<Frequency>,
    /// Path loss: power as a function of distance.
    #[serde(default = "two_ray_ground")]
    pub path_loss: Named<PathLoss>,
    /// Minimum signal-to-interference ratio at which a frame is received, for all rates: its power over the sum of all
    /// others. Default: by rate; 10 dB with `mode = "ns2"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Written<Decibels>>,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            receive: None,
            sense: None,
            receive_threshold: None,
            sense_threshold: None,
            power: power(),
            frequency: frequency(),
            path_loss: two_ray_ground(),
            capture: None,
        }
    }
}

tagged! {
    /// Path loss: power as a function of distance.
    PathLoss by "model", "a table with a `model`" {
        /// Free space.
        "free-space" FreeSpace {}
        /// Free space up to the cross-over distance; beyond it two-ray ground reflection, the fourth power of the
        /// distance.
        "two-ray-ground" TwoRayGround {
            /// Height of the antennas.
            #[serde(default = "height")]
            height: Positive<Distance>,
        }
        /// Free space up to a reference distance; beyond it a power of the distance.
        "log-distance" LogDistance {
            /// Path loss exponent.
            #[serde(default = "three")]
            exponent: Number,
            /// Reference distance.
            #[serde(default = "a_metre")]
            reference: Positive<Distance>,
        }
    }
}

/// Noise and fading: losses of frames by their signal-to-noise ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiNoise")]
pub(crate) struct Noise {
    /// Noise power in the channel.
    pub power: Written<PowerLevel>,
    /// Draws the power of each frame from an exponential distribution around its mean: Rayleigh fading, independent
    /// from frame to frame.
    #[serde(default)]
    pub rayleigh: bool,
}

fn three() -> Number {
    Number(3.0)
}

fn power() -> Written<PowerLevel> {
    // ns-2's 0.281 838 15 W.
    Written(PowerLevel::dbm(24.5))
}

fn frequency() -> Positive<Frequency> {
    Positive(Frequency::hertz(914e6))
}

fn height() -> Positive<Distance> {
    Positive(Distance::metres(1.5))
}

fn a_metre() -> Positive<Distance> {
    Positive(Distance::metres(1.0))
}

fn two_ray_ground() -> Named<PathLoss> {
    Named(PathLoss::TwoRayGround(TwoRayGround { height: height() }))
}
