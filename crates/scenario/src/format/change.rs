//! Changes of links and stations during the run.

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
            /// Transmission rate, or a recording, which replays as if it had begun with the run. The rest of the packet
            /// in transmission is sent at the new rate. A change from or to a recording restarts that packet.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rate: Option<Rate>,
            /// Propagation delay of the packets whose transmission ends from then on. No packet arrives before one that
            /// was sent earlier.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub delay: Option<Written<Duration>>,
            /// Random loss, 0 for none, of the packets whose transmission ends from then on.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss: Option<Loss>,
            /// Buffer size. Packets already queued stay, even if they exceed it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub buffer: Option<Buffer>,
            /// Random extra delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub jitter: Option<Jitter>,
            /// Reordering of packets whose transmission ends from then on; a share of 0 turns it off.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reorder: Option<Reorder>,
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
    }
}

with_values! {
    /// A step of a change.
    #[schemars(rename = "ChangeStep")]
    Step {
        /// Time of the step.
        at: Written<Duration>,
    }
}

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

/// Values of a change or step.
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
    /// Names of the values that are given.
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
