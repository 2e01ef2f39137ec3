//! Hints for unknown units: a hint keeps the quantity, or there is none.

use crate::suggest;
use windward_units::Quantity;

/// Prefixes of data, packets, symbols and hertz.
const LARGE: &[(&str, f64)] = &[
    ("", 1.0),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("Ki", 1024.0),
    ("ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("kilo", 1e3),
    ("mega", 1e6),
    ("giga", 1e9),
    ("tera", 1e12),
    ("kibi", 1024.0),
    ("mebi", 1_048_576.0),
    ("gibi", 1_073_741_824.0),
    ("tebi", 1_099_511_627_776.0),
];

/// Prefixes of units without a thousandth part: `mbit` is no millibit.
const LOWER: &[(&str, f64)] = &[("m", 1e6), ("g", 1e9), ("t", 1e12)];

/// Prefixes of seconds.
const SMALL: &[(&str, f64)] =
    &[("", 1.0), ("m", 1e-3), ("u", 1e-6), ("µ", 1e-6), ("n", 1e-9), ("milli", 1e-3), ("micro", 1e-6), ("nano", 1e-9)];

/// Prefixes of metres.
const LENGTHS: &[(&str, f64)] =
    &[("", 1.0), ("k", 1e3), ("K", 1e3), ("c", 1e-2), ("m", 1e-3), ("kilo", 1e3), ("centi", 1e-2), ("milli", 1e-3)];

/// A unit, its names and their prefixes. Names of one letter are known in this case alone.
struct Stem(&'static str, &'static [&'static str], &'static [&'static [(&'static str, f64)]]);

const STEMS: &[Stem] = &[
    Stem("bit", &["b"], &[LARGE]),
    Stem("bit", &["bit", "bits"], &[LARGE, LOWER]),
    Stem("B", &["B"], &[LARGE]),
    Stem("B", &["byte", "bytes", "octet", "octets"], &[LARGE, LOWER]),
    Stem(
        "packets",
        &["packet", "packets", "pkt", "pkts", "segment", "segments", "seg", "segs", "frame", "frames"],
        &[LARGE],
    ),
    Stem("s", &["s", "sec", "secs", "second", "seconds"], &[SMALL]),
    Stem("Hz", &["Hz", "hertz"], &[LARGE]),
    Stem("m", &["m", "metre", "metres", "meter", "meters"], &[LENGTHS]),
    Stem("symbol", &["symbol", "symbols", "sym", "syms"], &[LARGE]),
    Stem("symbol/s", &["Bd", "baud"], &[LARGE]),
];

/// Units that take no prefix.
const WORDS: &[(&str, &str, f64)] = &[
    ("min", "s", 60.0),
    ("mins", "s", 60.0),
    ("minute", "s", 60.0),
    ("minutes", "s", 60.0),
    ("hr", "s", 3600.0),
    ("hrs", "s", 3600.0),
    ("hour", "s", 3600.0),
    ("hours", "s", 3600.0),
    ("day", "s", 86_400.0),
    ("days", "s", 86_400.0),
    ("ft", "m", 0.3048),
    ("feet", "m", 0.3048),
    ("mile", "m", 1609.344),
    ("miles", "m", 1609.344),
    ("kmh", "m/s", 1.0 / 3.6),
    ("kph", "m/s", 1.0 / 3.6),
    ("kmph", "m/s", 1.0 / 3.6),
    ("km/hr", "m/s", 1.0 / 3.6),
    ("mph", "m/s", 0.44704),
    ("mps", "m/s", 1.0),
    ("knots", "m/s", 1852.0 / 3600.0),
    ("db", "dB", 1.0),
    ("decibel", "dB", 1.0),
    ("decibels", "dB", 1.0),
    ("dbm", "dBm", 1.0),
    ("pps", "packets/s", 1.0),
    ("kpps", "packets/s", 1e3),
];

/// Suffixes that make an amount a rate, besides `ps`.
const PER_SECOND: &[&str] = &["/s", "/sec", "/second", "persecond", "persec"];

/// Maximum length of a text that may be a unit.
const LONGEST: usize = 40;

/// Hint for a unit that a quantity does not have: an equivalent unit, the value in the quantity's units, or both of two
/// readings.
pub(crate) fn unit_hint<T: Quantity>(given: &str) -> Option<String> {
    if given.len() > LONGEST {
        return None;
    }
    let unit = given.split_whitespace().collect::<String>().replace('\u{3bc}', "µ");
    let (base, one) = T::UNITS[0];
    if base == "bit/s"
        && let Some(prefix) = bits_or_bytes(&unit)
    {
        return Some(format!("`{given}` may be bits or bytes: write `{prefix}bit/s` or `{prefix}B/s`"));
    }
    let Some((of, worth)) = meaning(&unit) else { return misspelled::<T>(&unit).map(suggest::did_you_mean) };
    let worth = match (of.as_str(), base) {
        (of, base) if of == base => worth,
        ("B/s", "bit/s") => 8.0 * worth,
        // A small `b` by itself is often a byte.
        ("bit", "B") if unit.to_lowercase().contains("bit") => worth / 8.0,
        // tc(8) leaves out the second.
        ("bit", "bit/s") if unit.to_lowercase().contains("bit") => worth,
        _ => return None,
    };
    told::<T>(worth * one, given)
}

