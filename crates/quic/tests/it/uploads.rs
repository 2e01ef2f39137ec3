//! Uploads over one bottleneck under quinn's own laws and Windward's.

use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use windward_laws::LawSpec;
use windward_network::{Network, Time};
use windward_quic::{Laws, Unfit, Upload, Uploaded, bottleneck};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// Over 10 Mbit/s and 100 ms there and back; 83 packets are the product of the two.
fn over(upload: &Upload, packets: u64, end: Time) -> Uploaded {
    let network = bottleneck("10 Mbit/s", "50 ms", packets).expect("a valid link");
    let path = network.path("a", "b").expect("its flow");
    upload.run(network, path, end)
}

fn seconds(count: u64) -> Time {
    Time::from_nanos(count * 1_000_000_000)
}

fn run(controller: Factory, packets: u64, end: Time) -> Uploaded {
    over(&Upload::new(controller), packets, end)
}

fn law(name: &str) -> Factory {
    Arc::new(Laws::named(name).unwrap())
}

/// Goodput from 10 to 60 s in Mbit/s, and the share of packets lost. Runs follow from their input: the first 10 s of
/// the longer are the shorter.
fn figures(controller: impl Fn() -> Factory, packets: u64) -> (f64, f64) {
    let (early, whole) = (run(controller(), packets, seconds(10)), run(controller(), packets, seconds(60)));
    ((whole.received - early.received) as f64 * 8.0 / 50.0 / 1e6, whole.lost as f64 / whole.sent as f64)
}

/// The link carries 1452 of 1480 bytes, less the header of 11 to 14 bytes, the tag of 16 and those of frames: 9.59
/// Mbit/s. quinn's NewReno and CUBIC are independent of Windward's laws, and differ from them by slow start's end and
/// by CUBIC's region for small windows.
#[test]
fn reno_and_cubic_carry_what_quinns_own_do() {
    for packets in [42, 83] {
        let pairs: [(&str, Factory); 2] =
            [("reno", Arc::new(NewRenoConfig::default())), ("cubic", Arc::new(CubicConfig::default()))];
        for (name, theirs) in pairs {
            let (rate, lost) = figures(|| law(name), packets);
            let (their_rate, their_lost) = figures(|| Arc::clone(&theirs), packets);
            assert!(rate < 9.592, "{name}: {rate} Mbit/s is more than the link carries");
            assert!((rate / their_rate - 1.0).abs() < 0.005, "{name}, {packets}: {rate} for {their_rate} Mbit/s");
            assert!((lost / their_lost - 1.0).abs() < 0.1, "{name}, {packets}: {lost} for {their_lost}");
        }
    }
}

/// The buffer of half a product holds what Copa keeps, 1/δ packets, and what BBR version 3 leaves of it; quinn's BBR
/// loses a quarter of its packets there, for its pacer does not have its rate.
#[test]
fn laws_that_watch_the_delay_lose_little_where_quinns_bbr_loses_much() {
    assert!(figures(|| Arc::new(BbrConfig::default()), 42).1 > 0.2);
    for (name, most) in [("copa", 0.02), ("bbr3", 0.02)] {
        let (rate, lost) = figures(|| law(name), 42);
        assert!(rate > 9.0 && lost < most, "{name}: {rate} Mbit/s, {lost} lost");
    }
}

#[test]
fn every_law_carries_data_or_is_refused_with_its_reason() {
    for spec in LawSpec::all() {
        match Laws::new(spec) {
            Ok(laws) => {
                let found = run(Arc::new(laws), 83, seconds(10));
                // Most carry 11 MB; laws for background transfers and those that grow by little are slow to begin.
                assert!(found.received > 3_000_000, "{}: {} bytes", spec.name(), found.received);
            }
            Err(why) => assert_eq!(why, Unfit::CountsMarks(spec.name())),
        }
    }
}

