//! Endpoints of quinn-proto 0.11.

mod api;
mod control;
mod crypto;
mod own;
#[path = "../stack/mod.rs"]
mod stack;

use quinn_proto as proto;
pub use stack::{Upload, null};
pub(crate) use stack::{exchange, flow};
