//! Videos of calls: where their laws rest, how they answer congestion and silence, and what the viewer sees.

use crate::common::{link, network, simulate};
use windward_sim::traffic::rtp::{RtpConfig, RtpControl};
use windward_sim::{
    Buffer, CallVideoStats, LinkChange, LinkConfig, LinkStep, Loss, Network, Output, Pattern, Rate, SourceConfig,
};
use windward_units::{BitRate, Bytes, Duration, Time};

const RANGE: [f64; 2] = [150e3, 1.5e6];
const NADA: RtpControl = RtpControl::Nada { least: RANGE[0], most: RANGE[1], priority: 1.0 };
const SCREAM: RtpControl = RtpControl::Scream { least: RANGE[0], most: RANGE[1], is_l4s: false };
const GCC: RtpControl = RtpControl::Gcc { least: RANGE[0], most: RANGE[1] };

/// Bytes of a datagram.
const PACKET: u32 = 600;

fn video(key: u64, control: RtpControl) -> SourceConfig {
    let frame = Duration::from_nanos(1_000_000_000 / 30);
    let config = RtpConfig { control, frame, packet: PACKET, spread: 0.0, report: None };
    let ends = (2 * key as u32, 2 * key as u32 + 1);
    let source = SourceConfig::new(key, ends, vec![0], Pattern::Rtp(config), Bytes::new(u64::from(PACKET)));
    SourceConfig { reply: Some(vec![1].into()), ..source }
}

/// Links of 50 ms each way; that of the videos has a rate and a buffer of 300 ms. The second half of the run counts.
fn path(rate: u64, controls: &[RtpControl], seconds: u64, change: impl Fn(&mut [LinkConfig; 2])) -> Network {
    let delay = Duration::from_millis(50);
    let buffer = Buffer::Bytes(Bytes::new(rate * 3 / 80));
    let mut links = [link(1, rate, delay, buffer), link(2, 10_000_000, delay, Buffer::Unlimited)];
    change(&mut links);
    let sources = (1..).zip(controls).map(|(key, &control)| video(key, control)).collect();
    Network { sources, ..network(links.to_vec(), Vec::new(), seconds / 2, seconds) }
}

fn run(rate: u64, controls: &[RtpControl], seconds: u64, change: impl Fn(&mut [LinkConfig; 2])) -> Output {
    simulate(&path(rate, controls, seconds, change), 1)
}

fn only(output: &Output) -> CallVideoStats {
    let [stats] = &all(output)[..] else { panic!("one direction") };
    stats.clone()
}

fn all(output: &Output) -> Vec<CallVideoStats> {
    output.of_sources.rows()
}

/// RFC 8698: n streams alone on a link below RMAX take all of it, and rest at a queueing delay of XREF·RMAX·n/C: 25 ms
/// at 0.6 Mbit/s and 15 ms at 1 Mbit/s, 30 ms there for two. The base delay is that of the shortest packet, known to
/// half the time of one.
#[test]
fn nada_rests_at_its_equilibrium() {
    for (rate, count, delay) in [(600_000, 1, 0.025), (1_000_000, 1, 0.015), (1_000_000, 2, 0.030)] {
        let output = run(rate, &[NADA; 2][..count], 200, |_| {});
        let total: f64 = all(&output).iter().map(|stats| stats.target_bps).sum();
        assert!((total / rate as f64 - 1.0).abs() < 0.01, "{:?}", all(&output));
        let share = all(&output)[0].received_bps * count as f64 / rate as f64;
        assert!((share - 1.0).abs() < 0.1, "{:?}", all(&output));
        let half = f64::from(PACKET) * 4.0 / rate as f64;
        let queue = output.links[0].mean_queue_delay_s;
        assert!((queue - delay).abs() < half * count as f64, "{count} at {rate}: {queue}");
        assert!(all(&output).iter().all(|stats| stats.loss == 0.0 && stats.freezes == 0 && stats.missed == 0.0));
    }
}

