//! Compiles the laws: into eBPF by clang, where there is a clang that can, and by the machine's C compiler for the test
//! that holds them to the Rust laws.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The laws, as files of `bpf/` name them.
const LAWS: &[&str] = &["quic-tcp", "fast", "vegas", "tcp-fit", "compound", "westwood"];

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-changed=tests/twin/twin.c");
    println!("cargo:rerun-if-env-changed=CLANG");
    println!("cargo:rerun-if-env-changed=PATH");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    compile_programs(&out);
    compile_twins(&out);
}

/// Writes `programs.rs`: each law's object, or why there is none.
fn compile_programs(out: &Path) {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut rows = String::new();
    let mut reasons = BTreeSet::new();
    for law in LAWS {
        let object = out.join(format!("{law}.o"));
        let row = match compile_program(&clang, law, &object) {
            Ok(()) => format!("Ok(include_bytes!({object:?}))"),
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

fn compile_program(clang: &str, law: &str, object: &Path) -> Result<(), String> {
    if env::var("CARGO_CFG_TARGET_ENDIAN").as_deref() != Ok("little") {
        return Err("big-endian machines are not supported".to_owned());
    }
    let output = Command::new(clang)
        .args(["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-Wall", "-Werror", "-fdebug-compilation-dir=.", "-c"])
        .args([format!("bpf/{law}.bpf.c").as_ref(), "-o".as_ref(), object.as_os_str()])
        .output()
        .map_err(|e| format!("{clang} cannot be run ({e})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let reason = said.lines().find(|line| line.contains("error")).unwrap_or("it says nothing");
    Err(format!("{clang} failed: {}", reason.trim()))
}

/// A static library of each law's functions; only the test links them.
fn compile_twins(out: &Path) {
    for law in LAWS {
        let name = law.replace('-', "_");
        let table = format!("windward_twin_{name}");
        cc::Build::new()
            .file("tests/twin/twin.c")
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
    }
}
