//! What the kernel knows about a connection that sends, and what it is told.

use std::io;
use std::mem;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// A sender's view of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info {
    /// Smoothed RTT (`tcpi_rtt`) in seconds.
    pub rtt: f64,
    /// The least RTT in seconds.
    pub rtt_min: f64,
    /// Bytes that the other end has acknowledged.
    pub acked: u64,
}

/// Asks the kernel; `None` where it does not tell.
#[cfg(target_os = "linux")]
pub fn info(socket: &TcpStream) -> Option<Info> {
    // SAFETY: all its fields are integers, for which zero is a value.
    let mut info: libc::tcp_info = unsafe { mem::zeroed() };
    let mut length = mem::size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the descriptor is open while `socket` is borrowed, and the kernel writes at most `length` bytes.
    let result = unsafe {
        let info = (&raw mut info).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, info, &raw mut length)
    };
    let seconds = |micros: u32| f64::from(micros) / 1e6;
    let is_known = result == 0 && info.tcpi_rtt > 0 && info.tcpi_min_rtt < u32::MAX;
    is_known.then(|| Info {
        rtt: seconds(info.tcpi_rtt),
        rtt_min: seconds(info.tcpi_min_rtt),
        acked: info.tcpi_bytes_acked,
    })
}

/// Other kernels do not tell.
#[cfg(not(target_os = "linux"))]
pub fn info(_socket: &TcpStream) -> Option<Info> {
    None
}

/// Lets a write wait while more than `bytes` are not yet on their way: what a connection has taken is then little more than
/// its window, and another can take the rest.
#[cfg(target_os = "linux")]
pub fn hold_little(socket: &TcpStream, bytes: u32) -> io::Result<()> {
    let size = mem::size_of::<u32>() as libc::socklen_t;
    // SAFETY: the descriptor is open while `socket` is borrowed, and the kernel reads `size` bytes.
    let result = unsafe {
        let value = (&raw const bytes).cast();
        libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, value, size)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Others take what their buffer holds.
#[cfg(not(target_os = "linux"))]
pub fn hold_little(_socket: &TcpStream, _bytes: u32) -> io::Result<()> {
    Ok(())
}
