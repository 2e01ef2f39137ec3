//! The fourth engine: the simulator's network in real time, between real Linux kernels.
//!
//! [`emulate`] runs a scenario: its hosts become network namespaces, its flows real connections whose control laws are
//! in the kernel, and the links and cells between them are the simulator's own, driven by the wall clock. [`link`] puts
//! a single link in front of any program.
//!
//! Everything that a run makes hangs on descriptors and processes of its own — namespaces have no names, devices and
//! laws go with the files that hold them — so that nothing stays behind, however it ends.
#![cfg(target_os = "linux")]

mod error;
mod frames;
mod hosts;
mod ip;
pub mod link;
mod quality;
mod remedy;
mod sys;
mod tcp;
mod wire;

pub use error::Error;
pub use hosts::{Emulation, Options, emulate};
pub use quality::{LATE, Quality};
