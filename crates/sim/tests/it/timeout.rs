//! Timeouts over outages in which nothing is lost: CUBIC's window after one that counts, and timeouts that are taken
//! back.

use crate::common::{flow, law, link, network, simulate};
use std::sync::Arc;
use windward_laws::LawSpec;
use windward_sim::{
    Buffer, LawChoice, LinkChange, LinkConfig, LinkStep, Loss, NewReno, Opportunities, Output, Rate, TcpOptions,
};
use windward_units::{Duration, Time};

const RTT_S: f64 = 0.101;
const SAMPLE_S: f64 = 0.02;
/// The receiver's window: 100 packets are on the path, 30 wait.
const WINDOW: u32 = 130;

/// A thousand packets a second but for the seconds 20 to 23, and 100 ms. Without stamps the timeout counts (RFC 3522).
fn over_an_outage() -> Output {
    let millis: Vec<u64> = (1..=60_000).filter(|at| !(20_000..23_000).contains(at)).collect();
    let trace = Opportunities::from_millis(&millis).expect("a recording");
    let delay = Duration::from_millis(50);
    let forward =
        LinkConfig { buffer: Buffer::Unlimited, ..LinkConfig::new(0, Rate::Recorded(Arc::new(trace)), delay) };
    let tcp = TcpOptions { delayed_ack: None, receive_window: WINDOW, timestamps: false, ..TcpOptions::default() };
    let links = vec![forward, link(1, 1_000_000_000, delay, Buffer::Unlimited)];
    let flow = flow(0, law("cubic", serde_json::json!({})), vec![0], vec![1], tcp);
    let mut network = network(links, vec![flow], 0, 29);
    network.timing.sample_interval = Duration::from_millis(20);
    simulate(&network, 1)
}

/// RFC 9438: ssthresh = β·flight (§4.6); then the curve begins at its plateau (§4.8), ssthresh + C·(t + rtt)³, or
/// Reno's window is above it, 3(1−β)/(1+β) packets a round trip (§4.3). A curve towards the old window would be at 113
/// packets, not 96, after a second.
#[test]
fn cubic_begins_at_the_plateau_of_a_new_curve() {
    let output = over_an_outage();
    assert!(output.flows[0].timeouts >= 3, "{} timeouts", output.flows[0].timeouts);
    let cwnd = &output.flow_series.unpack().cwnd;
    let ssthresh = 0.7 * f64::from(WINDOW);
    let outage = (23.0 / SAMPLE_S) as usize;
    let begin = outage + cwnd[outage..].iter().position(|&w| w >= ssthresh).expect("slow start ends");
    let span = (4.5 / SAMPLE_S) as usize;
    for (at, &found) in cwnd[begin..begin + span].iter().enumerate() {
        let t = at as f64 * SAMPLE_S;
        let reno = 3.0 * 0.3 / 1.7 * t / RTT_S;
        let curve = 0.4 * (t + RTT_S) * (t + RTT_S) * (t + RTT_S);
        // The window follows the curve within the round trip, in which that grows by 3Ct²·rtt, 2.5 packets at the end.
        let slack = 1.0 + 3.0 * 0.4 * t * t * RTT_S;
        let expected = ssthresh + reno.max(curve);
        assert!((found - expected).abs() < slack, "{found} packets {t} s after slow start, {expected} expected");
    }
}

/// RFC 5681 §3.1: a lost SYN leaves a window of one segment; Linux has it after two (`tcp_init_transfer`). SYNs leave
/// at 0, 1 and 2 s.
#[test]
fn the_first_window_after_lost_syns() {
    let rfc = TcpOptions { initial_window: 10, ..TcpOptions::default() };
    let linux = TcpOptions { initial_window: 10, ..TcpOptions::linux(true) };
    // Content delivery networks begin with 16 to 50.
    let wide = TcpOptions { initial_window: 50, ..TcpOptions::linux(true) };
    for (name, tcp, lost, first) in [
        ("rfc", &rfc, 0, 10.0),
        ("rfc", &rfc, 1, 1.0),
        ("linux", &linux, 1, 10.0),
        ("linux", &linux, 2, 1.0),
        ("wide", &wide, 0, 50.0),
    ] {
        let mut forward = link(0, 100_000_000, Duration::from_millis(50), Buffer::Unlimited);
        let step = |at: u64, share: f64| LinkStep {
            at: Time::ZERO + Duration::from_millis(at),
            change: LinkChange { loss: Some(Loss::Bernoulli(share)), ..LinkChange::default() },
        };
        if lost > 0 {
            forward.steps = vec![step(0, 1.0), step(1000 * lost - 500, 0.0)].into();
        }
        let links = vec![forward, link(1, 100_000_000, Duration::from_millis(50), Buffer::Unlimited)];
        let flow = flow(0, law("reno", serde_json::json!({})), vec![0], vec![1], tcp.clone());
        let mut network = network(links, vec![flow], 0, 4);
        network.timing.sample_interval = Duration::from_millis(20);
        let series = simulate(&network, 1).flow_series.unpack();
        let begin = series.flight.iter().position(|flight| *flight > 0.0).expect("data is sent");
        assert_eq!(series.flight[begin], first, "{name}, {lost} lost");
        // The handshake of 100 ms begins with the SYN that arrives.
        assert!(
            (series.time_s[begin] - (lost as f64 + 0.11)).abs() < 0.02,
            "{name}, {lost} lost: {}",
            series.time_s[begin]
        );
    }
}

