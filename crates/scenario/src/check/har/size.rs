//! Sizes and times at the server.

use super::clock::MOST_MS;
use super::format::{Answer, Content, Entry, Flag, Timings};

/// True if the browser had the object, so that the recorded transfer is not its size: from a cache (HAR 1.2: a body of
/// no bytes), or because the server confirmed it.
pub(super) fn is_cached(entry: &Entry) -> bool {
    let Some(response) = &entry.response else { return false };
    let content = response.content.as_ref().and_then(|content| content.size).unwrap_or(0.0);
    let is_unsent = match response.transfer_size {
        Some(size) => size == 0.0,
        None => response.body_size == Some(0.0),
    };
    let flags = [&entry.from_cache, &entry.from_disk_cache, &response.from_disk_cache, &response.from_prefetch_cache];
    flags.into_iter().any(|flag| Flag::is_set(flag.as_ref()))
        || entry.cache.as_ref().is_some_and(|cache| cache.before_request.is_some() && is_unsent)
        || response.status == Some(304.0)
        || (is_unsent && content > 0.0)
}

/// Bytes on the wire: as transferred, or body and headers, or the content less its compression. An object from a cache
/// has its size on the wire too, since visits begin without a cache.
pub(super) fn size(entry: &Entry) -> u64 {
    let nothing = Answer::default();
    let response = entry.response.as_ref().unwrap_or(&nothing);
    let positive = |size: Option<f64>| size.filter(|size| size.is_finite() && *size > 0.0);
    let headers = positive(response.headers_size).unwrap_or(0.0);
    let content = || content(response.content.as_ref().unwrap_or(&Content::default()));
    let sent = positive(response.transfer_size);
    let total = if is_cached(entry) {
        // A cache keeps the headers of the object, and with them its size as it was sent.
        let sent_once = response.header("content-length").and_then(|length| length.trim().parse().ok());
        (positive(sent_once).unwrap_or_else(content) + headers).max(sent.unwrap_or(0.0))
    } else {
        let size = response.content.as_ref().and_then(|content| content.size);
        let body = response.body_size.filter(|size| *size >= 0.0);
        // Firefox counts the headers to the body, and to that of a redirect the body of its target.
        let is_whole = headers > 0.0 && body == size.map(|size| size + headers);
        let is_empty = entry.redirect().is_some() && size == Some(0.0);
        let body = if is_empty { 0.0 } else { body.unwrap_or_else(content) };
        sent.unwrap_or(if is_whole { body } else { body + headers })
    };
    total.clamp(1.0, 1e12) as u64
}

/// Bytes of a content, less its compression if it is smaller.
fn content(content: &Content) -> f64 {
    let size = content.size.filter(|size| size.is_finite()).unwrap_or(0.0).max(0.0);
    let saved = content.compression.filter(|saved| (0.0..size).contains(saved));
    size - saved.unwrap_or(0.0)
}

/// Place of `ssl` in the timings of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// A part of `connect`, as HAR 1.2 has it.
    Inside,
    /// Beside `connect`, as Firefox and mitmproxy write it.
    Beside,
    /// A part of `connect` that `time` counts once more, as Playwright's does.
    Doubled,
}

impl Tls {
    /// The place in a recording of these entries. `time` is the sum of the parts; where `ssl` is one of them, it is
    /// beside `connect` if that can be a round trip: every answer takes one too.
    pub fn of(entries: &[&Entry]) -> Self {
        let with_tls = entries.iter().filter_map(|entry| {
            let timings = entry.timings.as_ref()?;
            let (connect, ssl) = (timings.connect?, timings.ssl?);
            (connect >= 0.0 && ssl > 0.0).then_some((connect, ssl, entry.time.map(|time| time - timings.sum())))
        });
        let (mut votes, mut least) = (0_i64, f64::INFINITY);
        for (connect, ssl, left) in with_tls {
            let is_counted = left.is_some_and(|left| (left - ssl).abs() < left.abs());
            votes += if is_counted || is_more(ssl, connect) { 1 } else { -1 };
            least = if connect > 0.0 { least.min(connect) } else { least };
        }
        match votes > 0 {
            true if least.is_finite() && least > least_answer(entries) => Self::Doubled,
            true => Self::Beside,
            false => Self::Inside,
        }
    }

