//! Datagrams of games, pings and periodic sources: their means, delays, and what is counted of them.

use crate::common::{link, network, simulate};
use windward_sim::traffic::emodel::CallConfig;
use windward_sim::{
    Buffer, CallStats, Delay, GameStats, Jitter, LinkConfig, Loss, Network, Output, Pattern, SourceConfig,
};
use windward_units::{Bytes, Duration};

const DELAY: Duration = Duration::from_millis(10);

/// A source of datagrams of 84 bytes from node 0 to node 1 over link 0.
fn source(key: u64, pattern: Pattern) -> SourceConfig {
    SourceConfig::new(key, (0, 1), vec![0], pattern, Bytes::new(84))
}

fn periodic(every: u64, jitter: u64) -> Pattern {
    Pattern::Periodic { every: Duration::from_millis(every), jitter: Duration::from_millis(jitter) }
}

/// Links of 10 Mbit/s there and back that `change` changes.
fn path(sources: Vec<SourceConfig>, seconds: u64, change: impl Fn(&mut LinkConfig)) -> Network {
    let mut links = [1, 2].map(|key| link(key, 10_000_000, DELAY, Buffer::Unlimited));
    links.iter_mut().for_each(change);
    Network { sources, ..network(links.to_vec(), Vec::new(), 0, seconds) }
}

fn run(sources: Vec<SourceConfig>, seconds: u64, change: impl Fn(&mut LinkConfig)) -> Output {
    simulate(&path(sources, seconds, change), 1)
}

/// Means a + 0.5772 b by hand: gaps of 15.136 ms and 18.290 ms, payloads of 56.35 and 40.14 bytes. The deviation of a
/// draw is bπ/√6; five deviations of the mean are allowed. No draw changes if the network does.
#[test]
fn a_game_has_the_means_of_its_distributions() {
    const SECONDS: u64 = 2000;
    let deviation = std::f64::consts::PI / 6.0_f64.sqrt();
    let cases = [(Pattern::GAME_DOWN, [15.136, 56.35], [3.7, 11.0]), (Pattern::GAME_UP, [18.290, 40.14], [5.7, 3.7])];
    for (pattern, [gap, payload], scales) in cases {
        let output = run(vec![source(3, pattern)], SECONDS, |_| {});
        let stats = &output.sources[0];
        let count = stats.sent as f64;
        let [gap_error, payload_error] = scales.map(|scale| 5.0 * scale * deviation / count.sqrt());
        assert!((1e3 * SECONDS as f64 / count - gap).abs() < gap_error, "{count}");
        let bytes = stats.received_bps * SECONDS as f64 / 8.0 / stats.received as f64;
        assert!((bytes - 28.0 - payload).abs() < payload_error, "{bytes}");
        let mean = pattern.mean_rate(Bytes::new(1)).expect("it has a mean");
        assert!((stats.received_bps / mean - 1.0).abs() < 0.01, "{mean}");
        let slow = run(vec![source(3, pattern)], SECONDS, |link| link.delay = Delay::Constant(DELAY * 9));
        assert_eq!(slow.sources[0].sent, stats.sent);
        assert!((slow.sources[0].delay_p50_s - stats.delay_p50_s - 0.08).abs() < 1e-3);
    }
}

/// A link that delays each datagram by 10 ms and a uniform time of up to 100 ms more, which five standard deviations of
/// the share among ten thousand bound: median 60 ms, 60 % later than 50 ms, 10 % later than 100 ms.
#[test]
fn delays_have_the_percentiles_of_their_distribution() {
    let jitter = Duration::from_millis(100);
    let output = run(vec![source(3, periodic(200, 0))], 2000, |link| link.jitter = Jitter::Uniform(jitter));
    let stats = &output.sources[0];
    // Also those at 0 s and at the end.
    assert_eq!(stats.sent, 10_001);
    let error = |share: f64| 5.0 * (share * (1.0 - share) / 1e4).sqrt();
    let quantiles =
        [(stats.delay_p50_s, 0.5), (stats.delay_p95_s, 0.95), (stats.delay_p99_s, 0.99), (stats.delay_p999_s, 0.999)];
    for (delay, share) in quantiles {
        // The transmission takes 0.07 ms; the histogram is within 0.4 %.
        let expected = 0.010 + 0.1 * share;
        assert!((delay - expected).abs() < 0.1 * error(share) + 0.004 * expected + 1e-4, "{delay} and {expected}");
    }
    assert!((stats.late_50ms - 0.6).abs() < error(0.6) && (stats.late_100ms - 0.1).abs() < error(0.1));
    assert!((0.29..0.3).contains(&stats.longest_gap_s), "{}", stats.longest_gap_s);
}

