//! Links: rate, delay, buffer, random loss, jitter.

use super::{Buffer, Delay, Name, Named, Positive, Probability, Queue, Rate, Written};
use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Deserialize as ReadFields, Serialize};
use std::fmt;
use windward_sim as sim;
use windward_units::Duration;

/// The fields of a link, in the order of a change: passes them to the macro `$make`, after tokens of its own. Each
/// field has the text and the type of a link's, the text of its `reverse`, and the text of a change where it can
/// change. Types are named from `super`, for the modules that use the list.
macro_rules! each_link_field {
    ($make:ident $({ $($own:tt)* })?) => {
        $make! {
            { $($($own)*)? }
            {
                rate: super::Rate;
                link {
                    /// Transmission rate, or a recording. A link without a rate belongs to a `[[region]]`.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    Option<Rate>
                }
                reverse {
                    /// Transmission rate, or a recording.
                }
                change {
                    /// Transmission rate, or a recording, which replays as if it had begun with the run. The rest of
                    /// the packet in transmission is sent at the new rate. A change from or to a recording restarts
                    /// that packet.
                }
            }
            {
                delay: super::Delay;
                link {
                    /// Propagation delay, one way, or a recording.
                    Delay
                }
                reverse {
                    /// Propagation delay, or a recording.
                }
                change {
                    /// Propagation delay of the packets whose transmission ends from then on, or a recording, which
                    /// replays as if it had begun with the run. No packet arrives before one that was sent earlier.
                }
            }
            {
                loss: super::Loss;
                link {
                    /// Random loss on the wire: a probability, or a model.
                    #[serde(default)]
                    Loss
                }
                reverse {
                    /// Random loss; 0 for none.
                }
                change {
                    /// Random loss, 0 for none, of the packets whose transmission ends from then on.
                }
            }
            {
                buffer: super::Buffer;
                link {
                    /// Buffer size in packets, bytes or time, not counting the packet in transmission. Default: that of
                    /// a Linux interface.
                    #[serde(default = "buffer")]
                    Buffer
                }
                reverse {
                    /// Buffer size.
                }
                change {
                    /// Buffer size. Packets already queued stay, even if they exceed it.
                }
            }
            {
                queue: super::Named<super::Queue>;
                link {
                    /// Discipline of the queue: its name, or a table of name and parameters.
                    #[serde(default)]
                    Named<Queue>
                }
                reverse {
                    /// Discipline of the queue.
                }
            }
            {
                hold: super::Hold;
                link {
                    /// Aggregation: packets are held back and arrive together, as behind a block of frames. Default:
                    /// none.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    Option<Hold>
                }
                reverse {
                    /// Aggregation.
                }
            }
            {
                lose: Vec<u64>;
                link {
                    /// Packets that are lost on the wire, by their numbers from 1 in the order of transmission, rising.
                    /// Default: none.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    Option<Vec<u64>>
                }
                reverse {
                    /// Packets that are lost, by their numbers; an empty list for none.
                }
            }
            {
                jitter: super::Jitter;
                link {
                    /// Random extra delay; packets keep their order. Default: none.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    Option<Jitter>
                }
                reverse {
                    /// Random extra delay; "0 s" for none.
                }
                change {
                    /// Random extra delay.
                }
            }
            {
                reorder: super::Reorder;
                link {
                    /// Reordering: delays some packets so that others overtake them. Default: none.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    Option<Reorder>
                }
                reverse {
                    /// Reordering; a share of 0 turns it off.
                }
                change {
                    /// Reordering of packets whose transmission ends from then on; a share of 0 turns it off.
                }
            }
        }
    };
}

/// Puts the loss of a link after its queue, where files have it.
macro_rules! link_in_order {
    ({} $rate:tt $delay:tt $loss:tt $buffer:tt $queue:tt $($more:tt)*) => {
        link! { $rate $delay $buffer $queue $loss $($more)* }
    };
}

