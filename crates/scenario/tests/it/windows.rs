//! Figures over windows of time, and steps that repeat.

use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Output, run};
use windward_units::{Duration, Time};

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(scenario: &Scenario) -> Output {
    run(&scenario.compile(1).network, &Makers::default(), 1, &Control::new(), None).expect("it runs")
}

/// Datagrams of 1500 B at 12 Mbit/s take 1 ms each. At 6 Mbit/s no packet waits, and half of the time is busy. From 4 s
/// on two sources send 24 Mbit/s: half is lost at the buffer of 10 packets, a packet waits for the nine or ten before
/// it, and the link is always busy.
#[test]
fn windows_of_a_link_have_figures_of_their_own() {
    let text = r#"
        name = "n"
        duration = "8 s"
        output.windows = [
            { name = "light", from = "1 s", to = "3 s" },
            { name = "heavy", from = "5 s", to = "7 s" },
            { name = "whole", from = "0 s", to = "8 s" },
        ]
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "12 Mbit/s", delay = "10 ms", buffer = "10 packets" }]
        [[background]]
        name = "light"
        from = "a"
        to = "b"
        pattern = { kind = "cbr", rate = "6 Mbit/s" }
        [[background]]
        name = "heavy"
        from = "a"
        to = "b"
        start = "4 s"
        pattern = { kind = "cbr", rate = "18 Mbit/s" }
    "#;
    let output = simulate(&read(text));
    let forth: Vec<_> = output.link_windows.iter().filter(|row| row.link == 0).collect();
    let [light, heavy, whole] = &forth[..] else { panic!("three windows") };
    assert_eq!((light.packets, light.lost), (1000, 0));
    assert!((light.utilization - 0.5).abs() < 1e-3 && light.queue_delay_p95_s == 0.0, "{light:?}");
    assert!((heavy.packets as i64 - 2000).abs() <= 1 && (heavy.lost as i64 - 2000).abs() <= 2, "{heavy:?}");
    assert!((heavy.utilization - 1.0).abs() < 1e-3, "{heavy:?}");
    assert!(heavy.queue_delay_p50_s > 0.0088 && heavy.queue_delay_p95_s < 0.0101, "{heavy:?}");
    // A window over all of the run says what the table of links says.
    let link = &output.links[0];
    assert_eq!(
        (whole.packets, whole.lost, whole.queue_delay_p95_s),
        (link.packets, link.dropped, link.queue_delay_p95_s)
    );
    assert_eq!((whole.utilization, whole.mean_queue_delay_s), (link.utilization, link.mean_queue_delay_s));
}

const OUTAGES: &str = r#"
    name = "n"
    duration = "20 s"
    output = { sample_interval = "10 ms", windows = [
        { name = "before", from = "1 s", to = "2 s" },
        { name = "outage", from = "2 s", to = "6 s" },
    ] }
    node = [{ name = "a" }, { name = "b" }]
    link = [{ name = "air", from = "a", to = "b", rate = "8 Mbit/s", delay = "20 ms", buffer = "50 packets" }]
    flow = [{ from = "a", to = "b", law = "reno" }]
    [[change]]
    link = "air"
"#;

/// The link is down from 3 s to 5 s. What was in flight arrives until 3.02 s, what waits from 5.02 s on: a gap of 2 s,
/// known to one sample at each end.
#[test]
fn the_longest_gap_of_a_flow_is_that_of_the_outage() {
    let steps = r#"steps = [{ at = "3 s", up = false }, { at = "5 s", up = true }]"#;
    let output = simulate(&read(&(OUTAGES.to_owned() + steps)));
    let [before, outage] = &output.flow_windows[..] else { panic!("two windows") };
    assert!(before.longest_gap_s <= 0.02, "{before:?}");
    assert!((outage.longest_gap_s - 2.0).abs() <= 0.021, "{outage:?}");
    // 1448 of 1500 bytes are payload; the link carries half of the window, and a little less while it recovers.
    let most = 8e6 * 1448.0 / 1500.0;
    assert!(before.goodput_bps <= most && before.goodput_bps > 0.97 * most, "{before:?}");
    assert!(outage.goodput_bps < 0.52 * most && outage.goodput_bps > 0.3 * most, "{outage:?}");
}

/// From 1 s on, every 4 s, for 0.5 s: at 1, 5, 9, 13 and 17 s. The steps at 17.5 s are the last before the end.
#[test]
fn steps_repeat_until_the_end() {
    let steps = r#"
        every = "4 s"
        steps = [{ at = "1 s", loss = 0.5 }, { at = "1.5 s", loss = 0 }]
    "#;
    let scenario = read(&(OUTAGES.to_owned() + steps));
    let millis = |n: u64| Time::ZERO + Duration::from_millis(n);
    let found: Vec<Time> = scenario.compile(1).network.topology.steps(0).iter().map(|step| step.at).collect();
    let expected = [1000, 1500, 5000, 5500, 9000, 9500, 13_000, 13_500, 17_000, 17_500].map(millis);
    assert_eq!(found, expected);
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "again").expect("it reads back"), scenario);
    // No repetition begins at 9 s or later.
    let short = scenario.to_toml().replace("every = ", "until = \"9 s\"\nevery = ");
    assert_eq!(read(&short).compile(1).network.topology.steps(0).len(), 4);
    // A period that the end of the run cuts short.
    let cut = scenario.to_toml().replace("20 s", "17.2 s");
    assert_eq!(read(&cut).compile(1).network.topology.steps(0).len(), 9);
}
