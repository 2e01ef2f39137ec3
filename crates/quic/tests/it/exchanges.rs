//! Requests and pages over QUIC in scenarios.

use windward_quic::ends;
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Output, VisitLog, run};

fn simulate(text: &str, seed: u64) -> Output {
    let scenario = Scenario::from_toml(text, "exchanges.toml").unwrap_or_else(|error| panic!("{error}"));
    let makers = Makers { quic: Some(ends(None)), ..Makers::default() };
    run(&scenario.compile(seed).network, &makers, seed, &Control::new(), None).expect("it is not cancelled")
}

/// An application `app` over 100 Mbit/s and 50 ms each way.
fn over(link: &str, app: &str) -> String {
    format!(
        r#"
name = "exchanges"
duration = "30 s"
node = [{{ name = "client" }}, {{ name = "server" }}]
link = [{{ from = "client", to = "server", rate = "100 Mbit/s", delay = "50 ms", {link} }}]
app = [{{ from = "client", to = "server", law = "cubic", {app} }}]
"#
    )
}

/// One round trip for the handshake, one for the request and its answer: a certificate of 3 kB takes 0.27 ms, an
/// answer of 1 kB 0.09 ms. A connection that is kept has no handshake.
#[test]
fn a_request_takes_a_handshake_and_a_round_trip() {
    let app = |connections: &str| {
        format!(
            r#"kind = "requests", transport = "quic", response = "1 kB", connections = {connections},
            arrivals = {{ kind = "periodic", every = "1 s" }}"#
        )
    };
    // The request at the end of the run has no answer.
    let zero_rtt = simulate(&over("", &app("\"new\", zero_rtt = true")), 1).requests.completion_s;
    assert!(zero_rtt.len() >= 29 && zero_rtt[..29].iter().all(|took| (0.1..0.103).contains(took)), "{zero_rtt:?}");
    for (connections, later) in [("\"new\"", 0.2), ("1", 0.1)] {
        let output = simulate(&over("", &app(connections)), 1);
        let took: Vec<f64> = output.requests.completion_s.clone();
        assert!(took.len() >= 29, "{}", took.len());
        assert!((0.2..0.203).contains(&took[0]), "{took:?}");
        assert!(took[1..29].iter().all(|took| (later..later + 0.003).contains(took)), "{took:?}");
    }
}

fn page(protocol: &str, objects: &str, link: &str) -> Output {
    let app = format!(
        r#"kind = "page", protocol = "{protocol}", reading = "1 s", reading_spread = "fixed", visits = 3, {objects}"#
    );
    simulate(&over(link, &app), 1)
}

/// TCP and TLS 1.3 take two round trips of 100 ms before the first request, QUIC one.
#[test]
fn a_page_over_h3_saves_a_round_trip() {
    // Both answers fit into the initial window.
    let objects = r#"objects = [{ name = "page", size = "5 kB" }, { name = "style", size = "5 kB" }]"#;
    let [h2, h3] = ["h2", "h3"].map(|protocol| page(protocol, objects, "").of_apps.series::<VisitLog>());
    for at in 0..3 {
        assert!((0.2..0.205).contains(&h3.first_byte_s[at]), "{:?}", h3.first_byte_s);
        let saved = [h2.first_byte_s[at] - h3.first_byte_s[at], h2.load_s[at] - h3.load_s[at]];
        assert!(saved.iter().all(|saved| (saved - 0.1).abs() < 0.002), "{saved:?}");
    }
    assert_eq!(h3.connections, [1, 1, 1]);
}

/// 2 MB take 1.6 s at 10 Mbit/s. Behind them, "h2" sends a small object; "h3" sends its stream between theirs.
#[test]
fn no_stream_waits_for_another() {
    let objects = r#"objects = [
      { name = "page", size = "1 kB" }, { name = "big", size = "2 MB" }, { name = "small", size = "10 kB" },
    ]"#;
    let slow = r#"buffer = "100 packets", reverse = { rate = "10 Mbit/s", buffer = "100 packets" }"#;
    let [h2, h3] = ["h2", "h3"].map(|protocol| {
        let log = page(protocol, objects, slow).requests;
        let small = log.size_bytes.iter().position(|size| *size == 10_000).expect("it was asked for");
        log.completion_s[small]
    });
    assert!(h2 > 1.6 && h3 < 0.4, "{h2}, {h3}");
}

/// Objects whose parents are lost packets of others still arrive, and all connections come to their ends.
#[test]
fn pages_are_loaded_over_a_lossy_link() {
    let output = page("h3", "", "loss = 0.03, reverse = { loss = 0.03 }");
    let visits: VisitLog = output.of_apps.series();
    assert_eq!(visits.load_s.len(), 3);
    assert!(visits.load_s.iter().all(|load| (0.4..5.0).contains(load)), "{:?}", visits.load_s);
    assert!(output.requests.retransmits.iter().sum::<u64>() > 0);
}

/// Firefox's telemetry: more than nine of ten connections are application-limited, and never leave slow start. Here
/// browsers of 3GPP's pages, some of which have a picture of 300 kB, share 20 Mbit/s with a download.
#[test]
fn most_connections_of_pages_end_in_slow_start() {
    let text = r#"
name = "browsers"
duration = "60 s"
node = [{ name = "client" }, { name = "server" }]
link = [{ from = "server", to = "client", rate = "50 Mbit/s", delay = "20 ms", buffer = "167 packets" }]

[[app]]
kind = "page"
from = "client"
to = "server"
law = "cubic"
protocol = "h3"
count = 20
reading = "5 s"
"#;
    let log = simulate(text, 1).requests;
    let mut lost: std::collections::BTreeMap<_, u64> = Default::default();
    for ((app, connection), retransmits) in log.app.iter().zip(&log.connection).zip(&log.retransmits) {
        *lost.entry((*app, *connection as u64)).or_default() += retransmits;
    }
    let limited = lost.values().filter(|lost| **lost == 0).count() as f64 / lost.len() as f64;
    println!("{} connections, {limited}", lost.len());
    assert!(lost.len() > 100 && limited > 0.9, "{} of {}", limited, lost.len());
}
