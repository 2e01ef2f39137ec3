//! Recordings: files that a scenario names become part of it.

use std::io;
use windward_scenario::{Compiled, Scenario};
use windward_sim::cell::channel::Fading;
use windward_sim::{Delay, DelayTrace, MediumConfig, Opportunities, Rate};
use windward_units::{BitRate, Duration};

fn files(name: &str) -> io::Result<String> {
    match name {
        "up.trace" => Ok("1\n2\n2\n".to_owned()),
        "delay_1.txt" => Ok("30\n41.5\n".to_owned()),
        "wrong.trace" => Ok("1\ntwo\n".to_owned()),
        "walk.csv" => Ok("time_s,snr_db\n0,10\n0.1,12.5\n0.2,-3\n".to_owned()),
        "wrong.csv" => Ok("time,snr_db\n0,10\n".to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    }
}

fn link(rate: &str) -> String {
    format!(
        "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         [[link]]\nfrom = \"a\"\nto = \"b\"\ndelay = \"1 ms\"\n{rate}\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n"
    )
}

fn cell(fading: &str) -> String {
    format!(
        "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         [[cell]]\nname = \"c\"\naccess_point = \"a\"\nslot = \"10 ms\"\nsymbol_rate = \"1 MBd\"\namc = \"ctc\"\n\
         fading = {fading}\n[[cell.station]]\nnode = \"b\"\nsnr = \"0 dB\"\n\
         [[link]]\nfrom = \"b\"\nto = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nduplex = false\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n"
    )
}

fn read(text: &str) -> Scenario {
    Scenario::from_toml_with(text, "n.toml", &files).unwrap_or_else(|error| panic!("{error}"))
}

fn compile(scenario: &Scenario) -> Compiled {
    scenario.compile(1)
}

fn refusal(text: &str) -> String {
    let error = Scenario::from_toml_with(text, "n.toml", &files).expect_err("it is wrong");
    let told: Vec<_> =
        error.problems().iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
    told.join("\n")
}

#[test]
fn a_links_recording_becomes_part_of_the_scenario() {
    let scenario = read(&link("rate = { trace = \"up.trace\" }\nreverse = { rate = \"1 Mbit/s\" }"));
    let recorded = Opportunities::from_millis(&[1, 2, 2]).expect("a trace");
    // 3 · 12 000 bits in 2 ms.
    assert_eq!(recorded.mean_rate(), BitRate::bits_per_sec(18_000_000));
    let rates: Vec<Rate> = compile(&scenario).network.topology.links_mut().map(|link| link.rate.clone()).collect();
    assert_eq!(rates, [Rate::Recorded(recorded.into()), BitRate::bits_per_sec(1_000_000).into()]);
    // From here on it stands alone.
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "copy").as_ref(), Ok(&scenario));
    assert_eq!(Scenario::from_json(&scenario.to_json(), "copy").as_ref(), Ok(&scenario));
    assert_eq!(read(&link("rate = { trace = [1, 2, 2] }\nreverse = { rate = \"1 Mbit/s\" }")), scenario);
}

