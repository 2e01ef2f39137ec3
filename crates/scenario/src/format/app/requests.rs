//! Requests: arrivals, sizes, and the use of connections.

use crate::format::named::Tagged;
use crate::format::written::{parse, text_schema, units};
use crate::format::{Count, MAX_COUNT, Number, PerSecond, Positive, Recording, Spread, Written};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use windward_units::{Bytes, Duration};

tagged! {
    /// Arrivals of requests. In an open loop they do not wait for responses; in a closed loop they do.
    Arrivals by "kind", "a table with a `kind`, such as { kind = \"poisson\", load = 0.5 }" {
        /// Open loop: a Poisson process, by `load` or by `rate`.
        "poisson" PoissonArrivals {
            /// Responses with their headers as a share of the slowest link on their way, of all clients of the table
            /// together.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            load: Option<Number>,
            /// Requests per second of each client.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            rate: Option<PerSecond>,
        }
        /// Open loop: one request at the start, and one after every span.
        "periodic" PeriodicArrivals {
            /// Time between two requests of a client.
            every: Positive<Duration>,
        }
        /// Closed loop: each user thinks, sends a request, and waits for the response.
        "closed" ClosedLoop {
            /// Number of users of each client.
            users: Count,
            /// Mean time for which a user thinks.
            think: Written<Duration>,
            /// Distribution of these times.
            #[serde(default = "exponential")]
            think_spread: Spread,
        }
        /// Open loop: given times.
        "csv" ListedArrivals {
            /// A file of comma-separated values with the columns `time_s`, from `start`, and optionally `bytes`, the
            /// size of the response; or a list of the same.
            times: Recording<ArrivalTime>,
        }
    }
}

/// A given arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct ArrivalTime {
    /// Time from `start`, not before that of the arrival above.
    pub time: Written<Duration>,
    /// Size of the response. Default: drawn from `response`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Positive<Bytes>>,
}

tagged! {
    /// Distribution of sizes.
    Sizes by "kind", "a table with a `kind`, such as { kind = \"exponential\", mean = \"20 kB\" }" {
        /// Constant.
        "fixed" FixedSize {
            /// Size.
            size: Positive<Bytes>,
        }
        /// Exponential.
        "exponential" ExponentialSize {
            /// Mean.
            mean: Positive<Bytes>,
        }
        /// Lognormal.
        "lognormal" LognormalSize {
            /// Mean.
            mean: Positive<Bytes>,
            /// Coefficient of variation: standard deviation divided by mean; positive.
            cv: Number,
        }
        /// Pareto between two bounds.
        "pareto" ParetoSize {
            /// Shape, positive.
            shape: Number,
            /// Lower bound.
            min: Positive<Bytes>,
            /// Upper bound.
            max: Positive<Bytes>,
        }
        /// Web search, as in HPCC's and HKUST's traffic generators: mean 1.71 MB, up to 30 MB, linear between 11
        /// points.
        "web-search" WebSearchSize {}
        /// Data mining (VL2), as in HKUST's traffic generator: mean 12.7 MB, up to 1 GB, linear between 12 points.
        "data-mining" DataMiningSize {}
        /// Given points, linear between them.
        "csv" ListedSizes {
            /// A file of comma-separated values with the columns `bytes` and `share`, the share of the responses with
            /// at most that size; or a list of the same. Both increase, and the last share is 1. Sizes below the
            /// first point are that point's.
            points: Recording<SizePoint>,
        }
    }
}

/// A point of a distribution of sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct SizePoint {
    /// Size.
    pub bytes: Positive<Bytes>,
    /// Share of the responses of at most this size; at most 1.
    pub share: Number,
}

/// Size of a response: a size, the name of a distribution, or a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response(pub Sizes);

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTable;
        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Sizes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a size with its unit, such as \"20 kB\", \"web-search\", \"data-mining\", or a table with a \
                     `kind`",
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sizes, E> {
                if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
                    return Sizes::from_table(MapDeserializer::new(std::iter::once((Sizes::TAG, text))));
                }
                match parse::<Bytes>(text).map_err(E::custom)? {
                    size if size.count() == 0 => Err(E::custom("a response has at least 1 B")),
                    size => Ok(Sizes::FixedSize(FixedSize { size: Positive(size) })),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Sizes, A::Error> {
                Sizes::from_table(map)
            }
        }
        deserializer.deserialize_any(TextOrTable).map(Self)
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Response {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Response".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = text_schema(&units::<Bytes>().collect::<Vec<_>>(), &["web-search", "data-mining"], &["20 kB"]);
        json_schema!({ "anyOf": [text, generator.subschema_for::<Sizes>()] })
    }
}

/// DataDirection of transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"down\" or \"up\"")]
pub(crate) enum DataDirection {
    /// From the server to the client.
    #[default]
    Down,
    /// From the client to the server.
    Up,
}

/// Use of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Reuse {
    /// One for each request.
    #[default]
    New,
    /// Kept, as many as needed.
    Pool,
    /// Kept, up to a number.
    Most(Count),
}

struct ReuseVisitor;

impl Visitor<'_> for ReuseVisitor {
    type Value = Reuse;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"new\", \"pool\" or a number of connections")
    }
    fn visit_str<E: de::Error>(self, word: &str) -> Result<Reuse, E> {
        match word {
            "new" => Ok(Reuse::New),
            "pool" => Ok(Reuse::Pool),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Reuse, E> {
        Count::deserialize(de::IntoDeserializer::into_deserializer(count)).map(Reuse::Most)
    }
    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Reuse, E> {
        Count::deserialize(de::IntoDeserializer::into_deserializer(count)).map(Reuse::Most)
    }
}

impl Serialize for Reuse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::New => serializer.serialize_str("new"),
            Self::Pool => serializer.serialize_str("pool"),
            Self::Most(count) => count.serialize(serializer),
        }
    }
}

read_and_describe! {
    Reuse by ReuseVisitor => |reuse| reuse, json_schema!({ "anyOf": [
        { "enum": ["new", "pool"] },
        { "type": "integer", "minimum": 1, "maximum": MAX_COUNT },
    ] });
}

pub(super) fn request() -> Positive<Bytes> {
    Positive(Bytes::new(328))
}

pub(super) fn exponential() -> Spread {
    Spread::Exponential
}
