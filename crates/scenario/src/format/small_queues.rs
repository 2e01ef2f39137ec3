//! TCP small queues of a flow: on, off, or with a pacing shift.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;

/// TCP small queues: true, false, or a table with the shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum SmallQueues {
    /// On with Linux's shift on Wi-Fi, or off.
    Switch(bool),
    /// On with this shift.
    Shifted(PacingShift),
}

/// Limit of TCP small queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "SmallQueues")]
pub(crate) struct PacingShift {
    /// Pacing shift, 0 to 20: at most the pacing rate times 2^-shift seconds wait below TCP.
    #[serde(default = "shift")]
    pub shift: u32,
}

/// Shift that Linux's mac80211 sets (`tx_sk_pacing_shift`).
const SHIFT: u32 = 7;

fn shift() -> u32 {
    SHIFT
}

impl SmallQueues {
    /// Shift; `None` if they are off.
    pub fn shift(self) -> Option<u32> {
        match self {
            Self::Switch(is_on) => is_on.then_some(SHIFT),
            Self::Shifted(PacingShift { shift }) => Some(shift),
        }
    }
}

struct SmallQueuesVisitor;

impl<'de> Visitor<'de> for SmallQueuesVisitor {
    type Value = SmallQueues;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false, or a table such as { shift = 7 }")
    }
    fn visit_bool<E: de::Error>(self, is_on: bool) -> Result<SmallQueues, E> {
        Ok(SmallQueues::Switch(is_on))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SmallQueues, A::Error> {
        PacingShift::deserialize(MapAccessDeserializer::new(map)).map(SmallQueues::Shifted)
    }
}

impl<'de> Deserialize<'de> for SmallQueues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SmallQueuesVisitor)
    }
}

impl JsonSchema for SmallQueues {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "SmallQueues".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, generator.subschema_for::<PacingShift>()] })
    }
}
