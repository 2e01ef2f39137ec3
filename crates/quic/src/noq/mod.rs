//! Endpoints of noq-proto 1.4 in virtual time.

mod api;
mod control;
mod crypto;
mod own;
#[expect(clippy::duplicate_mod, reason = "compiled once for each stack")]
#[path = "../stack/mod.rs"]
mod stack;

use noq_proto as proto;
pub use stack::{Upload, null};
pub(crate) use stack::{exchange, flow};
