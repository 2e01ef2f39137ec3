//! Reception, carrier sense and noise.

use crate::format::named::Named;
use crate::format::{Number, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Decibels, Distance, Frequency, PowerLevel};

/// Reception and carrier sense: by distance, or by received power.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiReach")]
pub(crate) struct Reach {
    /// Maximum distance at which frames are received. Default: 250 m, if no threshold is given; for 802.11n, ac and ax
    /// a threshold of −82 dBm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<Positive<Distance>>,
    /// Maximum distance at which frames are sensed. Default: 2.2 times `receive`; for 802.11n, ac and ax `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Positive<Distance>>,
    /// Minimum power at which frames are received, instead of `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_threshold: Option<Written<PowerLevel>>,
    /// Minimum power at which frames are sensed, instead of `sense`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_threshold: Option<Written<PowerLevel>>,
    /// Transmit power of every station. Default: 24.5 dBm, ns-2's; 20 dBm for 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<Written<PowerLevel>>,
    /// Carrier frequency. Default: 914 MHz, ns-2's; 2.437, 5.25 or 6.5 GHz by the band for 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<Positive<Frequency>>,
    /// Path loss: power as a function of distance. Default: two-ray ground; for 802.11n, ac and ax free space up to 5 m
    /// and from there the power 3.5 of the distance, as within a house (model B of IEEE 802.11-03/940).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_loss: Option<Named<PathLoss>>,
    /// Minimum signal-to-interference ratio at which a frame is received, for all rates: its power over the sum of all
    /// others. Default: by rate; 10 dB with `mode = "ns2"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Written<Decibels>>,
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
            #[serde(default = "TwoRayGround::usual_height")]
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

impl TwoRayGround {
    /// Height of ns-2's antennas.
    pub fn usual_height() -> Positive<Distance> {
        Positive(Distance::metres(1.5))
    }
}

fn a_metre() -> Positive<Distance> {
    Positive(Distance::metres(1.0))
}
