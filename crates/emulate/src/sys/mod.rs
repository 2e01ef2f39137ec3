//! Kernel interfaces: namespaces, devices, routes, sockets, time.

mod bell;
mod devices;
mod messages;
mod namespace;
mod netlink;
mod realtime;
mod socket;
mod tun;
#[cfg(feature = "quic")]
mod udp;

pub(crate) use bell::Bell;
pub(crate) use devices::{Devices, Ready, Watch, rest, wait_for};
pub(crate) use messages::{Lines, process_end, send_with};
pub(crate) use namespace::{Namespace, enter, has_rights, own_user_namespace, write_setting};
pub(crate) use netlink::{Netlink, Ours, Route};
pub(crate) use realtime::{Awake, Clock, Rank, RunDelay, cpu_time, make_realtime};
pub(crate) use socket::{TcpInfo, TcpSocket};
pub(crate) use tun::{Tun, read_dropped, read_overflowed};
#[cfg(feature = "quic")]
pub(crate) use udp::UdpEnd;

use std::io;

/// The answer of a system call; −1 stands for the error in `errno`.
pub(crate) fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
