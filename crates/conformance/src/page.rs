//! The page that says which scripts pass.

use crate::judge::judge;
use crate::notes::{OUTSIDE, WHYS};
use crate::play::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What came of a folder's scripts: each script's name and verdict.
pub type Folder = Vec<(String, Verdict)>;

/// What came of all scripts, by folder.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Those that concern the simulator.
    pub folders: BTreeMap<String, Folder>,
    /// Those about something else: how many scripts, and what they are about.
    pub outside: BTreeMap<String, (usize, &'static str)>,
}

impl Results {
    /// Plays all scripts below `root`: the folder of scripts itself, or a copy of packetdrill's repository.
    pub fn of(root: &Path) -> std::io::Result<Self> {
        let tcp = root.join("gtests/net/tcp");
        let root = if tcp.is_dir() { tcp } else { root.to_owned() };
        let mut results = Self::default();
        for path in scripts(&root)? {
            let relative = path.strip_prefix(&root).unwrap_or(&path);
            let folder = relative.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
            if let Some((_, about)) = OUTSIDE.iter().find(|(name, _)| folder.split('/').next() == Some(name)) {
                results.outside.entry(folder).or_insert((0, about)).0 += 1;
                continue;
            }
            let text = std::fs::read_to_string(&path)?;
            let name = relative.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            results.folders.entry(folder).or_default().push((name, judge(&path, &text, &mut |_| ())));
        }
        Ok(results)
    }

    /// Scripts that differ, and nobody knows why.
    pub fn unexplained(&self) -> Vec<String> {
        let all = self.folders.values().flatten();
        let differ = all.filter(|(name, verdict)| matches!(verdict, Verdict::Differs { .. }) && why(name).is_none());
        differ.map(|(name, _)| name.clone()).collect()
    }

    /// How many scripts pass, differ, and are about something else.
    pub fn counts(&self) -> [usize; 3] {
        count(self.folders.values().flatten())
    }

    /// The page, of the scripts of a `commit`.
    pub fn page(&self, commit: &str) -> String {
        let [pass, differ, inapplicable] = self.counts();
        let outside: usize = self.outside.values().map(|(count, _)| count).sum();
        let mut page = format!(
            "{INTRODUCTION}\n\nOf {} scripts at commit `{commit}`, {} are about what the simulator's TCP does; of those **{pass} pass and {differ} \
             {differs}**.\n\n| folder | pass | differ | about something else |\n|---|---|---|---|\n",
            pass + differ + inapplicable + outside,
            pass + differ,
            differs = if differ == 1 { "differs" } else { "differ" },
        );
        for (folder, results) in &self.folders {
            let [pass, differ, inapplicable] = count(results.iter());
            let _ = writeln!(page, "| {folder} | {pass} | {differ} | {inapplicable} |");
        }
        page += "\n## Script by script\n\n| script | result | where, and why |\n|---|---|---|\n";
        for (folder, results) in &self.folders {
            for (name, verdict) in results {
                let (result, what) = describe(name, verdict);
                let _ = writeln!(page, "| {folder}/{name} | {result} | {what} |");
            }
        }
        page += "\n## Folders about something else\n\n| folder | scripts | what the simulator does not have |\n|---|---|---|\n";
        for (folder, (count, about)) in &self.outside {
            let _ = writeln!(page, "| {folder} | {count} | {about} |");
        }
        page
    }
}

fn count<'a>(results: impl Iterator<Item = &'a (String, Verdict)>) -> [usize; 3] {
    let mut counts = [0; 3];
    for (_, verdict) in results {
        counts[match verdict {
            Verdict::Passes { .. } => 0,
            Verdict::Differs { .. } => 1,
            Verdict::Inapplicable { .. } => 2,
        }] += 1;
    }
    counts
}

fn why(name: &str) -> Option<&'static str> {
    let name = name.rsplit('/').next();
    WHYS.iter().find(|(script, _)| Some(*script) == name).map(|(_, why)| *why)
}

/// The result of a script in a word, and where and why.
fn describe(name: &str, verdict: &Verdict) -> (&'static str, String) {
    let place = |line: usize| if line == 0 { "head".to_owned() } else { format!("line {line}") };
    match verdict {
        Verdict::Passes { until: None } => ("passes", String::new()),
        Verdict::Passes { until: Some((line, why)) } => ("passes", format!("as far as line {line}: {why}")),
        Verdict::Differs { line, what } => {
            let why = why(name).map_or_else(String::new, |why| format!(". {why}"));
            ("**differs**", format!("line {line}: {what}{why}"))
        }
        Verdict::Inapplicable { line, why } => ("–", format!("{}: {why}", place(*line))),
    }
}

/// One line about a script.
pub fn line(name: &str, verdict: &Verdict) -> String {
    let (result, what) = describe(name, verdict);
    let what = if what.is_empty() { what } else { format!(" ({what})") };
    match verdict {
        Verdict::Inapplicable { .. } => format!("{name}: about something else{what}"),
        _ => format!("{name}: {}{what}", result.trim_matches('*')),
    }
}

/// The scripts below a folder, in order.
fn scripts(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(scripts(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "pkt") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

const INTRODUCTION: &str = "# packetdrill's scripts

[packetdrill](https://github.com/google/packetdrill) plays segments against a kernel's TCP and holds what the kernel sends against a script: which bytes,
when, with which ACKs and options, and what the socket says of its window. Google's scripts for Linux are played here against the simulator's sender and receiver,
those of `stack = \"linux\"`, by a runner of ours (`crates/conformance`); none of them is part of this repository.

Generated: `make validate-packetdrill SCRIPTS=DIR`, where DIR holds packetdrill's repository.

* **What is compared**: the order of the segments, their bytes, ACK numbers, SACK blocks, timestamps, ECN's codepoint and flags; their times, to packetdrill's own
  tolerance (4 ms, or 12.5 % of the time since the line before, or what the script says); assertions about the window, ssthresh, the state, segments
  unacknowledged, SACKed, lost, sent again, the reordering seen, the round-trip time.
* **What is not**: the PSH flag; how many segments leave in one piece (both sides are cut into segments).
* **Handshakes** are taken as they stand: they say which options are agreed on, and give the first round-trip sample. The simulator's segments are numbered whole, and
  it does not close connections by packets: scripts are played as far as that.
* **Tail loss probes** are always there; a script that turns them off counts if none was sent.";
