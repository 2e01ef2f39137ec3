//! TCP sockets with the options that a flow needs.

use super::check;
use super::devices::wait;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use windward_units::Duration;

/// A TCP socket that does not block.
#[derive(Debug)]
pub(crate) struct TcpSocket(OwnedFd);

/// Kernel's state of a connection (struct tcp_info); fields that a kernel does not know are zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TcpInfo {
    /// 3: in fast recovery; 4: after a timeout.
    pub state: u8,
    /// Segments of the window.
    pub cwnd: u32,
    /// Segments that the kernel reckons to be on their way.
    pub flight: u32,
    /// Smoothed round-trip time in microseconds; 0 before the first sample.
    pub srtt_us: u32,
    /// Least round-trip time in microseconds.
    pub min_rtt_us: u32,
    /// Segments of data sent, retransmissions included.
    pub data_segments: u64,
    /// Segments of data that the receiver is known to have, in order or not.
    pub delivered: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Timeouts of the retransmission timer (Linux 6.7).
    pub timeouts: u64,
    /// Reductions of the window by losses, where the stack counts them: QUIC.
    pub reductions: u64,
}

impl TcpInfo {
    /// The state of a later connection, `last`, with the counts of both.
    pub(crate) fn and(&self, last: &Self) -> Self {
        let min_rtt_us = match (self.min_rtt_us, last.min_rtt_us) {
            (0, known) | (known, 0) => known,
            (before, now) => before.min(now),
        };
        Self {
            min_rtt_us,
            data_segments: self.data_segments + last.data_segments,
            delivered: self.delivered + last.delivered,
            retransmits: self.retransmits + last.retransmits,
            timeouts: self.timeouts + last.timeouts,
            reductions: self.reductions + last.reductions,
            ..*last
        }
    }
}

impl TcpSocket {
    /// A socket in the namespace that this thread is in, bound to `address`.
    pub(crate) fn bound(address: SocketAddrV4) -> io::Result<Self> {
        let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: the call makes a descriptor that nobody else knows.
        let socket = Self(unsafe { OwnedFd::from_raw_fd(check(libc::socket(libc::AF_INET, kind, 0))?) });
        socket.set(libc::SOL_SOCKET, libc::SO_REUSEADDR, &1i32.to_ne_bytes())?;
        let (address, length) = encode(address);
        // SAFETY: the address lives through the call, which gets its length.
        check(unsafe { libc::bind(socket.number(), (&raw const address).cast(), length) })?;
        Ok(socket)
    }

    /// A socket of the standard library's.
    pub(crate) fn of(stream: TcpStream) -> Self {
        Self(stream.into())
    }

