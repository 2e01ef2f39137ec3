//! The page that says which scripts pass.

use crate::judge::judge;
use crate::notes::{OUTSIDE, TOPICS, WHYS};
use crate::play::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Results of a folder's scripts: each script's name and verdict.
pub type Folder = Vec<(String, Verdict)>;

/// Origin of the scripts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    /// packetdrill's repository, or any folder.
    #[default]
    Packetdrill,
    /// The kernel's own tests: one folder, whose names begin with what would be a folder there.
    Linux,
}

/// Results of all scripts, by folder.
#[derive(Clone, Debug, Default)]
pub struct Results {
    source: Source,
    /// Those that concern the simulator.
    pub folders: BTreeMap<String, Folder>,
    /// Inapplicable folders: the number of scripts and their subject.
    pub outside: BTreeMap<String, (usize, &'static str)>,
}

impl Results {
    /// Plays all scripts below `root`: the folder of scripts itself, a copy of packetdrill's repository, or Linux's
    /// source.
    pub fn of(root: &Path) -> std::io::Result<Self> {
        let [tcp, selftests] =
            ["gtests/net/tcp", "tools/testing/selftests/net/packetdrill"].map(|path| root.join(path));
        let (root, source) = if selftests.is_dir() {
            (selftests, Source::Linux)
        } else {
            (if tcp.is_dir() { tcp } else { root.to_owned() }, Source::Packetdrill)
        };
        let mut results = Self { source, ..Self::default() };
        for path in scripts(&root)? {
            let relative = path.strip_prefix(&root).unwrap_or(&path);
            let name = relative.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let (folder, name) = match source {
                Source::Packetdrill => (relative.parent().map(|folder| folder.to_string_lossy().into_owned()), name),
                Source::Linux => topic(&name),
            };
            let folder = folder.unwrap_or_default();
            if let Some((_, about)) = OUTSIDE.iter().find(|(name, _)| folder.split('/').next() == Some(name)) {
                results.outside.entry(folder).or_insert((0, about)).0 += 1;
                continue;
            }
            let text = std::fs::read_to_string(&path)?;
            results.folders.entry(folder).or_default().push((name, judge(&path, &text, &mut |_| ())));
        }
        Ok(results)
    }

    /// Scripts with an unexplained difference.
    pub fn unexplained(&self) -> Vec<String> {
        let all = self.folders.values().flatten();
        let differ = all.filter(|(name, verdict)| matches!(verdict, Verdict::Differs { .. }) && why(name).is_none());
        differ.map(|(name, _)| name.clone()).collect()
    }

    /// Numbers of scripts that pass, differ, and are inapplicable.
    pub fn counts(&self) -> [usize; 3] {
        count(self.folders.values().flatten())
    }

    /// Summary line: the number of scripts, and of those that apply.
    fn summary(&self, version: &str) -> String {
        let [pass, differ, inapplicable] = self.counts();
        let outside: usize = self.outside.values().map(|(count, _)| count).sum();
        format!(
            "Of {} scripts {} {version}, {} concern the simulator's TCP; of those **{pass} pass and {differ} {}**.",
            pass + differ + inapplicable + outside,
            match self.source {
                Source::Packetdrill => "of packetdrill's repository at commit",
                Source::Linux => "of the kernel's own tests (`tools/testing/selftests/net/packetdrill`) in Linux",
            },
            pass + differ,
            if differ == 1 { "differs" } else { "differ" },
        )
    }

    /// The tables of the page.
    fn tables(&self, version: &str) -> String {
        let title = match self.source {
            Source::Packetdrill => "Scripts of packetdrill's repository",
            Source::Linux => "Scripts of the kernel's own tests",
        };
        let mut page = format!(
            "\n## {title}\n\n{}\n\n| folder | pass | differ | not applicable |\n|---|---|---|---|\n",
            self.summary(version)
        );
        for (folder, results) in &self.folders {
            let [pass, differ, inapplicable] = count(results.iter());
            let _ = writeln!(page, "| {folder} | {pass} | {differ} | {inapplicable} |");
        }
        page += "\nScript by script:\n\n| script | result | line and reason |\n|---|---|---|\n";
        for (folder, results) in &self.folders {
            for (name, verdict) in results {
                let (result, what) = describe(name, verdict);
                let _ = writeln!(page, "| {folder}/{name} | {result} | {what} |");
            }
        }
        page += "\nFolders that do not apply:\n\n| folder | scripts | missing in the simulator |\n|---|---|---|\n";
        for (folder, (count, about)) in &self.outside {
            let _ = writeln!(page, "| {folder} | {count} | {about} |");
        }
        page
    }
}

/// The page, of several collections of scripts, each with its version.
pub fn page(collections: &[(Results, String)]) -> String {
    let tables = collections.iter().map(|(results, version)| results.tables(version));
    std::iter::once(format!("{INTRODUCTION}\n")).chain(tables).collect()
}

/// The folder of a script whose name begins with it, and the rest of the name.
fn topic(name: &str) -> (Option<String>, String) {
    let name = name.strip_prefix("tcp_").unwrap_or(name);
    let known = TOPICS.iter().chain(OUTSIDE.iter().map(|(folder, _)| folder));
    let split = known.filter_map(|topic| Some((topic, name.strip_prefix(topic)?.strip_prefix('_')?))).next();
    match split {
        Some((topic, rest)) => (Some((*topic).to_owned()), rest.to_owned()),
        None => (Some("others".to_owned()), name.to_owned()),
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
        Verdict::Inapplicable { .. } => format!("{name}: not applicable{what}"),
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

const INTRODUCTION: &str = "# packetdrill conformance of TCP

[packetdrill](https://github.com/google/packetdrill) plays segments against a kernel's TCP and checks the segments that the kernel sends: their bytes, times, ACKs and
options, and what the socket reports about its window. `crates/conformance` plays Google's scripts for Linux, and the kernel's own, against the simulator's sender and
receiver with `stack = \"linux\"`. The scripts are not part of this repository.

Generated: `make validate WHAT=packetdrill SCRIPTS=DIR KERNEL=LINUX`, where DIR holds packetdrill's repository and LINUX the kernel's source, or its top folder and
`tools/testing/selftests/net/packetdrill`.

* **Compared segments:** their order, bytes, ACK numbers, SACK blocks, timestamps, ECN codepoint and flags.
* **Compared times:** to packetdrill's own tolerance, which is 4 ms, 12.5 % of the time since the line before, or the script's.
* **Compared assertions:** the window, ssthresh, the state, the observed reordering, the round-trip time, and the numbers of segments that are unacknowledged, SACKed,
  lost, retransmitted and marked.
* **Not compared:** the PSH flag, and the number of segments in one piece, as both sides are cut into segments. Accurate ECN's option, which counts bytes, is not
  compared either: the simulator has the counter of packets in the flags. Nor is the codepoint of ACKs without data with accurate ECN. Linux sends them ECT(0), the
  simulator follows RFC 3168 §6.1.4.
* **Handshakes** are not simulated: they give the agreed options and the first round-trip sample. The simulator numbers whole segments and has no resets, so a
  script is played until one comes.
* **Tail loss probes** are always enabled. A script that disables them counts if no probe was sent.";
