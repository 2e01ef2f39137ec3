//! Who hears whom, and through what noise.

use crate::format::named::Named;
use crate::format::{Number, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Decibels, Distance, Frequency, PowerLevel};

/// Who hears whom: by distances, or by the power that is received.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiReach")]
pub(crate) struct Reach {
    /// Largest distance at which frames are received. Default: 250 m, if no threshold is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<Positive<Distance>>,
    /// Largest distance at which frames are sensed. Default: 2.2 times `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Positive<Distance>>,
    /// Least power at which frames are received, instead of `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_threshold: Option<Written<PowerLevel>>,
    /// Least power at which frames are sensed, instead of `sense`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_threshold: Option<Written<PowerLevel>>,
    /// Power of every sender.
    #[serde(default = "power")]
    pub power: Written<PowerLevel>,
    /// Carrier frequency.
    #[serde(default = "frequency")]
    pub frequency: Positive<Frequency>,
    /// How power falls with distance.
    #[serde(default = "two_ray_ground")]
    pub path_loss: Named<PathLoss>,
    /// Least ratio of a frame's power to that of all others together at which it is received, whatever its rate. Default: by rate;
    /// 10 dB with `mode = "ns2"`.
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
    /// How power falls with distance.
    PathLoss by "model", "a table with a `model`" {
        /// Free space.
        "free-space" FreeSpace {}
        /// Free space up to the cross-over distance, beyond it two-ray ground reflection: the fourth power of the distance.
        "two-ray-ground" TwoRayGround {
            /// Height of the antennas.
            #[serde(default = "height")]
            height: Positive<Distance>,
        }
        /// Free space up to a reference distance, beyond it a power of the distance.
        "log-distance" LogDistance {
            /// The exponent.
            #[serde(default = "three")]
            exponent: Number,
            /// The reference distance.
            #[serde(default = "a_metre")]
            reference: Positive<Distance>,
        }
    }
}

/// Noise and fading: which frames are lost by their signal-to-noise ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiNoise")]
pub(crate) struct Noise {
    /// Noise in the channel.
    pub power: Written<PowerLevel>,
    /// Whether the power of a frame is exponential around its mean: Rayleigh fading, independent from frame to frame.
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
