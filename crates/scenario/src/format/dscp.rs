//! Differentiated services code points.

use schemars::json_schema;
use serde::de::{self, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use windward_sim::wifi::edca::Category;

/// A code point, 0 to 63; written as a number or by its name, such as `"EF"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dscp(pub u8);

impl Dscp {
    /// Access category on 802.11n, ac and ax.
    pub fn category(self) -> Category {
        Category::of_dscp(self.0)
    }
}

/// Names of code points (RFC 2474, 2597, 3246, 5865, 8622).
const NAMES: [(&str, u8); 24] = [
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VA", 44),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
    ("DF", 0),
];

/// Largest code point.
const MAX: u8 = 63;

impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match NAMES.iter().find(|(_, point)| *point == self.0) {
            Some((name, _)) => serializer.serialize_str(name),
            None => serializer.serialize_u8(self.0),
        }
    }
}

struct DscpVisitor;

impl Visitor<'_> for DscpVisitor {
    type Value = Dscp;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a code point from 0 to {MAX}, or its name, such as \"EF\"")
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Dscp, E> {
        match u8::try_from(value) {
            Ok(point) if point <= MAX => Ok(Dscp(point)),
            _ => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Dscp, E> {
        self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Dscp, E> {
        let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        known.map(|&(_, point)| Dscp(point)).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            E::custom(format!("unknown code point `{}`; allowed: {}", text.escape_debug(), names.join(", ")))
        })
    }
}

read_and_describe! {
    Dscp by DscpVisitor => |point| point, json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": MAX },
            { "type": "string", "enum": NAMES.map(|(name, _)| name) },
        ],
        "examples": ["EF", 46],
    });
}