/// Makes [`Link`] and [`Reverse`].
macro_rules! link {
    ($({
        $field:ident: $type:ty;
        link { $(#[$link_meta:meta])* $link_type:ty }
        reverse { $(#[$reverse_meta:meta])* }
        $(change { $($change:tt)* })?
    })*) => {
        /// A link: a queue, a transmitter, random loss, propagation, jitter, in this order. Between a group and a
        /// single node: one link per member. Between two groups of equal size: member by member.
        #[derive(Clone, Debug, PartialEq, Serialize, ReadFields, JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct Link {
            /// Name of the link; members of a group of links are NAME-1, NAME-2, …. Default: `FROM->TO`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<Name>,
            /// Node or group at the start.
            pub from: Name,
            /// Node or group at the end.
            pub to: Name,
            $($(#[$link_meta])* pub $field: $link_type,)*
            /// Makes a link back too, equal to this one except for `reverse`.
            #[serde(default = "duplex")]
            pub duplex: bool,
            /// Differences of the link back.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reverse: Option<Reverse>,
        }

        /// Differences of the link back; everything else is as in the forward link.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, ReadFields, JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct Reverse {
            /// Name of the link back. Default: `TO->FROM`, or `NAME-reverse` if the link has a name.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<Name>,
            $(
                $(#[$reverse_meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        impl Link {
            /// The link back: this one with the values of `reverse`.
            pub fn back(&self, reverse: &Reverse) -> Self {
                let mut back = self.clone();
                $(if let Some(value) = &reverse.$field {
                    back.$field = value.clone().into();
                })*
                back
            }
        }
    };
}

each_link_field! { link_in_order }

/// Aggregation: the first packet opens a hold, and all packets of the hold arrive together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ReadFields, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { length = \"10 ms\" }")]
pub(crate) struct Hold {
    /// Length of a hold, from the end of the transmission of its first packet. Packets arrive one propagation delay
    /// after its end.
    pub length: Positive<Duration>,
    /// Thins out ACKs: within a hold, an ACK takes the place of the one before if that is of the same flow and
    /// acknowledges less.
    #[serde(default)]
    pub thin: bool,
}

/// Reordering: some packets take longer, and the others overtake them. The delayed packets keep their order among
/// themselves, and so do the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ReadFields, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Reorder {
    /// Share of the delayed packets, each drawn independently.
    pub share: Probability,
    /// Extra delay of these packets.
    pub delay: Positive<Duration>,
}

fn buffer() -> Buffer {
    // txqueuelen of a Linux interface.
    Buffer(sim::Buffer::Packets(1000))
}

fn duplex() -> bool {
    true
}

/// Random loss: a probability for every packet independently, or a model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Loss {
    /// Every packet is lost with this probability, independently.
    Plain(Probability),
    /// A loss model.
    Model(LossModel),
}

impl Default for Loss {
    fn default() -> Self {
        Self::Plain(Probability(0.0))
    }
}

impl<'de> Deserialize<'de> for Loss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlainOrModel;
        impl PlainOrModel {
            fn plain<'de, V: de::IntoDeserializer<'de, E>, E: de::Error>(value: V) -> Result<Loss, E> {
                Probability::deserialize(value.into_deserializer()).map(Loss::Plain)
            }
        }
        impl<'de> Visitor<'de> for PlainOrModel {
            type Value = Loss;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a probability, such as 0.01 or \"1 %\", or a table with a `model`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Loss, E> {
                Self::plain(text)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Loss, E> {
                Self::plain(value)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Loss, E> {
                Self::plain(value)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Loss, A::Error> {
                LossModel::from_map(map).map(Loss::Model)
            }
        }
        deserializer.deserialize_any(PlainOrModel)
    }
}

tagged! {
    /// Model of random loss.
    LossModel by "model", "a table with a `model`" {
        /// Every packet is lost with the same probability, independently.
        "bernoulli" Bernoulli {
            /// Loss probability.
            probability: Probability,
        }
        /// Two states, advanced once per packet before its own draw (Gilbert 1960, Elliott 1963).
        "gilbert-elliott" GilbertElliott {
            /// Probability of going from good to bad, per packet.
            good_to_bad: Probability,
            /// Probability of going from bad to good, per packet.
            bad_to_good: Probability,
            /// Loss probability in the good state.
            #[serde(default = "never")]
            loss_good: Probability,
            /// Loss probability in the bad state.
            #[serde(default = "always")]
            loss_bad: Probability,
        }
    }
}

fn never() -> Probability {
    Probability(0.0)
}

fn always() -> Probability {
    Probability(1.0)
}

tagged! {
    /// Distribution of the extra delay.
    Jitter by "model", "a table with a `model`, such as { model = \"uniform\", max = \"5 ms\" }" {
        /// Uniform between zero and `max`.
        "uniform" Uniform {
            /// Maximum extra delay.
            max: Written<Duration>,
        }
        /// Normal around the propagation delay; the sum is clipped at zero.
        "normal" Normal {
            /// Standard deviation.
            deviation: Written<Duration>,
        }
        /// Normal around the propagation delay and clipped there: half of the packets have no extra delay.
        "clipped-normal" ClippedNormal {
            /// Standard deviation before clipping.
            deviation: Written<Duration>,
        }
        /// Exponential.
        "exponential" Exponential {
            /// Mean extra delay.
            mean: Written<Duration>,
        }
    }
}