/// The other laws on a link of 1 Mbit/s: no losses, the largest part of the link, and SCReAM's queue below its target
/// of 60 ms. Frames are complete within 50 ms of propagation, 33 ms of pacing, and the queue.
#[test]
fn laws_leave_no_losses_behind() {
    for (control, used, queue) in [(SCREAM, 0.8..0.95, 0.06), (GCC, 0.85..1.0, 0.03)] {
        let output = run(1_000_000, &[control], 120, |_| {});
        let (stats, link) = (only(&output), &output.links[0]);
        assert!(used.contains(&(stats.received_bps / 1e6)), "{stats:?}");
        assert!(stats.loss == 0.0 && stats.missed == 0.0 && link.queue_delay_p95_s < queue, "{stats:?} {link:?}");
        assert!(stats.frame_delay_p95_s < 0.05 + 0.034 + queue, "{stats:?}");
    }
}

/// From 30 s on, the rate falls to a third: every law follows it within seconds, and loses little of the last half
/// minute.
#[test]
fn laws_follow_a_fall_of_the_rate() {
    for control in [NADA, SCREAM, GCC] {
        let output = run(1_200_000, &[control], 120, |links| {
            let change =
                LinkChange { rate: Some(Rate::Constant(BitRate::bits_per_sec(400_000))), ..LinkChange::default() };
            links[0].steps = vec![LinkStep { at: Time::from_nanos(30_000_000_000), change }].into();
        });
        let stats = only(&output);
        assert!((280e3..404e3).contains(&stats.received_bps) && stats.loss < 0.01, "{control:?} {stats:?}");
    }
}

/// A constant rate a third above the link's: a quarter is lost, no frame is complete, and the picture is frozen from
/// its first frame on.
#[test]
fn a_constant_rate_does_not_yield() {
    let output = run(600_000, &[RtpControl::Constant { rate: 800e3 }], 60, |_| {});
    let stats = only(&output);
    assert!((stats.loss - 0.25).abs() < 0.002 && (stats.received_bps / 0.6e6 - 1.0).abs() < 1e-3, "{stats:?}");
    assert_eq!((stats.target_bps, stats.missed, stats.freezes), (800e3, 1.0, 1));
    // The second half counts, but the last frame was shown in the first.
    assert!(stats.frozen_s > 50.0, "{stats:?}");
    let output = run(1_000_000, &[RtpControl::Constant { rate: 800e3 }], 60, |_| {});
    let stats = only(&output);
    // 3333 bytes: six packets, the last of which leaves 5/6 of a frame after the first, and takes 4.4 ms.
    let delay = 0.05 + 5.0 / 6.0 / 30.0 + 0.0045;
    assert!((stats.frame_delay_p50_s - delay).abs() < 0.001, "{stats:?}");
    assert_eq!((stats.loss, stats.missed, stats.freezes, stats.frozen_s), (0.0, 0.0, 0, 0.0));
}

/// No report arrives after 40 s: what is sent counts as lost, and the rate falls to its least.
#[test]
fn silence_is_congestion() {
    for control in [NADA, SCREAM, GCC] {
        let output = run(2_000_000, &[control], 120, |links| {
            let change = LinkChange { loss: Some(Loss::Bernoulli(1.0)), ..LinkChange::default() };
            links[1].steps = vec![LinkStep { at: Time::from_nanos(40_000_000_000), change }].into();
        });
        let before = output.call_video_series.time_s.iter().zip(&output.call_video_series.target_bps);
        let most = before.filter(|(time, _)| **time < 40.0).map(|(_, target)| *target).fold(0.0, f64::max);
        assert!(most > 1.4e6, "{control:?}: {most}");
        assert!((only(&output).target_bps / RANGE[0] - 1.0).abs() < 0.01, "{control:?} {:?}", only(&output));
    }
}

/// Sizes spread around their mean leave the rate as it is, and draw from the seed.
#[test]
fn sizes_spread_around_the_rate() {
    let spread = |seed| {
        let mut network = path(3_000_000, &[RtpControl::Constant { rate: 800e3 }], 120, |_| {});
        let Pattern::Rtp(config) = &mut network.sources[0].pattern else { panic!("a video") };
        config.spread = 0.15;
        simulate(&network, seed)
    };
    let (first, second) = (spread(1), spread(2));
    // 1800 frames, deviation 0.15·√2: five deviations of the mean.
    let error = 5.0 * 0.15 * 2f64.sqrt() / 1800f64.sqrt();
    assert!((only(&first).received_bps / 800e3 - 1.0).abs() < error, "{:?}", only(&first));
    assert_ne!(only(&first).received_bps, only(&second).received_bps);
    assert_eq!(only(&first).loss, 0.0);
}
