//! Pages as text: a list of objects in JSON, or a HAR 1.2, as browsers record it.

mod address;
mod clock;
mod format;
mod parents;
mod size;

use crate::format::{PageObject, Positive, Written};
use address::{is_http, origin, short, without_fragment};
use clock::{MOST_MS, millis};
use format::{Entry, Flag, Har, Page};
use parents::{Parents, Span, parents};
use serde::Deserialize;
use size::{Tls, is_cached, round_trip, service, size, usual_service};
use std::collections::BTreeSet;
use windward_units::{Bytes, Duration};

/// Most objects of a page.
pub const MOST_OBJECTS: usize = 10_000;

/// A page that has been read.
#[derive(Debug)]
pub struct Read {
    /// Its objects, the page itself first.
    pub objects: Vec<PageObject>,
    /// Parts of a recording that are left out or changed.
    pub notes: Vec<String>,
}

/// Reads a page: `{"objects": […]}` with the fields of a scenario's objects, or a HAR.
///
/// # Errors
/// The first problem of the text, with its place.
pub fn page(text: &str) -> Result<Read, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        objects: Vec<PageObject>,
    }
    #[derive(Deserialize)]
    struct Kind {
        log: Option<serde::de::IgnoredAny>,
    }
    let kind: Kind = serde_json::from_str(text).map_err(|error| format!("not the JSON of a page: {error}"))?;
    let read = match kind.log {
        None => {
            let own: Own = serde_json::from_str(text).map_err(|error| error.to_string())?;
            Read { objects: own.objects, notes: Vec::new() }
        }
        Some(_) => {
            let har: Har = serde_json::from_str(text).map_err(|error| format!("not a HAR: {error}"))?;
            of_har(&har)?
        }
    };
    match read.objects.len() {
        0 => Err("a page has at least one object".to_owned()),
        count => at_most(count).map(|()| read),
    }
}

fn at_most(count: usize) -> Result<(), String> {
    if count > MOST_OBJECTS {
        return Err(format!("{count} objects; at most {MOST_OBJECTS} are allowed"));
    }
    Ok(())
}

/// The objects of a recording's first page, with their [`parents`]. `wait` contains a round trip, which the recording's
/// TCP handshakes tell.
fn of_har(har: &Har) -> Result<Read, String> {
    let mut notes = Vec::new();
    let sent = sent(&har.log.entries, &mut notes);
    let entries: Vec<&Entry> = sent.iter().map(|(_, entry)| *entry).collect();
    let tls = Tls::of(&entries);
    let sent = spans(&sent, tls)?;
    let rtt = round_trip(&entries, tls);
    let usual = usual_service(&entries, rtt);
    let spans = first_page(sent, har.log.pages.as_deref().unwrap_or_default(), &mut notes);
    let spans = uncached(spans, &mut notes);
    at_most(spans.len())?;
    let Parents { of, is_redirect, page } = parents(&spans);
    let mut objects: Vec<PageObject> = Vec::new();
    for (place, &Span { start, entry, .. }) in spans.iter().enumerate() {
        let parent = of[place];
        let delay = parent.map_or(0.0, |parent| (start - spans[parent].end).max(0.0));
        let url = entry.url();
        objects.push(PageObject {
            name: short(url, place),
            size: Positive(Bytes::new(size(entry))),
            origin: Some(origin(url).to_owned()),
            parent: parent.map(|parent| objects[parent].name.clone()),
            delay: Written(Duration::from_secs(delay / 1e3)),
            service: Written(Duration::from_secs(service(entry, rtt).unwrap_or(usual) / 1e3)),
            blocking: place == 0 || place == page || entry.is_blocking(),
            redirect: is_redirect[place],
        });
    }
    Ok(Read { objects, notes })
}

/// A number of requests, as notes give it.
fn requests(count: usize) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }
}

/// The entries whose requests left the browser and were answered, with their numbers.
fn sent<'a>(entries: &'a [Entry], notes: &mut Vec<String>) -> Vec<(usize, &'a Entry)> {
    let answered: BTreeSet<&str> = entries.iter().filter(|entry| !is_of_worker(entry)).map(Entry::url).collect();
    let sent: Vec<_> = entries.iter().enumerate().filter(|(_, entry)| is_sent(entry, &answered)).collect();
    let others = entries.len() - sent.len();
    if others > 0 {
        notes.push(format!("{} left out: not sent over HTTP, or not answered", requests(others)));
    }
    sent
}

