//! Quantities as people write them: a number and a unit, `"10 Mbit/s"`.

use crate::{
    BitRate, Bytes, Decibels, Distance, Duration, Frequency, PacketRate, Packets, PowerLevel, Speed, SymbolRate,
};
use std::fmt;

/// A quantity with a textual form, `NUMBER UNIT`.
pub trait Quantity: Sized {
    /// Name of the quantity in messages: `"rate"`.
    const KIND: &'static str;
    /// One good example, for messages and the schema: `"10 Mbit/s"`.
    const EXAMPLE: &'static str;
    /// Accepted units and their worth in the base unit; those used in print first, largest first after the one that
    /// prints zero.
    const UNITS: &'static [(&'static str, f64)];
    /// Number of `UNITS` used in print.
    const PRINTED: usize;
    /// True if negative values are allowed.
    const IS_SIGNED: bool = false;

    /// The quantity worth `base` base units (nanoseconds, bytes, bits a second, packets).
    fn from_base(base: f64) -> Self;
    /// Its worth in base units.
    fn to_base(&self) -> f64;

    /// Reads `NUMBER UNIT`; the space is optional, underscores may group digits.
    ///
    /// # Errors
    /// What is wrong with the text: no number, no unit, an unknown unit, a negative or infinite value.
    fn parse(text: &str) -> Result<Self, ParseError> {
        let (number, unit) = split(text);
        let error = |problem| ParseError {
            given: text.to_owned(),
            kind: Self::KIND,
            example: Self::EXAMPLE,
            units: Self::unit_names().collect(),
            problem,
        };
        let digits: String = number.chars().filter(|c| *c != '_').collect();
        let value: f64 = digits.parse().map_err(|_| error(Problem::Number))?;
        if unit.is_empty() {
            return Err(error(Problem::NoUnit));
        }
        let Some((_, worth)) = Self::UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(error(Problem::Unit(unit.to_owned())));
        };
        if value.is_sign_negative() && value != 0.0 && !Self::IS_SIGNED {
            return Err(error(Problem::Negative));
        }
        let base = value * worth;
        if base.abs() < 9e18 { Ok(Self::from_base(base)) } else { Err(error(Problem::Large)) }
    }

    /// The accepted units, for messages and documents. A unit with a second code point for the same letter is in it
    /// once.
    fn unit_names() -> impl Iterator<Item = &'static str> {
        Self::UNITS.iter().map(|(name, _)| *name).filter(|name| !name.contains('\u{3bc}'))
    }

    /// Writes the quantity in the unit that makes the shortest text with a number of at least one, chosen among the
    /// first [`Quantity::PRINTED`]; [`Quantity::parse`] reads it back to the same value.
    fn print(&self) -> String {
        let base = self.to_base();
        let text = |(name, worth): &(&str, f64)| format!("{} {name}", base / worth);
        let is_exact = |(_, worth): &&(&str, f64)| Self::from_base(base / worth * worth).to_base() == base;
        Self::UNITS[..Self::PRINTED]
            .iter()
            .filter(|(_, worth)| base.abs() >= *worth)
            .filter(is_exact)
            .map(text)
            .min_by_key(String::len)
            .unwrap_or_else(|| text(&Self::UNITS[0]))
    }
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseError {
    given: String,
    kind: &'static str,
    example: &'static str,
    units: Vec<&'static str>,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq)]
enum Problem {
    Number,
    NoUnit,
    Unit(String),
    Negative,
    Large,
}

impl ParseError {
    /// The units that would have been accepted.
    pub fn units(&self) -> &[&'static str] {
        &self.units
    }

    /// The unit that was given, if it is the unit that was wrong.
    pub fn unknown_unit(&self) -> Option<&str> {
        match &self.problem {
            Problem::Unit(unit) => Some(unit),
            _ => None,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, kind, example, units, problem } = self;
        match problem {
            Problem::Number => {
                write!(f, "`{given}` does not start with a number; a {kind} is written like \"{example}\"")
            }
            Problem::NoUnit => write!(f, "`{given}` has no unit; a {kind} is written like \"{example}\""),
            Problem::Unit(unit) => {
                write!(f, "`{unit}` is not a unit of {kind}; a {kind} is written like \"{example}\"")
            }
            Problem::Negative => write!(f, "`{given}` is negative; a {kind} must be zero or more"),
            Problem::Large => write!(f, "`{given}` is too large for a {kind}"),
        }?;
        match problem {
            Problem::NoUnit | Problem::Unit(_) => write!(f, " (units: {})", units.join(", ")),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// The number and the unit of a text, both trimmed.
pub fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_number = |(at, c): (usize, char)| {
        let exponent = matches!(c, 'e' | 'E')
            && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
        c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-') || exponent
    };
    let end = text.char_indices().find(|&c| !is_number(c)).map_or(text.len(), |(at, _)| at);
    (&text[..end], text[end..].trim())
}

macro_rules! quantity {
    ($type:ty, $kind:literal, $example:literal, $printed:literal, $units:expr, $from:expr, $to:expr $(, signed: $signed:literal)?) => {
        impl Quantity for $type {
            $(const IS_SIGNED: bool = $signed;)?
            const KIND: &'static str = $kind;
            const EXAMPLE: &'static str = $example;
            const UNITS: &'static [(&'static str, f64)] = $units;
            const PRINTED: usize = $printed;
            fn from_base(base: f64) -> Self {
                let from: fn(f64) -> Self = $from;
                from(base)
            }
            fn to_base(&self) -> f64 {
                let to: fn(&Self) -> f64 = $to;
                to(self)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.print())
            }
        }

        impl std::str::FromStr for $type {
            type Err = ParseError;
            fn from_str(text: &str) -> Result<Self, ParseError> {
                Self::parse(text)
            }
        }
    };
}

