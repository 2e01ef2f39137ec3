//! Pages over two-way connections, against trees timed by hand.

use crate::common::{app, law, link, network, simulate};
use std::sync::Arc;
use windward_sim::traffic::page::{Order, PageConfig, PageObject, Protocol};
use windward_sim::{AppConfig, AppKind, Buffer, Ideal, Network, ObjectLog, Output, PageStats, TcpOptions, VisitLog};
use windward_units::{BitRate, Duration, Time};

/// Ten segments: the initial window.
const SMALL: u64 = 14_480;

fn object(size: u64, parent: Option<u32>) -> PageObject {
    PageObject {
        size,
        origin: 0,
        parent,
        delay: Duration::ZERO,
        service: Duration::ZERO,
        is_blocking: parent.is_none(),
    }
}

/// A page of `SMALL` bytes that names two objects.
fn page(protocol: Protocol, size: u64) -> PageConfig {
    PageConfig {
        objects: [object(SMALL, None), object(size, Some(0)), object(size, Some(0))].into(),
        document: 0,
        origins: 1,
        protocol,
        order: Order::Discovery,
        preconnect: 1,
        dns: Duration::ZERO,
        tls: 0,
        visits: 1,
        reading: Duration::ZERO,
        is_reading_random: false,
    }
}

/// Visits a page over 10 Gbit/s and 50 ms each way, which loses a share `loss` of the packets.
fn visit(page: PageConfig, seconds: u64, loss: f64) -> Output {
    simulate(&network_of(page, 1000 * seconds, loss), 1)
}

/// The network of `visit` for a time in milliseconds.
fn network_of(page: PageConfig, ms: u64, loss: f64) -> Network {
    let rate = 10_000_000_000;
    let kind = AppKind::Page(Arc::new(page));
    let ideal = Ideal { rate: BitRate::bits_per_sec(rate), rtt: Duration::from_millis(100) };
    let app = AppConfig { ideal, ..app(law("reno", serde_json::json!({})), TcpOptions::default(), kind) };
    let mut links = [1, 2].map(|key| link(key, rate, Duration::from_millis(50), Buffer::Unlimited));
    links.iter_mut().for_each(|link| link.loss = windward_sim::Loss::Bernoulli(loss));
    let mut network = Network { apps: vec![app], ..network(links.to_vec(), Vec::new(), 0, 1) };
    network.timing.duration = Time::ZERO + Duration::from_millis(ms);
    network
}

/// Totals of the page.
fn stats(output: &Output) -> PageStats {
    output.of_apps.rows().remove(0)
}

/// Load time in milliseconds, and connections, of one visit. Transmission takes some 0.1 ms at this rate.
fn load(page: PageConfig) -> (u64, u64) {
    let output = visit(page, 5, 0.0);
    let (stats, visits) = (stats(&output), output.of_apps.series::<VisitLog>());
    assert_eq!((stats.visits, stats.unfinished), (1, 0));
    assert_eq!(visits.load_s[0], stats.load_p50_s);
    let rounded = (visits.load_s[0] * 1e3).round();
    assert!((visits.load_s[0] * 1e3 - rounded).abs() < 0.3, "{}", visits.load_s[0]);
    (rounded as u64, visits.connections[0])
}

/// Round trips of 100 ms by hand, with a first window of ten segments. One connection: handshake, page, object, object.
/// Two: the second handshake begins with the discovery at 200 ms, as the first object's request leaves. Opened
/// beforehand, it takes none. Multiplexed: both requests leave at 200 ms, and the window is 20 by then, so that sixty
/// segments take 20 and 40. TLS adds its round trips, and an address its time.
#[test]
fn load_times_are_those_by_hand() {
    let six = Protocol::Separate(6);
    assert_eq!(load(page(Protocol::Separate(1), SMALL)), (400, 1));
    assert_eq!(load(page(Protocol::Separate(2), SMALL)), (400, 2));
    assert_eq!(load(PageConfig { preconnect: 2, ..page(six, SMALL) }), (300, 2));
    assert_eq!(load(page(Protocol::Multiplexed, SMALL)), (300, 1));
    for (tls, ms) in [(1, 400), (2, 500)] {
        assert_eq!(load(PageConfig { tls, ..page(Protocol::Multiplexed, SMALL) }), (ms, 1));
    }
    assert_eq!(load(page(Protocol::Multiplexed, 3 * SMALL)), (400, 1));
    let dns = Duration::from_millis(30);
    assert_eq!(load(PageConfig { dns, ..page(Protocol::Multiplexed, SMALL) }), (330, 1));
}

