//! Requests over two-way connections, against slow start by hand, exact processor sharing, and Little's law.

use crate::common::{self, app, law, link, network, simulate};
use windward_sim::{
    AppConfig, AppKind, Arrivals, Buffer, CoDelConfig, ConnectionUse, FqCoDelConfig, Ideal, Length, LinkConfig,
    Network, Output, QueueConfig, SessionConfig, Size, Spread, TcpOptions,
};
use windward_units::{BitRate, Duration, Time};

fn reno() -> windward_sim::LawChoice {
    law("reno", serde_json::json!({}))
}

/// Requests between nodes 0 and 1 over link 0, and back over link 1.
fn requests(tcp: TcpOptions, arrivals: Arrivals, response: Size, connections: ConnectionUse) -> AppConfig {
    app(reno(), tcp, common::requests(arrivals, response, connections))
}

/// A symmetric path of one link each way with an application on it.
fn path(rate: u64, delay: Duration, app: AppConfig, seconds: u64) -> Network {
    let link = |key: u64| -> LinkConfig { link(key, rate, delay, Buffer::Unlimited) };
    let ideal = Ideal { rate: BitRate::bits_per_sec(rate), rtt: delay * 2 };
    let apps = vec![AppConfig { ideal, ..app }];
    Network { apps, ..network(vec![link(1), link(2)], Vec::new(), 0, seconds) }
}

const ONCE: Duration = Duration::from_millis(1_000_000);

/// Slow start by hand: from the first data packet to the last byte in T = k(2d + m·s + a) + n·s + d, with k whole
/// rounds before the last one of n segments, s and a the transmission of data and ACK, and one ACK per m segments.
/// d = 50 ms, packets of 1500 and 52 bytes, a first window of 10. The times are in microseconds.
#[test]
fn slow_start_is_that_by_hand() {
    const SEGMENTS: [u64; 4] = [10, 30, 70, 150];
    const TIMES: [(u64, bool, [u64; 4]); 4] = [
        (100_000_000, true, [51_200, 152_524, 255_048, 359_972]),
        (100_000_000, false, [51_200, 152_644, 255_288, 360_332]),
        (10_000_000, true, [62_000, 175_242, 300_483, 449_725]),
        (10_000_000, false, [62_000, 176_442, 302_883, 453_325]),
    ];
    let delay = Duration::from_millis(50);
    for (rate, is_quick, times) in TIMES {
        for (segments, time) in SEGMENTS.into_iter().zip(times) {
            let delayed_ack = TcpOptions::default().delayed_ack.filter(|_| !is_quick);
            let tcp = TcpOptions { delayed_ack, ..TcpOptions::default() };
            let size = Size::Fixed(segments * 1448);
            let app = requests(tcp, Arrivals::Periodic { every: ONCE }, size, ConnectionUse::New);
            let output = simulate(&path(rate, delay, app, 3), 1);
            // SYN and answer of 64 bytes, ACK of the answer, request of 328 bytes; a quick ACK of the request precedes
            // the response.
            let bits = 8.0 * (2.0 * 64.0 + 52.0 + 52.0 + 328.0 + if is_quick { 52.0 } else { 0.0 });
            let before = 0.15 + bits / rate as f64;
            let taken = (output.requests.completion_s[0] - before) * 1e6;
            assert!(
                (taken - time as f64).abs() <= 0.5,
                "{segments} segments at {rate}, {is_quick}: {taken} and {time}"
            );
        }
    }
}

/// Requests on one kept connection, by hand: the first opens it, and both directions carry each other's ACKs. With a
/// service time of 5 ms the ACK of a request rides on its response; that of the response leaves after 40 ms, or with
/// the next request. Times as for a path of 10 ms each way at 100 Mbit/s.
#[test]
fn an_exchange_on_a_kept_connection_takes_few_packets() {
    const REQUESTS: u64 = 20;
    let count = |every: u64| {
        let every = Duration::from_millis(every);
        let mut app = requests(TcpOptions::default(), Arrivals::Periodic { every }, Size::Fixed(1000), KEPT);
        if let AppKind::Requests(requests) = &mut app.kind {
            requests.service = Duration::from_millis(5);
        }
        app.stop = Some(Time::ZERO + every * REQUESTS);
        let output = simulate(&path(100_000_000, Duration::from_millis(10), app, 60), 1);
        assert_eq!((output.apps[0].finished, output.apps[0].connections), (REQUESTS, 1));
        [0, 1].map(|link: usize| output.links[link].packets)
    };
    // SYN, ACK, then a request and an ACK of the response each; SYN-ACK, then responses.
    assert_eq!(count(1000), [2 + 2 * REQUESTS, 1 + REQUESTS]);
    // A request every 60 ms leaves 35 ms after a response: the ACK of the response rides on it, but the last.
    assert_eq!(count(60), [2 + REQUESTS + 1, 1 + REQUESTS]);
}

