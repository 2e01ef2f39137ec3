//! Recordings of a few entries, with what follows from them by hand.

use super::*;
use serde_json::{Value, json};

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
        entry("00.110", "https://site.org/s.css", 90.0, r#","_initiator":{"type":"parser","url":"https://site.org/"}"#),
    );
    let objects = page(&text).expect("it is a HAR").objects;
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
    let objects = page(&format!(r#"{{"log":{{"entries":[{}]}}}}"#, entries.join(","))).expect("it is a HAR").objects;
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

/// An entry of a HAR, by its start and its time in milliseconds.
fn entry(start: f64, url: &str, time: f64) -> Value {
    json!({
        "startedDateTime": format!("2026-03-01T12:00:{:06.3}Z", start / 1e3),
        "time": time,
        "request": {"url": url},
        "response": {"status": 200, "content": {"size": 1000}},
        "timings": {"wait": 50},
    })
}

/// An entry with further fields, by their JSON pointers.
fn with(mut entry: Value, fields: &[(&str, Value)]) -> Value {
    for (pointer, value) in fields {
        let (table, key) = pointer.rsplit_once('/').expect("a pointer");
        entry.pointer_mut(table).expect("it is there")[key] = value.clone();
    }
    entry
}

fn har(entries: &[Value]) -> Result<Read, String> {
    page(&json!({"log": {"entries": entries}}).to_string())
}

/// Parents and delays in milliseconds.
fn tree(read: &Read) -> Vec<(Option<&str>, u32)> {
    let delay = |object: &PageObject| (object.delay.0.as_secs() * 1e3).round() as u32;
    read.objects.iter().map(|object| (object.parent.as_deref(), delay(object))).collect()
}

fn names(read: &Read) -> Vec<&str> {
    read.objects.iter().map(|object| object.name.as_str()).collect()
}

const PAGE: &str = "https://site.org/";

/// The server's time of the last object in milliseconds.
fn last_service(read: &Read) -> f64 {
    let last = read.objects.last().expect("there is one");
    (last.service.0.as_secs() * 1e4).round() / 10.0
}

/// A handshake of TCP of 50 ms and one of TLS of 55 ms: of 70 ms of waiting, 20 were the server's. HAR 1.2 has `ssl`
/// in `connect`, Firefox beside it; over QUIC they are one.
#[test]
fn handshakes_tell_the_round_trip_however_they_are_written() {
    let recorded = |time: f64, connect: f64, ssl: f64, version: &str| {
        let timings = json!({"blocked": 1, "connect": connect, "ssl": ssl, "wait": 70, "receive": 24});
        let first = with(entry(0.0, PAGE, time), &[("/timings", timings), ("/request/httpVersion", json!(version))]);
        let second = with(entry(220.0, "https://site.org/a", 100.0), &[("/timings/wait", json!(70))]);
        last_service(&har(&[first, second]).expect("it is a HAR"))
    };
    assert_eq!(recorded(200.0, 105.0, 55.0, "h2"), 20.0);
    assert_eq!(recorded(200.0, 50.0, 55.0, "h2"), 20.0);
    // A handshake of TLS that takes less than that of TCP: only the sum tells.
    assert_eq!(recorded(185.0, 50.0, 40.0, "h2"), 20.0);
    assert_eq!(recorded(145.0, 50.0, 40.0, "h2"), 60.0);
    assert_eq!(recorded(145.0, 50.0, 50.0, "h3"), 20.0);
    // Playwright's `time` counts TLS twice: 105 ms are no round trip, as answers take 70.
    assert_eq!(recorded(255.0, 105.0, 55.0, "h2"), 20.0);
}

/// The second request begins when the first has ended, 130 ms after its start: 100 + 20 + 10, and TLS once more.
#[test]
fn a_time_that_counts_tls_twice_is_shortened() {
    let timings = json!({"connect": 100, "ssl": 60, "wait": 20, "receive": 10});
    let first = with(entry(0.0, PAGE, 190.0), &[("/timings", timings)]);
    let second = with(entry(135.0, "https://site.org/a", 50.0), &[("/timings/wait", json!(20))]);
    let third = entry(200.0, "https://site.org/b", 50.0);
    let read = har(&[first, second, third]).expect("it is a HAR");
    assert_eq!(tree(&read), [(None, 0), (Some("0:site.org"), 5), (Some("1:a"), 15)]);
}

/// Chromium may count the handshake of a connection that it opened beforehand to TLS alone, as in the recording of
/// chrome-har: the round trip is at most that of TLS, and at most the least answer.
#[test]
fn tls_bounds_a_round_trip_that_was_not_recorded() {
    let timings = json!({"connect": 80, "ssl": 80, "send": 36, "wait": 26});
    let first = with(entry(0.0, PAGE, 142.0), &[("/timings", timings)]);
    let second = with(entry(220.0, "https://site.org/a", 100.0), &[("/timings", json!({"send": 1, "wait": 49}))]);
    let third = with(entry(220.0, "https://site.org/b", 100.0), &[("/timings/wait", json!(70))]);
    assert_eq!(last_service(&har(&[first.clone(), second, third]).expect("it is a HAR")), 20.0);
    let late = with(entry(220.0, "https://site.org/b", 100.0), &[("/timings/wait", json!(170))]);
    let alone = with(first, &[("/timings/send", json!(136))]);
    assert_eq!(last_service(&har(&[alone, late]).expect("it is a HAR")), 90.0);
}

/// Firefox counts headers to `bodySize`, and to that of a redirect the body of its target.
#[test]
fn sizes_of_firefox_are_those_on_the_wire() {
    let sized = |size: u32, body: u32| {
        [
            ("/response/content/size", json!(size)),
            ("/response/bodySize", json!(body)),
            ("/response/headersSize", json!(200)),
        ]
    };
    let redirect = [("/response/status", json!(302)), ("/response/redirectURL", json!("/en"))];
    let first = with(with(entry(0.0, PAGE, 100.0), &sized(0, 12_000)), &redirect);
    let page = with(entry(120.0, "https://site.org/en", 100.0), &sized(12_000, 12_200));
    let other = with(entry(240.0, "https://site.org/a", 100.0), &sized(12_000, 12_000));
    let read = har(&[first, page, other]).expect("it is a HAR");
    let sizes: Vec<u64> = read.objects.iter().map(|object| object.size.0.count()).collect();
    assert_eq!(sizes, [200, 12_200, 12_200]);
}

/// The size on the wire of what the browser had: the length that the cache kept, or the content.
#[test]
fn objects_of_the_cache_have_their_size() {
    let cached = |fields: &[(&str, Value)]| {
        let object = with(entry(120.0, "https://site.org/a", 2.0), &[("/response/content/size", json!(200_000))]);
        let read = har(&[entry(0.0, PAGE, 100.0), with(object, fields)]).expect("it is a HAR");
        (read.objects[1].size.0.count(), read.notes.len())
    };
    let chrome =
        [("/response/_transferSize", json!(0)), ("/response/bodySize", json!(0)), ("/_fromCache", json!("disk"))];
    assert_eq!(cached(&chrome), (200_000, 1));
    let saved = ("/response/content/compression", json!(200_000));
    assert_eq!(cached(&[chrome[0].clone(), chrome[1].clone(), saved]), (200_000, 1));
    let length = ("/response/headers", json!([{"name": "Content-Length", "value": "60000"}]));
    assert_eq!(cached(&[chrome[0].clone(), length]), (60_000, 1));
    assert_eq!(cached(&[("/response/bodySize", json!(0)), ("/response/headersSize", json!(300))]), (200_300, 1));
    let confirmed = [("/response/status", json!(304)), ("/response/_transferSize", json!(150))];
    assert_eq!(cached(&confirmed), (200_000, 1));
    // Without any of these it is as it was sent.
    assert_eq!(cached(&[("/response/_transferSize", json!(50_300))]), (50_300, 0));
    assert_eq!(cached(&[("/response/content/size", json!(0)), ("/response/bodySize", json!(0))]), (1, 0));
}

/// A cache answers at once; the server would have taken what it took for others, of whom the page took 20 ms.
#[test]
fn objects_of_the_cache_have_the_usual_time_at_the_server() {
    let timings = json!({"connect": 60, "ssl": 30, "wait": 50});
    let read = |fields: &[(&str, Value)]| {
        let object = with(entry(120.0, "https://site.org/a", 2.0), &[("/timings/wait", json!(1))]);
        let first = with(entry(0.0, PAGE, 110.0), &[("/timings", timings.clone())]);
        last_service(&har(&[first, with(object, fields)]).expect("it is a HAR"))
    };
    assert_eq!(read(&[("/_fromCache", json!("disk"))]), 20.0);
    assert_eq!(read(&[]), 0.0);
    assert_eq!(read(&[("/_fromCache", json!("disk")), ("/response/status", json!(304))]), 0.0);
}

#[test]
fn an_object_that_a_page_has_twice_is_loaded_once() {
    let again = with(entry(300.0, "https://site.org/a", 1.0), &[("/_fromCache", json!("memory"))]);
    let read = har(&[entry(0.0, PAGE, 100.0), entry(120.0, "https://site.org/a", 50.0), again]).expect("it is a HAR");
    assert_eq!((names(&read), read.notes.len()), (vec!["0:site.org", "1:a"], 0));
    // What a server sent twice is loaded twice.
    let twice = entry(300.0, "https://site.org/a", 50.0);
    let read = har(&[entry(0.0, PAGE, 100.0), entry(120.0, "https://site.org/a", 50.0), twice]).expect("it is a HAR");
    assert_eq!(read.objects.len(), 3);
}

/// The first page, up to its load event.
#[test]
fn a_page_ends_with_its_load_event() {
    let on = |entry: Value, page: &str| with(entry, &[("/pageref", json!(page))]);
    let entries = [
        on(entry(0.0, PAGE, 100.0), "p1"),
        on(entry(120.0, "https://site.org/a", 100.0), "p1"),
        entry(130.0, "https://site.org/b", 100.0),
        on(entry(230.0, "https://site.org/poll", 100.0), "p1"),
        on(entry(10_000.0, "https://site.org/next", 100.0), "p2"),
        entry(10_100.0, "https://site.org/c", 100.0),
    ];
    let read = |load: Value| {
        let pages = json!([
            {"id": "p2", "startedDateTime": "2026-03-01T12:00:10.000Z", "pageTimings": {"onLoad": 200}},
            {"id": "p1", "startedDateTime": "2026-03-01T12:00:00.000Z", "pageTimings": {"onLoad": load}},
        ]);
        page(&json!({"log": {"entries": entries, "pages": pages}}).to_string()).expect("it is a HAR")
    };
    let first = read(json!(225));
    assert_eq!(names(&first), ["0:site.org", "1:a", "2:b"]);
    assert_eq!(
        first.notes,
        ["2 requests of later pages left out: `p1` is the first", "1 request after the load event left out"]
    );
    for unknown in [json!(-1), json!(null)] {
        assert_eq!(names(&read(unknown)), ["0:site.org", "1:a", "2:b", "3:poll"]);
    }
}

/// A page behind two redirects, the second to an address without a host.
#[test]
fn redirects_lead_to_the_page() {
    let redirect =
        |status: u32, target: &str| [("/response/status", json!(status)), ("/response/redirectURL", json!(target))];
    let cause = json!({"type": "other"});
    let entries = [
        with(entry(0.0, "http://site.org/", 100.0), &redirect(301, PAGE)),
        with(entry(100.0, PAGE, 100.0), &redirect(302, "/en#top")),
        with(entry(205.0, "https://site.org/en", 50.0), &[("/_initiator", cause)]),
        with(entry(265.0, "https://site.org/a", 50.0), &[("/_initiator", json!({"url": "http://site.org/"}))]),
    ];
    let read = har(&entries).expect("it is a HAR");
    let expected = [(None, 0), (Some("0:site.org"), 0), (Some("1:site.org"), 5), (Some("2:en"), 10)];
    assert_eq!(tree(&read), expected);
    let flags: Vec<_> = read.objects.iter().map(|object| (object.redirect, object.blocking)).collect();
    assert_eq!(flags, [(true, true), (true, false), (false, true), (false, false)]);
}

/// A request of a script, after a picture that ended later: by the nearest call, a calling stack, or chrome-har's
/// fields.
#[test]
fn scripts_are_the_parents_of_what_they_ask_for() {
    let parent_of = |fields: &[(&str, Value)]| {
        let entries = [
            entry(0.0, PAGE, 100.0),
            entry(110.0, "https://site.org/app.js", 90.0),
            entry(110.0, "https://site.org/hero.jpg", 1700.0),
            with(entry(1830.0, "https://site.org/data.json", 60.0), fields),
        ];
        tree(&har(&entries).expect("it is a HAR"))[3].0.expect("a parent").to_owned()
    };
    let script = |urls: &[&str]| {
        let frames: Vec<_> = urls.iter().map(|url| json!({"functionName": "load", "url": url})).collect();
        json!({"callFrames": frames})
    };
    let app = script(&["https://site.org/app.js"]);
    let cause = json!({"type": "script", "stack": app});
    assert_eq!(parent_of(&[("/_initiator", cause.clone())]), "1:app.js");
    let unnamed = script(&["", "https://site.org/app.js#x"]);
    assert_eq!(parent_of(&[("/_initiator", json!({"type": "script", "stack": unnamed}))]), "1:app.js");
    let mut asynchronous = script(&[]);
    asynchronous["parent"] = app;
    assert_eq!(parent_of(&[("/_initiator", json!({"type": "script", "stack": asynchronous}))]), "1:app.js");
    assert_eq!(parent_of(&[("/_initiator", json!("https://site.org/app.js"))]), "1:app.js");
    assert_eq!(parent_of(&[("/_initiator_detail", json!(cause.to_string()))]), "1:app.js");
    assert_eq!(parent_of(&[]), "2:hero.jpg");
}

#[test]
fn styles_block_unless_the_recording_says_otherwise() {
    let blocks = |fields: &[(&str, Value)]| {
        let style = with(
            entry(120.0, "https://site.org/s.css", 10.0),
            &[("/response/content/mimeType", json!("Text/CSS; charset=utf-8"))],
        );
        har(&[entry(0.0, PAGE, 100.0), with(style, fields)]).expect("it is a HAR").objects[1].blocking
    };
    assert!(blocks(&[]));
    let print = ["nonblocking", "non_blocking", "NonBlockingDynamic", "dynamically_injected_non_blocking"];
    assert_eq!(print.map(|text| blocks(&[("/_renderBlocking", json!(text))])), [false; 4]);
    let shown = ["blocking", "Blocking", "in_body_parser_blocking", "potentially_blocking"];
    assert_eq!(shown.map(|text| blocks(&[("/_renderBlocking", json!(text))])), [true; 4]);
    assert!(!blocks(&[("/_priority", json!("VeryLow"))]) && blocks(&[("/_priority", json!("VeryHigh"))]));
}

#[test]
fn requests_that_stay_in_the_browser_are_left_out() {
    let left = |url: &str, fields: &[(&str, Value)]| {
        let read = har(&[entry(0.0, PAGE, 100.0), with(entry(120.0, url, 10.0), fields)]).expect("it is a HAR");
        (read.objects.len(), read.notes)
    };
    let note = vec!["1 request left out: not sent over HTTP, or not answered".to_owned()];
    for url in ["data:image/png;base64,AA==", "blob:https://site.org/1", "chrome-extension://x/y.js", "wss://site.org/"]
    {
        assert_eq!(left(url, &[]), (1, note.clone()), "{url}");
    }
    let url = "https://site.org/a";
    assert_eq!(left(url, &[("/response/status", json!(0)), ("/time", json!(-1))]), (1, note.clone()));
    let internal = json!([{"name": "Non-Authoritative-Reason", "value": "HSTS"}]);
    assert_eq!(left(url, &[("/response/headers", internal)]).0, 1);
    let worker = ("/response/_fetchedViaServiceWorker", json!(true));
    let source = |text: &str| ("/response/_serviceWorkerResponseSource", json!(text));
    assert_eq!(left(url, std::slice::from_ref(&worker)).0, 1);
    assert_eq!(left(url, &[worker.clone(), source("fallback-code")]).0, 1);
    assert_eq!(left(url, &[worker.clone(), source("cache-storage")]).0, 2);
    assert_eq!(left(PAGE, &[worker, source("network")]).0, 1);
    assert_eq!(left(url, &[]), (2, vec![]));
}

/// Tools write null where they know nothing.
#[test]
fn nulls_are_unknown() {
    let nulls = json!({
        "startedDateTime": "2026-03-01T12:00:00.120Z", "time": null, "pageref": null, "cache": {"beforeRequest": null},
        "request": {"url": "https://site.org/a", "httpVersion": null}, "_initiator": null, "_renderBlocking": null,
        "response": {"status": null, "bodySize": null, "headersSize": null, "headers": null, "redirectURL": null,
            "_transferSize": null, "content": {"size": 1000, "compression": null, "mimeType": null}},
        "timings": {"blocked": null, "connect": null, "ssl": null, "wait": null, "receive": 30},
    });
    let read = page(
        &json!({"log": {"pages": null, "entries": [entry(0.0, PAGE, 100.0), nulls, entry(160.0, PAGE, 1.0)]}})
            .to_string(),
    );
    let read = read.expect("it is a HAR");
    assert_eq!(tree(&read), [(None, 0), (Some("0:site.org"), 20), (Some("1:a"), 10)]);
    assert_eq!(read.objects[1].size.0.count(), 1000);
    let unsaid = json!({"startedDateTime": null, "request": {"url": PAGE}, "response": {}});
    assert_eq!(har(&[unsaid]).expect_err("it has no time"), "entry 0: `startedDateTime` is no time: `null`");
    assert_eq!(har(&[json!({})]).expect_err("nothing was asked for"), "a page has at least one object");
}

/// Pair by pair, 40,000 entries took 23 s.
#[test]
#[expect(clippy::disallowed_types, reason = "the test measures how long reading takes")]
fn long_recordings_are_read_at_once() {
    let entries: Vec<String> = (0..40_000)
        .map(|at| {
            format!(
                r#"{{"startedDateTime":"2026-03-01T12:00:{:06.3}Z","time":30,"request":{{"url":"{PAGE}{at}"}},
                "response":{{}}}}"#,
                f64::from(at) / 1e3
            )
        })
        .collect();
    let text = |count: usize| format!(r#"{{"log":{{"entries":[{}]}}}}"#, entries[..count].join(","));
    let start = std::time::Instant::now();
    assert_eq!(page(&text(entries.len())).expect_err("too many"), "40000 objects; at most 10000 are allowed");
    let read = page(&text(MOST_OBJECTS)).expect("it is a HAR");
    assert_eq!(tree(&read)[9999], (Some("9969:9969"), 0));
    let taken = start.elapsed().as_secs();
    assert!(taken < 10, "{taken} s");
}
