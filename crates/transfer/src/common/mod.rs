//! Shared by downloads, uploads and the server: secrets, errors, sockets, disk space, averages, and state that threads
//! wait for.

mod confidential;
mod disk;
mod error;
mod monitor;
mod smooth;
mod socket;

pub use error::Error;

pub(crate) use confidential::confidential;
pub(crate) use disk::reserve;
pub(crate) use monitor::Monitor;
pub(crate) use smooth::weight;
pub(crate) use socket::{TcpInfo, bound_window, hold_little, is_readable, seconds, tcp_info};
