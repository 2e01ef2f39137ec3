//! Scenarios with changing links and stations: their compiled form, and their equilibria.

use std::io;
use windward_fluid::Method;
use windward_models::{Models, Objective};
use windward_scenario::Scenario;
use windward_sim::cell::MeanChange;
use windward_sim::{Buffer, Control, Drops, Loss, Makers, MediumConfig, Output, Rate, Reorder, run};
use windward_units::{BitRate, Duration, Time};

const LINK: &str = r#"
    name = "changes"
    duration = "60 s"
    output = { sample_interval = "1 s" }
    node = [{ name = "a" }, { name = "b" }]
    [[link]]
    name = "air"
    from = "a"
    to = "b"
    rate = "8 Mbit/s"
    delay = "20 ms"
    buffer = "50 packets"
    [[flow]]
    from = "a"
    to = "b"
    law = "LAW"
"#;

fn read(text: &str) -> Scenario {
    let files = |name: &str| match name {
        "steps.csv" => {
            let header = "time_s,rate_bps,delay_ms,loss,buffer_packets,reorder,reorder_ms,up";
            Ok(format!("{header}\n10,4e6,,0.01,,0.02,8,\n20,,30,,20,0,8,0\n21,,,,,,,1\n"))
        }
        other => Err(io::Error::other(format!("no {other}"))),
    };
    Scenario::from_toml_with(text, "test", &files).unwrap_or_else(|error| panic!("{error}"))
}

fn link(law: &str, rest: &str) -> Scenario {
    read(&(LINK.replace("LAW", law) + rest))
}

fn secs(count: u64) -> Time {
    Time::ZERO + Duration::from_millis(1000 * count)
}

#[test]
fn a_table_of_steps_is_read_into_the_scenario() {
    let scenario = link("reno", "[[change]]\nlink = \"air\"\nsteps = \"steps.csv\"\n");
    // From here on the scenario stands alone.
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "again").expect("it reads back"), scenario);
    let topology = scenario.compile(1).network.topology;
    let steps = topology.steps(0);
    assert_eq!(steps.iter().map(|step| step.at).collect::<Vec<_>>(), [secs(10), secs(20), secs(21)]);
    assert_eq!(steps[0].change.rate, Some(Rate::Constant(BitRate::bits_per_sec(4_000_000))));
    assert_eq!((steps[0].change.loss, steps[0].change.delay.clone()), (Some(Loss::Bernoulli(0.01)), None));
    let late = Reorder { share: 0.02, delay: Duration::from_millis(8) };
    // With a share of 0 none is late any more.
    assert_eq!([0, 1, 2].map(|step| steps[step].change.reorder), [Some(Some(late)), Some(None), None]);
    assert_eq!((steps[1].change.is_up, steps[1].change.drops), (Some(false), Drops::Nothing));
    // The way back is a link of its own, and stays as it is.
    assert!(topology.steps(1).is_empty());
    assert_eq!(topology.changes(), [secs(10), secs(20), secs(21)]);
    assert!(topology.is_up(0, secs(19)) && !topology.is_up(0, secs(20)) && topology.is_up(0, secs(21)));
    let then = topology.at(secs(20));
    assert_eq!(
        (then.delay(0), then.buffer(0), then.mean_loss(0)),
        (Duration::from_millis(30), Buffer::Packets(20), 0.01)
    );
    assert_eq!(then.mean_rate(0), 4e6);
    assert_eq!(topology.at(secs(9)).mean_rate(0), 8e6);
}

