//! Starts of the members of a table.

use super::Written;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use windward_units::Duration;

/// A time for all members, or a time for each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Starts {
    /// One time for all.
    All(Duration),
    /// One for each, at least one.
    Each(Vec<Duration>),
}

impl Starts {
    /// The first time.
    pub fn first(&self) -> Duration {
        match self {
            Self::All(time) => *time,
            Self::Each(times) => times.first().copied().unwrap_or(Duration::ZERO),
        }
    }

    /// The times of a list; empty if there is none.
    pub fn list(&self) -> &[Duration] {
        if let Self::Each(times) = self { times } else { &[] }
    }
}

impl Default for Starts {
    fn default() -> Self {
        Self::All(Duration::ZERO)
    }
}

impl<'de> Deserialize<'de> for Starts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeOrList;
        impl<'de> Visitor<'de> for TimeOrList {
            type Value = Starts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration with its unit, such as \"100 ms\", or a list of durations")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Starts, E> {
                Written::deserialize(text.into_deserializer()).map(|Written(time)| Starts::All(time))
            }
            // A bare number lacks its unit; let the message say so.
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Starts, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Starts, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Starts, A::Error> {
                let mut times = Vec::new();
                while let Some(Written(time)) = list.next_element()? {
                    times.push(time);
                }
                if times.is_empty() {
                    Err(de::Error::custom("a list of starts has at least one"))
                } else {
                    Ok(Starts::Each(times))
                }
            }
        }
        deserializer.deserialize_any(TimeOrList)
    }
}

impl Serialize for Starts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All(time) => Written(*time).serialize(serializer),
            Self::Each(times) => serializer.collect_seq(times.iter().map(|time| Written(*time))),
        }
    }
}

impl JsonSchema for Starts {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Starts".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<Written<Duration>>();
        json_schema!({ "anyOf": [time, { "type": "array", "items": time, "minItems": 1 }] })
    }
}
