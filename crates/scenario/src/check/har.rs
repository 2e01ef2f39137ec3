//! Pages as text: a list of objects in JSON, or a HAR 1.2, as browsers record it.

use crate::format::{PageObject, Positive, Written};
use serde::Deserialize;
use std::collections::BTreeMap;
use windward_units::{Bytes, Duration};

/// Most objects of a page.
pub const MOST_OBJECTS: usize = 10_000;

/// Largest time of a HAR in milliseconds that is read, a day.
const MOST_MS: f64 = 86_400_000.0;

/// Reads a page: `{"objects": […]}` with the fields of a scenario's objects, or a HAR.
///
/// # Errors
/// The first problem of the text, with its place.
pub fn page(text: &str) -> Result<Vec<PageObject>, String> {
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
    let objects = match kind.log {
        None => serde_json::from_str::<Own>(text).map_err(|error| error.to_string())?.objects,
        Some(_) => {
            let har: Har = serde_json::from_str(text).map_err(|error| format!("not a HAR: {error}"))?;
            of_har(&har.log.entries)?
        }
    };
    match objects.len() {
        0 => Err("a page has at least one object".to_owned()),
        count if count > MOST_OBJECTS => Err(format!("{count} objects; at most {MOST_OBJECTS} are allowed")),
        _ => Ok(objects),
    }
}

#[derive(Deserialize)]
struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: String,
    /// Milliseconds from the start to the last byte.
    time: f64,
    request: Asked,
    response: Answer,
    timings: Timings,
    #[serde(rename = "_initiator")]
    initiator: Option<Initiator>,
    #[serde(rename = "_renderBlocking")]
    render_blocking: Option<String>,
}

#[derive(Deserialize)]
struct Asked {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default = "unknown")]
    body_size: f64,
    #[serde(default = "unknown")]
    headers_size: f64,
    content: Content,
    #[serde(rename = "_transferSize")]
    transfer_size: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default)]
    size: f64,
    #[serde(default)]
    compression: f64,
    #[serde(default)]
    mime_type: String,
}

/// Milliseconds; −1 where a part did not occur.
#[derive(Deserialize)]
struct Timings {
    wait: f64,
    #[serde(default = "unknown")]
    connect: f64,
    #[serde(default = "unknown")]
    ssl: f64,
}

#[derive(Deserialize)]
struct Initiator {
    url: Option<String>,
}

fn unknown() -> f64 {
    -1.0
}

/// An entry between its start and its end, in milliseconds.
struct Span<'a> {
    start: f64,
    end: f64,
    entry: &'a Entry,
}

impl Span<'_> {
    /// True if nothing is shown before its end.
    fn is_blocking(&self) -> bool {
        self.entry.render_blocking.as_deref() == Some("blocking")
            || self.entry.response.content.mime_type.starts_with("text/css")
    }
}

/// The object that names the one at `place` of `spans`, which are in the order of their starts: its initiator of those
/// `known` by address, or else the object whose end was the latest before its start. The parser of the page waits for
/// blocking objects, so what it asks for after the end of one has that as its parent.
fn parent(spans: &[Span], place: usize, known: &BTreeMap<&str, usize>) -> Option<usize> {
    let Span { start, entry, .. } = &spans[place];
    let last = |is_meant: &dyn Fn(&Span) -> bool| {
        let before = (0..place).filter(|&other| spans[other].end <= *start && is_meant(&spans[other]));
        before.max_by(|&a, &b| spans[a].end.total_cmp(&spans[b].end))
    };
    let initiator = entry.initiator.as_ref().and_then(|initiator| initiator.url.as_deref());
    match initiator.and_then(|url| known.get(url).copied()) {
        Some(0) => last(&|other| other.is_blocking()).or(Some(0)),
        None if place == 0 => None,
        None => last(&|_| true).or(Some(0)),
        found => found,
    }
}