    /// Milliseconds from the start of an entry to its last byte.
    pub fn time(self, entry: &Entry) -> f64 {
        let nothing = Timings::default();
        let timings = entry.timings.as_ref().unwrap_or(&nothing);
        let ssl = timings.ssl.unwrap_or(0.0).max(0.0);
        let more = if self == Self::Beside { ssl } else { 0.0 };
        let Some(time) = entry.time else { return timings.sum() + more };
        let is_doubled = self == Self::Doubled && (time - timings.sum() - ssl).abs() < 1.0;
        if is_doubled { time - ssl } else { time }
    }
}

/// True if `ssl` cannot be a part of `connect`; some write whole milliseconds.
fn is_more(ssl: f64, connect: f64) -> bool {
    ssl > connect + 1.0
}

/// Least time in milliseconds from a request to the first byte of its answer, over the network.
fn least_answer(entries: &[&Entry]) -> f64 {
    let answers = entries.iter().filter(|entry| !is_cached(entry)).map(|entry| entry.answer());
    answers.filter(|answer| *answer > 0.0).fold(f64::INFINITY, f64::min)
}

/// Least round trip of a recording in milliseconds, by its TCP handshakes; zero without any. Where `ssl` is all of
/// `connect`, TCP's part is not known: TLS takes a round trip or more, and so does every answer.
pub(super) fn round_trip(entries: &[&Entry], tls: Tls) -> f64 {
    let nothing = Timings::default();
    let (mut least, mut bound) = (f64::INFINITY, f64::INFINITY);
    for entry in entries {
        let timings = entry.timings.as_ref().unwrap_or(&nothing);
        let Some(connect) = timings.connect.filter(|connect| *connect > 0.0) else { continue };
        let ssl = timings.ssl.unwrap_or(0.0).max(0.0);
        // QUIC shakes hands once for both.
        let is_apart = tls == Tls::Beside || is_more(ssl, connect) || is_quic(entry);
        match if is_apart { connect } else { connect - ssl } {
            handshake if handshake > 0.0 => least = least.min(handshake),
            _ => bound = bound.min(ssl),
        }
    }
    if least.is_finite() {
        least
    } else if bound.is_finite() {
        bound.min(least_answer(entries))
    } else {
        0.0
    }
}

/// Milliseconds at the server; `None` of an object that a cache answered.
pub(super) fn service(entry: &Entry, rtt: f64) -> Option<f64> {
    let is_asked = !is_cached(entry) || entry.response.as_ref().is_some_and(|response| response.status == Some(304.0));
    is_asked.then(|| (entry.answer() - rtt).clamp(0.0, MOST_MS))
}

/// Median of the times at the server: that of objects whose own was not recorded.
pub(super) fn usual_service(entries: &[&Entry], rtt: f64) -> f64 {
    let mut known: Vec<f64> = entries.iter().filter_map(|entry| service(entry, rtt)).collect();
    known.sort_unstable_by(f64::total_cmp);
    known.get(known.len() / 2).copied().unwrap_or(0.0)
}

fn is_quic(entry: &Entry) -> bool {
    let asked = entry.request.as_ref().and_then(|request| request.http_version.as_deref());
    let answered = entry.response.as_ref().and_then(|response| response.http_version.as_deref());
    let is_quic = |version: &str| {
        let version = version.to_ascii_lowercase();
        ["h3", "http/3", "quic"].iter().any(|begin| version.starts_with(begin))
    };
    [asked, answered].into_iter().flatten().any(is_quic)
}
