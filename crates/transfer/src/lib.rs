//! File transfers over real sockets, with as many connections as the path needs and no wrong file.
//!
//! [`get`] downloads from any HTTP/1.1 server. `serve` is an HTTP/1.1 server (Linux only: it resolves names beneath its
//! folder by openat2), and [`send`] uploads files to it. [`http`] implements the part of the protocol that they need,
//! and [`tls`] the certificates.
#![expect(clippy::disallowed_types, reason = "this crate stands on the edge: sockets and files have clocks")]

mod common;
mod error;
#[doc(hidden)]
pub mod fuzz;
pub mod get;
pub mod http;
mod law;
mod local;
mod options;
mod seconds;
pub mod send;
#[cfg(target_os = "linux")]
pub mod serve;
pub mod tls;
pub mod tree;
pub mod upload;

pub use error::Error;
pub use options::{Declared, Shown};
