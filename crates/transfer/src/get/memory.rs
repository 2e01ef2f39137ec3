//! Cached number of connections per host, as a starting point for the next file.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Lifetime of an entry in seconds: paths change, and computers move to other networks.
const MEMORY: u64 = 15 * 60;
/// Maximum number of cached hosts.
const MOST_HOSTS: usize = 256;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    connections: f64,
    /// Seconds since 1970.
    at: u64,
}

/// Cached number of connections of `host`.
pub(crate) fn recall(host: &str) -> Option<f64> {
    recall_from(&path()?, host, now())
}

/// Removes the entry of `host`. A cache that cannot be written expires anyway.
pub(crate) fn forget(host: &str) {
    if let Some(path) = path().filter(|path| path.exists()) {
        _ = forget_in(&path, host);
    }
}

/// Stores the number of connections. Failure to write is not an error: the next file starts from one connection.
pub(crate) fn remember(host: &str, connections: f64) {
    if let Some(path) = path() {
        _ = remember_in(&path, host, connections, now());
    }
}

fn recall_from(path: &Path, host: &str, now: u64) -> Option<f64> {
    recall_in(&fs::read(path).ok()?, host, now)
}

/// Looks up `host` in the text of the cache.
pub(super) fn recall_in(text: &[u8], host: &str, now: u64) -> Option<f64> {
    let entry = parse(text).remove(host).filter(|entry| entry.is_fresh(now))?;
    // The excess over one connection shrinks with age: too few connections are corrected soon, too many harm other
    // flows meanwhile.
    let fresh = 1.0 - now.saturating_sub(entry.at) as f64 / MEMORY as f64;
    let is_number = entry.connections.is_finite() && entry.connections >= 1.0;
    is_number.then_some(1.0 + (entry.connections - 1.0) * fresh)
}

fn forget_in(path: &Path, host: &str) -> io::Result<()> {
    let mut entries = load(path);
    if entries.remove(host).is_some() { store(path, &entries) } else { Ok(()) }
}

fn remember_in(path: &Path, host: &str, connections: f64, now: u64) -> io::Result<()> {
    let mut entries = load(path);
    entries.retain(|_, entry| entry.is_fresh(now));
    entries.insert(host.to_owned(), Entry { connections, at: now });
    while entries.len() > MOST_HOSTS {
        let oldest = entries.iter().min_by_key(|(_, entry)| entry.at).map(|(host, _)| host.clone());
        entries.remove(&oldest.unwrap_or_default());
    }
    store(path, &entries)
}

fn store(path: &Path, entries: &BTreeMap<String, Entry>) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    // Atomic replacement by renaming, because another download may be reading.
    let fresh = path.with_extension(process::id().to_string());
    let stored = fs::write(&fresh, serde_json::to_vec(entries)?).and_then(|()| fs::rename(&fresh, path));
    if stored.is_err() {
        // A full disk leaves a part of it.
        drop(fs::remove_file(&fresh));
    }
    stored
}

impl Entry {
    fn is_fresh(&self, now: u64) -> bool {
        now.saturating_sub(self.at) < MEMORY
    }
}

/// A missing or corrupt file counts as empty.
fn load(path: &Path) -> BTreeMap<String, Entry> {
    fs::read(path).map(|text| parse(&text)).unwrap_or_default()
}

fn parse(text: &[u8]) -> BTreeMap<String, Entry> {
    serde_json::from_slice(text).unwrap_or_default()
}

/// `connections.json` in the user's cache (XDG Base Directory Specification).
fn path() -> Option<PathBuf> {
    let is_absolute = |path: &PathBuf| path.is_absolute();
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(is_absolute);
    let cache = cache.or_else(|| env::home_dir().filter(is_absolute).map(|home| home.join(".cache")))?;
    Some(cache.join("windward").join("connections.json"))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_remembered_for_a_quarter_of_an_hour() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("windward").join("connections.json");
        assert_eq!(recall_from(&path, "a", 0), None);
        remember_in(&path, "a", 6.5, 100).unwrap();
        remember_in(&path, "b", 2.0, 200).unwrap();
        assert_eq!(recall_from(&path, "a", 100), Some(6.5));
        // Half of the excess over one connection.
        assert_eq!(recall_from(&path, "a", 100 + MEMORY / 2), Some(3.75));
        assert_eq!(recall_from(&path, "a", 100 + MEMORY), None);
        forget_in(&path, "a").unwrap();
        assert_eq!((recall_from(&path, "a", 200), recall_from(&path, "b", 200)), (None, Some(2.0)));
        fs::write(&path, "{\"a\": 5").unwrap();
        assert_eq!(recall_from(&path, "a", 100), None);
        remember_in(&path, "a", f64::NAN, 100).unwrap();
        assert_eq!(recall_from(&path, "a", 100), None);
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("connections.json");
        for at in 0..=MOST_HOSTS as u64 {
            remember_in(&path, &format!("host {at}"), 3.0, at).unwrap();
        }
        assert_eq!(recall_from(&path, "host 0", 0), None);
        assert_eq!(recall_from(&path, "host 1", 1), Some(3.0));
        assert_eq!(load(&path).len(), MOST_HOSTS);
    }
}