#[test]
fn a_station_changes_in_every_cell_that_it_is_in() {
    let text = r#"
        name = "cell"
        duration = "60 s"
        node = [{ name = "ap" }, { name = "c", count = 2 }]
        [[cell]]
        name = "air"
        access_point = "ap"
        slot = "1 ms"
        symbol_rate = "1 Msymbol/s"
        amc = "ctc"
        station = [{ node = "c", snr = "20 dB" }]
        [[cell]]
        name = "up"
        direction = "uplink"
        access_point = "ap"
        slot = "1 ms"
        symbol_rate = "1 Msymbol/s"
        amc = "ctc"
        station = [{ node = "c", snr = "20 dB" }]
        [[flow]]
        from = "ap"
        to = "c"
        law = "reno"
        [[change]]
        station = "c-2"
        at = "30 s"
        snr = "10 dB"
    "#;
    let topology = read(text).compile(1).network.topology;
    for medium in &topology.media {
        let MediumConfig::Cell(cell) = medium else { panic!("a cell") };
        let [MeanChange { at, station, mean_snr }] = cell.changes[..] else { panic!("one change") };
        assert_eq!((at, station), (secs(30), 1));
        assert!((mean_snr - 10.0).abs() < 1e-12);
    }
    let rate = |now| topology.at(now).mean_rate(1);
    assert!(rate(secs(29)) > 1.5 * rate(secs(30)));
    assert_eq!(topology.at(secs(30)).mean_rate(0), topology.mean_rate(0));
}

/// A jump of a Wi-Fi station out of range, and back.
#[test]
fn a_station_jumps() {
    let text = r#"
        name = "jump"
        duration = "30 s"
        node = [{ name = "a" }, { name = "b" }]
        [[wifi]]
        name = "w"
        standard = "802.11b"
        routing = "aodv"
        station = [{ node = "a", at = ["0 m", "0 m"] }, { node = "b", at = ["100 m", "0 m"] }]
        [[background]]
        from = "a"
        to = "b"
        pattern = { kind = "cbr", rate = "80 kbit/s" }
        packet = "1000 B"
        [[change]]
        station = "b"
        at = "10 s"
        position = ["2 km", "0 m"]
        [[change]]
        station = "b"
        at = "20 s"
        position = ["100 m", "0 m"]
    "#;
    let output = simulate(&read(text));
    // 10 packets a second; of those of the 10 s out of reach AODV keeps 64 at most until it has found the way again.
    let arrived = output.sources[0].received;
    assert!((200..=266).contains(&arrived), "{arrived}");
    let fixed = text.replace("routing = \"aodv\"", "");
    let error = Scenario::from_toml(&fixed, "fixed").expect_err("routes are fixed").to_string();
    assert!(error.contains("change[0].position") || error.contains("stations that move need a protocol"), "{error}");
}

fn simulate(scenario: &Scenario) -> Output {
    run(&scenario.compile(1).network, &Makers::default(), 1, &Control::new(), None).expect("it runs")
}

/// After a change the windows converge to those of a scenario written with the new values.
#[test]
fn the_new_rest_is_that_of_the_new_network() {
    let change = "[[change]]\nlink = \"air\"\nat = \"29.95 s\"\nrate = \"4 Mbit/s\"\ndelay = \"35 ms\"\n";
    for law in ["reno", "vegas", "fast", "cubic"] {
        let method = Method::Ode { tolerance: 1e-8 };
        let changed = link(law, change).fluid(method).expect("it has a fluid form").trajectory;
        let written = LINK.replace("8 Mbit/s", "4 Mbit/s").replace("20 ms", "35 ms").replace("LAW", law);
        // Only the way there changes: the way back is written as it was.
        let written =
            read(&written.replace("buffer =", "reverse = { rate = \"8 Mbit/s\", delay = \"20 ms\" }\nbuffer ="));
        let written = written.fluid(method).expect("it has a fluid form").trajectory;
        assert_eq!(changed.rests.len(), 2);
        assert_eq!((changed.rests[0].span, changed.rests[1].span), ((0.0, 29.95), (29.95, 60.0)));
        let (new, other) = (&changed.rests[1], &written.rests[0]);
        assert!((new.rates[0] / other.rates[0] - 1.0).abs() < 2e-3, "{law}: {new:?} {other:?}");
        // Vegas is content with any backlog from α to β: where it stops depends on where it came from.
        let is_close = (new.windows[0] / other.windows[0] - 1.0).abs() < 2e-3;
        assert!(is_close || law == "vegas", "{law}: {new:?} {other:?}");
        assert!((changed.rests[0].rates[0] / new.rates[0] - 2.0).abs() < 0.02, "{law}");
    }
}