    /// The socket as the standard library's.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.0.into()
    }

    /// Waits for connections.
    pub(crate) fn listen(&self) -> io::Result<()> {
        // SAFETY: numbers only.
        check(unsafe { libc::listen(self.number(), 4096) }).map(drop)
    }

    /// The next connection; `WouldBlock` while there is none.
    pub(crate) fn accept(&self) -> io::Result<Self> {
        let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: no address is asked for; the call makes a descriptor that nobody else knows.
        unsafe {
            let (no_address, no_length) = (std::ptr::null_mut(), std::ptr::null_mut());
            check(libc::accept4(self.number(), no_address, no_length, flags)).map(|fd| Self(OwnedFd::from_raw_fd(fd)))
        }
    }

    /// Begins to connect.
    pub(crate) fn connect(&self, address: SocketAddrV4) -> io::Result<()> {
        let (address, length) = encode(address);
        // SAFETY: the address lives through the call, which gets its length.
        match check(unsafe { libc::connect(self.number(), (&raw const address).cast(), length) }) {
            Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
            _ => Ok(()),
        }
    }

    /// Sets an option to raw bytes.
    pub(crate) fn set(&self, level: libc::c_int, option: libc::c_int, value: &[u8]) -> io::Result<()> {
        let length = value.len() as libc::socklen_t;
        // SAFETY: the value lives through the call, which gets its length.
        check(unsafe { libc::setsockopt(self.number(), level, option, value.as_ptr().cast(), length) }).map(drop)
    }

    /// Sets a numeric option of TCP.
    pub(crate) fn set_tcp(&self, option: libc::c_int, value: u32) -> io::Result<()> {
        self.set(libc::IPPROTO_TCP, option, &value.to_ne_bytes())
    }

    /// Waits until the socket can be read (or written, where asked), but no longer than `limit`.
    pub(crate) fn wait(&self, for_writing: bool, limit: Duration) -> io::Result<bool> {
        let events = if for_writing { libc::POLLOUT } else { libc::POLLIN };
        wait(&mut [libc::pollfd { fd: self.number(), events, revents: 0 }], limit)
    }

    /// Lets the calls of [`Self::send`] wait for room, each for at most `limit` in all.
    pub(crate) fn let_sends_wait(&self, limit: Duration) -> io::Result<()> {
        // SAFETY: numbers only.
        let flags = check(unsafe { libc::fcntl(self.number(), libc::F_GETFL) })?;
        // SAFETY: numbers only.
        check(unsafe { libc::fcntl(self.number(), libc::F_SETFL, flags & !libc::O_NONBLOCK) })?;
        let micros = (limit.as_nanos() / 1000).max(1);
        let [seconds, rest] = [micros / 1_000_000, micros % 1_000_000].map(|part| (part as i64).to_ne_bytes());
        self.set(libc::SOL_SOCKET, libc::SO_SNDTIMEO, &[seconds, rest].concat())
    }

    /// Sends some of `data`.
    pub(crate) fn send(&self, data: &[u8]) -> io::Result<usize> {
        // SAFETY: the data live through the call, which gets their length.
        let sent = unsafe { libc::send(self.number(), data.as_ptr().cast(), data.len(), libc::MSG_NOSIGNAL) };
        check(sent as libc::c_int).map(|count| count as usize)
    }

    /// Takes in up to `most` bytes without looking at them; 0 where the other side has closed.
    pub(crate) fn discard(&self, most: usize) -> io::Result<usize> {
        // SAFETY: MSG_TRUNC tells TCP to throw the bytes away; it writes to no address.
        let taken = unsafe { libc::recv(self.number(), std::ptr::null_mut(), most, libc::MSG_TRUNC) };
        check(taken as libc::c_int).map(|count| count as usize)
    }

    /// Number of bytes that can be read now.
    pub(crate) fn waiting(&self) -> io::Result<u64> {
        let mut count: libc::c_int = 0;
        // SAFETY: the number lives through the call.
        check(unsafe { libc::ioctl(self.number(), libc::FIONREAD, &raw mut count) })?;
        Ok(count as u64)
    }

    /// Fixes the memory of data that is not acknowledged, beyond `net.core.wmem_max` too. The kernel keeps twice the
    /// value of the option (`sock_setsockopt`).
    pub(crate) fn set_send_buffer(&self, bytes: u64) -> io::Result<()> {
        let half = i32::try_from(bytes / 2).unwrap_or(i32::MAX / 2);
        self.set(libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &half.to_ne_bytes())
    }

    /// No more data will follow.
    pub(crate) fn finish_sending(&self) -> io::Result<()> {
        // SAFETY: numbers only.
        check(unsafe { libc::shutdown(self.number(), libc::SHUT_WR) }).map(drop)
    }

    /// Lets the connection end at once when the socket is closed, without what has not arrived. The kernel would repeat
    /// that for two minutes more, into a network that is gone, and keep the namespace and the law for as long.
    pub(crate) fn abort(&self) -> io::Result<()> {
        let linger = libc::linger { l_onoff: 1, l_linger: 0 };
        let bytes = [linger.l_onoff.to_ne_bytes(), linger.l_linger.to_ne_bytes()].concat();
        self.set(libc::SOL_SOCKET, libc::SO_LINGER, &bytes)
    }

    /// Its own port.
    pub(crate) fn port(&self) -> io::Result<u16> {
        self.ask_port(libc::getsockname)
    }

    /// Port of the other end; an error where it is not connected.
    pub(crate) fn peer_port(&self) -> io::Result<u16> {
        self.ask_port(libc::getpeername)
    }

    fn ask_port(
        &self,
        ask: unsafe extern "C" fn(libc::c_int, *mut libc::sockaddr, *mut libc::socklen_t) -> libc::c_int,
    ) -> io::Result<u16> {
        let (mut address, mut length) = encode(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
        // SAFETY: the address lives through the call, which gets its length.
        check(unsafe { ask(self.number(), (&raw mut address).cast(), &raw mut length) })?;
        Ok(u16::from_be(address.sin_port))
    }

    /// The error that ended a connection, or an attempt to connect.
    pub(crate) fn take_error(&self) -> io::Result<()> {
        let mut error: libc::c_int = 0;
        let mut length = size_of::<libc::c_int>() as libc::socklen_t;
        // SAFETY: the number lives through the call, which gets its length.
        let answer = unsafe {
            let place = (&raw mut error).cast();
            libc::getsockopt(self.number(), libc::SOL_SOCKET, libc::SO_ERROR, place, &raw mut length)
        };
        check(answer)?;
        if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
    }

    /// Reads the kernel's state of the connection.
    pub(crate) fn info(&self) -> io::Result<TcpInfo> {
        // Longer than any kernel's structure; the kernel says how much it filled in.
        let mut bytes = [0u8; 512];
        let mut length = bytes.len() as libc::socklen_t;
        // SAFETY: the buffer lives through the call, which gets its length.
        let answer = unsafe {
            let place = bytes.as_mut_ptr().cast();
            libc::getsockopt(self.number(), libc::IPPROTO_TCP, libc::TCP_INFO, place, &raw mut length)
        };
        check(answer)?;
        // Offsets in struct tcp_info of include/uapi/linux/tcp.h, which only grows.
        let word = |at: usize| bytes[at..at + 4].try_into().map(u32::from_ne_bytes).unwrap_or_default();
        let (unacked, sacked, lost, retrans) = (word(24), word(28), word(32), word(36));
        Ok(TcpInfo {
            state: bytes[1],
            cwnd: word(80),
            flight: (unacked + retrans).saturating_sub(sacked + lost),
            srtt_us: word(68),
            min_rtt_us: word(148),
            data_segments: u64::from(word(156)),
            delivered: u64::from(word(192)),
            retransmits: u64::from(word(100)),
            timeouts: u64::from(u16::from_ne_bytes([bytes[240], bytes[241]])),
            reductions: 0,
        })
    }

    /// Reads the state of the kernel's BBR; `None` of other congestion controls, and before the connection is open.
    pub(crate) fn bbr(&self) -> Option<BbrInfo> {
        // Longer than union tcp_cc_info of include/uapi/linux/inet_diag.h.
        let mut words = [0u32; 16];
        let mut length = size_of_val(&words) as libc::socklen_t;
        // SAFETY: the buffer lives through the call, which gets its length.
        let answer = unsafe {
            let place = words.as_mut_ptr().cast();
            libc::getsockopt(self.number(), libc::IPPROTO_TCP, libc::TCP_CC_INFO, place, &raw mut length)
        };
        // struct tcp_bbr_info has five words, Vegas' and DCTCP's have four.
        // It has no gains before the handshake is complete.
        (answer == 0 && length as usize == 5 * size_of::<u32>() && words[4] > 0).then(|| BbrInfo::from_words(&words))
    }

    fn number(&self) -> libc::c_int {
        self.0.as_raw_fd()
    }
}