const KEPT: ConnectionUse = ConnectionUse::Kept { most: u32::MAX };

fn poisson(ms: u64) -> Arrivals {
    Arrivals::Poisson { mean: Duration::from_millis(ms) }
}

/// The time average of the active requests is their total time over the run, for every use of connections; requests
/// that wait for a connection count. Every request that arrived is recorded, with its wait.
#[test]
fn the_mean_number_of_requests_is_their_time_by_littles_law() {
    for connections in [ConnectionUse::New, KEPT, ConnectionUse::Kept { most: 3 }] {
        let app = requests(TcpOptions::default(), poisson(20), Size::Exponential(20_000.0), connections);
        let output = simulate(&path(10_000_000, Duration::from_millis(10), app, 60), 3);
        let stats = &output.apps[0];
        let log = &output.requests;
        let ends = log.end_s.iter().map(|end| if end.is_nan() { 60.0 } else { *end });
        let time: f64 = ends.zip(&log.intended_s).map(|(end, intended)| end - intended).sum();
        assert!((stats.mean_active - time / 60.0).abs() < 1e-6, "{} and {}", stats.mean_active, time / 60.0);
        assert_eq!(log.number, (0..stats.requests).collect::<Vec<_>>());
        assert!(stats.requests > 2700 && stats.finished + stats.unfinished == stats.requests);
        let waits = log.start_s.iter().zip(&log.intended_s).filter(|(start, intended)| start > intended).count();
        assert_eq!(waits > 0, connections == ConnectionUse::Kept { most: 3 });
        assert_eq!(stats.connections == stats.requests, connections == ConnectionUse::New);
    }
}

/// Arrivals and sizes do not depend on the law, and a seed determines the run.
#[test]
fn a_law_changes_no_draw() {
    let run = |name: &str, seed| {
        let app = requests(TcpOptions::default(), poisson(50), Size::lognormal(30_000.0, 2.0), ConnectionUse::New);
        let app = AppConfig { law: law(name, serde_json::json!({})), ..app };
        simulate(&path(10_000_000, Duration::from_millis(20), app, 20), seed)
    };
    let [first, other, again, next] = [run("reno", 1), run("cubic", 1), run("reno", 1), run("reno", 2)];
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
    let draws = |output: &Output| (output.requests.intended_s.clone(), output.requests.size_bytes.clone());
    assert_eq!(draws(&first), draws(&other));
    assert_ne!(first.requests.completion_s, other.requests.completion_s);
    assert_ne!(draws(&first), draws(&next));
}

