//! Endpoints of noq under Windward's laws and under noq's own controllers, over the simulator's links.

use noq_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use windward_network::Time;
use windward_quic::noq::Upload;
use windward_quic::{Laws, Uploaded, bottleneck, ends};
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Output, run};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// An upload of some seconds over 10 Mbit/s and 100 ms there and back; 83 packets are the product of the two.
fn upload(controller: &Factory, packets: u64, seconds: u64) -> Uploaded {
    let network = bottleneck("10 Mbit/s", "50 ms", packets).expect("a valid link");
    let path = network.path("a", "b").expect("its flow");
    Upload::new(Arc::clone(controller)).run(network, path, Time::from_nanos(seconds * 1_000_000_000))
}

/// Goodput from 10 to 60 s in Mbit/s, the share of packets lost, and the smoothed RTT in ms at the end.
fn figures(controller: &Factory, packets: u64) -> [f64; 3] {
    let (early, whole) = (upload(controller, packets, 10), upload(controller, packets, 60));
    let rate = (whole.received - early.received) as f64 * 8.0 / 50.0 / 1e6;
    [rate, whole.lost as f64 / whole.sent as f64, whole.rtt.as_millis()]
}

fn law(name: &str) -> Factory {
    Arc::new(Laws::named(name).unwrap())
}

/// noq's own NewReno and CUBIC are independent of Windward's laws.
#[test]
fn reno_and_cubic_carry_what_noqs_own_do() {
    for packets in [42, 83] {
        let pairs: [(&str, Factory); 2] =
            [("reno", Arc::new(NewRenoConfig::default())), ("cubic", Arc::new(CubicConfig::default()))];
        for (name, theirs) in pairs {
            let ([rate, lost, _], [their_rate, their_lost, _]) =
                (figures(&law(name), packets), figures(&theirs, packets));
            println!("{name} {packets}: {rate:.3} {their_rate:.3} Mbit/s, {lost:.4} {their_lost:.4} lost");
            assert!((rate / their_rate - 1.0).abs() < 0.005, "{name}, {packets}: {rate} for {their_rate}");
            assert!((lost / their_lost - 1.0).abs() < 0.1, "{name}, {packets}: {lost} for {their_lost}");
        }
    }
}

/// Behind half a bandwidth-delay product quinn's pacer makes BBR lose a third of its packets, and keeps two products
/// in flight behind more.
#[test]
fn the_pacing_rate_of_a_law_reaches_noqs_pacer() {
    for packets in [42, 83, 417] {
        for name in ["bbr", "bbr3"] {
            let [rate, lost, rtt] = figures(&law(name), packets);
            println!("{name} {packets}: {rate:.2} Mbit/s, {:.2} % lost, {rtt:.0} ms", 100.0 * lost);
            assert!(rate > 8.9 && lost < 0.02, "{name}, {packets}: {rate} Mbit/s, {lost} lost");
            assert!(rtt < 125.0, "{name}, {packets}: {rtt} ms");
        }
    }
}

/// A flow with these keys over 10 Mbit/s, 100 ms and 83 packets, for some seconds.
fn flow(keys: &str, seconds: u32) -> Output {
    let text = format!(
        r#"
name = "flow"
duration = "{seconds} s"
output = {{ internals = true }}
node = [{{ name = "a" }}, {{ name = "b" }}]
flow = [{{ from = "a", to = "b", transport = "quic", segment = "1428 B", {keys} }}]

[[link]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "50 ms"
buffer = "83 packets"
reverse = {{ buffer = "unlimited" }}
"#
    );
    let scenario = Scenario::from_toml(&text, "noq.toml").unwrap_or_else(|error| panic!("{error}"));
    let makers = Makers { quic: Some(ends(None)), ..Makers::default() };
    run(&scenario.compile(1).network, &makers, 1, &Control::new(), None).expect("it is not cancelled")
}

/// noq's controllers in a scenario carry what they carry in an upload. The times of BBR's probes are random.
#[test]
fn noqs_own_controllers_run_in_scenarios() {
    let theirs: Factory = Arc::new(CubicConfig::default());
    let alone = upload(&theirs, 83, 30).received as f64 * 8.0 / 30.0 / 1e6;
    let run = |law: &str| flow(&format!(r#"law = "{law}", law_of = "noq""#), 30);
    let [cubic, reno, bbr] = ["cubic", "reno", "bbr3"].map(|law| run(law).flows[0].goodput_bps / 1e6);
    println!("{alone:.3}: {cubic:.3}, {reno:.3}, {bbr:.3} Mbit/s");
    assert!((cubic / alone - 1.0).abs() < 0.01, "{cubic} for {alone}");
    assert!((reno / alone - 1.0).abs() < 0.02, "{reno}");
    assert!((8.0..9.6).contains(&bbr), "{bbr}");
    assert_eq!(format!("{:?}", run("cubic").into_tables()), format!("{:?}", run("cubic").into_tables()));
}

/// noq's BBRv3 shows what `bbr3` shows, in the same units, before its first random wait: 833 packets a second, a round
/// trip of 100 ms, and STARTUP and DRAIN in order.
#[test]
fn noqs_bbr_shows_its_state_as_bbr3_does() {
    let [theirs, ours] = [r#"law = "bbr3", law_of = "noq""#, r#"law = "bbr3""#].map(|keys| flow(keys, 3).internals);
    assert_eq!(theirs.names, ours.names);
    let samples = &theirs.samples;
    let of = |name: &str| {
        let wanted = theirs.names.iter().position(|own| own == name).expect("it is shown") as u32;
        let pairs = samples.name.iter().zip(&samples.value).filter(move |(own, _)| **own == wanted);
        pairs.map(|(_, value)| *value).collect::<Vec<f64>>()
    };
    let mut phases = of("phase");
    phases.dedup();
    // The first PROBE_DOWN may be shorter than the time between two samples.
    assert!(phases.starts_with(&[0.0, 1.0]) && [2.0, 3.0].contains(&phases[2]), "{phases:?}");
    // Full packets are 1480 bytes on the wire.
    let rate = 10e6 / 8.0 / 1480.0;
    // noq forgets its estimate within rounds: evidence/measured/stacks.md.
    let most = of("max_bw").into_iter().fold(0.0, f64::max);
    assert!((most / rate - 1.0).abs() < 0.02, "{most}");
    let min_rtt = *of("min_rtt").last().expect("a sample");
    assert!((min_rtt - 0.1).abs() < 0.005, "{min_rtt}");
    assert!(of("inflight_longterm").iter().all(|bound| (0.0..1000.0).contains(bound)));
}

/// 0-RTT saves the round trip of the handshake.
#[test]
fn a_resumed_session_saves_a_round_trip() {
    let took = ["false", "true"].map(|resumed| {
        flow(&format!(r#"law = "cubic", law_of = "noq", size = "1 kB", zero_rtt = {resumed}"#), 3).flows[0].completion_s
    });
    println!("{took:?}");
    assert!((took[0] - took[1] - 0.1).abs() < 0.03, "{took:?}");
}