/// Two flights at 100 ms, and 3 kB of certificate at 10 Mbit/s (2.8 ms): less would be faster than light. The server
/// sends its 3 kB at once, for they are below three times the client's 1200 bytes (RFC 9000 §8.1); a longer chain takes
/// a round trip more.
#[test]
fn a_handshake_takes_a_round_trip_and_one_more_beyond_the_limit_of_amplification() {
    let handshake = |certificate| {
        let upload = Upload::new(law("reno")).certificate(certificate).bytes(1000);
        over(&upload, 83, seconds(10)).connected.unwrap().as_secs()
    };
    assert!((0.1025..0.105).contains(&handshake(3000)), "{}", handshake(3000));
    assert!((0.2025..0.21).contains(&handshake(5000)), "{}", handshake(5000));
}

#[test]
fn an_upload_ends_when_its_last_byte_is_acknowledged() {
    let upload = Upload::new(law("cubic")).bytes(1_000_000);
    let found = over(&upload, 83, seconds(60));
    assert_eq!(found.received, 1_000_000);
    // Slow start from 10 packets doubles seven times; the rest is at the rate of the link.
    let end = found.completed.unwrap().as_secs();
    assert!((1.0..1.6).contains(&end), "{end}");
}

#[test]
fn equal_seeds_give_equal_bytes_and_others_other_connections() {
    let with = |seed| {
        let laws = Laws::named("bbr3").unwrap().seed(seed);
        over(&Upload::new(Arc::new(laws)).seed(seed), 42, seconds(20))
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1).digest, with(2).digest);
}

/// A phone's upload beside another phone's CUBIC over TCP: proportional fair gives each half of the time, and both have
/// the same channel. quinn's own CUBIC gets its share within a fifth; alone it carries what Windward's does.
#[test]
fn an_upload_shares_a_cell_with_a_flow_over_tcp() {
    let cell = r#"
name = "cell"
duration = "20 s"
node = [{ name = "server" }, { name = "mast" }, { name = "here" }, { name = "there" }]
link = [{ from = "mast", to = "server", rate = "1 Gbit/s", delay = "10 ms" }]
flow = [
  { name = "mine", from = "here", to = "server", law = "cubic" },
  { name = "other", from = "there", to = "server", law = "cubic" },
]
[[cell]]
name = "lte"
access_point = "mast"
technology = "lte"
preset = "lte-10mhz"
station = [{ node = "here", snr = "15 dB" }, { node = "there", snr = "15 dB" }]
"#;
    let upload = |controller: Factory, own: &[&str]| {
        let network = Network::from_toml(cell, own, 1).unwrap();
        let path = network.path("here", "server").unwrap();
        Upload::new(controller).run(network, path, seconds(20))
    };
    let alone = upload(Arc::new(CubicConfig::default()), &[]);
    let beside = upload(Arc::new(CubicConfig::default()), &["mine"]);
    let share = beside.received as f64 / alone.received as f64;
    assert!((0.4..0.6).contains(&share), "{share}");
    let ours = upload(law("cubic"), &[]);
    let ratio = ours.received as f64 / alone.received as f64;
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}

#[test]
fn what_cannot_be_is_refused() {
    let names = LawSpec::NAMES.join(", ");
    assert_eq!(Laws::named("rheno").unwrap_err().to_string(), format!("there is no law rheno; laws: {names}"));
    assert_eq!(
        Laws::named("prague").unwrap_err().to_string(),
        "prague counts ECN marks, and quinn reports only that there were some: take a law without `ecn`, as cubic"
    );
    let text = Laws::with("fast", serde_json::json!({ "alpha": 0 })).unwrap_err().to_string();
    assert_eq!(text, "parameter alpha of the law: 0 is not between 0.001 and 1e9");
    let text = Laws::named("reno").unwrap().initial_window(1.0).unwrap_err().to_string();
    assert_eq!(text, "an initial window of 1 packets: allowed are 2 to 1000");
}