#[test]
fn a_stations_recording_becomes_part_of_the_scenario() {
    let scenario = read(&cell(r#"{ model = "trace", samples = "walk.csv" }"#));
    let MediumConfig::Cell(config) = compile(&scenario).network.topology.media.remove(0) else {
        panic!("a cell's medium is a cell");
    };
    let fading = config.stations[0].fading.clone();
    let expected = Fading::Trace { samples: vec![10.0, 12.5, -3.0].into(), interval: Duration::from_millis(100) };
    assert_eq!(fading, expected);
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "copy").as_ref(), Ok(&scenario));
    assert_eq!(read(&cell(r#"{ model = "trace", samples = [10, 12.5, -3], interval = "100 ms" }"#)), scenario);
}

#[test]
fn what_is_wrong_with_a_recording_is_told_where_it_is_named() {
    let no_rate = |trace: &str| link(&format!("rate = {{ trace = {trace} }}"));
    assert_eq!(refusal(&no_rate("\"gone\"")), "link[0].rate.trace: cannot read `gone`: no such file");
    assert_eq!(
        refusal(&no_rate("\"wrong.trace\"")),
        "link[0].rate.trace: wrong.trace: line 2: `two` is not a number of milliseconds, whole and at most 31536000000"
    );
    assert_eq!(
        refusal(&link("rate = \"1 Mbit/s\"\nreverse = { rate = { trace = \"gone\" } }")),
        "link[0].reverse.rate.trace: cannot read `gone`: no such file"
    );
    assert_eq!(refusal(&no_rate("[3, 2]")), "link[0].rate.trace[1]: an instant before the one that stands before it");
    assert_eq!(
        refusal(&no_rate("[]")),
        "link[0].rate.trace: the last instant is the length of the trace; it is after 0"
    );
    assert_eq!(refusal(&link("rate = { race = [1] }")), "link[0].rate.race: unknown key `race`; allowed: trace");
    let trace = |rest: &str| cell(&format!("{{ model = \"trace\", {rest} }}"));
    assert_eq!(
        refusal(&trace("samples = \"wrong.csv\"")),
        "cell[0].fading.samples: wrong.csv: line 1: there is no column `time_s`; the header names the columns, such as \
         time_s,snr_db"
    );
    assert_eq!(
        refusal(&trace("samples = \"walk.csv\", interval = \"1 s\"")),
        "cell[0].fading.interval: `interval` is for a list of samples; the file has time stamps"
    );
    assert_eq!(
        refusal(&trace("samples = [1, 2]")),
        "cell[0].fading: `interval` is missing: a list of samples has no time stamps"
    );
    let alone = Scenario::from_toml(&no_rate("\"up.trace\""), "n.toml").expect_err("it has no folder");
    assert_eq!(alone.problems()[0].message, "cannot read `up.trace`: the scenario was read without its folder");
}

/// A link of 1 Mbit/s with this `delay`.
fn delayed(delay: &str) -> String {
    link("rate = \"1 Mbit/s\"").replace("delay = \"1 ms\"", &format!("delay = {delay}"))
}

#[test]
fn recorded_delays_become_part_of_the_scenario() {
    let scenario = read(&delayed("{ trace = \"delay_1.txt\", interval = \"10 ms\" }"));
    let recorded = DelayTrace::from_millis(Duration::from_millis(10), &[30.0, 41.5]).expect("delays");
    assert_eq!(recorded.least(), Duration::from_millis(30));
    let delays: Vec<Delay> = compile(&scenario).network.topology.links_mut().map(|link| link.delay.clone()).collect();
    // The link back is equal unless `reverse` differs.
    assert_eq!(delays, [Delay::Recorded(recorded.clone().into()), Delay::Recorded(recorded.into())]);
    assert_eq!(Scenario::from_toml(&scenario.to_toml(), "copy").as_ref(), Ok(&scenario));
    assert_eq!(read(&delayed("{ trace = [30, 41.5], interval = \"10 ms\" }")), scenario);
    let change =
        "\n[[change]]\nlink = \"a->b\"\nat = \"100 ms\"\ndelay = { trace = \"delay_1.txt\", interval = \"5 ms\" }\n";
    let changed = read(&(delayed("\"1 ms\"") + change));
    let steps = compile(&changed).network.topology.links_mut().next().expect("a link").steps.clone();
    assert!(matches!(steps[0].change.delay, Some(Delay::Recorded(_))));
}

#[test]
fn wrong_delays_are_refused_with_their_place() {
    assert_eq!(
        refusal(&delayed("{ trace = \"wrong.trace\", interval = \"10 ms\" }")),
        "link[0].delay.trace: wrong.trace: line 2: `two` is not a delay in milliseconds, from 0 to 86400000"
    );
    assert_eq!(
        refusal(&delayed("{ trace = [1, -2], interval = \"10 ms\" }")),
        "link[0].delay.trace[1]: `-2` is not a delay in milliseconds, from 0 to 86400000"
    );
    assert_eq!(
        refusal(&delayed("{ trace = [], interval = \"10 ms\" }")),
        "link[0].delay.trace: the recording has no delay"
    );
    assert_eq!(refusal(&delayed("{ trace = [1] }")), "link[0].delay: `interval` is missing");
    assert!(refusal(&delayed("20")).starts_with("link[0].delay: `20` has no unit"));
}
