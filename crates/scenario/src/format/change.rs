//! What changes while the scenario runs.

use super::{Buffer, Jitter, Loss, Name, Rate, Recording, Reorder, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim as sim;
use windward_units::{Decibels, Distance, Duration};

/// Makes a table that has the values of a step among its fields.
macro_rules! with_values {
    (
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        $(#[$meta])*
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Transmission rate, or a recording, which is replayed as if it had begun with the run. The rest of the packet in
            /// transmission is sent at the new rate; from or to a recording that packet begins again.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rate: Option<Rate>,
            /// Propagation delay of the packets whose transmission ends from then on. None arrives before one that was sent
            /// earlier.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub delay: Option<Written<Duration>>,
            /// Random loss, 0 for none, of the packets whose transmission ends from then on.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss: Option<Loss>,
            /// Buffer size. Packets that wait already stay, even if there are more of them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub buffer: Option<Buffer>,
            /// Random extra delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub jitter: Option<Jitter>,
            /// Packets that others overtake, of those whose transmission ends from then on; with a share of 0 for none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reorder: Option<Reorder>,
            /// Whether the link transmits. While it is down, packets wait in its buffer; the one in transmission stops, and the
            /// rest of it is sent when the link is up again.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub up: Option<bool>,
            /// What is lost when the link goes down, with `up = false`. Default: nothing.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub drop: Option<Drop>,
            /// Mean signal-to-noise ratio of a station of a cell, from the next slot on.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub snr: Option<Written<Decibels>>,
            /// Position of a station of Wi-Fi, which it takes at once. The routing follows as with `motion`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub position: Option<[Written<Distance>; 2]>,
        }

        impl $name {
            /// Its values.
            pub fn values(&self) -> Values<'_> {
                let Self { rate, delay, loss, buffer, jitter, reorder, up, drop, snr, position, .. } = self;
                Values {
                    rate: rate.as_ref(),
                    delay: delay.map(|delay| delay.0),
                    loss: loss.as_ref(),
                    buffer: *buffer,
                    jitter: jitter.as_ref(),
                    reorder: *reorder,
                    up: *up,
                    drop: *drop,
                    snr: snr.map(|snr| snr.0),
                    position: position.as_ref().map(|[x, y]| (x.0.as_metres(), y.0.as_metres())),
                }
            }
        }
    };
}

with_values! {
    /// A change of a link or a station while the scenario runs: at one time, or in steps. What is not given stays as it is.
    Change {
        /// One-way link, by its name; the name of a group, or FROM->TO of one, means all its links. The link back has a name of
        /// its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<Name>,
        /// Station of a cell or of Wi-Fi, by its node or group of nodes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        station: Option<Name>,
        /// When, for a single change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Written<Duration>>,
        /// Several changes, in order of time: a list, or the name of a CSV file with a column `time_s` and columns among
        /// `rate_bps`, `delay_ms`, `loss`, `buffer_packets`, `jitter_ms` (uniform up to it), `reorder` (the share) with
        /// `reorder_ms`, `up`, `snr_db`, and `x_m` with `y_m`; an empty cell means no change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        steps: Option<Recording<Step>>,
    }
}

with_values! {
    /// A step of a change.
    #[schemars(rename = "ChangeStep")]
    Step {
        /// When.
        at: Written<Duration>,
    }
}

/// What is lost when a link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"nothing\", \"flight\" or \"all\"")]
pub(crate) enum Drop {
    /// Nothing: what is on the wire arrives, what waits goes on waiting.
    Nothing,
    /// What is on the wire or in transmission.
    Flight,
    /// That, and what waits.
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

/// What a change gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub rate: Option<&'a Rate>,
    pub delay: Option<Duration>,
    pub loss: Option<&'a Loss>,
    pub buffer: Option<Buffer>,
    pub jitter: Option<&'a Jitter>,
    pub reorder: Option<Reorder>,
    pub up: Option<bool>,
    pub drop: Option<Drop>,
    pub snr: Option<Decibels>,
    pub position: Option<(f64, f64)>,
}

impl Values<'_> {
    /// The names of those that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self { rate, delay, loss, buffer, jitter, reorder, up, drop, snr, position } = self;
        let given = [
            ("rate", rate.is_some()),
            ("delay", delay.is_some()),
            ("loss", loss.is_some()),
            ("buffer", buffer.is_some()),
            ("jitter", jitter.is_some()),
            ("reorder", reorder.is_some()),
            ("up", up.is_some()),
            ("drop", drop.is_some()),
            ("snr", snr.is_some()),
            ("position", position.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}
