//! A download as a fluid, validated against a sawtooth by hand and the law's rest.

use windward_fluid::{Download, DownloadTrajectory};
use windward_laws::emultcp::Params;

/// 10 Mbit/s, 100 ms, a buffer of one product.
fn path(loss: f64) -> Download {
    Download { capacity: 1e7 / 12_000.0, rtt: 0.1, loss, buffer: 250.0 / 3.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Means of n, W, rate and queue over the last half.
fn rest(run: &DownloadTrajectory) -> [f64; 4] {
    let half = run.time.len() / 2;
    [&run.connections, &run.windows, &run.rates, &run.queues].map(|values| mean(&values[half..]))
}

/// A window that grows by one a round trip and is halved after every 1/p segments, but never beyond c: segment by
/// segment.
fn sawtooth(loss: f64, most: f64) -> f64 {
    let from = (most / 2.0).min((2.0 / (3.0 * loss)).sqrt());
    let (mut window, mut sent, mut rounds, mut lost_at) = (from, 0.0, 0.0, 0.0);
    const PIECES: f64 = 1000.0;
    while rounds < 4e4 {
        sent += window / PIECES;
        rounds += 1.0 / PIECES;
        window = (window + 1.0 / PIECES).min(most);
        if sent - lost_at >= 1.0 / loss {
            window /= 2.0;
            lost_at = sent;
        }
    }
    sent / rounds
}

#[test]
fn a_bounded_window_has_the_mean_of_its_sawtooth() {
    for (loss, most) in [(0.01, 9.428), (0.01, 4.0), (0.01, 1e6), (0.04, 6.0), (0.001, 40.0)] {
        let (is, by_hand) = (path(loss).window(most), sawtooth(loss, most));
        assert!((is / by_hand - 1.0).abs() < 2e-3, "{loss}, {most}: {is} for {by_hand}");
    }
}

/// q = Q = 1.5 ms and 1.3 packets, 3.1 ms; what arrives is 0.95 of W, and c = √(8·((1 − p)/0.95 − 1)/p), which is above
/// four segments here. Looks are a tenth of a second apart: within 1 %.
#[test]
fn a_download_rests_where_its_law_says() {
    for loss in [0.005, 0.01, 0.015] {
        let path = path(loss);
        let [n, window, rate, queue] = rest(&path.follow(Params::default(), 200.0).unwrap());
        let target = 0.0015 + 1.3 / (path.capacity * (1.0 - loss));
        let expected = path.capacity * (1.0 - loss) * (path.rtt + target) / 0.95;
        let most = (8.0 * ((1.0 - loss) / 0.95 - 1.0) / loss).sqrt();
        for (is, expected) in [
            (n, expected / most),
            (window, expected),
            (rate, path.capacity * (1.0 - loss)),
            (queue + path.rtt, path.rtt + target),
        ] {
            assert!((is / expected - 1.0).abs() < 0.01, "{loss}: {is} for {expected}");
        }
    }
}

/// Without a bound n keeps the queue near θ, 14 ms.
#[test]
fn without_a_bound_the_queue_is_near_the_threshold() {
    let [n, window, rate, queue] =
        rest(&path(0.01).follow(Params { bound: false, ..Params::default() }, 200.0).unwrap());
    assert_eq!(window, f64::INFINITY);
    assert!((0.010..0.018).contains(&queue) && rate > 0.98 * 825.0, "{queue}, {rate}");
    // n·√(3/(2p)) in flight.
    assert!((n * 150_f64.sqrt() / (250.0 / 3.0 * (1.0 + queue / 0.1)) - 1.0).abs() < 0.05, "{n}");
}

/// Half a minute, of which the start takes its share.
#[test]
fn a_download_is_soon_at_work() {
    for loss in [0.005, 0.01, 0.04] {
        let path = path(loss);
        let run = path.follow(Params::default(), 30.0).unwrap();
        let share = mean(&run.rates) / (path.capacity * (1.0 - loss));
        assert!((0.8..1.0).contains(&share), "{loss}: {share}");
        assert!(run.queues.iter().all(|queue| *queue <= path.buffer / path.capacity));
    }
}

#[test]
fn what_cannot_be_is_named() {
    let path = path(0.01);
    let says = |path: Download, params| path.follow(params, 1.0).unwrap_err().to_string();
    assert!(says(Download { loss: 1.0, ..path }, Params::default()).contains("loss"));
    assert!(says(Download { rtt: 0.0, ..path }, Params::default()).contains("rtt"));
    assert!(says(Download { capacity: f64::NAN, ..path }, Params::default()).contains("capacity"));
    assert!(says(Download { buffer: -1.0, ..path }, Params::default()).contains("buffer"));
    assert!(says(path, Params { tau: 0.0, ..Params::default() }).contains("tau"));
    assert!(says(path, Params::of(windward_laws::emultcp::Kind::Paper)).contains("emultcp-fast"));
}
