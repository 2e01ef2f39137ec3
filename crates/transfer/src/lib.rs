//! Files over real sockets: as many connections as the path needs, and never a wrong file.
//!
//! [`get`] fetches from any HTTP/1.1 server; `serve` is one (on Linux: it resolves names
//! beneath its folder by openat2), to which [`send`] brings files; [`http`] is the part of the protocol that it needs, and [`tls`] its
//! trust.
#![expect(clippy::disallowed_types, reason = "this crate stands on the edge: sockets and files have clocks")]

mod common;
#[doc(hidden)]
pub mod fuzz;
pub mod get;
pub mod http;
mod local;
pub mod send;
#[cfg(target_os = "linux")]
pub mod serve;
pub mod tls;
pub mod tree;
pub mod upload;

pub use common::Error;
