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
use std::marker::PhantomData;
use windward_sim as sim;
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

/// Buffer of a socket: a size in bytes of payload, "auto", or a table with the largest size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Buffer<L> {
    /// Constant.
    Of(Bytes),
    /// Autotuning with Linux's limit.
    Auto,
    /// Autotuning with this limit.
    Limited(L),
}

/// Receive buffer.
pub(crate) type ReceiveBuffer = Buffer<Autotuning>;

/// Send buffer.
pub(crate) type SendBuffer = Buffer<SendAutotuning>;

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
    Positive(sim::ReceiveBuffer::MOST)
}

/// Autotuning of a send buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "SendAutotuning")]
pub(crate) struct SendAutotuning {
    /// Largest buffer in bytes (Linux: `tcp_wmem[2]`).
    #[serde(default = "most_to_send")]
    pub max: Positive<Bytes>,
}

fn most_to_send() -> Positive<Bytes> {
    Positive(sim::SendBuffer::MOST)
}

const AUTO: &str = "auto";

impl ReceiveBuffer {
    /// The simulator's buffer.
    pub fn config(self) -> sim::ReceiveBuffer {
        let auto = |most| sim::ReceiveBuffer::Auto { start: sim::ReceiveBuffer::START, most };
        match self {
            Self::Of(bytes) => sim::ReceiveBuffer::Fixed(bytes),
            Self::Auto => auto(sim::ReceiveBuffer::MOST),
            Self::Limited(Autotuning { max }) => auto(max.0),
        }
    }
}

impl SendBuffer {
    /// The simulator's buffer.
    pub fn config(self) -> sim::SendBuffer {
        match self {
            Self::Of(bytes) => sim::SendBuffer::Fixed(bytes),
            Self::Auto => sim::SendBuffer::Auto { most: sim::SendBuffer::MOST },
            Self::Limited(SendAutotuning { max }) => sim::SendBuffer::Auto { most: max.0 },
        }
    }
}

impl<L> Buffer<L> {
    fn read(text: &str) -> Result<Self, Refusal> {
        if text.trim() == AUTO { Ok(Self::Auto) } else { parse(text).map(Self::Of) }
    }
}

struct BufferVisitor<L>(PhantomData<L>);

impl<'de, L: Deserialize<'de>> Visitor<'de> for BufferVisitor<L> {
    type Value = Buffer<L>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as \"256 KiB\", \"auto\", or a table such as { max = \"6 MiB\" }")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Buffer<L>, E> {
        if is_word(text) && text.trim() != AUTO {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        Buffer::read(text).map_err(E::custom)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Buffer<L>, A::Error> {
        L::deserialize(MapAccessDeserializer::new(map)).map(Buffer::Limited)
    }
}

impl<'de, L: Deserialize<'de>> Deserialize<'de> for Buffer<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BufferVisitor(PhantomData))
    }
}

impl<L: Serialize> Serialize for Buffer<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Of(bytes) => serializer.collect_str(bytes),
            Self::Auto => serializer.serialize_str(AUTO),
            Self::Limited(limit) => limit.serialize(serializer),
        }
    }
}

impl<L: JsonSchema> JsonSchema for Buffer<L> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Buffer_{}", L::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = text_schema(&units::<Bytes>().collect::<Vec<_>>(), &[AUTO], &["256 KiB", AUTO]);
        json_schema!({ "anyOf": [text, generator.subschema_for::<L>()] })
    }
}