/// Responses behind FQ-CoDel against exact processor sharing of the same arrivals and sizes, flow by flow: M/G/1-PS
/// with exponential sizes of a hundred bandwidth-delay products at a load of 0.5. The tolerance of 5 % on the mean
/// slowdown covers headers of short segments, slow start and the round trips, a few of some 800 at 0.1 ms each way.
#[test]
fn fair_queues_share_the_link_as_processor_sharing_does() {
    let rate = 10_000_000;
    let mean = 1e6;
    let tcp = TcpOptions { receive_window: 64, ..TcpOptions::default() };
    // 1500 bytes on the wire for 1448 of payload.
    let busy = mean * 8.0 * 1500.0 / 1448.0 / rate as f64;
    let app = requests(
        tcp,
        Arrivals::Poisson { mean: Duration::from_secs(busy / 0.5) },
        Size::Exponential(mean),
        ConnectionUse::New,
    );
    let mut network = path(rate, Duration::from_micros(100), app, 1000);
    for link in network.topology.links_mut() {
        // No delay target within reach: FQ-CoDel only shares.
        let codel = CoDelConfig { target: Duration::from_millis(10_000), ..CoDelConfig::default() };
        let config = FqCoDelConfig { codel, ..FqCoDelConfig::default() };
        link.queue = QueueConfig::FqCoDel(config);
    }
    let log = simulate(&network, 5).requests;
    let works: Vec<f64> = log
        .size_bytes
        .iter()
        .map(|&size| Ideal::wire_bytes(size, &TcpOptions::default()) as f64 * 8.0 / rate as f64)
        .collect();
    let ends = processor_sharing(&log.intended_s, &works);
    let both = log.end_s.iter().zip(&log.intended_s).zip(ends.iter().zip(&works)).filter(|((end, _), _)| !end.is_nan());
    let slowdowns: Vec<[f64; 2]> = both
        .filter(|(_, (_, work))| **work > 0.1)
        .map(|((end, begin), (ideal, work))| [(end - begin) / work, (ideal - begin) / work])
        .collect();
    let mean = |at: usize| slowdowns.iter().map(|both| both[at]).sum::<f64>() / slowdowns.len() as f64;
    let [ours, exact] = [mean(0), mean(1)];
    assert!(slowdowns.len() > 400, "{}", slowdowns.len());
    assert!((ours / exact - 1.0).abs() < 0.05, "{ours} and {exact}");
    // Long responses one by one.
    let errors = slowdowns.iter().map(|[ours, exact]| (ours / exact - 1.0).abs()).sum::<f64>() / slowdowns.len() as f64;
    assert!(errors < 0.05, "{errors}");
}

/// Times at which jobs of these arrivals and works end that share a server of unit rate equally.
fn processor_sharing(arrivals: &[f64], works: &[f64]) -> Vec<f64> {
    let mut ends = vec![f64::NAN; works.len()];
    let mut left: Vec<(usize, f64)> = Vec::new();
    let (mut now, mut next) = (0.0, 0);
    while next < arrivals.len() || !left.is_empty() {
        let arrival = arrivals.get(next).copied().unwrap_or(f64::INFINITY);
        let least = left.iter().map(|(_, work)| *work).fold(f64::INFINITY, f64::min);
        let end = now + least * left.len() as f64;
        let until = arrival.min(end);
        let share = if left.is_empty() { 0.0 } else { (until - now) / left.len() as f64 };
        left.iter_mut().for_each(|(_, work)| *work -= share);
        now = until;
        if end <= arrival {
            for (job, _) in left.extract_if(.., |(_, work)| *work <= 1e-9) {
                ends[job] = now;
            }
        } else {
            left.push((next, works[next]));
            next += 1;
        }
    }
    ends
}

/// A closed loop has at most as many active requests as users, and one that thinks for long is idle: in the limit of
/// no queueing, each user makes a request every think time and response time.
#[test]
fn users_wait_for_their_responses() {
    let think = Duration::from_millis(1000);
    let arrivals = Arrivals::Closed { users: 10, think, spread: windward_sim::Spread::Exponential };
    let app = requests(TcpOptions::default(), arrivals, Size::Fixed(1000), KEPT);
    let output = simulate(&path(100_000_000, Duration::from_millis(50), app, 1000), 1);
    let stats = &output.apps[0];
    // 10/(1 s + 0.1 s) a second over 1000 s: 9091, with a deviation of some 87.
    assert!(stats.requests.abs_diff(9091) < 300, "{}", stats.requests);
    assert!(stats.connections <= 10 && stats.mean_active < 1.2, "{} {}", stats.connections, stats.mean_active);
}

/// Losses on both ways: every response arrives in the end, by retransmissions.
#[test]
fn losses_delay_requests_and_lose_none() {
    for tcp in [TcpOptions::default(), TcpOptions::linux(true), TcpOptions { sack: false, ..TcpOptions::default() }] {
        let mut app = requests(tcp, poisson(100), Size::Exponential(50_000.0), ConnectionUse::Kept { most: 4 });
        app.stop = Some(Time::ZERO + Duration::from_millis(60_000));
        let mut network = path(20_000_000, Duration::from_millis(10), app, 120);
        network.topology.links_mut().for_each(|link| link.loss = windward_sim::Loss::Bernoulli(0.02));
        let output = simulate(&network, 2);
        let stats = &output.apps[0];
        assert!(stats.requests > 500 && stats.unfinished == 0, "{} of {}", stats.unfinished, stats.requests);
        assert!(stats.retransmits > 100);
        let balance = output.balance;
        assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way);
    }
}

