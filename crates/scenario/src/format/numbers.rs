//! Names, numbers and seeds: each type holds only allowed values.

use super::written::Refusal;
use schemars::json_schema;
use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt;
use windward_units::split;

/// Maximum of a `count`, and of the nodes, flows or sources of a scenario.
pub(crate) const MAX_COUNT: u32 = 100_000;

/// Largest initial window: a thousand times the bound of RFC 6928, and more than any server has.
const MAX_WINDOW: u32 = 10_000;

/// Maximum number of seeds.
const MAX_SEEDS: u32 = 1_000_000;

/// Exclusive upper bound of seeds: the end of TOML's integers.
const SEED_END: u64 = 1 << 63;

/// Units of requests per second, in small letters.
const PER_SECOND: &[(&str, f64)] = &[
    ("hz", 1.0),
    ("khz", 1e3),
    ("/s", 1.0),
    ("1/s", 1.0),
    ("per second", 1.0),
    ("rps", 1.0),
    ("req/s", 1.0),
    ("request/s", 1.0),
    ("requests/s", 1.0),
    ("requests per second", 1.0),
    ("/min", 1.0 / 60.0),
    ("requests/min", 1.0 / 60.0),
];

/// Units of an angle, in small letters.
const DEGREES: &[(&str, f64)] =
    &[("\u{b0}", 1.0), ("deg", 1.0), ("degree", 1.0), ("degrees", 1.0), ("rad", 180.0 / std::f64::consts::PI)];

/// A name: 1 to 64 characters, no white space, no slash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Name(pub String);

/// A count, 1 to 100 000.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Count(pub u32);

/// Hops across a network: 1 to 64, the time to live of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Hops(pub u32);

/// Packets in RLC's window: 1 to 131 072, half the sequence numbers of 18 bits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct RlcWindow(pub u32);

/// Segments in the initial window: 1 to 10 000.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct InitialWindow(pub u32);

/// A probability, 0 to 1; `0.01` may be written `"1 %"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Probability(pub f64);

/// A finite number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Number(pub f64);

/// Requests per second; a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct PerSecond(pub f64);

/// An angle in degrees; a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Degrees(pub f64);

/// Shape of a Pareto distribution; above 1, so that the mean is finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Shape(pub f64);

/// Seeds: at least one, none twice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seeds(Vec<u64>);

impl Seeds {
    /// The seeds of a list.
    pub fn of_list(seeds: Vec<u64>) -> Result<Self, Refusal> {
        if seeds.is_empty() {
            return Err(Refusal::new("the list of seeds is empty; at least one is needed"));
        }
        let mut seen = BTreeSet::new();
        for &seed in &seeds {
            if seed >= SEED_END {
                return Err(Refusal::new(format!("seed {seed} is too large; seeds are below 2^63")));
            }
            if !seen.insert(seed) {
                return Err(Refusal::new(format!("seed {seed} is listed twice")));
            }
        }
        Ok(Self(seeds))
    }

    /// The seeds 1 to `count`.
    fn first(count: i64) -> Result<Self, Refusal> {
        if (1..=i64::from(MAX_SEEDS)).contains(&count) {
            Ok(Self((1..=count.unsigned_abs()).collect()))
        } else {
            Err(Refusal::new(format!("the number of seeds must be 1 to {MAX_SEEDS}, not {count}")))
        }
    }

    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Self(vec![1])
    }
}

impl Serialize for Seeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_count = self.0.iter().copied().eq(1..=self.0.len() as u64);
        if is_count { serializer.serialize_u64(self.0.len() as u64) } else { self.0.serialize(serializer) }
    }
}

struct NameVisitor;
struct SeedsVisitor;
struct ProbabilityVisitor;
struct ShapeVisitor;
/// A number without a unit; `units` are those in which people write it, with their values.
struct NumberVisitor {
    what: &'static str,
    units: &'static [(&'static str, f64)],
}
struct IntegerVisitor {
    what: &'static str,
    max: u32,
}

impl Visitor<'_> for NameVisitor {
    type Value = Name;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name in quotes")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Name, E> {
        let is_allowed = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '/' | '\\');
        let is_folder = text.starts_with('.');
        if (1..=64).contains(&text.chars().count()) && text.chars().all(is_allowed) && !is_folder {
            return Ok(Name(text.to_owned()));
        }
        let rule = "names have 1 to 64 characters, no white space or slashes, and do not begin with a dot";
        Err(E::custom(format!("invalid name `{}`; {rule}", text.escape_debug())))
    }
}

impl Visitor<'_> for IntegerVisitor {
    type Value = u32;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, an integer from 1 to {}", self.what, self.max)
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u32, E> {
        match u32::try_from(value) {
            Ok(count) if (1..=self.max).contains(&count) => Ok(count),
            _ => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<u32, E> {
        let is_allowed = |count: &u32| (1..=self.max).contains(count);
        Err(E::custom(quoted(&self, text, text.trim().parse().ok().filter(is_allowed))))
    }
}

impl fmt::Display for IntegerVisitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expecting(f)
    }
}