/// A page that names a style sheet and a script, which block, and four pictures; by hand, over HTTP/1.1. Discovery: the
/// style sheet takes the connection of the page, five others open; all end at 400 ms. Tight mode: the pictures wait.
/// The style sheet ends at 300 ms, and its connection takes the first picture. The script ends at 400 ms and all leave.
/// Two connections are idle then; the last picture waits for another until 500 ms.
#[test]
fn tight_mode_holds_pictures_back() {
    let blocking = PageObject { is_blocking: true, ..object(SMALL, Some(0)) };
    let picture = object(SMALL, Some(0));
    let objects = [object(SMALL, None), blocking, blocking, picture, picture, picture, picture];
    let head = PageConfig { objects: objects.into(), ..page(Protocol::Separate(6), 1) };
    assert_eq!(load(head.clone()), (400, 6));
    let tight = PageConfig { order: Order::Tight, ..head };
    assert_eq!(load(tight.clone()), (600, 4));
    let log: ObjectLog = visit(tight.clone(), 5, 0.0).of_apps.series();
    let starts: Vec<u64> = log.start_s.iter().map(|start| (start * 1e3).round() as u64).collect();
    assert_eq!(starts, [100, 200, 300, 300, 400, 400, 500]);
    // Held requests that the end of the run cuts off are unfinished.
    let cut = simulate(&network_of(tight, 250, 0.0), 1);
    assert_eq!((cut.apps[0].requests, cut.apps[0].finished), (7, 1));
}

/// An object of its own origin waits for an address and a handshake; parsing and the server's time add to a chain. From
/// 200 ms on: 20 ms of parsing, 30 ms for the address, two round trips and 40 ms at the server.
#[test]
fn other_origins_and_work_add_their_times() {
    let ms = Duration::from_millis;
    let other = PageObject { origin: 1, delay: ms(20), service: ms(40), ..object(SMALL, Some(0)) };
    let page = PageConfig {
        objects: [PageObject { service: ms(5), ..object(SMALL, None) }, other].into(),
        origins: 2,
        dns: ms(30),
        ..page(Protocol::Multiplexed, SMALL)
    };
    // 30 + 100 + 105 for the page.
    assert_eq!(load(page.clone()), (235 + 20 + 30 + 200 + 40, 2));
    let output = visit(page, 5, 0.0);
    let log: ObjectLog = output.of_apps.series();
    let near = |value: f64, ms: f64| assert!((value * 1e3 - ms).abs() < 0.3, "{value} and {ms}");
    near(log.first_byte_s[0], 235.0);
    near(log.discovered_s[1], 255.0);
    near(output.of_apps.series::<VisitLog>().paint_s[0], 235.0);
    assert_eq!((log.parent[0], log.parent[1], log.origin[1]), (0, 0, 1));
}

/// The first byte of a page behind a redirect is that of the page: a handshake, the redirect, and a round trip.
#[test]
fn the_first_byte_comes_after_redirects() {
    let objects = [object(SMALL, None), PageObject { is_blocking: true, ..object(SMALL, Some(0)) }];
    let page = PageConfig { objects: objects.into(), document: 1, ..page(Protocol::Multiplexed, SMALL) };
    let output = visit(page, 5, 0.0);
    let first = output.of_apps.series::<VisitLog>().first_byte_s[0] * 1e3;
    assert!((first - 300.0).abs() < 0.3 && stats(&output).first_byte_p50_s * 1e3 == first, "{first}");
}

/// Six connections and forty objects: no object has a connection to itself, every one arrives, also with losses, and a
/// reused connection is used again. The bytes are those of the page.
#[test]
fn every_object_arrives_over_few_connections() {
    for protocol in [Protocol::Separate(6), Protocol::Multiplexed] {
        let objects: Vec<PageObject> =
            (0..40).map(|at: u32| object(5000 + 100 * u64::from(at), at.checked_sub(1).map(|at| at / 5))).collect();
        let bytes: u64 = objects.iter().map(|object| object.size).sum();
        let visits = 3;
        let reading = Duration::from_millis(2000);
        let page = PageConfig { objects: objects.into(), visits, reading, ..page(protocol, 1) };
        let output = visit(page, 120, 0.02);
        let (stats, visits) = (stats(&output), output.of_apps.series::<VisitLog>());
        let log: ObjectLog = output.of_apps.series();
        assert_eq!((stats.visits, stats.unfinished), (3, 0));
        let most = if protocol == Protocol::Multiplexed { 1 } else { 6 };
        assert!(visits.connections.iter().all(|count| *count == most), "{:?}", visits.connections);
        assert_eq!(log.size_bytes.iter().sum::<u64>(), 3 * bytes);
        assert_eq!(output.apps[0].finished, 120);
        // Each retransmission repairs a loss of data or of an ACK, and counts for one object, also where objects share
        // a connection.
        let lost: u64 = output.links.iter().map(|link| link.lost).sum();
        assert!((1..=lost).contains(&output.apps[0].retransmits), "{} of {lost}", output.apps[0].retransmits);
        // A visit begins 2 s after the last byte of the one before.
        let starts = &visits.start_s;
        for visit in [0, 1] {
            let pause = starts[visit + 1] - starts[visit] - visits.load_s[visit];
            assert!((pause - 2.0).abs() < 1e-9, "{pause}");
        }
        // No object is asked for before its parent has arrived.
        for at in 0..log.object.len() {
            let parent = at - log.object[at] as usize + log.parent[at] as usize;
            assert!(parent == at || log.start_s[at] >= log.end_s[parent]);
            assert!(log.end_s[at] >= log.first_byte_s[at] && log.first_byte_s[at] > log.start_s[at]);
        }
    }
}
