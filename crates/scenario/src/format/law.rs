//! The congestion control law of a flow, as written: a name, or a table of name and parameters.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use windward_laws::LawSpec;

/// A law by name, with parameters. They are validated later, where errors can point at the parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Law {
    pub name: String,
    pub params: Map<String, Value>,
}

impl Law {
    /// Name of laws written in Python.
    pub const PYTHON: &str = "python";
    /// Name of TFRC, which is not a TCP law.
    pub const TFRC: &str = "tfrc";
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = Law;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a law, such as \"reno\", or a table with its `name` and parameters")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Law, E> {
                Ok(Law { name: name.to_owned(), params: Map::new() })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Law, A::Error> {
                let mut name = None;
                let mut params = Map::new();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "name" {
                        name = Some(map.next_value()?);
                    } else {
                        params.insert(key, map.next_value()?);
                    }
                }
                let name = name.ok_or_else(|| de::Error::missing_field("name"))?;
                Ok(Law { name, params })
            }
        }
        deserializer.deserialize_any(NameOrTable)
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.params.len()))?;
        map.serialize_entry("name", &self.name)?;
        for (key, value) in &self.params {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl JsonSchema for Law {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Law".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            {
                "description": "A law with its default parameters.",
                "enum": LawSpec::NAMES.iter().copied().chain([Self::TFRC]).collect::<Vec<_>>(),
            },
            generator.subschema_for::<LawSpec>(),
            {
                "description": "TCP-friendly rate control (RFC 5348) in place of TCP. Datagrams are sent at the rate of the throughput \
                    equation, without retransmissions. `segment` is the payload of a packet. `overhead`, 40 B by default, \
                    is its headers and the size of a feedback packet. The other fields of TCP do not apply, and it has no \
                    `size`.",
                "type": "object",
                "properties": {
                    "name": { "const": Self::TFRC },
                    "history_discounting": {
                        "type": "boolean",
                        "default": true,
                        "description": "Old loss intervals count less while nothing is lost (RFC 5348 §5.5).",
                    },
                    "oscillation_reduction": {
                        "type": "boolean",
                        "default": true,
                        "description": "The instantaneous rate follows short-term changes of the RTT (RFC 5348 §4.5).",
                    },
                },
                "required": ["name"],
                "additionalProperties": false,
            },
            {
                "description": "A law of your own: a Python class. Further keys are arguments of its constructor.",
                "type": "object",
                "properties": {
                    "name": { "const": Self::PYTHON },
                    "class": {
                        "type": "string",
                        "description": "FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.",
                        "examples": ["my_law.py:MyLaw"],
                    },
                },
                "required": ["name", "class"],
            },
        ] })
    }
}