/// The objects of a recording, with their [`parent`]. `wait` contains a round trip; the shortest TCP handshake of the
/// recording tells how long that was.
fn of_har(entries: &[Entry]) -> Result<Vec<PageObject>, String> {
    let mut spans = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let time = &entry.started_date_time;
        let start = millis(time).ok_or_else(|| format!("entry {at}: `startedDateTime` is no time: `{time}`"))?;
        if !(0.0..=MOST_MS).contains(&entry.time) {
            return Err(format!("entry {at}: `time` is {} ms; allowed: 0 to {MOST_MS}", entry.time));
        }
        spans.push(Span { start, end: start + entry.time, entry });
    }
    spans.sort_by(|a, b| a.start.total_cmp(&b.start));
    let handshakes = entries.iter().filter(|entry| entry.timings.connect > 0.0);
    // `ssl` is part of `connect`.
    let handshakes = handshakes.map(|entry| entry.timings.connect - entry.timings.ssl.max(0.0));
    let rtt = handshakes.fold(f64::INFINITY, f64::min);
    let rtt = if rtt.is_finite() { rtt.max(0.0) } else { 0.0 };
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut objects: Vec<PageObject> = Vec::new();
    for (place, span) in spans.iter().enumerate() {
        let &Span { start, entry, .. } = span;
        let parent = parent(&spans, place, &known);
        let delay = parent.map_or(0.0, |parent| (start - spans[parent].end).max(0.0));
        objects.push(PageObject {
            name: short(&entry.request.url, place),
            size: Positive(Bytes::new(size(&entry.response))),
            origin: Some(origin(&entry.request.url).to_owned()),
            parent: parent.map(|parent| objects[parent].name.clone()),
            delay: Written(Duration::from_secs(delay / 1e3)),
            service: Written(Duration::from_secs((entry.timings.wait - rtt).clamp(0.0, MOST_MS) / 1e3)),
            blocking: place == 0 || span.is_blocking(),
        });
        known.entry(&entry.request.url).or_insert(place);
    }
    Ok(objects)
}

/// Bytes on the wire: as transferred, or body and headers, or the content less its compression.
fn size(response: &Answer) -> u64 {
    let known = |size: f64| if size.is_finite() && size >= 0.0 { size } else { 0.0 };
    let body = if response.body_size >= 0.0 {
        response.body_size
    } else {
        response.content.size - known(response.content.compression)
    };
    let total = match response.transfer_size {
        Some(size) if size > 0.0 => size,
        _ => known(body) + known(response.headers_size),
    };
    total.clamp(1.0, 1e12) as u64
}

/// Scheme and host of an address.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    &url[..end]
}

/// A name for an object: its number and the end of its path.
fn short(url: &str, place: usize) -> String {
    const LONGEST: usize = 40;
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let begin = last.chars().count().saturating_sub(LONGEST);
    format!("{place}:{}", last.chars().skip(begin).collect::<String>())
}

