//! Words of CAKE: isolation, tins and framing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim as sim;

/// Units among which CAKE shares the bandwidth equally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "kebab-case",
    expecting = "\"flowblind\", \"srchost\", \"dsthost\", \"hosts\", \"flows\", \"dual-srchost\", \"dual-dsthost\" or \
                 \"triple-isolate\""
)]
#[schemars(rename = "CakeIsolation")]
pub(crate) enum Isolation {
    /// One queue for all packets.
    Flowblind,
    /// Sending hosts.
    Srchost,
    /// Receiving hosts.
    Dsthost,
    /// Pairs of hosts.
    Hosts,
    /// Flows.
    Flows,
    /// Sending hosts, then their flows: for uploads.
    DualSrchost,
    /// Receiving hosts, then their flows: for downloads.
    DualDsthost,
    /// Sending and receiving hosts, then flows.
    #[default]
    TripleIsolate,
}

impl Isolation {
    /// The simulator's value.
    pub fn config(self) -> sim::Isolation {
        match self {
            Self::Flowblind => sim::Isolation::None,
            Self::Srchost => sim::Isolation::Sources,
            Self::Dsthost => sim::Isolation::Sinks,
            Self::Hosts => sim::Isolation::Hosts,
            Self::Flows => sim::Isolation::Flows,
            Self::DualSrchost => sim::Isolation::DualSources,
            Self::DualDsthost => sim::Isolation::DualSinks,
            Self::TripleIsolate => sim::Isolation::Triple,
        }
    }
}

/// Priority tins of CAKE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"besteffort\", \"diffserv3\" or \"diffserv4\"")]
#[schemars(rename = "CakeTins")]
pub(crate) enum Tins {
    /// One tin.
    Besteffort,
    /// Bulk, best effort and voice, of a sixteenth, all and a quarter of the bandwidth.
    #[default]
    Diffserv3,
    /// Bulk, best effort, video and voice, of a sixteenth, all, a half and a quarter of the bandwidth.
    Diffserv4,
}

impl Tins {
    /// The simulator's value.
    pub fn config(self) -> sim::Tins {
        match self {
            Self::Besteffort => sim::Tins::One,
            Self::Diffserv3 => sim::Tins::Three,
            Self::Diffserv4 => sim::Tins::Four,
        }
    }
}

/// Framing of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"noatm\", \"atm\" or \"ptm\"")]
#[schemars(rename = "CakeFraming")]
pub(crate) enum Framing {
    /// None beside `overhead` and `mpu`.
    #[default]
    Noatm,
    /// ATM of ADSL: cells of 53 bytes with 48 of payload, the last one padded.
    Atm,
    /// PTM of VDSL: one byte more for every 64.
    Ptm,
}

impl Framing {
    /// The simulator's value.
    pub fn config(self) -> sim::Cells {
        match self {
            Self::Noatm => sim::Cells::None,
            Self::Atm => sim::Cells::Atm,
            Self::Ptm => sim::Cells::Ptm,
        }
    }
}
