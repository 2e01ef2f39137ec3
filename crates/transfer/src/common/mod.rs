//! Shared by HTTP, downloads, uploads and the server: sockets, probes, disk space, averages, text, and state that
//! threads wait for.

mod disk;
mod monitor;
pub(crate) mod probe;
mod smooth;
mod socket;
mod text;

pub(crate) use disk::reserve;
pub(crate) use monitor::Monitor;
pub(crate) use smooth::weight;
pub(crate) use socket::{TcpInfo, bound_window, hold_little, is_readable, tcp_info};
pub(crate) use text::is_turning;
