//! Stations: positions and motion.

use super::aggregation::{Edca, FixedRate, RateControl, TransmitQueues};
use crate::format::named::Named;
use crate::format::{Buffer, Count, Name, Positive, Queue, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{BitRate, Decibels, Distance, Duration, Speed};

/// A station, or a group of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiStation")]
pub(crate) struct Station {
    /// Node, or group of nodes.
    pub node: Name,
    /// Position of a single node: ["0 m", "150 m"].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Written<Distance>; 2]>,
    /// Positions of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Attenuation of walls around the station, of all that it sends and receives: 0 to 100 dB. It adds to that of the
    /// other station. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_loss: Option<Written<Decibels>>,
    /// Signal-to-noise ratio between the station, at its first position, and the access point, in place of what path
    /// loss and `wall_loss` make of their distance, −20 to 100 dB. The difference applies to all that the station sends
    /// and receives. For 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snr: Option<Written<Decibels>>,
    /// Motion of the station from its position. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Rate of the station's data frames. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<Positive<BitRate>>,
    /// Interface queue of the station. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of the station's interface queue. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Choice of the rate of what the station sends, for 802.11n, ac and ax. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<Named<RateControl>>,
    /// Rate of what is sent to the station, for 802.11n, ac and ax. Default: as its sender chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_rate: Option<FixedRate>,
    /// Queues above the MAC of the station, for 802.11n, ac and ax. Default: those of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txq: Option<TransmitQueues>,
    /// Weight of what is sent to the station under airtime fairness, 1 to 65 535. Default: 256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Count>,
    /// Contention parameters of the station, for 802.11n, ac and ax. Default: those of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edca: Option<Edca>,
}

tagged! {
    /// Positions of a group of nodes.
    Layout by "kind", "a table with a `kind`, such as \"grid\"" {
        /// Rows of a grid, the first member at `origin`, the next to its right.
        "grid" Grid {
            /// Members in a row.
            columns: Count,
            /// Distance between neighbours in a row, and between rows.
            spacing: Positive<Distance>,
            /// Position of the first member.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
        /// Uniformly distributed in a rectangle.
        "random" Random {
            /// Width of the rectangle.
            width: Positive<Distance>,
            /// Height of the rectangle.
            height: Positive<Distance>,
            /// Seed of the positions, which are the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
            /// Lower left corner of the rectangle.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
    }
}

tagged! {
    /// Motion of stations. `optimum` and `fluid` refuse networks with moving stations.
    Motion by "kind", "a table with a `kind`, such as \"random-waypoint\"" {
        /// Straight lines at constant speed between given positions, the first from its position at the start. For a
        /// single node only.
        "waypoints" Waypoints {
            /// Times and positions, in order of time.
            points: Vec<Waypoint>,
        }
        /// Random waypoint: to a random position in a rectangle at a random speed, a pause, then the next.
        "random-waypoint" RandomWaypoint {
            /// Width of the rectangle.
            width: Positive<Distance>,
            /// Height of the rectangle.
            height: Positive<Distance>,
            /// Lower left corner of the rectangle.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
            /// Minimum of the uniformly distributed speed.
            #[serde(default = "walking")]
            min_speed: Positive<Speed>,
            /// Maximum of the uniformly distributed speed.
            #[serde(default = "driving")]
            max_speed: Positive<Speed>,
            /// Pause at every position.
            #[serde(default = "no_time")]
            pause: Written<Duration>,
            /// Seed of the motion, which is the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
        }
    }
}

/// Position of a station at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `time` and `at`")]
pub(crate) struct Waypoint {
    /// Time of the position.
    pub time: Written<Duration>,
    /// Position: ["0 m", "150 m"].
    pub at: [Written<Distance>; 2],
}

fn origin() -> [Written<Distance>; 2] {
    [Written(Distance::metres(0.0)); 2]
}

fn walking() -> Positive<Speed> {
    Positive(Speed::metres_per_sec(1.0))
}

fn driving() -> Positive<Speed> {
    Positive(Speed::metres_per_sec(20.0))
}

fn no_time() -> Written<Duration> {
    Written(Duration::ZERO)
}

fn first() -> u32 {
    1
}
