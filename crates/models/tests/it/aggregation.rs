//! Networks of 802.11n, ac and ax: rates by distance, links of an access point, categories, the optimum.

use windward_fluid::Method;
use windward_models::{Models, Objective};
use windward_scenario::{Compiled, Scenario};
use windward_sim::wifi::edca::{AfterLoss, Category, Contention, EdcaConfig, Hardware, RateChoice};
use windward_sim::wifi::ppdu::Timing;
use windward_sim::{Control, Makers, MediumConfig, Output, run};
use windward_tables::Data;
use windward_units::Duration;

fn text(keys: &str, stations: &str) -> String {
    format!(
        r#"
name = "flat"
duration = "1 s"
node = [{{ name = "AP" }}, {{ name = "near" }}, {{ name = "far" }}]
flow = [
  {{ from = "AP", to = "near", law = "cubic", dscp = "EF" }},
  {{ from = "AP", to = "far", law = "cubic" }},
]
[[wifi]]
name = "home"
standard = "802.11ac"
access_point = "AP"
{keys}
station = [{{ node = "AP", at = ["0 m", "0 m"] }}, {stations}]
"#
    )
}

const FLAT: &str = r#"{ node = "near", at = ["5 m", "0 m"] }, { node = "far", at = ["40 m", "0 m"] }"#;

fn network(text: &str) -> EdcaConfig {
    let scenario = Scenario::from_toml(text, "flat.toml").unwrap_or_else(|error| panic!("{error}"));
    match scenario.compile(1).network.topology.media.remove(0) {
        MediumConfig::Edca(config) => config,
        other => panic!("a network of 802.11ac, not {other:?}"),
    }
}

/// 20 dBm at 5.25 GHz: free space to 5 m loses 60.8 dB, and 31.6 dB more to 40 m; the noise in 80 MHz is −88.0 dBm. Two
/// streams of 256-QAM 5/6 need 29.1 dB. At 15.5 dB two of 16-QAM 3/4 lose 18 % of 1538 bytes and deliver 1.22 times as
/// much as two of 16-QAM 1/2, which lose nothing.
#[test]
fn distance_decides_the_rate() {
    let config = network(&text("", FLAT));
    let ends: Vec<(u32, u32)> = config.ways.iter().map(|way| (way.from, way.to)).collect();
    assert_eq!(ends, [(0, 1), (0, 2), (1, 0), (2, 0)], "all links begin or end at the access point");
    let decibels = |local| 10.0 * libm::log10(config.ratio(local));
    assert!((decibels(0) - 47.1).abs() < 0.1, "{}", decibels(0));
    assert!((decibels(1) - 15.5).abs() < 0.1, "{}", decibels(1));
    let rate = |local| (config.rate(local).streams(), config.rate(local).mcs());
    assert_eq!([rate(0), rate(1)], [(2, 9), (2, 4)]);
    assert_eq!(config.stations[0].contention, Contention::ACCESS_POINT);
    assert_eq!(config.stations[2].contention, Contention::STATION);
    assert_eq!(config.flows[0], [Category::Voice, Category::BestEffort]);
    assert_eq!(config.flows[1], [Category::BestEffort; 2]);
}

/// A rate of what is sent to a station goes before that of its sender.
#[test]
fn rates_can_be_given_for_each_link() {
    let stations = r#"{ node = "near", at = ["5 m", "0 m"] },
        { node = "far", at = ["40 m", "0 m"], receive_rate = { mcs = 0, streams = 1, width = "20 MHz" } }"#;
    let config = network(&text("rate_control = { kind = \"fixed\", mcs = 5 }", stations));
    let rate = |local| (config.rate(local).streams(), config.rate(local).width().mhz(), config.rate(local).mcs());
    assert_eq!([rate(0), rate(1), rate(3)], [(2, 80, 5), (1, 20, 0), (2, 80, 5)]);
}

/// Proportional fairness on one channel is equal airtime: each of n links has 1/n of its rate alone, in the mode that
/// delivers most: no less than the fastest that loses 1.2 % at most.
#[test]
fn proportional_fairness_is_equal_airtime() {
    for control in ["ideal", "minstrel-ht"] {
        let text = text(&format!("rate_control = \"{control}\""), FLAT);
        let scenario = Scenario::from_toml(&text, "flat.toml").unwrap();
        let config = network(&text);
        let fair = scenario.optimum(Objective::Proportional).unwrap();
        for (flow, local) in fair.flows.iter().zip([0, 1]) {
            let half = config.bound(local, 1500, true) * 1500.0 * 8.0 / 2.0;
            assert!((flow.rate_bps / half - 1.0).abs() < 1e-9, "{} is not {half}", flow.rate_bps);
            assert!(half >= config.saturated(local, 1500) * 1500.0 * 8.0 / 2.0);
        }
        assert!(fair.solution.certificate.worst() < 1e-8);
    }
}