/// State of the kernel's BBR, version 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BbrInfo {
    /// Estimate of the bandwidth in bytes of payload a second.
    pub bandwidth: f64,
    /// Least round-trip time in seconds; zero before the first sample.
    pub min_rtt: f64,
    /// Gains of the pacing rate and of the window.
    pub gains: (f64, f64),
}

impl BbrInfo {
    /// struct tcp_bbr_info: two words of the bandwidth, microseconds, and gains in 256ths.
    fn from_words(words: &[u32]) -> Self {
        let min_rtt = if words[2] == u32::MAX { 0.0 } else { f64::from(words[2]) / 1e6 };
        Self {
            bandwidth: f64::from(words[0]) + f64::from(words[1]) * 4_294_967_296.0,
            min_rtt,
            gains: (f64::from(words[3]) / 256.0, f64::from(words[4]) / 256.0),
        }
    }

    /// Number of the mode, as Windward's `bbr` has it: STARTUP, DRAIN, PROBE_BW, PROBE_RTT. Each has gains of its own
    /// (tcp_bbr.c: `bbr_update_gains`), but before the first sample.
    pub(crate) fn mode(&self) -> u8 {
        match self.gains {
            _ if self.bandwidth == 0.0 => 0,
            (pacing, window) if window > 2.5 => u8::from(pacing < 1.0),
            (_, window) if window > 1.5 => 2,
            _ => 3,
        }
    }
}