/// A ping of 84 bytes over 10 ms each way at 10 Mbit/s takes twice 10 ms and twice 67.2 µs. Losses on either way count.
#[test]
fn a_ping_measures_the_round_trip() {
    let ping = SourceConfig { reply: Some(vec![1].into()), ..source(3, periodic(100, 0)) };
    let output = run(vec![ping.clone()], 100, |_| {});
    let stats = &output.sources[0];
    // From 0 to 100 s; that of 99.9 s has its answer within the run, the last one has not.
    assert_eq!((stats.sent, stats.received, stats.lost), (1001, 1000, 0));
    assert!((stats.mean_delay_s - 0.020_134_4).abs() < 1e-9, "{}", stats.mean_delay_s);
    assert!((stats.longest_gap_s - 0.1).abs() < 1e-9);
    let lossy = run(vec![ping], 100, |link| link.loss = Loss::Bernoulli(0.1));
    let stats = &lossy.sources[0];
    assert!(stats.sent - stats.received - stats.lost <= 1);
    // 19 % of a thousand, with a deviation of 12.4.
    assert!(stats.lost.abs_diff(190) < 62, "{}", stats.lost);
    let balance = lossy.balance;
    assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way);
}

/// A game over 10 ms and 30 ms: a round trip is the delay there and back, without the time until the server's next
/// datagram.
#[test]
fn a_game_has_round_trips() {
    let up = source(3, Pattern::GAME_UP);
    let down = SourceConfig { source: 1, sink: 0, path: vec![1].into(), ..source(4, Pattern::GAME_DOWN) };
    let output = run(vec![source(5, periodic(100, 0)), up, down], 1000, |link| {
        if link.key == 2 {
            link.delay = Delay::Constant(DELAY * 3);
        }
    });
    let [stats] = &output.of_sources.rows::<GameStats>()[..] else { panic!("one game") };
    assert_eq!(stats.source, 2);
    // 54,700 datagrams of the client by the mean gap; of two within one gap of the server, the later one counts.
    assert!((40_000..56_000).contains(&stats.round_trips), "{}", stats.round_trips);
    // 68 and 84 B at 10 Mbit/s take 0.12 ms.
    assert!((stats.mean_rtt_s - 0.040_12).abs() < 1e-5, "{}", stats.mean_rtt_s);
    assert!((stats.rtt_p999_s / stats.mean_rtt_s - 1.0).abs() < 0.01);
}

/// With jitter each span has one datagram, and gaps are below two spans.
#[test]
fn a_periodic_source_sends_once_a_span() {
    let output = run(vec![source(3, periodic(20, 20))], 100, |_| {});
    let stats = &output.sources[0];
    assert_eq!(stats.sent, 5000);
    assert!((0.03..0.04).contains(&stats.longest_gap_s), "{}", stats.longest_gap_s);
}

/// Speech over a link that delays by 10 ms and a uniform time of up to 100 ms, and loses 2 %. With 60 ms of playout
/// after the least delay, which is some 10 ms, 40 % of what arrives is too late; five deviations of ten thousand are
/// allowed.
#[test]
fn a_call_loses_what_comes_late() {
    let frame = Duration::from_millis(20);
    let call = CallConfig { frame, playout: Duration::from_millis(60), impairment: 0.0, robustness: 25.0 };
    let source = SourceConfig { call: Some(call), ..source(3, periodic(200, 0)) };
    let output = run(vec![source], 2000, |link| {
        link.jitter = Jitter::Uniform(Duration::from_millis(100));
        link.loss = Loss::Bernoulli(0.02);
    });
    let [stats] = &output.of_sources.rows::<CallStats>()[..] else { panic!("one direction") };
    let error = |share: f64| 5.0 * (share * (1.0 - share) / 1e4).sqrt();
    assert!((stats.lost - 0.02).abs() < error(0.02), "{}", stats.lost);
    assert!((stats.late - 0.98 * 0.4).abs() < error(0.4) + 0.004, "{}", stats.late);
    // The least of ten thousand draws is below 0.1 ms, and a transmission takes 0.07 ms.
    assert!((stats.delay_s - 0.090).abs() < 2e-4, "{}", stats.delay_s);
    let loss = stats.lost + stats.late;
    let rating = 93.2 - 0.024 * 1e3 * stats.delay_s - 95.0 * loss / (loss + 0.25);
    assert!((stats.rating - rating).abs() < 1e-9 && (1.0..4.5).contains(&stats.mos), "{} {rating}", stats.rating);
}
