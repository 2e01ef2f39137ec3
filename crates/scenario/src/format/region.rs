//! Capacity regions: the rates that links without a rate of their own can have together.

use super::{Name, Number, Positive, Probability, Written};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use windward_units::{BitRate, Quantity};

tagged! {
    /// A capacity region: the rates that links without a `rate` can have together. Every such link belongs to exactly
    /// one region. A region has no packets: it is for `optimum` and `fluid`, and `simulate` refuses it. `links` lists
    /// one-way links by name; the name of a group, or FROM->TO of one, means all its links.
    Region by "kind", "a table with a `kind`, such as \"norm\"" {
        /// Independent links, each with its own capacity: dedicated slots or bands.
        "box" Separate {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// Capacity of each link; a single rate applies to all.
            capacity: Each<Positive<BitRate>>,
        }
        /// The sum of (rate/capacity)^exponent over the links is at most 1: between time sharing and the box.
        "norm" Norm {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// Capacity of each link when alone; a single rate applies to all.
            capacity: Each<Positive<BitRate>>,
            /// Exponent, at least 1, which is time sharing; the larger it is, the less the links interfere.
            exponent: Number,
        }
        /// y·My is at most 1, with y the vector of rates over capacities.
        "ellipsoid" Ellipsoid {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// Capacity of each link when alone; a single rate applies to all.
            capacity: Each<Positive<BitRate>>,
            /// M: symmetric, positive definite, with ones on the diagonal; off-diagonal entries couple two links.
            matrix: Vec<Vec<Number>>,
        }
        /// Limits on weighted sums of the rates.
        "half-spaces" HalfSpaces {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// The limits; every link needs a positive weight in at least one.
            limit: Vec<Limit>,
        }
        /// One link at a time, chosen per channel state: the ergodic region of a fading cell.
        "fading" Ergodic {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// The joint channel states.
            state: Vec<ChannelState>,
        }
        /// Ideal CSMA: conflicting links are never active together, all others may be.
        "csma" Csma {
            /// Name of the region.
            name: Name,
            /// Its links.
            links: Vec<Name>,
            /// Capacity of each link while active; a single rate applies to all.
            capacity: Each<Positive<BitRate>>,
            /// Pairs of links that conflict. A group means all its links: ["up", "up"] makes all links of `up`
            /// conflict with each other.
            conflicts: Vec<Vec<Name>>,
            /// Weight of the schedule's entropy in the objective, which models CSMA backoff; in units of the flows'
            /// utility, packets for window-based laws. 0 is the best schedule.
            #[serde(default = "none")]
            entropy: Number,
        }
    }
}

/// A limit on a weighted sum of rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { weights = [1, 2], most = \"10 Mbit/s\" }")]
pub(crate) struct Limit {
    /// Weights, one per link, not negative.
    pub weights: Vec<Number>,
    /// Upper bound of the sum of weight × rate.
    pub most: Positive<BitRate>,
}

/// A joint channel state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a table, such as { rates = [\"1 Mbit/s\", \"5 Mbit/s\"], probability = 0.5 }"
)]
pub(crate) struct ChannelState {
    /// Rate of each link if it is served.
    pub rates: Vec<Written<BitRate>>,
    /// Probability of the state; they sum to 1. Default: all states are equally likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<Probability>,
}

/// Fields common to all regions.
pub(crate) struct Common<'a> {
    pub name: &'a Name,
    pub links: &'a [Name],
}

impl Region {
    pub fn common(&self) -> Common<'_> {
        let (name, links) = match self {
            Self::Separate(region) => (&region.name, &region.links),
            Self::Norm(region) => (&region.name, &region.links),
            Self::Ellipsoid(region) => (&region.name, &region.links),
            Self::HalfSpaces(region) => (&region.name, &region.links),
            Self::Ergodic(region) => (&region.name, &region.links),
            Self::Csma(region) => (&region.name, &region.links),
        };
        Common { name, links }
    }
}

/// One value for all links, or one per link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Each<T> {
    /// One value for all links.
    All(T),
    /// Values in the order of the links.
    List(Vec<T>),
}

impl<'de, Q: Quantity> Deserialize<'de> for Each<Positive<Q>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrList<Q>(PhantomData<Q>);
        impl<'de, Q: Quantity> Visitor<'de> for OneOrList<Q> {
            type Value = Each<Positive<Q>>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a {} with its unit, such as \"{}\", or a list of them", Q::KIND, Q::EXAMPLE)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Positive::deserialize(text.into_deserializer()).map(Each::All)
            }
            // A bare number lacks its unit; let the message say so.
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Each::List)
            }
        }
        deserializer.deserialize_any(OneOrList(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Each".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

fn none() -> Number {
    Number(0.0)
}
