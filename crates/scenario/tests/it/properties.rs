//! Accepted scenarios are written and read back as equal ones; other inputs are refused with a message.

use proptest::prelude::*;
use serde_json::{Value, json};
use windward_laws::LawSpec;
use windward_scenario::Scenario;

fn duration() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..5_000_000_000_u64).prop_map(|nanos| json!(format!("{nanos} ns"))),
        (1..5_000_u32).prop_map(|millis| json!(format!("{}.{} ms", millis, millis % 7))),
    ]
}

fn rate() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..100_000_000_000_u64).prop_map(|rate| json!(format!("{rate} bit/s"))),
        (1..1000_u32).prop_map(|rate| json!(format!("{rate}.25 Mbps"))),
    ]
}

fn buffer() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("unlimited")),
        any::<u32>().prop_map(|count| json!(format!("{count} packets"))),
        any::<u32>().prop_map(|count| json!(format!("{count} B"))),
        duration(),
    ]
}

fn probability() -> impl Strategy<Value = Value> {
    prop_oneof![(0.0..=1.0).prop_map(|p: f64| json!(p)), (0.0..=100.0).prop_map(|p: f64| json!(format!("{p} %")))]
}

fn loss() -> impl Strategy<Value = Value> {
    prop_oneof![
        probability(),
        probability().prop_map(|p| json!({ "model": "bernoulli", "probability": p })),
        (probability(), probability(), probability()).prop_map(|(a, b, c)| {
            json!({ "model": "gilbert-elliott", "good_to_bad": a, "bad_to_good": b, "loss_bad": c })
        }),
    ]
}

fn jitter() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        duration().prop_map(|max| json!({ "model": "uniform", "max": max })),
        duration().prop_map(|deviation| json!({ "model": "normal", "deviation": deviation })),
        duration().prop_map(|mean| json!({ "model": "exponential", "mean": mean })),
    ]
}

fn link() -> impl Strategy<Value = Value> {
    (rate(), duration(), buffer(), loss(), jitter(), rate(), buffer()).prop_map(
        |(rate, delay, buffer, loss, jitter, back_rate, back_buffer)| {
            json!({
                "from": "a", "to": "b", "rate": rate, "delay": delay, "buffer": buffer, "loss": loss, "jitter": jitter,
                "reverse": { "rate": back_rate, "buffer": back_buffer },
            })
        },
    )
}

fn law() -> impl Strategy<Value = Value> {
    let known = proptest::sample::select(LawSpec::NAMES).prop_map(|name| json!(name));
    let python = any::<f64>().prop_filter("JSON has no such numbers", |gain| gain.is_finite());
    let python = python.prop_map(|gain| json!({ "name": "python", "class": "f.py:C", "gain": gain, "list": [1, "x"] }));
    prop_oneof![known, python]
}

fn flow() -> impl Strategy<Value = Value> {
    let base_rtt = prop_oneof![Just(Value::Null), Just(json!("path")), duration()];
    let size = proptest::option::of(1..u64::from(u32::MAX));
    let delayed_ack = prop_oneof![Just(json!(false)), duration()];
    (law(), base_rtt, size, delayed_ack, 1..=10_u32, any::<bool>(), 1..60_000_u32, 1..5_u32, duration()).prop_map(
        |(law, base_rtt, size, delayed_ack, initial_window, switch, segment, count, start)| {
            let paces_itself = law.to_string().contains("bbr");
            json!({
                "from": "a", "to": "b", "law": law, "known_base_rtt": base_rtt, "delayed_ack": delayed_ack,
                "size": size.map(|bytes| format!("{bytes} B")), "initial_window": initial_window, "sack": switch,
                "timestamps": !switch, "pacing": switch && !paces_itself, "segment": format!("{segment} B"),
                "count": count, "receive_window": if switch { "100 packets" } else { "1 MB" }, "start": start, "start_step": "1 s",
            })
        },
    )
}