quantity!(
    Duration,
    "duration",
    "100 ms",
    4,
    // The micro sign U+00B5 and the Greek letter U+03BC, into which Unicode's NFKC turns it.
    &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("µs", 1e3), ("\u{3bc}s", 1e3), ("min", 60e9), ("h", 3600e9)],
    |base| Duration::from_nanos(base.round() as u64),
    |span| span.as_nanos() as f64
);
quantity!(
    BitRate,
    "rate",
    "10 Mbit/s",
    4,
    &[
        ("bit/s", 1.0),
        ("Gbit/s", 1e9),
        ("Mbit/s", 1e6),
        ("kbit/s", 1e3),
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
        ("B/s", 8.0),
        ("kB/s", 8e3),
        ("MB/s", 8e6),
        ("GB/s", 8e9),
    ],
    |base| BitRate::bits_per_sec(base.round() as u64),
    |rate| rate.as_bits_per_sec() as f64
);
quantity!(
    Bytes,
    "size",
    "10 MB",
    4,
    &[
        ("B", 1.0),
        ("GB", 1e9),
        ("MB", 1e6),
        ("kB", 1e3),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    |base| Bytes::new(base.round() as u64),
    |bytes| bytes.count() as f64
);
quantity!(
    Packets,
    "number of packets",
    "200 packets",
    1,
    &[("packets", 1.0), ("packet", 1.0), ("pkt", 1.0), ("pkts", 1.0)],
    Packets::new,
    |packets| packets.count()
);
quantity!(
    PacketRate,
    "packet rate",
    "100 packets/s",
    1,
    &[("packets/s", 1.0), ("pkt/s", 1.0), ("pkts/s", 1.0)],
    PacketRate::per_sec,
    |rate| rate.as_per_sec()
);

quantity!(
    Frequency,
    "frequency",
    "20 Hz",
    4,
    &[("Hz", 1.0), ("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3)],
    Frequency::hertz,
    |frequency| frequency.as_hertz()
);
quantity!(
    SymbolRate,
    "symbol rate",
    "2 Msymbol/s",
    3,
    &[
        ("symbol/s", 1.0),
        ("Msymbol/s", 1e6),
        ("ksymbol/s", 1e3),
        ("symbols/s", 1.0),
        ("Bd", 1.0),
        ("kBd", 1e3),
        ("MBd", 1e6),
    ],
    SymbolRate::per_sec,
    |rate| rate.as_per_sec()
);

// A coordinate may be negative; a length is refused below zero by the fields that hold one.
quantity!(
    Distance,
    "distance",
    "150 m",
    2,
    &[("m", 1.0), ("km", 1e3), ("cm", 0.01)],
    Distance::metres,
    |distance| distance.as_metres(),
    signed: true
);

quantity!(Speed, "speed", "1.5 m/s", 2, &[("m/s", 1.0), ("km/h", 1.0 / 3.6)], Speed::metres_per_sec, |speed| speed
    .as_metres_per_sec());

/// Levels may be negative, and are written in their own unit only.
macro_rules! level {
    ($type:ty, $kind:literal, $example:literal, $unit:literal, $from:expr, $to:expr) => {
        impl Quantity for $type {
            const KIND: &'static str = $kind;
            const EXAMPLE: &'static str = $example;
            const UNITS: &'static [(&'static str, f64)] = &[($unit, 1.0)];
            const PRINTED: usize = 1;
            const IS_SIGNED: bool = true;
            fn from_base(base: f64) -> Self {
                $from(base)
            }
            fn to_base(&self) -> f64 {
                $to(*self)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.print())
            }
        }
    };
}

