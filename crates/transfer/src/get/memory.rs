//! How many connections a host was found to want, for the next file from it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A number older than this says nothing: people carry their machine to other networks. In seconds.
const MEMORY: u64 = 24 * 3600;
/// Most hosts remembered.
const MOST_HOSTS: usize = 256;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    connections: f64,
    /// Seconds since 1970.
    at: u64,
}

/// What is remembered of `host`.
pub(crate) fn recall(host: &str) -> Option<f64> {
    let now = now();
    let entry = load().remove(host).filter(|entry| now.saturating_sub(entry.at) < MEMORY)?;
    (entry.connections.is_finite() && entry.connections >= 1.0).then_some(entry.connections)
}

/// Remembers. A cache that cannot be written is no reason to fail: the next file starts from one connection.
pub(crate) fn remember(host: &str, connections: f64) {
    let Some(path) = path() else { return };
    let now = now();
    let mut entries = load();
    entries.retain(|_, entry| now.saturating_sub(entry.at) < MEMORY);
    entries.insert(host.to_owned(), Entry { connections, at: now });
    while entries.len() > MOST_HOSTS {
        let oldest = entries.iter().min_by_key(|(_, entry)| entry.at).map(|(host, _)| host.clone());
        entries.remove(&oldest.unwrap_or_default());
    }
    let Ok(text) = serde_json::to_vec(&entries) else { return };
    let fresh = path.with_extension(format!("{}", std::process::id()));
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&fresh, text));
    // Renamed into place: another download may be reading.
    _ = written.and_then(|()| fs::rename(&fresh, &path));
}

fn load() -> BTreeMap<String, Entry> {
    let text = path().and_then(|path| fs::read(path).ok()).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
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
