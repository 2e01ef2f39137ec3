//! Recordings: in a file beside the scenario, or in the scenario itself.

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize as ReadFields, Serialize};
use std::fmt;
use std::marker::PhantomData;
use windward_units::{BitRate, Duration};

use super::{Number, Positive, Written};

/// A recording: the name of a file, relative to the scenario's folder, or its content.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum Recording<T> {
    /// Name of a file.
    File(String),
    /// Content of the recording.
    Values(Vec<T>),
}

/// Transmission rate of a link: constant, or recorded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Rate {
    /// Constant.
    Constant(Positive<BitRate>),
    /// A recorded trace.
    Recorded(RecordedRate),
}

/// A recorded rate: times at which up to 1500 bytes may leave, in mahimahi's format. The trace repeats when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, ReadFields, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RecordedRate {
    /// A mahimahi trace (one time per line, in whole milliseconds from the start, in order), or the list of times. The
    /// last is the length of the trace.
    pub trace: Recording<u64>,
}

/// Propagation delay of a link: constant, or recorded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Delay {
    /// Constant.
    Constant(Written<Duration>),
    /// A recording.
    Recorded(RecordedDelay),
}

/// A recorded one-way delay. It repeats when it ends. Packets keep their order where it falls.
#[derive(Clone, Debug, PartialEq, Serialize, ReadFields, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RecordedDelay {
    /// Name of a file with one delay per line in milliseconds, as LeoReplayer has them, or the list of delays.
    pub trace: Recording<Number>,
    /// Time between two delays.
    pub interval: Positive<Duration>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Recording<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FileOrValues<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for FileOrValues<T> {
            type Value = Recording<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a file, or a list of numbers")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Recording<T>, E> {
                Ok(Recording::File(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Recording<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Recording::Values)
            }
        }
        deserializer.deserialize_any(FileOrValues(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DelayOrTable;
        impl DelayOrTable {
            fn constant<'de, V: de::IntoDeserializer<'de, E>, E: de::Error>(value: V) -> Result<Delay, E> {
                Written::deserialize(value.into_deserializer()).map(Delay::Constant)
            }
        }
        impl<'de> Visitor<'de> for DelayOrTable {
            type Value = Delay;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time with its unit, such as \"20 ms\", or a table with a `trace`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Delay, E> {
                Self::constant(text)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Delay, E> {
                Self::constant(value)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Delay, E> {
                Self::constant(value)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Delay, A::Error> {
                RecordedDelay::deserialize(de::value::MapAccessDeserializer::new(map)).map(Delay::Recorded)
            }
        }
        deserializer.deserialize_any(DelayOrTable)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RateOrTable;
        impl RateOrTable {
            fn constant<'de, V: de::IntoDeserializer<'de, E>, E: de::Error>(value: V) -> Result<Rate, E> {
                Positive::deserialize(value.into_deserializer()).map(Rate::Constant)
            }
        }
        impl<'de> Visitor<'de> for RateOrTable {
            type Value = Rate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rate with its unit, such as \"10 Mbit/s\", or a table with a `trace`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rate, E> {
                Self::constant(text)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Rate, E> {
                Self::constant(value)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Rate, E> {
                Self::constant(value)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Rate, A::Error> {
                RecordedRate::deserialize(de::value::MapAccessDeserializer::new(map)).map(Rate::Recorded)
            }
        }
        deserializer.deserialize_any(RateOrTable)
    }
}
