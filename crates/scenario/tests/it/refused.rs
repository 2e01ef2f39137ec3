//! Refused scenarios and their messages. A file of `tests/refused` has a head and cases behind lines `#--- NAME`: a
//! case is the head and what stands below its name. The whole messages of a file are one snapshot.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p windward-scenario --test it refused` rewrites the
//! snapshots.

use std::fs;
use windward_scenario::Scenario;

#[test]
fn each_case_is_refused_in_these_words() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/refused");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = fs::read_to_string(&path).expect("the file was listed a moment ago");
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        let mut cases = text.split("#--- ");
        let head = cases.next().expect("a text has a beginning");
        let messages: Vec<String> = cases
            .map(|case| {
                let (case, own) = case.split_once('\n').expect("a case has a text");
                let error = Scenario::from_toml(&format!("{head}{own}"), &format!("{case}.toml"));
                let error = error.err().unwrap_or_else(|| panic!("{case} was accepted"));
                format!("## {case}\n{error}\n")
            })
            .collect();
        assert!(!messages.is_empty(), "{name} has no case");
        insta::with_settings!({
            prepend_module_to_snapshot => false, omit_expression => true, snapshot_suffix => &*name
        }, {
            insta::assert_snapshot!("refused", messages.join("\n"));
        });
    }
}

#[test]
fn json_is_refused_with_the_path() {
    let json = r#"{ "name": "n", "duration": "1 s", "node": [{ "name": "a" }, { "name": "b" }],
        "link": [{ "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms", "loss": 7, "qlen": 3 }],
        "flow": [{ "from": "a", "to": "b", "law": "reno", "stop": 3 }, { "from": "a" }] }"#;
    let error = Scenario::from_json(json, "scenario").expect_err("it is wrong in many places");
    insta::assert_snapshot!(error.to_string(), @r#"
    scenario: link[0].loss: 7 is not a probability (0 to 1)
    hint: percentages are written "7 %"

    scenario: link[0].qlen: unknown key `qlen`; allowed: name, from, to, rate, delay, buffer, queue, loss, hold, lose, jitter, reorder, duplex, reverse
    hint: did you mean `buffer`?

    scenario: flow[0].stop: `3` has no unit; a duration is written like "100 ms" (units: s, ms, us, ns, µs, min, h)

    scenario: flow[1]: `to` is missing

    4 problems
    "#);
}

#[test]
fn broken_json_is_refused_with_its_line() {
    let error = Scenario::from_json("{\n  \"name\": \"n\",\n  \"name\": \"m\"\n}", "file.json").expect_err("twice");
    insta::assert_snapshot!(error.to_string(), @r#"
    file.json:3:8: duplicate key `name`
      |
    3 |   "name": "m"
      |        ^
    "#);
    let error = Scenario::from_json("{\n  \"name\": x\n}", "file.json").expect_err("no value");
    insta::assert_snapshot!(error.to_string(), @r#"
    file.json:2:11: expected value
      |
    2 |   "name": x
      |           ^
    "#);
}

#[test]
fn problems_can_be_read_one_by_one() {
    let error = Scenario::from_toml("name = \"n\"\nduration = \"x s\"\n", "file.toml").expect_err("it is wrong");
    let [problem] = error.problems() else { panic!("one problem was expected: {error}") };
    let position = problem.position.as_ref().expect("TOML knows where");
    assert_eq!((problem.path.as_str(), position.line, position.column, position.width), ("duration", 2, 12, 5));
}

/// A line of 5 MB, a key of 1 MB, half a million unknown keys: the message stays short.
#[test]
fn messages_stay_short_whatever_is_wrong() {
    let long = format!("name = \"n\" # {}\nduration = 5\n", "x".repeat(5_000_000));
    let late = format!("title = \"{}\"; duration", "y".repeat(5_000_000));
    let key = format!("name = \"n\"\n{} = 1\n", "k".repeat(1_000_000));
    let value = format!("name = \"n\"\nduration = \"{}\"\n", "v".repeat(1_000_000));
    let many: String = (0..300_000).map(|n| format!("key{n} = 1\n")).collect();
    for text in [long, late, key, value, many] {
        let error = Scenario::from_toml(&text, "file.toml").expect_err("it is wrong").to_string();
        assert!(error.len() < 60_000, "{} bytes", error.len());
        assert!(error.lines().all(|line| line.len() < 6000));
    }
}

/// An error about 10 000 unknown keys in one table and 5 in another shows twenty, and counts all of them and an invalid
/// value.
#[test]
fn what_is_not_shown_is_counted() {
    let keys: String = (0..10_000).map(|at| format!("k{at} = 1\n")).collect();
    let flow: String = (0..5).map(|at| format!("f{at} = 1\n")).collect();
    let text = format!(
        "name = \"many\"\n{keys}duration = \"10 parsecs\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n{flow}"
    );
    let error = Scenario::from_toml(&text, "many").unwrap_err();
    assert_eq!(error.problems().len(), 20);
    assert!(error.to_string().ends_with("10006 problems, 9986 of them not shown"), "{error}");
}

#[test]
fn a_long_line_is_cut_around_its_column() {
    let text = format!("name = \"n\"\nseeds = [{}0, x, 1]\n", "1, ".repeat(100));
    let error = Scenario::from_toml(&text, "file.toml").expect_err("x is no number").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[2].starts_with("2 | …") && lines[2].ends_with("0, x, 1]"), "{error}");
    let caret = lines[3].chars().position(|c| c == '^').expect("a caret");
    assert_eq!(lines[2].chars().nth(caret), Some('x'), "{error}");
}

#[test]
fn too_large_a_scenario_is_refused_at_once() {
    let text = format!("# {}\n", "x".repeat(16_000_000));
    for error in [Scenario::from_toml(&text, "file.toml"), Scenario::from_json(&text, "file.toml")] {
        let said = error.expect_err("it is too large").to_string();
        assert_eq!(
            said,
            "file.toml: the scenario has 16.0 MB; at most 16 MB are read\n\
             hint: `count` makes many nodes, links and flows of one table"
        );
    }
}

/// 100 000 flows over a chain of 200 links: 40 million links on their routes.
#[test]
fn more_links_on_all_routes_than_memory_is_worth_are_refused() {
    let nodes: String = (0..=200).map(|n| format!("[[node]]\nname = \"n{n}\"\n")).collect();
    let link = |n| format!("[[link]]\nfrom = \"n{n}\"\nto = \"n{}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n", n + 1);
    let links: String = (0..200).map(link).collect();
    let flow = "[[flow]]\nfrom = \"n0\"\nto = \"n200\"\nlaw = \"reno\"\ncount = 100000\n";
    let text = format!("name = \"n\"\nduration = \"1 s\"\n{nodes}{links}{flow}");
    let error = Scenario::from_toml(&text, "file.toml").expect_err("it is too much").to_string();
    assert!(error.contains("the routes of all flows have more than 10000000 links together"), "{error}");
}