/// A flat of 802.11n with one stream and MCS 7 of 20 MHz, and these flows.
fn slow(flows: &str, keys: &str) -> String {
    format!(
        r#"
name = "slow"
duration = "20 s"
node = [{{ name = "server" }}, {{ name = "AP" }}, {{ name = "near" }}, {{ name = "far" }}]
link = [{{ from = "server", to = "AP", rate = "1 Gbit/s", delay = "10 ms" }}]
flow = [{flows}]
[[wifi]]
name = "home"
standard = "802.11n"
streams = 1
guard_interval = "800 ns"
rate_control = {{ kind = "fixed", mcs = 7 }}
access_point = "AP"
{keys}
station = [
  {{ node = "AP", at = ["0 m", "0 m"] }},
  {{ node = "near", at = ["2 m", "0 m"] }},
  {{ node = "far", at = ["0 m", "2 m"], receive_rate = {{ mcs = 1 }} }},
]
"#
    )
}

const BOTH: &str = r#"{ from = "server", to = "near", law = "reno" }, { from = "server", to = "far", law = "reno" }"#;

/// In 5.484 ms fit 28 MPDUs of 1538 bytes: 36 + 4·⌈(16 + 8·43 230 + 6)/260⌉ = 5360 µs. Before them SIFS, three slots of
/// 9 µs and 7.5 slots of backoff, 110.5 µs; behind them SIFS, a BlockAck at 24 Mbit/s and two propagations of 0.1 µs,
/// 48.2 µs: 28 packets in 5518.7 µs.
#[test]
fn the_optimum_has_the_longest_aggregates() {
    let text = slow(r#"{ from = "server", to = "near", law = "reno" }"#, "");
    let best = Scenario::from_toml(&text, "slow.toml").unwrap().optimum(Objective::Proportional).unwrap();
    let exact = 28.0 * 1500.0 * 8.0 / 5518.7e-6;
    assert!((best.flows[0].rate_bps / exact - 1.0).abs() < 1e-5, "{} is not {exact}", best.flows[0].rate_bps);
}

/// Goodputs of the fluid at the end, in Mbit/s.
fn rest(text: &str) -> Vec<f64> {
    let run = Scenario::from_toml(text, "slow.toml").unwrap().fluid(Method::Ode { tolerance: 1e-6 });
    let run = run.unwrap_or_else(|error| panic!("{error}"));
    let rates = &run.trajectory.rests[0].rates;
    run.class.iter().map(|&class| rates[class as usize] * run.packet_bits / 1e6).collect()
}

/// Both stations get half of the airtime: MCS 7 carries 65 Mbit/s, MCS 1 13, and each half of what it has alone. A
/// weight of 768 for 256 gives three quarters of it. A flow that loses 5 % needs little, and the other gets the rest.
#[test]
fn the_fluid_divides_airtime() {
    let near = rest(&slow(r#"{ from = "server", to = "near", law = "reno" }"#, ""))[0];
    let far = rest(&slow(r#"{ from = "server", to = "far", law = "reno" }"#, ""))[0];
    assert!((50.0..61.0).contains(&near) && (11.0..13.0).contains(&far), "{near} {far}");
    let close =
        |rates: &[f64], exact: [f64; 2]| rates.iter().zip(exact).all(|(rate, exact)| (rate / exact - 1.0).abs() < 1e-3);
    let both = rest(&slow(BOTH, ""));
    assert!(close(&both, [near / 2.0, far / 2.0]), "{both:?}");
    let weighed = slow(BOTH, "").replace("at = [\"2 m\", \"0 m\"]", "at = [\"2 m\", \"0 m\"], weight = 768");
    let weighed = rest(&weighed);
    assert!(close(&weighed, [near * 0.75, far * 0.25]), "{weighed:?}");
    let lossy = r#"loss = [{ from = "AP", to = "far", probability = 0.05 }]"#;
    // A loss of the air takes airtime, not packets.
    let alone = rest(&slow(r#"{ from = "server", to = "far", law = "reno" }"#, lossy))[0];
    assert!((alone / far / 0.95 - 1.0).abs() < 0.02, "{alone} {far}");
}

/// Several senders, other categories, one queue for several stations, and links that carry nothing.
#[test]
fn what_has_no_division_is_refused() {
    let refused = |text: &str| {
        let scenario = Scenario::from_toml(text, "slow.toml").unwrap_or_else(|error| panic!("{error}"));
        scenario.fluid(Method::Ode { tolerance: 1e-6 }).expect_err("it has no equation").to_string()
    };
    let up = format!(r#"{BOTH}, {{ from = "far", to = "server", law = "reno" }}"#);
    assert!(refused(&slow(&up, "")).contains("several stations of 802.11n, ac or ax that send data"));
    let voice = BOTH.replacen("law", "dscp = \"EF\", law", 1);
    assert!(refused(&slow(&voice, "")).contains("other categories than best effort"));
    assert!(refused(&slow(BOTH, r#"txq = { queue = "fifo" }"#)).contains("one queue for several stations"));
    let dead = slow(BOTH, r#"loss = [{ from = "AP", to = "far", probability = 1 }]"#);
    assert!(refused(&dead).contains("nothing arrives over it"));
    let scenario = Scenario::from_toml(&dead, "slow.toml").unwrap();
    let best = scenario.optimum(Objective::Proportional).expect_err("it has no rate").to_string();
    assert!(best.contains("nothing arrives over it"), "{best}");
}

/// 56 Mbit/s over 20 ms and CoDel's 20 ms in the air are a window of some 190 packets, which ACKs that waited for the
/// air release at once. A wire ahead of the air with room for fewer drops part of them, for which there is no equation.
/// A wire with a queue of its own drops by its equation.
#[test]
fn bursts_that_a_wire_drops_are_refused() {
    let one = slow(r#"{ from = "server", to = "near", law = "reno" }"#, "");
    let with = |wire: &str| one.replace("rate = \"1 Gbit/s\"", wire);
    let fluid = |text: &str| Scenario::from_toml(text, "slow.toml").unwrap().fluid(Method::Ode { tolerance: 1e-6 });
    let refused = fluid(&with(r#"rate = "1 Gbit/s", buffer = "100 packets""#)).expect_err("a burst overflows it");
    let refused = refused.to_string();
    assert!(refused.contains("link `server->AP`: bursts") && refused.contains("the buffer holds 100"), "{refused}");
    let kept = with(r#"rate = "1 Gbit/s", buffer = "300 packets""#);
    assert!((rest(&kept)[0] / rest(&one)[0] - 1.0).abs() < 1e-9, "the wire has no queue");
    assert!(fluid(&with(r#"rate = "20 Mbit/s", buffer = "30 packets""#)).is_ok(), "the queue is the wire's");
}

fn simulate(text: &str) -> (Compiled, Output) {
    let compiled = Scenario::from_toml(text, "flat.toml").unwrap_or_else(|error| panic!("{error}")).compile(1);
    let output = run(&compiled.network, &Makers::default(), 1, &Control::new(), None).expect("it runs");
    (compiled, output)
}

/// Columns of a table of a medium, as whole numbers.
fn numbers(output: &Output, table: &str, column: &str) -> Vec<u64> {
    let frame = output.media.get(table).unwrap_or_else(|| panic!("there is no table {table}"));
    let at = frame.table.columns.iter().position(|known| known.name == column).expect("the table has it");
    match &frame.columns[at] {
        Data::Unsigned(counts) => counts.clone(),
        Data::Unsigned32(counts) => counts.iter().copied().map(u64::from).collect(),
        other => panic!("{column} has {other:?}"),
    }
}

/// A datagram of 1500 bytes every 12 ms finds the medium idle: it waits for the slot boundary, 9 µs at most, and
/// arrives after a bare MPDU of 1538 bytes at MCS 7 of 20 MHz, 36 + 4·⌈(16 + 8·1538 + 6)/260⌉ = 228 µs, and 0.1 µs.
/// Voice and best effort have rows of their own.
#[test]
fn queues_have_a_row_for_each_category() {
    let source = |name: &str, dscp: &str, offset: &str| {
        format!(
            "[[background]]\nname = \"{name}\"\nfrom = \"AP\"\nto = \"near\"\npacket = \"1500 B\"\nstart = \"{offset}\"\n\
             pattern = {{ kind = \"cbr\", rate = \"1 Mbit/s\" }}\n{dscp}"
        )
    };
    let text = format!(
        r#"
name = "call"
duration = "4 s"
warmup = "1 s"
node = [{{ name = "AP" }}, {{ name = "near" }}]
[[wifi]]
name = "home"
standard = "802.11n"
streams = 1
guard_interval = "800 ns"
rate_control = {{ kind = "fixed", mcs = 7 }}
station = [{{ node = "AP", at = ["0 m", "0 m"] }}, {{ node = "near", at = ["2 m", "0 m"] }}]
{}{}"#,
        source("data", "", "0 s"),
        source("call", "dscp = \"EF\"\n", "5 ms")
    );
    let (_, output) = simulate(&text);
    assert_eq!(numbers(&output, "wifi_queues", "category"), [Category::BestEffort as u64, Category::Voice as u64]);
    assert_eq!(numbers(&output, "wifi_queues", "arrived"), [250, 250]);
    assert_eq!(numbers(&output, "wifi_queues", "sent"), [250, 250]);
    let values = |column| output.media.get("wifi_queues").unwrap().values(column).unwrap();
    for at in [0, 1] {
        assert!(values("wait_p99_s")[at] < 9.1e-6, "{} s", values("wait_p99_s")[at]);
        for column in ["delay_p50_s", "delay_p99_s"] {
            let delay = values(column)[at];
            assert!((227.2e-6..238.2e-6).contains(&delay), "{column}: {delay} s");
        }
    }
    assert_eq!(numbers(&output, "ampdu_sizes", "mpdus"), [1]);
    assert_eq!(numbers(&output, "ampdu_sizes", "ppdus"), [500]);
    assert_eq!([numbers(&output, "wifi_rates", "mcs"), numbers(&output, "wifi_rates", "mpdus")], [[7], [500]]);
}

/// Minstrel-HT under TCP: rates, sizes and links count the same MPDUs, and percentiles rise.
#[test]
fn rates_and_sizes_count_every_mpdu() {
    let text = text("rate_control = \"minstrel-ht\"\nwidth = \"40 MHz\"", FLAT);
    let (compiled, output) = simulate(&text.replacen("duration", "stack = \"rfc\"\nduration", 1));
    let by_link = |table: &str, column: &str| {
        let mut sums = vec![0; compiled.links.len()];
        let links = numbers(&output, table, "link");
        links.iter().zip(numbers(&output, table, column)).for_each(|(&link, count)| sums[link as usize] += count);
        sums
    };
    let mpdus = by_link("edca_links", "mpdus");
    assert!(mpdus[..2].iter().all(|&count| count > 200), "{mpdus:?}");
    assert_eq!(by_link("wifi_rates", "mpdus"), mpdus);
    assert_eq!(by_link("wifi_rates", "ppdus"), by_link("wifi_links", "data_frames"));
    assert_eq!(by_link("ampdu_sizes", "ppdus"), by_link("wifi_links", "data_frames"));
    let sizes = numbers(&output, "ampdu_sizes", "mpdus").into_iter().zip(numbers(&output, "ampdu_sizes", "ppdus"));
    assert_eq!(sizes.map(|(size, count)| size * count).sum::<u64>(), mpdus.iter().sum::<u64>());
    let successes = by_link("wifi_rates", "successes");
    assert_eq!(successes, by_link("wifi_links", "successes"));
    assert!(numbers(&output, "wifi_rates", "mcs").len() > 8, "Minstrel-HT samples");
    assert_eq!(by_link("wifi_queues", "sent"), output.links.iter().map(|link| link.packets).collect::<Vec<_>>());
    assert_eq!(by_link("wifi_queues", "dropped"), output.links.iter().map(|link| link.dropped).collect::<Vec<_>>());
    let values = |column| output.media.get("wifi_queues").unwrap().values(column).unwrap();
    for at in 0..values("wait_p50_s").len() {
        let waits = ["wait_p50_s", "wait_p95_s", "wait_p99_s"].map(|column| values(column)[at]);
        let delays = ["delay_p50_s", "delay_p95_s", "delay_p99_s"].map(|column| values(column)[at]);
        assert!(waits.is_sorted() && delays.is_sorted() && waits[0] < delays[0], "{waits:?} {delays:?}");
    }
}

/// A profile sets defaults, which explicit keys override.
#[test]
fn profiles_have_the_limits_of_their_implementation() {
    let of = |standard: &str, keys: &str| network(&text(keys, FLAT).replace("802.11ac", standard));
    let ath9k = of("802.11n", "profile = \"linux-ath9k\"");
    let limits = ath9k.ampdu.expect("it aggregates");
    assert_eq!((limits.frames, limits.bytes, limits.duration), (32, 65_535, Duration::from_micros(4096)));
    let queues = ath9k.stations[0].txqs.expect("it has queues");
    assert!(queues.airtime_fairness && queues.aql.is_none() && queues.charges_received);
    assert_eq!(ath9k.stations[0].hardware, Hardware::TwoAggregates);
    assert!(matches!(ath9k.ways[0].rate, RateChoice::Minstrel(_)));
    assert_eq!(of("802.11n", "profile = \"linux-ath9k\"\nampdu = { mpdus = 20 }").ampdu.unwrap().frames, 20);

    let mt76 = of("802.11ax", "profile = \"linux-mt76\"");
    assert_eq!(mt76.stations[1].hardware, Hardware::Firmware);
    assert!(mt76.stations[1].txqs.is_some_and(|queues| queues.aql.is_some()));
    assert_eq!(mt76.ampdu.unwrap().frames, 256);
    let driver = of("802.11ax", "profile = \"linux-mt76\"\ntxq = { hardware = \"driver\" }");
    assert_eq!(driver.stations[1].hardware, Hardware::Driver);
    let fifo = of("802.11ax", "profile = \"linux-mt76\"\ntxq = { queue = \"fifo\" }");
    assert_eq!(fifo.stations[1].hardware, Hardware::Driver, "a shared queue has no airtime queue limits");

    let ns3 = of("802.11ac", "profile = \"ns3\"");
    assert_eq!((ns3.ampdu.unwrap().bytes, ns3.timing), (65_535, Timing::NS3));
    assert_eq!((ns3.block_ack.attempts, ns3.block_ack.after_loss), (None, AfterLoss::Request));
    assert_eq!(ns3.stations[0].contention, ns3.stations[1].contention);
    assert_eq!(ns3.stations[0].contention[Category::Voice as usize].txop, Duration::from_micros(2080));
}

/// ns-3's documents: 802.11ac at 160 MHz, MCS 9 and one stream carries 42 MPDUs in 65 535 bytes, 618.5 Mbit/s of 1472
/// bytes each by the closed form without beacons.
#[test]
fn the_profile_of_ns3_has_its_goodput() {
    let keys = "profile = \"ns3\"\nwidth = \"160 MHz\"\nstreams = 1\nrate_control = { kind = \"fixed\", mcs = 9 }";
    let config = network(&text(keys, FLAT));
    assert_eq!(config.full(0, 1500).mpdus, 42);
    let goodput = 42.0 * 1472.0 * 8.0 / config.exchange(0, 1500).as_secs() / 1e6;
    assert!((goodput / 618.5 - 1.0).abs() < 0.003, "{goodput} Mbit/s");
}

/// The optimum of a link with A-MSDUs is what the link delivers alone: 802.11n at MCS 7 of one stream without A-MPDUs
/// carries five packets of 1500 bytes a time, 51.90 Mbit/s of 1472 bytes each without propagation, which is 0.2 µs
/// here.
#[test]
fn the_optimum_knows_amsdus() {
    let keys = "width = \"20 MHz\"\nstreams = 1\nguard_interval = \"800 ns\"\nampdu = { mpdus = 1 }\namsdu = \"7935 B\"\n\
                rate_control = { kind = \"fixed\", mcs = 7 }\nedca = { best_effort = { cw_max = 1023 } }";
    let text = text(keys, r#"{ node = "near", at = ["5 m", "0 m"] }, { node = "far", at = ["2 m", "0 m"] }"#)
        .replace("802.11ac", "802.11n")
        .replace(", dscp = \"EF\"", "");
    let fair = Scenario::from_toml(&text, "flat.toml").unwrap().optimum(Objective::Proportional).unwrap();
    let by_hand = 5.0 * 1500.0 * 8.0 / (43.0 + 67.5 + 980.0 + 16.0 + 28.0 + 0.2) * 1e6;
    for flow in &fair.flows {
        assert!((flow.rate_bps / (by_hand / 2.0) - 1.0).abs() < 1e-6, "{} is not half of {by_hand}", flow.rate_bps);
    }
}
