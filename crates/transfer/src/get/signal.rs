//! What the kernel knows about a connection that receives.

use std::net::TcpStream;
use std::time::Duration;

/// A receiver's view of one connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Signal {
    /// RTT seen in the segments that arrive (`tcpi_rcv_rtt`); good only with timestamps (RFC 7323), where every
    /// segment gives a sample. `tcpi_rtt` is of no use here: who only receives has nothing acknowledged.
    pub rtt: Option<Duration>,
    /// The least RTT, which of a connection that only asks is its handshake's.
    pub rtt_min: Option<Duration>,
    /// Whether the server speaks timestamps.
    pub has_timestamps: bool,
}

/// Asks the kernel; `None` where it does not tell.
#[cfg(target_os = "linux")]
pub(super) fn signal(socket: &TcpStream) -> Option<Signal> {
    use std::mem;
    use std::os::fd::AsRawFd;

    /// TCPI_OPT_TIMESTAMPS of linux/tcp.h.
    const TIMESTAMPS: u8 = 1;

    // SAFETY: all its fields are integers, for which zero is a value.
    let mut info: libc::tcp_info = unsafe { mem::zeroed() };
    let mut length = mem::size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the descriptor is open while `socket` is borrowed, and the kernel writes at most `length` bytes.
    let result = unsafe {
        let info = (&raw mut info).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, info, &raw mut length)
    };
    let micros = |count: u32| (count > 0 && count < u32::MAX).then(|| Duration::from_micros(u64::from(count)));
    (result == 0).then(|| Signal {
        rtt: micros(info.tcpi_rcv_rtt),
        rtt_min: micros(info.tcpi_min_rtt),
        has_timestamps: info.tcpi_options & TIMESTAMPS != 0,
    })
}

/// Other kernels do not tell.
#[cfg(not(target_os = "linux"))]
pub(super) fn signal(_socket: &TcpStream) -> Option<Signal> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_fresh_connection_knows_its_handshake() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let signal = signal(&socket).unwrap();
        // Loopback answers within a second, and the handshake was timed.
        assert!(signal.rtt_min.is_some_and(|rtt| rtt < Duration::from_secs(1)));
    }
}
