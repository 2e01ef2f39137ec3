//! Compiles the laws: into eBPF by a clang, and by the machine's C compiler for the test that holds them to the Rust
//! laws.
//!
//! The clang is the one that `CLANG` names, or the machine's, or that of the Python package `ziglang`, which is the
//! same LLVM under another driver. Where there is none, the laws are left out and the program says why when asked for
//! one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The commands of the package `ziglang`: in the environment that a build from source runs in, and in the repository's.
const ZIG: &[&str] = &["python-zig", "../../.venv/bin/python-zig", "zig"];

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-changed=tests/it/twin/twin.c");
    println!("cargo:rerun-if-env-changed=CLANG");
    println!("cargo:rerun-if-env-changed=PATH");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let laws = laws();
    compile_programs(&laws, &out);
    compile_twins(&laws, &out);
}

/// The laws, as files of `bpf/` name them.
fn laws() -> Vec<String> {
    let names = fs::read_dir("bpf").expect("the package has the folder bpf").filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.strip_suffix(".bpf.c").map(str::to_owned)
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// A command that compiles C to eBPF.
struct Clang {
    name: String,
    /// Before the options.
    verb: Option<&'static str>,
    /// Its name for eBPF of little-endian machines.
    target: &'static str,
}

impl Clang {
    /// The first of those that may be here that can be run.
    fn find(out: &Path) -> Result<Self, String> {
        let clang = |name: String| Self { name, verb: None, target: "bpf" };
        let zig = |name: &&str| Self { name: (*name).to_owned(), verb: Some("cc"), target: "bpfel-freestanding-none" };
        if let Ok(name) = env::var("CLANG") {
            return clang(name).tried(out);
        }
        let machine = clang("clang".to_owned()).tried(out);
        let known = machine.or_else(|_| ZIG.iter().map(zig).find_map(|zig| zig.tried(out).ok()).ok_or(()));
        known.map_err(|()| "there is no clang; `pip install ziglang` brings one".to_owned())
    }

    /// Itself, if it can be run.
    fn tried(self, out: &Path) -> Result<Self, String> {
        match self.command(out).arg("--version").output() {
            Ok(output) if output.status.success() => Ok(self),
            Ok(output) => Err(format!("{} cannot be run ({})", self.name, output.status)),
            Err(error) => Err(format!("{} cannot be run ({error})", self.name)),
        }
    }

    fn command(&self, out: &Path) -> Command {
        let mut command = Command::new(&self.name);
        // Zig keeps what it compiled; nothing is written beside the build.
        let cache = out.join("zig");
        command.args(self.verb).env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
        command
    }

    fn compile(&self, law: &str, out: &Path) -> Result<PathBuf, String> {
        let object = out.join(format!("{law}.o"));
        let output = self
            .command(out)
            .args(["-O2", "-g", "-target", self.target, "-mcpu=v3", "-Wall", "-Werror", "-fdebug-compilation-dir=."])
            .args(["-c".as_ref(), format!("bpf/{law}.bpf.c").as_ref(), "-o".as_ref(), object.as_os_str()])
            .output()
            .map_err(|error| format!("{} cannot be run ({error})", self.name))?;
        if output.status.success() {
            return Ok(object);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let reason = said.lines().find(|line| line.contains("error")).unwrap_or("it says nothing");
        Err(format!("{} failed: {}", self.name, reason.trim()))
    }
}

/// Writes `programs.rs`: each law's object, or why there is none.
fn compile_programs(laws: &[String], out: &Path) {
    let clang = match env::var("CARGO_CFG_TARGET_ENDIAN").as_deref() {
        Ok("little") => Clang::find(out),
        _ => Err("big-endian machines are not supported".to_owned()),
    };
    if clang.is_err() {
        // Somebody may install one.
        ZIG.iter().filter(|name| name.contains('/')).for_each(|name| println!("cargo:rerun-if-changed={name}"));
    }
    let mut rows = String::new();
    let mut reasons = BTreeSet::new();
    for law in laws {
        let row = match clang.as_ref().map_err(Clone::clone).and_then(|clang| clang.compile(law, out)) {
            Ok(object) => format!("Ok(include_bytes!({object:?}))"),
            Err(why) => {
                let row = format!("Err({why:?})");
                reasons.insert(why);
                row
            }
        };
        rows += &format!("    ({law:?}, {row}),\n");
    }
    for why in reasons {
        println!("cargo:warning=laws are left out of the kernel's: {why}");
    }
    let table = format!("const PROGRAMS: &[(&str, Result<&[u8], &str>)] = &[\n{rows}];\n");
    fs::write(out.join("programs.rs"), table).expect("OUT_DIR can be written");
}

/// A static library of each law's functions, which only the test links, and `twins.rs`, which names them to it.
fn compile_twins(laws: &[String], out: &Path) {
    let mut rows = String::new();
    for law in laws {
        let name = law.replace('-', "_");
        let table = format!("windward_twin_{name}");
        cc::Build::new()
            .file("tests/it/twin/twin.c")
            .include("bpf")
            .define("TABLE", table.as_str())
            .define("LAW_HEADER", format!("\"{name}.h\"").as_str())
            .opt_level(2)
            .warnings(true)
            .flag_if_supported("-Wno-unused-parameter")
            .cargo_metadata(false)
            .out_dir(out.join(&name))
            .compile(&table);
        println!("cargo:rustc-link-search=native={}", out.join(&name).display());
        rows += &format!("    {law:?} {table:?} {table},\n");
    }
    fs::write(out.join("twins.rs"), format!("tables! {{\n{rows}}}\n")).expect("OUT_DIR can be written");
}
