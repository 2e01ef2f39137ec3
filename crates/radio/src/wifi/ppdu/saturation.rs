//! Reader of `saturation.txt`, for tests.

use super::{Format, Guard, Limits, Mode, Width};

/// Saturated link of one mode, in closed form.
pub struct Saturated {
    /// Line and column in the file.
    pub place: String,
    /// The mode; `None` if the standard does not have it.
    pub mode: Option<Mode>,
    pub limits: Limits,
    /// MPDUs per PPDU, and goodput in Mbit/s as printed; `None` without the mode.
    pub expected: Option<(u64, &'static str)>,
}

/// Reads all combinations of scheme, width, streams and guard interval.
pub fn table() -> impl Iterator<Item = Saturated> {
    let lines = include_str!("saturation.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let (head, columns) = line.split_once(": ").expect("a head");
        let head: Vec<_> = head.split(' ').collect();
        let (mcs, third): (u8, u8) = (head[1].parse().unwrap(), head[2].parse().unwrap());
        columns.split(", ").enumerate().map(move |(at, column)| {
            let (format, width, streams, guard) = match head[0] {
                "HT" => (Format::Ht, Width::ALL[at / 2], third, [Guard::Ns800, Guard::Ns400][at % 2]),
                "VHT" => (Format::Vht, Width::ALL[at], third, Guard::Ns400),
                _ => (Format::He, Width::ALL[usize::from(third)], 1, Guard::Ns800),
            };
            let limits = match format {
                Format::He => Limits { frames: [64, 256][at], bytes: 4_194_303, ..Limits::most(format) },
                Format::Ht | Format::Vht => Limits::most(format),
            };
            Saturated {
                place: format!("{line}, column {at}"),
                mode: Mode::new(format, width, streams, guard, mcs).ok(),
                limits,
                expected: column.split_once(' ').map(|(frames, mbit)| (frames.parse().unwrap(), mbit)),
            }
        })
    })
}
