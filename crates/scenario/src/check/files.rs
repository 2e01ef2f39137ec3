//! Files that a scenario names.

use super::common::place;
use crate::format::Recording;
use crate::path::Segment;
use crate::problems::Problems;
use std::io;

/// Reads a file by its name in the scenario.
pub(crate) type ReadFile<'a> = &'a dyn Fn(&str) -> io::Result<String>;

/// Place of a key, and of keys within it.
pub(super) fn path(list: &str, at: usize, keys: &[&str]) -> Vec<Segment> {
    place(list, at, []).into_iter().chain(keys.iter().map(|key| Segment::from(*key))).collect()
}

/// Replaces the name of a file by what `parse` reads in it.
pub(super) fn replace<T, E: ToString>(
    recording: &mut Recording<T>,
    parse: impl Fn(&str) -> Result<Vec<T>, E>,
    path: Vec<Segment>,
    read: ReadFile<'_>,
    problems: &mut Problems,
) {
    if let Recording::File(name) = recording
        && let Some(values) = load(name, parse, path, read, problems)
    {
        *recording = Recording::Values(values);
    }
}

/// Reads the file `name` and parses it; reports problems.
pub(super) fn load<T, E: ToString>(
    name: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    path: Vec<Segment>,
    read: ReadFile<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let text = match read(name) {
        Ok(text) => text,
        Err(error) => {
            problems.add_refusal(path, &format!("cannot read `{name}`: {error}"));
            return None;
        }
    };
    match parse(&text) {
        Ok(value) => Some(value),
        Err(error) => {
            problems.add(path, format!("{name}: {}", error.to_string()), None);
            None
        }
    }
}