/// Starts and ends of entries, in the order of their starts.
fn spans<'a>(sent: &[(usize, &'a Entry)], tls: Tls) -> Result<Vec<Span<'a>>, String> {
    let mut spans = Vec::new();
    for &(at, entry) in sent {
        let time = entry.started_date_time.as_deref().unwrap_or("null");
        let start = millis(time).ok_or_else(|| format!("entry {at}: `startedDateTime` is no time: `{time}`"))?;
        let time = tls.time(entry);
        if !(0.0..=MOST_MS).contains(&time) {
            return Err(format!("entry {at}: `time` is {time} ms; allowed: 0 to {MOST_MS}"));
        }
        spans.push(Span { start, end: start + time, entry });
    }
    spans.sort_by(|a, b| a.start.total_cmp(&b.start));
    Ok(spans)
}

/// True if a service worker answered.
fn is_of_worker(entry: &Entry) -> bool {
    entry.response.as_ref().is_some_and(|response| Flag::is_set(response.via_worker.as_ref()))
}

/// True if the request of an entry left the browser and was answered. `answered` has the addresses that were not
/// answered by a service worker.
fn is_sent(entry: &Entry, answered: &BTreeSet<&str>) -> bool {
    let Some(response) = entry.response.as_ref().filter(|_| is_http(entry.url())) else { return false };
    // Requests that are aborted or blocked before an answer have no status. A browser that knows that a host takes
    // HTTPS alone (HSTS) makes a redirect of its own.
    if response.status.is_some_and(|status| status <= 0.0) || response.header("non-authoritative-reason").is_some() {
        return false;
    }
    // Visits begin without service workers: what one had in its cache crosses the network, what it made does not, and
    // what it asked for is an entry of its own.
    match response.worker_source.as_deref() {
        _ if !is_of_worker(entry) => true,
        _ if answered.contains(entry.url()) => false,
        Some("cache-storage" | "http-cache" | "network") => true,
        Some(_) | None => {
            let is_page = entry.resource_type.as_deref() == Some("document");
            is_page || response.transfer_size.is_some_and(|size| size > 0.0)
        }
    }
}

/// The entries of the first page that began before its load event.
fn first_page<'a>(spans: Vec<Span<'a>>, pages: &[Page], notes: &mut Vec<String>) -> Vec<Span<'a>> {
    let Some(id) = spans.iter().find_map(|span| span.entry.pageref.as_deref()) else { return spans };
    let is_other = |span: &Span| span.entry.pageref.as_deref().is_some_and(|own| own != id);
    let next = spans.iter().find(|span| is_other(span)).map_or(f64::INFINITY, |span| span.start);
    let page = pages.iter().find(|page| page.id.as_deref() == Some(id));
    let load = page.and_then(|page| {
        let load = page.page_timings.as_ref()?.on_load.filter(|load| *load > 0.0)?;
        Some(millis(page.started_date_time.as_deref()?)? + load)
    });
    let before = spans.len();
    let own = |span: &Span| span.entry.pageref.as_deref().map_or(span.start < next, |own| own == id);
    let mut spans: Vec<Span> = spans.into_iter().filter(own).collect();
    if spans.len() < before {
        notes.push(format!("{} of later pages left out: `{id}` is the first", requests(before - spans.len())));
    }
    if let Some(load) = load {
        let before = spans.len();
        // A clock that was set in between must not take the page itself.
        spans =
            spans.into_iter().enumerate().filter(|(at, span)| *at == 0 || span.start <= load).map(|(_, s)| s).collect();
        if spans.len() < before {
            notes.push(format!("{} after the load event left out", requests(before - spans.len())));
        }
    }
    spans
}

/// The entries without those that the browser had from an earlier one of the same visit.
fn uncached<'a>(spans: Vec<Span<'a>>, notes: &mut Vec<String>) -> Vec<Span<'a>> {
    let mut seen = BTreeSet::new();
    let mut count = 0;
    let is_needed = |span: &Span<'a>| {
        let is_new = seen.insert(without_fragment(span.entry.url()));
        let is_cached = is_cached(span.entry);
        count += usize::from(is_new && is_cached);
        is_new || !is_cached
    };
    let spans = spans.into_iter().filter(is_needed).collect();
    if count > 0 {
        let objects = if count == 1 { "1 object".to_owned() } else { format!("{count} objects") };
        notes.push(format!("{objects} of the browser's cache loaded in full: visits begin without a cache"));
    }
    spans
}

#[cfg(test)]
mod tests;
