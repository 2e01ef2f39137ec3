//! What is refused, and in which words: one file a case, one snapshot of the whole message each. After a wanted
//! change, `INSTA_UPDATE=always cargo test -p windward-scenario --test refused` writes the snapshots anew.

use std::fs;
use windward_scenario::Scenario;

#[test]
fn each_wrong_file_is_refused_in_these_words() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/refused");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = fs::read_to_string(&path).expect("the file was listed a moment ago");
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        let error = Scenario::from_toml(&text, &name).err().unwrap_or_else(|| panic!("{name} was accepted"));
        insta::with_settings!({
            prepend_module_to_snapshot => false, omit_expression => true, snapshot_suffix => &*name
        }, {
            insta::assert_snapshot!("refused", error.to_string());
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

    scenario: link[0].qlen: unknown key `qlen`; allowed: name, from, to, rate, delay, buffer, loss, jitter, duplex, reverse
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