impl AsRawFd for TcpSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

fn encode(address: SocketAddrV4) -> (libc::sockaddr_in, libc::socklen_t) {
    let encoded = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*address.ip()).to_be() },
        sin_zero: [0; 8],
    };
    (encoded, size_of::<libc::sockaddr_in>() as libc::socklen_t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Mbit/s of payload and 40 ms; the gains of tcp_bbr.c: 2/ln 2 and its inverse, 2, 1.25 and 1.
    #[test]
    fn modes_of_bbr_are_told_by_their_gains() {
        let of = |pacing, window| BbrInfo::from_words(&[1_250_000, 0, 40_000, pacing, window]);
        let modes = [(739, 739), (88, 739), (320, 512), (192, 512), (256, 512), (256, 256)];
        assert_eq!(modes.map(|(pacing, window)| of(pacing, window).mode()), [0, 1, 2, 2, 2, 3]);
        assert_eq!(BbrInfo::from_words(&[0, 0, 40_000, 256, 256]).mode(), 0);
        let BbrInfo { bandwidth, min_rtt, gains } = of(320, 512);
        assert_eq!((bandwidth, min_rtt, gains), (1.25e6, 0.04, (1.25, 2.0)));
    }
    use std::net::Ipv4Addr;

    /// The offsets above are those of libc's own structure.
    #[test]
    fn offsets_are_those_of_the_structure() {
        use std::mem::offset_of;
        assert_eq!(offset_of!(libc::tcp_info, tcpi_ca_state), 1);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_unacked), 24);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_retrans), 36);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_rtt), 68);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_snd_cwnd), 80);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_total_retrans), 100);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_min_rtt), 148);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_data_segs_out), 156);
    }

    /// Its peer hears of it; in good order it would be told the end of the data.
    #[test]
    fn an_aborted_connection_leaves_nothing() {
        use std::io::Read;
        use std::net::{SocketAddr, TcpListener};

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let SocketAddr::V4(address) = listener.local_addr().unwrap() else { unreachable!() };
        for is_aborted in [false, true] {
            let socket = TcpSocket::bound(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
            socket.connect(address).unwrap();
            let (mut peer, _) = listener.accept().unwrap();
            if is_aborted {
                socket.abort().unwrap();
            }
            drop(socket);
            let read = peer.read(&mut [0]).map_err(|error| error.kind());
            assert_eq!(read, if is_aborted { Err(io::ErrorKind::ConnectionReset) } else { Ok(0) });
        }
    }

    #[test]
    fn an_address_survives_its_encoding() {
        let (encoded, _) = encode(SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 16), 5001));
        assert_eq!(encoded.sin_addr.s_addr.to_ne_bytes(), [10, 0, 0, 16]);
        assert_eq!(encoded.sin_port.to_ne_bytes(), 5001u16.to_be_bytes());
    }
}
