//! Stations: where they are and how they move.

use crate::format::named::Named;
use crate::format::{Buffer, Count, Name, Positive, Queue, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{BitRate, Distance, Duration, Speed};

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
    /// How it moves from there. Default: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Rate of its data frames. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<Positive<BitRate>>,
    /// Its interface queue. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of its interface queue. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
}

tagged! {
    /// Positions of a group of nodes.
    Layout by "kind", "a table with a `kind`, such as \"grid\"" {
        /// Rows of a grid, the first member at `origin`, the next to its right.
        "grid" Grid {
            /// Members in a row.
            columns: Count,
            /// Distance of neighbours in a row and of rows.
            spacing: Positive<Distance>,
            /// Position of the first member.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
        /// Uniform in a rectangle.
        "random" Random {
            /// Its width.
            width: Positive<Distance>,
            /// Its height.
            height: Positive<Distance>,
            /// Seed of the positions, which are the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
            /// Its lower left corner.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
    }
}

tagged! {
    /// How stations move. `optimum` and `fluid` do not take networks whose stations do.
    Motion by "kind", "a table with a `kind`, such as \"random-waypoint\"" {
        /// From place to place, straight and evenly, the first time from its position at the beginning. A single node only.
        "waypoints" Waypoints {
            /// When it is where, in order of time.
            points: Vec<Waypoint>,
        }
        /// To a random place in a rectangle at a random speed, a pause, and on.
        "random-waypoint" RandomWaypoint {
            /// Width of the rectangle.
            width: Positive<Distance>,
            /// Its height.
            height: Positive<Distance>,
            /// Its lower left corner.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
            /// Speeds are uniform from this one.
            #[serde(default = "walking")]
            min_speed: Positive<Speed>,
            /// To this one.
            #[serde(default = "driving")]
            max_speed: Positive<Speed>,
            /// How long it rests at every place.
            #[serde(default = "no_time")]
            pause: Written<Duration>,
            /// Seed of the ways, which are the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
        }
    }
}

/// Where a station is at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `time` and `at`")]
pub(crate) struct Waypoint {
    /// When.
    pub time: Written<Duration>,
    /// Where: ["0 m", "150 m"].
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