/// Goodput in Mbit/s and retransmissions over half a minute at 20 Mbit/s and 200 ms, which stands still for `pause_ms`
/// at 8, 16 and 24 s; the receiver holds 600 kB.
fn over_pauses(law: LawChoice, stack: &TcpOptions, pause_ms: u64) -> (f64, u64) {
    let is_up = |at: &u64| !(8000..8000 + pause_ms).contains(at) && !(16_000..16_000 + pause_ms).contains(at);
    let is_up = |at: &u64| is_up(at) && !(24_000..24_000 + pause_ms).contains(at);
    // Five packets of 1500 bytes in 3 ms.
    let millis: Vec<u64> = (0..50_000).map(|packet| packet * 3 / 5 + 1).filter(is_up).collect();
    let trace = Opportunities::from_millis(&millis).expect("a recording");
    let delay = Duration::from_millis(100);
    let forward =
        LinkConfig { buffer: Buffer::Unlimited, ..LinkConfig::new(0, Rate::Recorded(Arc::new(trace)), delay) };
    let tcp = TcpOptions { receive_window: 414, ..stack.clone() };
    let links = vec![forward, link(1, 1_000_000_000, delay, Buffer::Unlimited)];
    let output = simulate(&network(links, vec![flow(0, law, vec![0], vec![1], tcp)], 0, 30), 1);
    (output.flows[0].goodput_bps / 1e6, output.flows[0].retransmits)
}

/// A pause costs its own time, also where the timer expires more than once in it (RFC 3522), and each expiry one
/// repetition: three pauses of 0.6, 0.9 and 2 s of thirty, at 19.3 Mbit/s less the first second.
#[test]
fn a_pause_without_loss_costs_no_more_than_its_time() {
    for (name, stack) in [("rfc", TcpOptions::default()), ("linux", TcpOptions::linux(true))] {
        let steady = over_pauses(law("reno", serde_json::json!({})), &stack, 0).0;
        for pause_ms in [600, 900, 2000] {
            let (goodput, retransmits) = over_pauses(law("reno", serde_json::json!({})), &stack, pause_ms);
            let expected = steady * (1.0 - 3.0 * pause_ms as f64 / 30_000.0);
            assert!(goodput > 0.96 * expected, "{name}, {pause_ms} ms: {goodput} of {expected} Mbit/s");
            assert!(retransmits <= 15, "{name}, {pause_ms} ms: {retransmits} retransmissions");
        }
    }
}

/// Undone timeouts leave no law at a window of one packet. TCP-LP sets that window itself, since a pause is a delay,
/// and grows as Reno from there.
#[test]
fn every_law_gets_its_window_back_after_a_pause() {
    for spec in LawSpec::all().into_iter().filter(|spec| spec.name() != "lp") {
        for (name, stack) in [("rfc", TcpOptions::default()), ("linux", TcpOptions::linux(true))] {
            let law = LawChoice::Known(spec);
            let (steady, paused) = (over_pauses(law, &stack, 0).0, over_pauses(law, &stack, 900).0);
            assert!(paused > 0.8 * steady, "{} over {name}: {paused} Mbit/s, {steady} without pauses", spec.name());
        }
    }
}

/// TCP-LP gives way to a pause, down to one packet, and then grows by a packet a round trip, 200 ms. Seven seconds
/// between pauses, less twice the inference time of three round trips, are 29 round trips and 435 segments, of which
/// the beginning has as many: 0.67 Mbit/s.
#[test]
fn low_priority_grows_as_reno_after_a_pause() {
    for (name, stack) in [("rfc", TcpOptions::default()), ("linux", TcpOptions::linux(true))] {
        let (goodput, _) = over_pauses(law("lp", serde_json::json!({})), &stack, 900);
        assert!(goodput > 0.67, "{name}: {goodput} Mbit/s");
    }
}

/// Karn's rule and RFC 7323 §4.3 over 40 ms where a fifth of all packets is lost, ACKs too: no sample is of an outage
/// of seconds.
#[test]
fn samples_hold_no_outage() {
    for (name, stack) in [("rfc", TcpOptions::default()), ("linux", TcpOptions::linux(true))] {
        for sack in [true, false] {
            let delay = Duration::from_millis(20);
            let links = [0, 1].map(|key| {
                let plain = link(key, 20_000_000, delay, Buffer::Packets(100));
                LinkConfig { loss: Loss::Bernoulli(0.2), ..plain }
            });
            let tcp = TcpOptions { delayed_ack: None, sack, newreno: NewReno::Linux, ..stack.clone() };
            let flow = flow(0, law("reno", serde_json::json!({})), vec![0], vec![1], tcp);
            for seed in 1..=3 {
                let output = simulate(&network(links.to_vec(), vec![flow.clone()], 0, 600), seed);
                let [mean, most] = [output.flows[0].mean_rtt_s, output.flows[0].max_rtt_s];
                assert!(output.flows[0].timeouts > 100);
                // Two round trips, where a repetition fills a gap. Linux prefers the time of what is newly SACKed to
                // the stamp, also where SACKs were lost before.
                let is_linux = name == "linux" && sack;
                assert!(mean < if is_linux { 0.06 } else { 0.042 }, "{name}, SACK {sack}: {mean} s");
                assert!(most < if is_linux { 60.0 } else { 0.1 }, "{name}, SACK {sack}: {most} s");
            }
        }
    }
}
