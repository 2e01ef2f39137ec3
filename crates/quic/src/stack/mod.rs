//! Endpoints of one QUIC stack in virtual time. This folder is compiled once for each stack: the module above names its
//! crate `proto`, and has in `api` what differs from the other stacks.

mod ends;
mod exchange;
pub mod null;
mod pair;
pub(crate) mod stock;
mod stream;
mod upload;

use super::{api, own, proto};
pub(crate) use ends::{exchange, flow};
pub use upload::Upload;