fn background() -> impl Strategy<Value = Value> {
    let spread = prop_oneof![Just(json!("fixed")), (1.01..3.0).prop_map(|shape: f64| json!({ "pareto": shape }))];
    let pattern = prop_oneof![
        rate().prop_map(|rate| json!({ "kind": "cbr", "rate": rate })),
        rate().prop_map(|rate| json!({ "kind": "poisson", "rate": rate })),
        (rate(), duration(), spread).prop_map(|(rate, on, spread)| {
            json!({ "kind": "on-off", "rate": rate, "on": on, "off": on, "off_spread": spread })
        }),
        rate().prop_map(|rate| json!({ "kind": "pulses", "rate": rate, "length": "1 ms", "every": "1 s" })),
    ];
    // At the largest rate 125 bytes take the 10 ns that must lie between two datagrams.
    (pattern, 125..=65_535_u32).prop_map(|(pattern, packet)| {
        json!({ "from": "b", "to": "a", "pattern": pattern, "packet": format!("{packet} B"), "stop": "50 s" })
    })
}

fn scenario() -> impl Strategy<Value = Value> {
    let seeds = prop_oneof![(1..20_u32).prop_map(|count| json!(count)), Just(json!([3, 1, 2]))];
    (link(), flow(), background(), seeds, proptest::option::of("[ -~]{0,20}"), any::<bool>()).prop_map(
        |(link, flow, background, seeds, title, internals)| {
            json!({
                "name": "random", "title": title, "duration": "60 s", "seeds": seeds, "output": { "internals": internals },
                "node": [{ "name": "a" }, { "name": "b" }], "link": [link], "flow": [flow], "background": [background],
            })
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_out_reads_back(json in scenario()) {
        let read = Scenario::from_json(&json.to_string(), "random").unwrap_or_else(|error| panic!("{error}"));
        let toml = read.to_toml();
        let again = Scenario::from_toml(&toml, "written out").unwrap_or_else(|error| panic!("{error}\n{toml}"));
        prop_assert_eq!(&again, &read);
        let json = read.to_json();
        prop_assert_eq!(&Scenario::from_json(&json, "written out").unwrap_or_else(|error| panic!("{error}")), &read);
        // The same network too, not only the same fields.
        let network = |scenario: &Scenario| format!("{:?}", scenario.compile(7));
        prop_assert_eq!(network(&again), network(&read));
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(at in 0..2000_usize, length in 0..40_usize, insert in "[ -~\n]{0,6}|é|\\[\\[") {
        let text = include_str!("../../../../scenarios/late-starter.toml");
        let body = &text[text.find("name =").expect("the fields begin there")..];
        let at = at % body.len();
        let damaged = [&body[..at], &insert, &body[(at + length).min(body.len())..]].concat();
        if let Err(error) = Scenario::from_toml(&damaged, "damaged.toml") {
            let text = error.to_string();
            prop_assert!(text.starts_with("damaged.toml:"), "{}", text);
            for problem in error.problems() {
                let Some(position) = &problem.position else { continue };
                prop_assert_eq!(damaged.split('\n').nth(position.line - 1).map(|line| line.trim_end_matches('\r')), Some(position.text.as_str()));
                prop_assert!(position.column <= position.text.chars().count() + 1);
            }
        }
    }

    /// Counts above a million are refused at their place before any expansion: these would need more memory than there
    /// is.
    #[test]
    fn a_count_too_large_is_refused_in_its_place(count in 1_000_001..=i64::MAX, at in 0..3_usize) {
        let line = format!("{} = {count}", ["seeds", "count", "count"][at]);
        let [seeds, node, flow] = std::array::from_fn(|other| if other == at { line.as_str() } else { "" });
        let text = format!(
            "name = \"large\"\nduration = \"1 s\"\n{seeds}\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n{node}\n\
             [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             [[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n{flow}\n"
        );
        let error = Scenario::from_toml(&text, "large.toml").expect_err("it is refused");
        let position = error.problems()[0].position.as_ref().expect("it has a place");
        prop_assert_eq!(&position.text, &line, "{}", error);
    }
}
