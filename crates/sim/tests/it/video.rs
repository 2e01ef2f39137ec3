//! Videos over two-way connections: decisions, start, and pauses.

use crate::common::{app, law, link, network, simulate};
use std::sync::Arc;
use windward_sim::traffic::video::{AbrRule, Estimate, VideoConfig};
use windward_sim::{AppConfig, AppKind, Buffer, ChunkLog, Ideal, Network, Output, TcpOptions, VideoStats};
use windward_units::{BitRate, Duration, Time};

const RATE: AbrRule = AbrRule::Throughput { safety: 0.9, estimate: Estimate::Harmonic };

fn seconds(seconds: u64) -> Duration {
    Duration::from_millis(1000 * seconds)
}

/// Pensieve's video over a link of `rate` with 10 ms each way.
fn run(rule: AbrRule, rate: u64, (duration, stop): (u64, Option<u64>), law_name: &str) -> Output {
    let kind = AppKind::Video(Arc::new(VideoConfig::pensieve(rule)));
    let app = AppConfig {
        stop: stop.map(|stop| Time::ZERO + seconds(stop)),
        ideal: Ideal { rate: BitRate::bits_per_sec(rate), rtt: Duration::from_millis(20) },
        ..app(law(law_name, serde_json::json!({})), TcpOptions::linux(true), kind)
    };
    let link = |key: u64| link(key, rate, Duration::from_millis(10), Buffer::Packets(1000));
    let network = Network { apps: vec![app], ..network(vec![link(1), link(2)], Vec::new(), 0, duration) };
    simulate(&network, 1)
}

/// Totals and chunks of the video.
fn of(output: &Output) -> (VideoStats, ChunkLog) {
    (output.of_apps.rows().remove(0), output.of_apps.series())
}

/// The throughput rule over TCP decides as on a link without round trips: 0.9 times the goodput, which is below the
/// rate by headers, slow start and a round trip, is between the same bit rates.
#[test]
fn levels_over_tcp_are_those_of_the_constant_link() {
    for law in ["cubic", "bbr"] {
        for (rate, level) in [(1_000_000, 1), (3_000_000, 3)] {
            let output = run(RATE, rate, (60, None), law);
            let (stats, chunks) = of(&output);
            let levels = &chunks.level;
            assert!(levels.len() > 14, "{}", levels.len());
            assert_eq!((levels[0], levels[1..].iter().all(|own| *own == level)), (0, true), "{law}: {levels:?}");
            assert_eq!((stats.stalls, stats.switches), (0, 1));
            // The first chunk's arrival is the first picture.
            assert_eq!(stats.startup_s, output.requests.completion_s[0]);
            assert!((chunks.throughput_bps[5] / rate as f64 - 0.93).abs() < 0.04);
        }
    }
}

/// A link of 100 Mbit/s fills the buffer within seconds; then a chunk of 4 s is asked for every 4 s, on a connection
/// whose window Linux restarts. All 48 chunks of the video arrive, and it ends.
#[test]
fn a_full_buffer_makes_pauses() {
    let output = run(RATE, 100_000_000, (300, None), "cubic");
    let (stats, chunks) = of(&output);
    assert_eq!((stats.chunks, stats.stalls, output.apps[0].requests), (48, 0, 48));
    assert_eq!((output.apps[0].connections, stats.stall_share), (1, 0.0));
    let asked = &chunks.asked_s;
    // Chunks 0 to 14 fill 60 s; then each waits for 4 s of room.
    assert!(asked[14] < 10.0, "{}", asked[14]);
    let gaps: Vec<f64> = asked[20..].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (gap - 4.0).abs() < 1e-3), "{gaps:?}");
    // 46 chunks of 4300 and one of 300 kbit/s, and the step between them.
    assert_eq!(stats.top_share, 47.0 / 48.0);
    assert!((stats.qoe - (47.0 * 4.3 + 0.3 - 4.0)).abs() < 1e-9, "{}", stats.qoe);
}

/// A link of 200 kbit/s cannot carry 300: each chunk of 150 000 bytes takes some 6.3 s with headers, of which 4 s are
/// played. A stall that lasts at the end counts, and no chunk is asked for after `stop`.
#[test]
fn a_slow_link_stalls() {
    let output = run(RATE, 200_000, (60, Some(30)), "cubic");
    let (stats, chunks) = of(&output);
    assert!(stats.chunks == 5 && chunks.asked_s.iter().all(|asked| *asked < 30.0), "{:?}", chunks.asked_s);
    let summed: f64 = chunks.stall_s.iter().sum();
    assert!(stats.stalls >= 4 && (stats.stalled_s - summed).abs() < 1e-9, "{} and {summed}", stats.stalled_s);
    // It plays what arrived, and stalls from then on to the end of the run.
    let total = stats.stalled_s + stats.startup_s + 4.0 * stats.chunks as f64;
    assert!((total - 60.0).abs() < 1e-6, "{total}");
}