/// Two flows of 20 packets over 1000 packets/s, one with 40 ms more after 5 s. Where both know the path that they began
/// with, the first takes them for a queue: a = 0.04·1000/20 = 2, r = 1 + √2. By default the base is the present path's.
#[test]
fn a_known_base_stays_that_of_the_first_path() {
    let ratio = |base: &str| {
        let text = r#"
            name = "step"
            duration = "60 s"
            output = { sample_interval = "1 s" }
            node = [{ name = "a" }, { name = "b" }, { name = "m" }, { name = "z" }]
            link = [
                { name = "long", from = "a", to = "m", rate = "100 Gbit/s", delay = "5 ms" },
                { from = "b", to = "m", rate = "100 Gbit/s", delay = "5 ms" },
                { from = "m", to = "z", rate = "12 Mbit/s", delay = "20 ms", buffer = "unlimited" },
            ]
            change = [{ link = "long", at = "5 s", delay = "45 ms" }]
            flow = [
                { from = "a", to = "z", BASE law = { name = "quic-tcp", backlog = 20 } },
                { from = "b", to = "z", BASE law = { name = "quic-tcp", backlog = 20 } },
            ]
        "#;
        let run =
            read(&text.replace("BASE", base)).fluid(Method::Ode { tolerance: 1e-8 }).expect("it has a fluid form");
        let rest = run.trajectory.rests.last().expect("two pieces").clone();
        rest.rates[1] / rest.rates[0]
    };
    let found = ratio("known_base_rtt = \"path\",");
    assert!((found / (1.0 + 2f64.sqrt()) - 1.0).abs() < 1e-3, "{found}");
    assert!((ratio("") - 1.0).abs() < 1e-3);
    // 20 ms above the path of the second: the error shifts both alike.
    let found = ratio("known_base_rtt = \"70 ms\",");
    assert!((found / (1.0 + 2f64.sqrt()) - 1.0).abs() < 2e-2, "{found}");
}

#[test]
fn the_optimum_is_that_of_its_time() {
    let scenario = link("reno", "[[change]]\nlink = \"air\"\nat = \"30 s\"\nrate = \"4 Mbit/s\"\n");
    let rate = |now| scenario.optimum_at(Objective::Proportional, now).expect("it has one").flows[0].rate_bps;
    assert!((rate(secs(29)) / 8e6 - 1.0).abs() < 1e-6);
    assert!((rate(secs(30)) / 4e6 - 1.0).abs() < 1e-6);
    let end = scenario.optimum(Objective::Proportional).expect("it has one").flows[0].rate_bps;
    assert!((end / 4e6 - 1.0).abs() < 1e-6);
    let down = link("reno", "[[change]]\nlink = \"air\"\nat = \"30 s\"\nup = false\n");
    let error = down.fluid(Method::Ode { tolerance: 1e-6 }).expect_err("nothing flows").to_string();
    assert!(error.starts_with("link `air` is down at 30 s"), "{error}");
}

/// 8 Mbit/s for 10 s, 2 for 10 s, none for 5 s, 4 for 35 s: a source of 10 Mbit/s gets the link's rate. With packets of
/// 1000 B the link sends 1000, 250, 0 and 500 a second: 10 000 + 2500 + 17 500 = 30 000. Packets under way at the end
/// are missing (20 ms, 10 packets, and the one in transmission). The count is exact to the packet that a change
/// interrupts.
#[test]
fn a_link_sends_what_its_rates_allow() {
    let scenario = link(
        "reno",
        r#"
        start = "59.9 s"
        size = "1 B"
        [[background]]
        from = "a"
        to = "b"
        pattern = { kind = "cbr", rate = "10 Mbit/s" }
        packet = "1000 B"
        [[change]]
        link = "air"
        steps = [
            { at = "10 s", rate = "2 Mbit/s" },
            { at = "20 s", up = false },
            { at = "25 s", up = true, rate = "4 Mbit/s" },
        ]
    "#,
    );
    let output = simulate(&scenario);
    let arrived = output.sources[0].received;
    assert!((29_987..=29_990).contains(&arrived), "{arrived}");
    // Busy all the time but for the 5 s in which it is down.
    assert!((output.links[0].utilization - 55.0 / 60.0).abs() < 1e-4, "{}", output.links[0].utilization);
}
