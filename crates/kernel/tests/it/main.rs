//! Kernel laws: beside their twins in Rust, and loaded into a real kernel.
#![cfg(target_os = "linux")]

mod kernel;
mod twin;
