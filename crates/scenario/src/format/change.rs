//! Changes of links and stations during the run.

use super::{Leo, Name, Positive, Recording, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim as sim;
use windward_units::{Decibels, Distance, Duration};

/// Makes a table that has the values of a step among its fields.
macro_rules! with_values {
    (
        {
            $(#[$meta:meta])*
            $name:ident {
                $($(#[$own_meta:meta])* $own:ident: $own_type:ty,)*
            }
        }
        $({
            $field:ident: $type:ty;
            link { $($link:tt)* }
            reverse { $($reverse:tt)* }
            $(change { $(#[$field_meta:meta])* })?
        })*
    ) => {
        changeable! {
            {
                $(#[$meta])*
                $name {
                    $($(#[$own_meta])* $own: $own_type,)*
                }
            }
            $($({ $(#[$field_meta])* $field: $type })?)*
        }
    };
}

/// Makes a table of fields that can change.
macro_rules! changeable {
    (
        {
            $(#[$meta:meta])*
            $name:ident {
                $($(#[$own_meta:meta])* $own:ident: $own_type:ty,)*
            }
        }
        $({ $(#[$field_meta:meta])* $field:ident: $type:ty })*
    ) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        $(#[$meta])*
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct $name {
            $($(#[$own_meta])* pub $own: $own_type,)*
            $(
                $(#[$field_meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
            /// State of the link: true if it transmits. While it is down, packets wait in its buffer, and the packet in
            /// transmission pauses until the link is up again.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub up: Option<bool>,
            /// Packets that are lost when the link goes down, with `up = false`. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub drop: Option<Drop>,
            /// Mean signal-to-noise ratio of a station of a cell, from the next slot on.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub snr: Option<Written<Decibels>>,
            /// New position of a Wi-Fi station, effective at once. The routing follows as with `motion`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub position: Option<[Written<Distance>; 2]>,
        }

        impl $name {
            /// Values of the change.
            pub fn values(&self) -> Values<'_> {
                Values {
                    $($field: self.$field.as_ref(),)*
                    up: self.up,
                    drop: self.drop,
                    snr: self.snr.map(|snr| snr.0),
                    position: self.position.as_ref().map(|[x, y]| (x.0.as_metres(), y.0.as_metres())),
                }
            }
        }
    };
}

/// Makes [`Values`].
macro_rules! values {
    (
        {}
        $({
            $field:ident: $type:ty;
            link { $($link:tt)* }
            reverse { $($reverse:tt)* }
            $(change { $($change:tt)* })?
        })*
    ) => {
        values! { $($({ $field: $type, $($change)* })?)* }
    };
    ($({ $field:ident: $type:ty, $($change:tt)* })*) => {
        /// Values of a change or step.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Values<'a> {
            $(pub $field: Option<&'a $type>,)*
            pub up: Option<bool>,
            pub drop: Option<Drop>,
            pub snr: Option<Decibels>,
            pub position: Option<(f64, f64)>,
        }

        impl Step {
            /// A step at `at` without values.
            pub fn empty(at: Duration) -> Self {
                Self { at: Written(at), $($field: None,)* up: None, drop: None, snr: None, position: None }
            }
        }

        impl Values<'_> {
            /// Names of the values that a change of a link may give.
            pub const OF_LINKS: &'static [&'static str] = &[$(stringify!($field),)* "up", "drop"];
            /// Names of the values that a change of a station may give.
            pub const OF_STATIONS: &'static [&'static str] = &["snr", "position"];

            /// Names of the values that are given.
            pub fn given(&self) -> impl Iterator<Item = &'static str> {
                let given = [
                    $((stringify!($field), self.$field.is_some()),)*
                    ("up", self.up.is_some()),
                    ("drop", self.drop.is_some()),
                    ("snr", self.snr.is_some()),
                    ("position", self.position.is_some()),
                ];
                given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
            }
        }
    };
}

each_link_field! { values }

each_link_field! { with_values {
    /// A change of a link or a station during the run: at one time, or in steps. Omitted values do not change.
    Change {
        /// One-way link, by its name; the name of a group, or FROM->TO of one, means all its links. The link back has a
        /// name of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<Name>,
        /// Station of a cell or of Wi-Fi, by its node or group of nodes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        station: Option<Name>,
        /// Time of a single change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Written<Duration>>,
        /// Several changes, in order of time: a list, or the name of a CSV file. The file has a column `time_s` and any
        /// of `rate_bps`, `delay_ms`, `loss`, `buffer_packets`, `jitter_ms` (uniform up to it), `reorder` (the share)
        /// with `reorder_ms`, `up`, `snr_db`, and `x_m` with `y_m`. An empty cell means no change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        steps: Option<Recording<Step>>,
        /// Period after which the steps begin again, until the end of the run. Longer than the time from the first to
        /// the last of them. Default: they happen once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        every: Option<Positive<Duration>>,
        /// Time from which the steps do not begin again. A repetition that has begun is completed. Default: the end of
        /// the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Written<Duration>>,
        /// A path through satellites in a low orbit, instead of `at` and `steps`: it gives the steps of a link.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leo: Option<Leo>,
    }
} }

each_link_field! { with_values {
    /// A step of a change.
    #[schemars(rename = "ChangeStep")]
    Step {
        /// Time of the step.
        at: Written<Duration>,
    }
} }

/// Packets that are lost when a link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"nothing\", \"flight\" or \"all\"")]
pub(crate) enum Drop {
    /// None: packets on the wire arrive, and queued packets wait.
    Nothing,
    /// Packets on the wire or in transmission.
    Flight,
    /// Packets on the wire, in transmission and in the queue.
    All,
}

impl Drop {
    pub fn of_sim(self) -> sim::Drops {
        match self {
            Self::Nothing => sim::Drops::Nothing,
            Self::Flight => sim::Drops::Flight,
            Self::All => sim::Drops::All,
        }
    }
}
