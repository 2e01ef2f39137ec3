//! Serde over a [`Tree`]: errors give the expected value and the path to the problem.

use super::tree::{Entry, Kind, Tree};
use crate::format::Refusal;
use crate::format::named::DECIDING;
use crate::path::Segment;
use crate::suggest;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use std::fmt;
use std::{slice, vec};

/// A problem and the path to it, innermost first while it propagates.
#[derive(Debug)]
pub(crate) struct Fault {
    pub path: Vec<Segment>,
    /// The message and, after [`Refusal::HINT`], the hint.
    pub text: String,
    /// Key that is missing in the table at `path`, if that is the fault.
    pub missing: Option<&'static str>,
    /// Known key that an unknown one probably means.
    pub meant: Option<&'static str>,
    /// Key that is unknown in the table at `path`, if that is the fault.
    unknown: Option<String>,
    /// Known keys of that table.
    pub known: &'static [&'static str],
}

impl Fault {
    /// Returns the fault with its path from the outside in, ending at an unknown key.
    pub fn in_order(mut self) -> Self {
        self.path.reverse();
        self.path.extend(self.unknown.take().map(Segment::OwnKey));
        self
    }

    fn at(mut self, segment: Segment) -> Self {
        self.path.push(segment);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self { path: Vec::new(), text: text.to_string(), missing: None, meant: None, unknown: None, known: &[] }
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format!("expected {}, found {}", plain(&expected.to_string()), describe(given)))
    }

    fn invalid_value(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(given, expected)
    }

    fn unknown_variant(given: &str, known: &'static [&'static str]) -> Self {
        let refusal = Refusal::new(format!("unknown value `{given}`; allowed: {}", known.join(", ")));
        let nearest = || suggest::nearest(given, known.iter().copied()).map(suggest::did_you_mean);
        Self::custom(refusal.hint(suggest::instead_of(given).or_else(nearest)))
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        let refusal = Refusal::new(format!("unknown key `{key}`; allowed: {}", known.join(", ")));
        let meant = suggest::nearest(key, known.iter().copied());
        let text = refusal.hint(meant.map(suggest::did_you_mean));
        Self { unknown: Some(key.to_owned()), known, meant, ..Self::custom(text) }
    }

    fn missing_field(key: &'static str) -> Self {
        Self { missing: Some(key), ..Self::custom(format!("`{key}` is missing")) }
    }
}

/// Expected values of serde's own visitors, in the words of a scenario file.
fn plain(expected: &str) -> &str {
    match expected {
        "i64" => "an integer",
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" => "an integer from 0 to 4294967295",
        "u64" | "usize" => "an integer from 0",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        other => other,
    }
}

/// Description of the given value, in the words of a scenario file.
fn describe(given: Unexpected<'_>) -> String {
    match given {
        Unexpected::Bool(value) => format!("{value}"),
        Unexpected::Signed(value) => format!("the integer {value}"),
        Unexpected::Unsigned(value) => format!("the integer {value}"),
        // As few digits as tell it apart: 1e300, not a one with three hundred zeros.
        Unexpected::Float(value) if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) => {
            format!("the number {value:e}")
        }
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Str(text) => format!("{text:?}"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

impl<'de> Deserializer<'de> for &'de Tree {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.kind {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Integer(value) => visitor.visit_i64(*value),
            Kind::Float(value) => visitor.visit_f64(*value),
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            Kind::List(items) => visitor.visit_seq(Items { items: items.iter(), at: 0 }),
            Kind::Table(entries) => visitor.visit_map(Entries::new(entries)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.kind {
            Kind::Text(text) => visitor.visit_enum(StrDeserializer::new(text)),
            Kind::Table(entries) if entries.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(Entries::new(entries)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    /// Serde's readers of structures take a list too, field after field; a scenario's tables have names.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let given = match &self.kind {
            Kind::Table(entries) => return visitor.visit_map(Entries::new(entries)),
            Kind::Null => Unexpected::Unit,
            Kind::Bool(value) => Unexpected::Bool(*value),
            Kind::Integer(value) => Unexpected::Signed(*value),
            Kind::Float(value) => Unexpected::Float(*value),
            Kind::Text(text) => Unexpected::Str(text),
            Kind::List(_) => Unexpected::Seq,
        };
        Err(de::Error::invalid_type(given, &visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Items<'de> {
    items: slice::Iter<'de, Tree>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        seed.deserialize(item).map(Some).map_err(|fault| fault.at(Segment::Index(at)))
    }
}

/// The entries of a table, those that decide its kind first; a null counts as absent, like Python's `None`.
struct Entries<'de> {
    entries: vec::IntoIter<&'de Entry>,
    current: Option<&'de Entry>,
}

impl<'de> Entries<'de> {
    fn new(entries: &'de [Entry]) -> Self {
        let mut present: Vec<_> = entries.iter().filter(|entry| !matches!(entry.value.kind, Kind::Null)).collect();
        let place = |key: &str| DECIDING.iter().position(|deciding| *deciding == key).unwrap_or(DECIDING.len());
        present.sort_by_key(|entry| place(&entry.key));
        Self { entries: present.into_iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.current = self.entries.next();
        self.current.map(|entry| seed.deserialize(entry.key.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let entry = self.current.expect("serde asks for a key before its value");
        seed.deserialize(&entry.value).map_err(|fault| fault.at(Segment::Key(entry.key.clone())))
    }
}
