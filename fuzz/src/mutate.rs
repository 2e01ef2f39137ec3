//! Scenarios that are nearly right: a file's own lines and values, moved about and exchanged.

use windward_units::splitmix64;

/// Values of every kind, most of them at the edge of what is allowed.
const VALUES: [&str; 52] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "1000",
    "100000",
    "1000000",
    "4294967295",
    "9223372036854775807",
    "0.0",
    "-0.0",
    "0.5",
    "1.0",
    "0.999999",
    "1e-300",
    "1e308",
    "inf",
    "nan",
    "true",
    "false",
    "[]",
    "{}",
    "[1, 2]",
    "[0, 0, 1]",
    "\"\"",
    "\"a\"",
    "\"0 s\"",
    "\"1 ns\"",
    "\"1 ms\"",
    "\"1 s\"",
    "\"100000 h\"",
    "\"0 bit/s\"",
    "\"1 bit/s\"",
    "\"10 Mbit/s\"",
    "\"1000 Tbit/s\"",
    "\"1 B\"",
    "\"1500 B\"",
    "\"18 EB\"",
    "\"1 packets\"",
    "\"100 packets\"",
    "\"unlimited\"",
    "\"-300 dB\"",
    "\"0 dB\"",
    "\"3000 dB\"",
    "\"1 Hz\"",
    "\"path\"",
    "\"cubic\"",
    "{ trace = \"trace\" }",
    "{ name = \"reno\" }",
    "{ kind = \"poisson\", rate = \"1 Mbit/s\" }",
];

/// One number after the other, all from the seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = splitmix64(self.0);
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// A few changes to the lines of a TOML file, the same for the same seed.
pub fn scenario(text: &str, seed: u32) -> String {
    let mut draws = Draws(u64::from(seed));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=draws.below(4) {
        change(&mut lines, &mut draws);
    }
    lines.join("\n")
}

fn change(lines: &mut Vec<String>, draws: &mut Draws) {
    let (at, other) = (draws.below(lines.len()), draws.below(lines.len()));
    let (Some(line), Some(source)) = (lines.get(at).cloned(), lines.get(other).cloned()) else { return };
    match draws.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, line),
        // A table with all its lines, once more.
        2 => {
            let begins = |line: &String| line.starts_with('[');
            let first = (0..=at).rev().find(|&at| begins(&lines[at])).unwrap_or(0);
            let last = (at + 1..lines.len()).find(|&at| begins(&lines[at])).unwrap_or(lines.len());
            let table = lines[first..last].to_vec();
            lines.extend(table);
        }
        // Another line's value, or one of a kind, for this line's or for a part of it.
        kind => {
            let Some((key, value)) = line.split_once('=') else { return };
            let given = match kind {
                3 => source.split_once('=').map_or("", |(_, value)| value.trim()),
                _ => VALUES[draws.below(VALUES.len())],
            };
            let inner: Vec<(usize, usize)> = parts(value);
            lines[at] = match inner.get(draws.below(inner.len() + 1)) {
                Some(&(start, end)) => format!("{key}={}{given}{}", &value[..start], &value[end..]),
                None => format!("{key}= {given}"),
            };
        }
    }
}

/// Positions of the items of a list and of the values of an inline table.
fn parts(value: &str) -> Vec<(usize, usize)> {
    let is_edge = |c: char| matches!(c, '[' | ']' | '{' | '}' | ',' | '=');
    let edges: Vec<usize> = value.match_indices(is_edge).map(|(at, _)| at).collect();
    edges.windows(2).map(|pair| (pair[0] + 1, pair[1])).filter(|(start, end)| start < end).collect()
}
