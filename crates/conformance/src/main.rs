//! `windward-conformance`: plays scripts, says what came of each, and writes the page.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windward_conformance::page::{self, Results};
use windward_conformance::{Verdict, judge};

const USAGE: &str = "usage: windward-conformance [--trace] SCRIPT.pkt...
       windward-conformance --page FILE [--version TEXT FOLDER]...";

/// Bad input.
const WRONG: u8 = 2;

#[derive(Default)]
struct Arguments {
    is_traced: bool,
    page: Option<PathBuf>,
    /// Each with what its version is.
    paths: Vec<(PathBuf, String)>,
}

fn main() -> ExitCode {
    match read_arguments(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(WRONG)
        }
    }
}

fn read_arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut version = None;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--trace" => arguments.is_traced = true,
            "--page" => arguments.page = Some(value()?.into()),
            "--version" => version = Some(value()?),
            _ if word.starts_with("--") => return Err(format!("{word} is unknown\n{USAGE}")),
            _ => arguments.paths.push((word.into(), version.take().unwrap_or_else(|| "unknown".into()))),
        }
    }
    if arguments.paths.is_empty() { Err(USAGE.to_owned()) } else { Ok(arguments) }
}

/// True if every script passes or is a known difference.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut is_well = true;
    let mut collections = Vec::new();
    for (path, version) in &arguments.paths {
        if path.is_dir() {
            let results = play_folder(path)?;
            is_well &= results.unexplained().is_empty();
            collections.push((results, version.clone()));
        } else {
            is_well &= play_script(path, arguments.is_traced)?;
        }
    }
    if let Some(file) = &arguments.page {
        std::fs::write(file, page::page(&collections)).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(is_well)
}

fn play_script(path: &Path, is_traced: bool) -> Result<bool, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: {error}\nhint: name a script (.pkt), or a folder of scripts", path.display()))?;
    let mut show = |sent: String| {
        if is_traced {
            println!("    {sent}");
        }
    };
    let verdict = judge(path, &text, &mut show);
    println!("{}", page::line(&path.display().to_string(), &verdict));
    Ok(!matches!(verdict, Verdict::Differs { .. }))
}

fn play_folder(path: &Path) -> Result<Results, String> {
    let results = Results::of(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let [pass, differ, inapplicable] = results.counts();
    if pass + differ + inapplicable == 0 {
        let hint = "hint: name packetdrill's repository, Linux's source, or a folder of scripts (.pkt)";
        return Err(format!("{}: no script of TCP below it\n{hint}", path.display()));
    }
    for (folder, scripts) in &results.folders {
        for (name, verdict) in scripts {
            println!("{}", page::line(&format!("{folder}/{name}"), verdict));
        }
    }
    println!("{pass} pass, {differ} differ, {inapplicable} do not apply");
    for name in results.unexplained() {
        eprintln!("{name} differs, and nobody knows why");
    }
    Ok(results)
}