impl<'de> Visitor<'de> for SeedsVisitor {
    type Value = Seeds;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seeds, such as 5, or a list of seeds, such as [1, 7, 9]")
    }
    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Seeds, E> {
        Seeds::first(count).map_err(E::custom)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Seeds, A::Error> {
        let mut seeds = Vec::new();
        while let Some(seed) = items.next_element::<i64>()? {
            let seed = u64::try_from(seed).map_err(|_| de::Error::custom("a seed is an integer from 0"))?;
            seeds.push(seed);
        }
        Seeds::of_list(seeds).map_err(de::Error::custom)
    }
}

impl Visitor<'_> for ProbabilityVisitor {
    type Value = Probability;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a probability from 0 to 1, such as 0.01 or \"1 %\"")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Probability, E> {
        if (0.0..=1.0).contains(&value) {
            return Ok(Probability(value));
        }
        let percent = (1.0..=100.0).contains(&value).then(|| format!("percentages are written \"{value} %\""));
        Err(E::custom(Refusal::new(format!("{value} is not a probability (0 to 1)")).hint(percent)))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Probability, E> {
        self.visit_f64(value as f64)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Probability, E> {
        let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
        match number.trim().parse::<f64>() {
            Ok(value) if (0.0..=unit).contains(&value) => Ok(Probability(value / unit)),
            Ok(_) => Err(E::custom(format!("`{text}` is not a probability (0 to 1, or 0 % to 100 %)"))),
            Err(_) => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

/// The refusal of a text in the place of a number, which it may mean.
fn quoted(expected: impl fmt::Display, text: &str, meant: Option<impl fmt::Display>) -> Refusal {
    let hint = meant.map(|number| format!("write {number}, without quotes"));
    Refusal::new(format!("expected {expected}, found {text:?}")).hint(hint)
}

impl Visitor<'_> for NumberVisitor {
    type Value = f64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        if value.is_finite() { Ok(value) } else { Err(E::invalid_value(Unexpected::Float(value), &self)) }
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        Err(E::custom(quoted(self.what, text, self.meant(text))))
    }
}

impl NumberVisitor {
    /// The number of a text that is one, with or without a unit.
    fn meant(&self, text: &str) -> Option<f64> {
        let (number, unit) = split(text);
        let value: f64 = number.replace('_', "").parse().ok()?;
        let unit = unit.to_lowercase();
        let known = self.units.iter().find(|(name, _)| *name == unit).map(|(_, worth)| *worth);
        let value = value * if unit.is_empty() { 1.0 } else { known? };
        // Without the noise of the product.
        format!("{value:.11e}").parse().ok().filter(|value: &f64| value.is_finite())
    }
}

impl Visitor<'_> for ShapeVisitor {
    type Value = Shape;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the shape of a Pareto distribution, a number above 1, such as 1.5")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Shape, E> {
        if value > 1.0 { Ok(Shape(value)) } else { Err(E::invalid_value(Unexpected::Float(value), &self)) }
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Shape, E> {
        self.visit_f64(value as f64)
    }
}

read_and_describe! {
    Name by NameVisitor => |name| name,
        json_schema!({ "type": "string", "pattern": r"^[^\s/\\.][^\s/\\]{0,63}$" });
    Count by IntegerVisitor { what: "a count", max: MAX_COUNT } => Self,
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_COUNT });
    Hops by IntegerVisitor { what: "a number of hops", max: 64 } => Self,
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 64 });
    RlcWindow by IntegerVisitor { what: "a window of RLC", max: 131_072 } => Self,
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 131_072 });
    InitialWindow by IntegerVisitor { what: "an initial window", max: MAX_WINDOW } => Self,
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_WINDOW });
    Probability by ProbabilityVisitor => |probability| probability, json_schema!({ "anyOf": [
        { "type": "number", "minimum": 0, "maximum": 1 },
        { "type": "string", "pattern": r"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*%?$", "examples": ["1 %"] },
    ] });
    Number by NumberVisitor { what: "a number", units: &[("%", 0.01)] } => Self, json_schema!({ "type": "number" });
    PerSecond by NumberVisitor { what: "a number of requests per second, such as 20", units: PER_SECOND } => Self,
        json_schema!({ "type": "number" });
    Degrees by NumberVisitor { what: "a number of degrees, such as 25", units: DEGREES } => Self,
        json_schema!({ "type": "number" });
    Shape by ShapeVisitor => |shape| shape, json_schema!({ "type": "number", "exclusiveMinimum": 1 });
    Seeds by SeedsVisitor => |seeds| seeds, json_schema!({ "anyOf": [
        { "type": "integer", "minimum": 1, "maximum": MAX_SEEDS },
        { "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1, "uniqueItems": true },
    ] });
}