level!(Decibels, "ratio", "12 dB", "dB", Decibels::new, Decibels::count);
level!(PowerLevel, "power", "-64 dBm", "dBm", PowerLevel::dbm, PowerLevel::as_dbm);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_it_in_many_ways() {
        assert_eq!(Duration::parse("100 ms").unwrap(), Duration::from_millis(100));
        assert_eq!(Duration::parse("1.5s").unwrap(), Duration::from_millis(1500));
        assert_eq!(BitRate::parse("10 Mbit/s").unwrap(), BitRate::bits_per_sec(10_000_000));
        assert_eq!(BitRate::parse("1e6 bit/s").unwrap(), BitRate::bits_per_sec(1_000_000));
        assert_eq!(BitRate::parse("1 MB/s").unwrap(), BitRate::bits_per_sec(8_000_000));
        assert_eq!(Bytes::parse("1_500 B").unwrap(), Bytes::new(1500));
        assert_eq!(Packets::parse("200 packets").unwrap(), Packets::new(200.0));
    }

    #[test]
    fn decibels_may_be_negative_and_are_read_back() {
        let low = Decibels::parse("-1.5 dB").unwrap();
        assert_eq!((low, low.print().as_str()), (Decibels::new(-1.5), "-1.5 dB"));
        assert_eq!(SymbolRate::parse("2 Msymbol/s").unwrap().print(), "2 Msymbol/s");
        assert_eq!(Frequency::parse("20 Hz").unwrap().print(), "20 Hz");
        assert!(Frequency::parse("-3 Hz").is_err());
        assert_eq!(PowerLevel::parse("-64.4 dBm").unwrap().print(), "-64.4 dBm");
        assert_eq!(Distance::parse("1.5 km").unwrap(), Distance::metres(1500.0));
        assert_eq!(Distance::parse("-50 m").unwrap().print(), "-50 m");
        assert_eq!(Distance::parse("-25 km").unwrap().print(), "-25 km");
        assert_eq!(Speed::parse("36 km/h").unwrap(), Speed::metres_per_sec(10.0));
    }

    #[test]
    fn a_microsecond_is_written_with_either_letter() {
        for text in ["20 us", "20 \u{b5}s", "20 \u{3bc}s", "20\u{3bc}s"] {
            assert_eq!(Duration::parse(text).unwrap(), Duration::from_nanos(20_000), "{text:?}");
        }
        assert!(!Duration::unit_names().any(|name| name.contains('\u{3bc}')));
    }

    #[test]
    fn exponents_are_read_as_programs_write_them() {
        for text in ["1e6 bit/s", "1E6 bit/s", "1e+6 bit/s", "10e+05 bit/s", "10000000e-1bit/s"] {
            assert_eq!(BitRate::parse(text).unwrap(), BitRate::bits_per_sec(1_000_000), "{text:?}");
        }
        assert!(BitRate::parse("1e bit/s").is_err());
    }

    #[test]
    fn a_wrong_text_is_told_what_is_right() {
        let wrong = |text| Duration::parse(text).unwrap_err().to_string();
        assert_eq!(wrong("fast"), "`fast` does not start with a number; a duration is written like \"100 ms\"");
        assert_eq!(
            wrong("10"),
            "`10` has no unit; a duration is written like \"100 ms\" (units: s, ms, us, ns, µs, min, h)"
        );
        assert_eq!(
            wrong("10 Mbit/s"),
            "`Mbit/s` is not a unit of duration; a duration is written like \"100 ms\" (units: s, ms, us, ns, µs, min, h)"
        );
        assert_eq!(wrong("-3 ms"), "`-3 ms` is negative; a duration must be zero or more");
        assert_eq!(wrong("1e30 s"), "`1e30 s` is too large for a duration");
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for nanos in [0, 1, 1_500, 20_000_000, 1_234_567_891, 60_000_000_000] {
            let span = Duration::from_nanos(nanos);
            assert_eq!(Duration::parse(&span.print()).unwrap(), span, "{}", span.print());
        }
        assert_eq!(BitRate::bits_per_sec(10_000_000).print(), "10 Mbit/s");
        assert_eq!(Bytes::new(1460).print(), "1460 B");
        assert_eq!(Duration::from_millis(100).print(), "100 ms");
        assert_eq!(Duration::ZERO.print(), "0 s");
    }
}