/// An application on nodes and links of its own changes nothing of a flow elsewhere.
#[test]
fn an_application_elsewhere_changes_no_flow() {
    let link = |key| link(key, 10_000_000, Duration::from_millis(10), Buffer::Packets(20));
    let flow = || crate::common::flow(1, reno(), vec![0], vec![1], TcpOptions::default());
    let alone = network(vec![link(1), link(2), link(3), link(4)], vec![flow()], 1, 20);
    let app = requests(TcpOptions::default(), poisson(50), Size::Fixed(50_000), ConnectionUse::New);
    let app = AppConfig { client: 8, server: 9, forward: vec![2].into(), backward: vec![3].into(), ..app };
    let both = Network { apps: vec![app], ..alone.clone() };
    let [alone, both] = [&alone, &both].map(|network| simulate(network, 1));
    let shown = |output: &Output| format!("{:?} {:?}", output.flows, output.flow_series);
    assert_eq!(shown(&alone), shown(&both));
    assert!(both.apps[0].finished > 300);
}

/// A user uploads for 2 s, pauses for 1 s, and uploads again, alone on 10 Mbit/s and 10 ms each way. A transfer begins
/// 2·20 ms after its arrival (handshake, request) less the last way, and its data are all sent 2 s later; what is in
/// flight arrives a round trip later at most. The connection is a new one each time.
#[test]
fn sessions_come_and_go_by_time() {
    let ms = Duration::from_millis;
    let arrivals = Arrivals::Closed { users: 1, think: ms(1000), spread: Spread::Fixed };
    let length = Length::Time { mean: ms(2000), spread: Spread::Fixed };
    let app = app(reno(), TcpOptions::default(), AppKind::Session(SessionConfig { arrivals, length }));
    let links = [1, 2].map(|key| link(key, 10_000_000, ms(10), Buffer::Packets(20))).to_vec();
    let output = simulate(&Network { apps: vec![app], ..network(links, Vec::new(), 0, 32) }, 1);
    let log = &output.requests;
    let done = (0..log.end_s.len()).filter(|at| log.end_s[*at].is_finite());
    for at in done.clone() {
        let length = log.end_s[at] - log.start_s[at];
        assert!((2.03..2.10).contains(&length), "{length}");
        // After slow start the line is full.
        let rate = 8.0 * log.size_bytes[at] as f64 / length;
        assert!((7e6..9.66e6).contains(&rate), "{rate}");
        assert!(log.first_byte_s[at] - log.start_s[at] < 0.07);
    }
    // Each takes 3 s and some round trips.
    assert_eq!((done.count(), output.apps[0].connections), (10, 11));
}

/// A client has 28 232 ports (Linux: 32768 to 60999), so that of 28 250 requests at once the last 18 wait for the first
/// responses, which are there after two round trips.
#[test]
fn a_client_has_so_many_ports() {
    const PORTS: usize = 28_232;
    let times: Vec<_> = (0..PORTS + 18).map(|_| (Duration::ZERO, None)).collect();
    let app = requests(TcpOptions::default(), Arrivals::Times(times.into()), Size::Fixed(100), ConnectionUse::New);
    let output = simulate(&path(100_000_000_000, Duration::from_millis(10), app, 1), 1);
    assert_eq!(output.apps[0].finished as usize, PORTS + 18);
    let waits: Vec<f64> = output.requests.start_s.iter().zip(&output.requests.intended_s).map(|(a, b)| a - b).collect();
    assert!(waits[..PORTS].iter().all(|&wait| wait == 0.0), "all ports at once");
    assert!(waits[PORTS..].iter().all(|&wait| (0.04..0.06).contains(&wait)), "{:?}", &waits[PORTS..]);
}
