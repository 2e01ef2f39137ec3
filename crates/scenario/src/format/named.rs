//! A value of one of several kinds: the kind's name alone, with its defaults, or a table.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Tables of several kinds, made by [`tagged!`].
pub(crate) trait Tagged: Sized {
    /// Key that decides the kind.
    const TAG: &'static str;
    /// Names of the kinds.
    const KINDS: &'static [&'static str];
    /// Reads a table whose first key is the deciding one.
    fn from_table<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

/// Keys that decide the kind of a table. The reader gives them first and in this order, wherever they are written: a
/// table that is of a `kind` may have a `law`.
pub(crate) const DECIDING: [&str; 5] = ["kind", "model", "discipline", "law", "control"];

/// True if a key is in [`DECIDING`].
pub(crate) const fn is_deciding(key: &str) -> bool {
    let mut at = 0;
    while at < DECIDING.len() {
        let (known, key) = (DECIDING[at].as_bytes(), key.as_bytes());
        let mut same = 0;
        while same < known.len() && same < key.len() && known[same] == key[same] {
            same += 1;
        }
        if same == known.len() && same == key.len() {
            return true;
        }
        at += 1;
    }
    false
}

/// Reads one of several words.
pub(crate) struct OneOf(pub &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        let given = String::deserialize(deserializer)?;
        let found = self.0.iter().find(|word| **word == given);
        found.copied().ok_or_else(|| de::Error::unknown_variant(&given, self.0))
    }
}

/// A kind by its name, or a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Named<T>(pub T);

impl<'de, T: Tagged> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrTable<T>(PhantomData<T>);
        impl<'de, T: Tagged> Visitor<'de> for WordOrTable<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "one of {}, or a table with a `{}`", T::KINDS.join(", "), T::TAG)
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
                T::from_table(MapDeserializer::new(std::iter::once((T::TAG, word))))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::from_table(map)
            }
        }
        deserializer.deserialize_any(WordOrTable(PhantomData)).map(Self)
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: Tagged + JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "description": "A kind with its defaults.", "enum": T::KINDS },
            generator.subschema_for::<T>(),
        ] })
    }
}
