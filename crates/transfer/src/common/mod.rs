//! What downloads, uploads and the server share: errors, sockets, disk space, and state that threads wait for.

mod disk;
mod error;
mod monitor;
mod socket;

pub use error::Error;

pub(crate) use disk::reserve;
pub(crate) use monitor::Monitor;
pub(crate) use socket::{TcpInfo, bound_window, hold_little, is_readable, seconds, tcp_info};