/// Milliseconds since 1970 of an ISO 8601 time, such as 2026-01-31T12:00:00.123Z or with +01:00.
fn millis(text: &str) -> Option<f64> {
    let (date, time) = text.split_once('T')?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let zone = time.rfind(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone);
    let offset = match zone.strip_prefix('Z') {
        Some("") => 0.0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = hours.parse::<f64>().ok()? * 60.0 + minutes.parse::<f64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let mut parts = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    // Days of the Gregorian calendar, by years that begin in March.
    let (shifted, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * month + 2) / 5 + day - 719_469;
    let minutes = days as f64 * 1440.0 + hour * 60.0 + minute - offset;
    Some(minutes * 60_000.0 + second * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(millis("1970-01-01T00:00:00.000Z"), Some(0.0));
        // `date -ud 2026-03-01T12:30:15Z +%s`
        assert_eq!(millis("2026-03-01T12:30:15.25Z"), Some(1_772_368_215_250.0));
        assert_eq!(millis("2026-03-01T13:30:15.25+01:00"), millis("2026-03-01T12:30:15.25Z"));
        assert_eq!(millis("2024-02-29T00:00:00Z"), Some(1_709_164_800_000.0));
        assert_eq!([millis("today"), millis("2026-13-01T00:00:00Z"), millis("2026-01-01")], [None; 3]);
    }

    /// A page, a style sheet that it names, and an image that began 30 ms after the end of the style sheet and has no
    /// initiator. A handshake of 80 ms without TLS tells the round trip, so the server took 20 of the 100 ms of
    /// waiting.
    #[test]
    fn a_har_has_parents_delays_and_sizes() {
        let entry = |start: &str, url: &str, time: f64, more: &str| {
            format!(
                r#"{{"startedDateTime":"2026-03-01T12:00:{start}Z","time":{time},"request":{{"url":"{url}","method":"GET"}},
                "response":{{"status":200,"bodySize":1000,"headersSize":200,"content":{{"size":5000,"mimeType":"image/png"}}}},
                "timings":{{"blocked":1,"dns":-1,"connect":130,"ssl":50,"send":0,"wait":100,"receive":20}}{more}}}"#
            )
        };
        let text = format!(
            r#"{{"log":{{"version":"1.2","entries":[{},{},{}]}}}}"#,
            entry("00.230", "https://cdn.org/a/b.png?x=1", 90.0, ""),
            entry("00.000", "https://site.org/", 100.0, ""),
            entry(
                "00.110",
                "https://site.org/s.css",
                90.0,
                r#","_initiator":{"type":"parser","url":"https://site.org/"}"#
            ),
        );
        let objects = page(&text).expect("it is a HAR");
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["0:site.org", "1:s.css", "2:b.png"]);
        let parents: Vec<Option<&str>> = objects.iter().map(|object| object.parent.as_deref()).collect();
        assert_eq!(parents, [None, Some("0:site.org"), Some("1:s.css")]);
        let delays: Vec<f64> = objects.iter().map(|object| (object.delay.0.as_secs() * 1e3).round()).collect();
        assert_eq!(delays, [0.0, 10.0, 30.0]);
        assert_eq!(objects[2].origin.as_deref(), Some("https://cdn.org"));
        assert!(objects.iter().all(|object| object.size.0.count() == 1200));
        assert!(objects.iter().all(|object| (object.service.0.as_secs() - 0.02).abs() < 1e-9));
    }

    /// A style sheet, a blocking script, and pictures that the parser asks for before, between and after their ends.
    #[test]
    fn the_parser_waits_for_blocking_objects() {
        let entry = |start: u32, name: &str, time: u32, more: &str| {
            format!(
                r#"{{"startedDateTime":"2026-03-01T12:00:00.{start:03}Z","time":{time},
                "request":{{"url":"https://site.org/{name}"}},"response":{{"content":{{"size":1000}}}},
                "timings":{{"wait":1}},"_initiator":{{"url":"https://site.org/"}}{more}}}"#
            )
        };
        let blocking = r#","_renderBlocking":"blocking""#;
        let entries = [
            entry(0, "", 50, ""),
            entry(60, "s.css", 40, blocking),
            entry(60, "s.js", 90, blocking),
            entry(61, "early.png", 300, ""),
            entry(120, "between.png", 10, ""),
            entry(170, "late.png", 10, ""),
        ];
        let objects = page(&format!(r#"{{"log":{{"entries":[{}]}}}}"#, entries.join(","))).expect("it is a HAR");
        let found: Vec<_> = objects
            .iter()
            .map(|object| (object.parent.as_deref(), (object.delay.0.as_secs() * 1e3).round() as u32))
            .collect();
        let page = Some("0:site.org");
        assert_eq!(found, [(None, 0), (page, 10), (page, 10), (page, 11), (Some("1:s.css"), 20), (Some("2:s.js"), 20)]);
    }

    #[test]
    fn faults_of_a_file_are_named() {
        assert!(page("{").expect_err("it is wrong").starts_with("not the JSON of a page: "));
        assert_eq!(page(r#"{"objects": []}"#).expect_err("it is wrong"), "a page has at least one object");
        let unknown = page(r#"{"objects": [{"name": "a", "size": "1 kB", "colour": 1}]}"#).expect_err("it is wrong");
        assert!(unknown.starts_with("unknown field `colour`"), "{unknown}");
        assert!(page(r#"{"log": {}}"#).expect_err("it is wrong").starts_with("not a HAR: missing field `entries`"));
    }
}
