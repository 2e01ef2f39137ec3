//! Socket options and the kernel's information on TCP connections.

use std::io;
use std::mem;
use std::net::TcpStream;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::os::fd::AsRawFd;
use std::time::Duration;

#[cfg(target_os = "linux")]
use socket2::SockRef;

/// The kernel's view of one TCP connection (`TCP_INFO`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TcpInfo {
    /// Smoothed RTT of the data this end sent (`tcpi_rtt`); meaningless for an end that only receives.
    pub srtt: Option<Duration>,
    /// RTT measured from arriving segments (`tcpi_rcv_rtt`). Reliable only with timestamps (RFC 7323), where every
    /// segment gives a sample.
    pub receive_rtt: Option<Duration>,
    /// Minimum RTT. For an end that only receives, the RTT of its handshake.
    pub min_rtt: Option<Duration>,
    /// Bytes that the other end has acknowledged.
    pub acked: u64,
    /// True if the connection uses timestamps.
    pub has_timestamps: bool,
}

/// Reads the kernel's information; `None` if it is not available.
#[cfg(target_os = "linux")]
pub(crate) fn tcp_info(socket: &TcpStream) -> Option<TcpInfo> {
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
    (result == 0).then(|| TcpInfo {
        srtt: micros(info.tcpi_rtt),
        receive_rtt: micros(info.tcpi_rcv_rtt),
        min_rtt: micros(info.tcpi_min_rtt),
        acked: info.tcpi_bytes_acked,
        has_timestamps: info.tcpi_options & TIMESTAMPS != 0,
    })
}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn tcp_info(_socket: &TcpStream) -> Option<TcpInfo> {
    None
}

/// Blocks writes while more than `bytes` are unsent. The connection then holds little more than its window, and other
/// connections can take the remaining data.
#[cfg(target_os = "linux")]
pub(crate) fn hold_little(socket: &TcpStream, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, bytes)
}

/// Not available on other systems: writes fill the send buffer.
#[cfg(not(target_os = "linux"))]
pub(crate) fn hold_little(_socket: &TcpStream, _bytes: u32) -> io::Result<()> {
    Ok(())
}

/// Bounds the receive window that the kernel offers (`TCP_WINDOW_CLAMP`). An offer already made stays valid.
///
/// The kernel resets the bound to the buffer's capacity at the first data segment (`tcp_measure_rcv_mss`, since 6.6)
/// and whenever it enlarges the buffer (`tcp_rcv_space_adjust`). A buffer with room for several such windows is
/// therefore locked at its size, which Linux supports since 5.15. On older kernels, and while the buffer is smaller,
/// the bound holds until the next enlargement.
#[cfg(target_os = "linux")]
pub(crate) fn bound_window<S: AsRawFd + AsFd>(socket: &S, bytes: u32) -> io::Result<()> {
    /// SO_BUF_LOCK of asm-generic/socket.h, and SOCK_RCVBUF_LOCK of linux/socket.h.
    const BUFFER_LOCK: libc::c_int = 72;
    const RECEIVE: u32 = 2;
    /// Bytes of buffer per byte of window: the kernel itself uses half of the buffer and more.
    const ROOM: usize = 4;

    set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, bytes)?;
    let has_room = SockRef::from(socket).recv_buffer_size().is_ok_and(|size| size / ROOM >= bytes as usize);
    // Older kernels lack the option.
    _ = set(socket, libc::SOL_SOCKET, BUFFER_LOCK, if has_room { RECEIVE } else { 0 });
    Ok(())
}

/// Sets a numeric option.
#[cfg(target_os = "linux")]
fn set(socket: &impl AsRawFd, level: libc::c_int, option: libc::c_int, value: u32) -> io::Result<()> {
    let size = mem::size_of::<u32>() as libc::socklen_t;
    // SAFETY: the descriptor is open while `socket` is borrowed, and the kernel reads `size` bytes.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), size) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Not available on other systems: the kernel chooses the window.
#[cfg(not(target_os = "linux"))]
pub(crate) fn bound_window(_socket: &impl AsRawFd, _bytes: u32) -> io::Result<()> {
    Ok(())
}

/// Waits for at most `patience` until the socket can be read or accepted from. Returns whether it can.
pub(crate) fn is_readable(socket: &impl AsRawFd, patience: Duration) -> io::Result<bool> {
    let mut asked = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let millis = libc::c_int::try_from(patience.as_millis()).unwrap_or(libc::c_int::MAX);
    // SAFETY: one descriptor, which is open while `socket` is borrowed.
    match unsafe { libc::poll(&raw mut asked, 1, millis) } {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            error => Err(error),
        },
        count => Ok(count > 0),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_fresh_connection_knows_its_handshake() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = tcp_info(&socket).unwrap();
        // Loopback answers within a second, and the handshake was timed.
        assert!(info.min_rtt.is_some_and(|rtt| rtt < Duration::from_secs(1)));
    }

    /// Window last offered to `peer` (`tcpi_snd_wnd`).
    fn offered(peer: &TcpStream) -> u32 {
        // SAFETY: all its fields are integers, for which zero is a value.
        let mut info: libc::tcp_info = unsafe { mem::zeroed() };
        let mut length = mem::size_of::<libc::tcp_info>() as libc::socklen_t;
        let place = (&raw mut info).cast();
        // SAFETY: the descriptor is open, and the kernel writes at most `length` bytes.
        let result =
            unsafe { libc::getsockopt(peer.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, place, &raw mut length) };
        assert_eq!(result, 0);
        info.tcpi_snd_wnd
    }

    /// Before the handshake the bound limits the offer of the first segments. After the first data it holds
    /// permanently; the earlier offer is used up first, and windows are rounded up to their scale.
    #[test]
    fn a_bounded_window_is_what_is_offered() {
        const BOUND: u32 = 20_000;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        for is_early in [true, false] {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
            if is_early {
                bound_window(&socket, BOUND).unwrap();
            }
            socket.connect(&listener.local_addr().unwrap().into()).unwrap();
            let (mut socket, mut peer) = (TcpStream::from(socket), listener.accept().unwrap().0);
            let before = offered(&peer);
            assert_eq!(before <= BOUND, is_early, "{before}");
            // The echoed data carries the window.
            let exchange = |socket: &mut TcpStream, peer: &mut TcpStream| {
                peer.write_all(&[0; 10_000]).unwrap();
                socket.read_exact(&mut [0; 10_000]).unwrap();
                socket.write_all(&[0]).unwrap();
                peer.read_exact(&mut [0]).unwrap();
                offered(peer)
            };
            exchange(&mut socket, &mut peer);
            bound_window(&socket, BOUND).unwrap();
            let after = (0..60).map(|_| exchange(&mut socket, &mut peer)).last().unwrap();
            assert!((BOUND / 2..BOUND + 2048).contains(&after), "{after}");
        }
    }

    #[test]
    fn what_has_arrived_is_readable() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (peer, _) = listener.accept().unwrap();
        assert!(!is_readable(&peer, Duration::ZERO).unwrap());
        socket.write_all(b"x").unwrap();
        assert!(is_readable(&peer, Duration::from_secs(60)).unwrap());
    }
}
