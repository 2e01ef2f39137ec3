//! Quantities in their written form: strings with a unit.

use crate::unit_hint::unit_hint;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use windward_units::{Duration, Quantity};

/// Reason why a value is refused, with an optional hint on a line of its own.
pub(crate) struct Refusal {
    message: String,
    hint: Option<String>,
}

impl Refusal {
    /// Separator between message and hint in the text of an error.
    pub const HINT: &str = "\nhint: ";

    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "{}{hint}", Self::HINT))
    }
}

/// Reads a quantity; refuses an unknown unit and suggests the probable one.
pub(crate) fn parse<T: Quantity>(text: &str) -> Result<T, Refusal> {
    T::parse(text).map_err(|error| Refusal::new(error.to_string()).hint(error.unknown_unit().and_then(unit_hint::<T>)))
}

/// Schema of a string that holds a quantity with one of `units`, or one of `words`.
pub(crate) fn text_schema(units: &[&str], words: &[&str], examples: &[&str]) -> Schema {
    signed_schema(r"\+?", units, words, examples)
}

fn signed_schema(sign: &str, units: &[&str], words: &[&str], examples: &[&str]) -> Schema {
    let number = r"[0-9.][0-9._]*([eE][+-]?[0-9]+)?";
    let quantity = format!(r"{sign}{number}\s*({})", units.join("|"));
    let pattern = match words {
        [] => format!(r"^\s*{quantity}\s*$"),
        words => format!(r"^(\s*{quantity}\s*|{})$", words.join("|")),
    };
    json_schema!({ "type": "string", "pattern": pattern, "examples": examples })
}

/// Names of a quantity's units.
pub(crate) fn units<T: Quantity>() -> impl Iterator<Item = &'static str> {
    T::UNITS.iter().map(|(name, _)| *name)
}

/// A quantity in its written form, zero included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Written<T>(pub T);

/// Default of times that may be zero.
pub(crate) fn zero() -> Written<Duration> {
    Written(Duration::ZERO)
}

/// A quantity in its written form, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Positive<T>(pub T);

struct Text<T>(PhantomData<T>);

impl<T: Quantity> Visitor<'_> for Text<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} with its unit, such as \"{}\"", T::KIND, T::EXAMPLE)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        parse(text).map_err(E::custom)
    }
    // A bare number lacks its unit; let the message say so.
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Text(PhantomData)).map(Self)
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Positive<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value: T = deserializer.deserialize_any(Text(PhantomData))?;
        if value.to_base() > 0.0 {
            return Ok(Self(value));
        }
        Err(de::Error::custom(format!("the {} must be above zero", T::KIND)))
    }
}

impl<T: Quantity> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.print())
    }
}

impl<T: Quantity> Serialize for Positive<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.print())
    }
}

macro_rules! schema {
    ($($type:ident if $is_signed:expr),*) => {
        $(impl<T: Quantity> JsonSchema for $type<T> {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                T::KIND.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let sign = if $is_signed { "[+-]?" } else { r"\+?" };
                signed_schema(sign, &units::<T>().collect::<Vec<_>>(), &[], &[T::EXAMPLE])
            }
        })*
    };
}
schema!(Written if T::IS_SIGNED, Positive if false);