/// Prefix of a rate of `b` or `B` that is ambiguous because all letters have one case: `mbps`, `MB/S`.
fn bits_or_bytes(unit: &str) -> Option<&'static str> {
    let is_one_case = |case: fn(&char) -> bool| unit.chars().filter(|c| c.is_alphabetic()).all(|c| case(&c));
    if !is_one_case(|c| c.is_lowercase()) && !is_one_case(|c| c.is_uppercase()) {
        return None;
    }
    let lower = unit.to_lowercase();
    match per_second(&lower).or_else(|| lower.strip_suffix("ps"))? {
        "kb" => Some("k"),
        "mb" => Some("M"),
        "gb" => Some("G"),
        "b" if unit.starts_with('B') => Some(""),
        _ => None,
    }
}

/// Part of a unit before "per second".
fn per_second(unit: &str) -> Option<&str> {
    PER_SECOND.iter().find_map(|per| {
        let head = unit.len().checked_sub(per.len()).filter(|&at| unit.is_char_boundary(at))?;
        unit[head..].eq_ignore_ascii_case(per).then_some(&unit[..head])
    })
}

/// Base unit of a unit, and the unit's value in it.
fn meaning(unit: &str) -> Option<(String, f64)> {
    let lower = unit.to_lowercase();
    if let Some((_, of, worth)) = WORDS.iter().find(|(word, ..)| *word == lower) {
        return Some(((*of).to_owned(), *worth));
    }
    if let Some((of, worth)) = amount(unit) {
        return Some((of.to_owned(), worth));
    }
    let (of, worth) = match per_second(unit) {
        Some(head) => amount(head)?,
        None => amount(unit.strip_suffix("ps")?).filter(|(of, _)| ["bit", "B", "packets"].contains(of))?,
    };
    (!["s", "Hz", "symbol/s"].contains(&of)).then(|| (format!("{of}/s"), worth))
}

/// Amount without a rate, in the base unit.
fn amount(unit: &str) -> Option<(&'static str, f64)> {
    let same = |given: &str, name: &str| given == name || (name.len() > 1 && given.eq_ignore_ascii_case(name));
    STEMS.iter().find_map(|Stem(of, names, prefixes)| {
        let written =
            prefixes.iter().copied().flatten().flat_map(|prefix| names.iter().map(move |name| (prefix, name)));
        written.into_iter().find_map(|((prefix, worth), name)| {
            let split = unit.len().checked_sub(name.len()).filter(|&at| unit.is_char_boundary(at))?;
            (same(&unit[split..], name) && same(&unit[..split], prefix)).then_some((*of, *worth))
        })
    })
}

/// Hint for a number of base units of `T`.
fn told<T: Quantity>(worth: f64, given: &str) -> Option<String> {
    let is = |other: f64| (other - worth).abs() <= 1e-12 * worth;
    if let Some((unit, _)) = T::UNITS.iter().find(|(_, one)| is(*one)) {
        return Some(suggest::did_you_mean(unit));
    }
    // A type of whole numbers may not have it.
    if !is(T::from_base(worth).to_base()) {
        return None;
    }
    // Without the noise of the division.
    let count = |one: f64| {
        let rounded = format!("{:.11e}", worth / one).parse().unwrap_or(worth / one);
        if (rounded * one - worth).abs() <= 4e-16 * worth { rounded } else { worth / one }
    };
    let printed = T::UNITS[..T::PRINTED].iter().filter(|(_, one)| worth >= *one);
    let text = |(unit, one): &(&str, f64)| format!("{} {unit}", count(*one));
    let shortest = printed.map(text).min_by_key(String::len).unwrap_or_else(|| text(&T::UNITS[0]));
    Some(format!("1 {given} is {shortest}"))
}

