//! The corpus: seeds, and what fuzzing has found.

use std::fs;
use std::path::Path;

/// Runs a target over the files of a folder beneath the repository; how many there were.
fn run(folder: &str, mut target: impl FnMut(&[u8])) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let files = fs::read_dir(&root).expect("the folder is there").map(|entry| entry.expect("it can be read").path());
    let files: Vec<_> = files.filter(|path| path.is_file()).collect();
    for file in &files {
        println!("{}", file.display());
        target(&fs::read(file).expect("it can be read"));
    }
    files.len()
}

#[test]
fn scenarios_are_read_or_refused() {
    let folders = ["fuzz/corpus/scenario", "scenarios"];
    let count: usize = folders.iter().map(|folder| run(folder, windward_fuzz::scenario)).sum();
    assert!(count > 25, "{count}");
    let mut refused = 0;
    run("crates/scenario/tests/refused", |text| {
        // A head, and cases behind it.
        let mut cases = std::str::from_utf8(text).expect("scenarios are UTF-8").split("#--- ");
        let head = cases.next().expect("a text has a beginning");
        for case in cases {
            windward_fuzz::scenario(
                format!("{head}{}", case.split_once('\n').expect("a case has a text").1).as_bytes(),
            );
            refused += 1;
        }
    });
    assert!(refused > 300, "{refused}");
}

#[test]
fn changed_scenarios_are_read_or_refused() {
    run("scenarios", |text| {
        let text = std::str::from_utf8(text).expect("scenarios are UTF-8");
        (0..20).for_each(|seed| windward_fuzz::scenario(windward_fuzz::mutate::scenario(text, seed).as_bytes()));
    });
}

#[test]
fn messages_are_read_or_refused() {
    assert!(run("fuzz/corpus/http", windward_fuzz::http) > 8);
}

#[test]
fn recordings_are_read_or_refused() {
    assert!(run("fuzz/corpus/recordings", windward_fuzz::recordings) > 3);
}
