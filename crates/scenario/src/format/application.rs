//! Applications at the ends of TCP connections that read or write at their own pace, and their receive buffers.

use super::amounts::is_word;
use super::written::{Refusal, parse, text_schema, units};
use super::{Positive, Written};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use windward_sim::ReceiveBuffer as Buffer;
use windward_units::{BitRate, Bytes, Duration};

/// Pace of an application that reads: a rate, pauses, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Read {
    /// Rate at which the application works on what it has read: it reads at most `chunk` and is then busy for as long
    /// as the rate takes. Default: it takes everything at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Positive<BitRate>>,
    /// Most bytes of a read under `rate`. Default: a full segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Positive<Bytes>>,
    /// Pauses in which nothing is read: pairs of time and length, in order and apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<[Written<Duration>; 2]>,
}

/// Pace of an application that writes, by two of the three keys, or by `rate` alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Write {
    /// Rate of the payload. Alone, it comes in writes of a full segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Positive<BitRate>>,
    /// Time between two writes, at least 1 µs; the first is at the opening of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Positive<Duration>>,
    /// Bytes of a write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Positive<Bytes>>,
}

/// Receive buffer: a size in bytes of payload, "auto", or a table with the largest size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ReceiveBuffer {
    /// Constant.
    Of(Bytes),
    /// Autotuning with Linux's limit.
    Auto,
    /// Autotuning with this limit.
    Limited(Autotuning),
}

/// Autotuning of a receive buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "Autotuning")]
pub(crate) struct Autotuning {
    /// Largest buffer in bytes of memory (Linux: `tcp_rmem[2]`), of which half is payload. At least 131 072 B, with
    /// which it begins.
    #[serde(default = "most")]
    pub max: Positive<Bytes>,
}

fn most() -> Positive<Bytes> {
    Positive(Buffer::MOST)
}

const AUTO: &str = "auto";

impl ReceiveBuffer {
    /// The simulator's buffer.
    pub fn config(self) -> Buffer {
        let auto = |most| Buffer::Auto { start: Buffer::START, most };
        match self {
            Self::Of(bytes) => Buffer::Fixed(bytes),
            Self::Auto => auto(Buffer::MOST),
            Self::Limited(Autotuning { max }) => auto(max.0),
        }
    }

    fn read(text: &str) -> Result<Self, Refusal> {
        if text.trim() == AUTO { Ok(Self::Auto) } else { parse(text).map(Self::Of) }
    }
}

struct BufferVisitor;

impl<'de> Visitor<'de> for BufferVisitor {
    type Value = ReceiveBuffer;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as \"256 KiB\", \"auto\", or a table such as { max = \"6 MiB\" }")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<ReceiveBuffer, E> {
        if is_word(text) && text.trim() != AUTO {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        ReceiveBuffer::read(text).map_err(E::custom)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ReceiveBuffer, A::Error> {
        Autotuning::deserialize(MapAccessDeserializer::new(map)).map(ReceiveBuffer::Limited)
    }
}

impl<'de> Deserialize<'de> for ReceiveBuffer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BufferVisitor)
    }
}

impl Serialize for ReceiveBuffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Of(bytes) => serializer.collect_str(bytes),
            Self::Auto => serializer.serialize_str(AUTO),
            Self::Limited(limit) => limit.serialize(serializer),
        }
    }
}

impl JsonSchema for ReceiveBuffer {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ReceiveBuffer".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = text_schema(&units::<Bytes>().collect::<Vec<_>>(), &[AUTO], &["256 KiB", AUTO]);
        json_schema!({ "anyOf": [text, generator.subschema_for::<Autotuning>()] })
    }
}
