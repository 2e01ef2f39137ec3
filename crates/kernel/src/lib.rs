//! The laws in the Linux kernel: eBPF programs that implement `tcp_congestion_ops`, and their loader.
//!
//! [`load`] registers a law; any program on the machine may then choose it (`setsockopt(TCP_CONGESTION)`, `ip route …
//! congctl`, `iperf3 -C`). Each law is two things in `bpf/`: `<law>.h`, its arithmetic in integers, the twin of the law
//! in `windward-laws` and compared with it by a test that compiles it for the machine, and `host.h`, which keeps the
//! books.
//!
//! Why not a library: libbpf-rs builds libbpf, which needs libelf and zlib with their headers on every machine that
//! compiles Windward, and aya does not load struct_ops programs. What it does: `program` reads the object, `relocate`
//! puts in the running kernel's offsets, `load` makes the maps, loads the programs and registers them by a link. The
//! link's descriptor holds the law in the kernel; when its process ends, however it ends, the law is gone, unless the
//! link was pinned.
#![cfg(target_os = "linux")]

mod btf;
mod error;
mod flow;
mod laws;
mod load;
mod program;
mod registry;
mod relocate;
mod stay;
mod sys;

pub use error::Error;
pub use flow::Flow;
pub use laws::{KernelLaw, LAWS, Parameter};
pub use load::{Loaded, Options, load, support};
pub use registry::{Entry, clean, list, set, show, unload};