/// Unit that was misspelled: the nearest by letters with the same first one, if all equally near ones have the same
/// value.
fn misspelled<T: Quantity>(unit: &str) -> Option<&'static str> {
    let tail = |text: &str| text.split_once('/').map(|(_, tail)| tail.to_owned());
    let distances = T::UNITS.iter().filter(|(name, _)| tail(name) == tail(unit)).map(|(name, worth)| {
        let distance = strsim::damerau_levenshtein(&unit.to_lowercase(), &name.to_lowercase());
        (distance, *name, *worth)
    });
    let distances: Vec<_> = distances.collect();
    let least = distances.iter().map(|(distance, ..)| *distance).min()?;
    let mut nearest = distances.into_iter().filter(|(distance, ..)| *distance == least);
    let (_, name, worth) = nearest.next()?;
    let letters = name.chars().count();
    let is_slip = letters >= 4 && least <= letters / 3 && unit.chars().next() == name.chars().next();
    (is_slip && nearest.all(|(_, _, other)| other == worth)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::{
        BitRate, Bytes, Decibels, Distance, Duration, Frequency, PacketRate, Packets, PowerLevel, Speed,
    };

    #[track_caller]
    fn means<T: Quantity>(cases: &[(&str, Option<&str>)]) {
        for (given, expected) in cases {
            let hint = unit_hint::<T>(given);
            let expected =
                expected.map(|text| if text.contains(' ') { text.to_owned() } else { suggest::did_you_mean(text) });
            assert_eq!(hint, expected, "{given}");
        }
    }

    #[test]
    fn a_rate_keeps_its_worth() {
        means::<BitRate>(&[
            ("Mb/s", Some("Mbit/s")),
            ("Kb/s", Some("kbit/s")),
            ("MBps", Some("MB/s")),
            ("kBps", Some("kB/s")),
            ("KB/s", Some("kB/s")),
            ("Bps", Some("B/s")),
            ("Megabit/s", Some("Mbit/s")),
            ("megabits per second", Some("Mbit/s")),
            ("mbit/s", Some("Mbit/s")),
            ("MBIT/S", Some("Mbit/s")),
            ("Mbit", Some("Mbit/s")),
            ("Mbit/sec", Some("Mbit/s")),
            ("Gbits/s", Some("Gbit/s")),
            ("Mbti/s", Some("Mbit/s")),
            ("Tbit/s", Some("1 Tbit/s is 1000 Gbit/s")),
            ("Tb/s", Some("1 Tb/s is 1000 Gbit/s")),
            ("MiB/s", Some("1 MiB/s is 8388608 bit/s")),
            ("KiB/s", Some("1 KiB/s is 8192 bit/s")),
            ("Kibit/s", Some("1 Kibit/s is 1024 bit/s")),
            ("mbps", Some("`mbps` may be bits or bytes: write `Mbit/s` or `MB/s`")),
            ("gbps", Some("`gbps` may be bits or bytes: write `Gbit/s` or `GB/s`")),
            ("MBPS", Some("`MBPS` may be bits or bytes: write `Mbit/s` or `MB/s`")),
            ("BPS", Some("`BPS` may be bits or bytes: write `bit/s` or `B/s`")),
            ("kb/s", Some("`kb/s` may be bits or bytes: write `kbit/s` or `kB/s`")),
            ("xbit/s", None),
            ("Mbit/min", None),
            ("Mbit/ms", None),
            ("MB", None),
            ("packets/s", None),
            ("ms", None),
            ("M", None),
        ]);
    }

    #[test]
    fn other_quantities_keep_theirs() {
        means::<Duration>(&[
            ("msec", Some("ms")),
            ("seconds", Some("s")),
            ("Sec", Some("s")),
            ("usec", Some("us")),
            ("microseconds", Some("us")),
            ("minutes", Some("min")),
            ("hours", Some("h")),
            ("days", Some("1 days is 86400 s")),
            ("Ms", None),
            ("MS", None),
            ("m", None),
            ("mss", None),
            ("Mbit/s", None),
        ]);
        means::<Bytes>(&[
            ("KB", Some("kB")),
            ("bytes", Some("B")),
            ("Mbyte", Some("MB")),
            ("megabytes", Some("MB")),
            ("TiB", Some("1 TiB is 1099511627776 B")),
            ("Mbit", Some("1 Mbit is 125 kB")),
            ("mb", None),
            ("kb", None),
            ("MB/s", None),
        ]);
        means::<Packets>(&[("segments", Some("packets")), ("pakets", Some("packets")), ("B", None)]);
        means::<PacketRate>(&[("pps", Some("packets/s")), ("kpps", Some("1 kpps is 1000 packets/s"))]);
        means::<Frequency>(&[
            ("KHz", Some("kHz")),
            ("hz", Some("Hz")),
            ("GHZ", Some("GHz")),
            ("hertz", Some("Hz")),
            ("mhz", None),
        ]);
        means::<Distance>(&[
            ("metres", Some("m")),
            ("Km", Some("km")),
            ("mm", Some("1 mm is 0.001 m")),
            ("ft", Some("1 ft is 0.3048 m")),
            ("Mm", None),
        ]);
        means::<Speed>(&[("kmh", Some("km/h")), ("m/sec", Some("m/s")), ("mph", Some("1 mph is 1.609344 km/h"))]);
        means::<Decibels>(&[("db", Some("dB")), ("dBm", None)]);
        means::<PowerLevel>(&[("DBM", Some("dBm")), ("dB", None), ("mW", None)]);
    }
}
