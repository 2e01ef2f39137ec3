//! A parsed file as a tree of values with their positions.

use crate::path::Segment;
use crate::problems::Problems;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A value and its position in the text.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub kind: Kind,
    /// Range of bytes in the text; `None` for JSON.
    pub span: Option<Range<usize>>,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Tree>),
    Table(Vec<Entry>),
}

/// A key of a table and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Option<Range<usize>>,
    pub value: Tree,
}

impl Tree {
    /// Value of `key`, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Entry of `key`, if this is a table that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        let Kind::Table(entries) = &self.kind else { return None };
        entries.iter().find(|entry| entry.key == key)
    }

    /// Removes the key at `path`; returns false if there is no such key.
    pub fn remove(&mut self, path: &[Segment]) -> bool {
        let (Some(first), rest) = (path.first(), path.get(1..).unwrap_or_default()) else { return false };
        match (&mut self.kind, first) {
            (Kind::Table(entries), Segment::Key(key) | Segment::OwnKey(key)) => {
                let Some(at) = entries.iter().position(|entry| entry.key == *key) else { return false };
                if !rest.is_empty() {
                    return entries[at].value.remove(rest);
                }
                entries.remove(at);
                true
            }
            (Kind::List(items), Segment::Index(at)) => items.get_mut(*at).is_some_and(|item| item.remove(rest)),
            _ => false,
        }
    }

    /// Removes from the table at `path` all keys that have a value and are not `known`. Returns their number.
    pub fn remove_unknown(&mut self, path: &[Segment], known: &[&str]) -> usize {
        let Some((first, rest)) = path.split_first() else {
            let Kind::Table(entries) = &mut self.kind else { return 0 };
            let before = entries.len();
            entries.retain(|entry| known.contains(&entry.key.as_str()) || matches!(entry.value.kind, Kind::Null));
            return before - entries.len();
        };
        match (&mut self.kind, first) {
            (Kind::Table(entries), Segment::Key(key)) => {
                let found = entries.iter_mut().find(|entry| entry.key == *key);
                found.map_or(0, |entry| entry.value.remove_unknown(rest, known))
            }
            (Kind::List(items), Segment::Index(at)) => {
                items.get_mut(*at).map_or(0, |item| item.remove_unknown(rest, known))
            }
            _ => 0,
        }
    }

    /// Position of `path`, or of the nearest part of it that exists.
    pub fn span_of(&self, path: &[Segment]) -> Option<Range<usize>> {
        let Some((first, rest)) = path.split_first() else { return self.span.clone() };
        let deeper = match (&self.kind, first) {
            (_, Segment::OwnKey(key)) => self.entry(key).and_then(|entry| entry.key_span.clone()),
            (_, Segment::Key(key)) => self.get(key).and_then(|tree| tree.span_of(rest)),
            (Kind::List(items), Segment::Index(at)) => items.get(*at).and_then(|tree| tree.span_of(rest)),
            _ => None,
        };
        deeper.or_else(|| self.span.clone())
    }

    /// The tree of a TOML document; values that no scenario can use go to `problems`.
    pub fn from_toml(document: &Spanned<DeTable<'_>>, problems: &mut Problems) -> Self {
        let entries = table(document.get_ref(), &mut Vec::new(), problems);
        Self { kind: Kind::Table(entries), span: None }
    }
}

fn table(entries: &DeTable<'_>, path: &mut Vec<Segment>, problems: &mut Problems) -> Vec<Entry> {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        let key_span = Some(key.span());
        let key = key.get_ref().to_string();
        path.push(Segment::Key(key.clone()));
        let value = value_of(value, path, problems);
        path.pop();
        Entry { key, key_span, value }
    };
    entries.iter().map(entry).collect()
}

fn value_of(value: &Spanned<DeValue<'_>>, path: &mut Vec<Segment>, problems: &mut Problems) -> Tree {
    let mut refuse = |message: String, path: &[Segment]| {
        problems.add(path.iter().cloned(), message, None);
        Kind::Null
    };
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::Text(text.to_string()),
        DeValue::Boolean(value) => Kind::Bool(*value),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| refuse(format!("the integer `{}` is too large", number.as_str()), path), Kind::Integer),
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() => Kind::Float(value),
            _ => refuse(format!("`{}` is not a finite number", number.as_str()), path),
        },
        DeValue::Datetime(date) => {
            refuse(format!("`{date}` is a date or time of day; durations are written like \"100 ms\""), path)
        }
        DeValue::Array(items) => {
            let item = |(at, item)| {
                path.push(Segment::Index(at));
                let tree = value_of(item, path, problems);
                path.pop();
                tree
            };
            Kind::List(items.iter().enumerate().map(item).collect())
        }
        DeValue::Table(entries) => Kind::Table(table(entries, path, problems)),
    };
    Tree { kind, span: Some(value.span()) }
}

/// Reads JSON; keeps the order and refuses duplicate keys.
impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Kind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Kind, E> {
                Ok(Kind::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
                Ok(Kind::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
                Ok(Kind::Integer(value))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Kind, E> {
                i64::try_from(value).map(Kind::Integer).map_err(|_| E::custom("the integer is too large"))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
                Ok(Kind::Float(value))
            }
            fn visit_str<E>(self, text: &str) -> Result<Kind, E> {
                Ok(Kind::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = access.next_element()? {
                    items.push(item);
                }
                Ok(Kind::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
                let mut entries: Vec<Entry> = Vec::new();
                while let Some(key) = access.next_key::<String>()? {
                    if entries.iter().any(|entry| entry.key == key) {
                        return Err(de::Error::custom(format!("duplicate key `{key}`")));
                    }
                    entries.push(Entry { key, key_span: None, value: access.next_value()? });
                }
                Ok(Kind::Table(entries))
            }
        }
        deserializer.deserialize_any(Any).map(|kind| Self { kind, span: None })
    }
}
