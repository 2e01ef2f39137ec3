//! UDP probes of the round trip (chen2007 §IV-A): 32 bytes on the wire over IPv4, which `windward serve` returns.
//!
//! A probe carries its number in two bytes. What returns also carries the hop limit with which it reached the server:
//! a route that changes in either direction changes one of the two hop limits.

use std::io;
use std::net::{SocketAddr, UdpSocket};

/// Bytes of a probe above UDP.
const PAYLOAD: usize = 4;

/// A probe or its return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Number of the probe.
    pub number: u16,
    /// Hop limit with which it reached the server; 0 on the way there.
    pub there: u8,
}

impl Probe {
    /// Content of the datagram.
    pub fn bytes(self) -> [u8; PAYLOAD] {
        let [high, low] = self.number.to_be_bytes();
        [high, low, self.there, 0]
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        let &[high, low, there, 0] = bytes else { return None };
        Some(Self { number: u16::from_be_bytes([high, low]), there })
    }
}

/// An arrived probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub probe: Probe,
    pub from: SocketAddr,
    /// Hop limit on arrival; 0 if the system does not tell.
    pub hop_limit: u8,
}

/// Returns the next probe; `None` for another datagram.
///
/// # Errors
/// The system call fails, or times out.
#[cfg(target_os = "linux")]
pub(crate) fn receive(socket: &UdpSocket) -> io::Result<Option<Arrived>> {
    use std::os::fd::AsRawFd;
    use std::{mem, ptr};

    // One byte more than a probe tells longer datagrams apart.
    let mut bytes = [0_u8; PAYLOAD + 1];
    // Aligned as the headers of control messages.
    let mut control = [0_u64; 16];
    let mut hop_limit = 0;
    let receive = |name: *mut socket2::SockAddrStorage, length: *mut libc::socklen_t| {
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: all its fields are integers and pointers, for which zero is a value.
        let mut message: libc::msghdr = unsafe { mem::zeroed() };
        message.msg_name = name.cast();
        // SAFETY: `length` is that of `name`.
        message.msg_namelen = unsafe { *length };
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = mem::size_of_val(&control);
        // SAFETY: the descriptor is open, and all buffers of the message outlive the call.
        let count = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        // SAFETY: as above.
        unsafe { *length = message.msg_namelen };
        // SAFETY: the kernel has written whole control messages into the buffer.
        let mut header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
        while !header.is_null() {
            // SAFETY: `header` points to a control message; both kinds hold an integer, which may be unaligned.
            let (kind, value) = unsafe {
                let data = libc::CMSG_DATA(header).cast::<libc::c_int>();
                (((*header).cmsg_level, (*header).cmsg_type), ptr::read_unaligned(data))
            };
            if matches!(kind, (libc::IPPROTO_IP, libc::IP_TTL) | (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT)) {
                hop_limit = u8::try_from(value).unwrap_or(0);
            }
            // SAFETY: as above.
            header = unsafe { libc::CMSG_NXTHDR(&raw const message, header) };
        }
        Ok(count)
    };
    // SAFETY: recvmsg writes the address and its length.
    let (count, from) = unsafe { socket2::SockAddr::try_init(receive)? };
    let probe = bytes.get(..count).and_then(Probe::of);
    Ok(probe.zip(from.as_socket()).map(|(probe, from)| Arrived { probe, from, hop_limit }))
}

/// Without the hop limit on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn receive(socket: &UdpSocket) -> io::Result<Option<Arrived>> {
    let mut bytes = [0_u8; PAYLOAD + 1];
    let (count, from) = socket.recv_from(&mut bytes)?;
    Ok(Probe::of(&bytes[..count]).map(|probe| Arrived { probe, from, hop_limit: 0 }))
}

/// Asks the system for the hop limits of arriving datagrams.
#[cfg(target_os = "linux")]
pub(crate) fn watch_hop_limit(socket: &UdpSocket) {
    use std::os::fd::AsRawFd;

    let options = [(libc::IPPROTO_IP, libc::IP_RECVTTL), (libc::IPPROTO_IPV6, libc::IPV6_RECVHOPLIMIT)];
    for (level, name) in options {
        let on: libc::c_int = 1;
        let length = size_of_val(&on) as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value outlives the call. An option of the other family fails, and
        // changes nothing.
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const on).cast(), length) };
    }
}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn watch_hop_limit(_socket: &UdpSocket) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 bytes of IPv4 and 8 of UDP make the 32 of the paper.
    #[test]
    fn a_probe_has_32_bytes_and_arrives_with_its_hop_limit() {
        let [here, there] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a port"));
        watch_hop_limit(&there);
        here.set_ttl(63).expect("a hop limit");
        let probe = Probe { number: 0xabcd, there: 7 };
        assert_eq!(20 + 8 + probe.bytes().len(), 32);
        let to = there.local_addr().expect("its address");
        // Datagrams of other sizes and contents are no probes.
        for bytes in [&b"other"[..], &b"abc1"[..], &probe.bytes()] {
            here.send_to(bytes, to).expect("it is sent");
        }
        assert!(receive(&there).expect("it arrives").is_none());
        assert!(receive(&there).expect("it arrives").is_none());
        let arrived = receive(&there).expect("it arrives").expect("a probe");
        assert_eq!((arrived.probe, arrived.from), (probe, here.local_addr().expect("its address")));
        assert_eq!(arrived.hop_limit, if cfg!(target_os = "linux") { 63 } else { 0 });
    }
}
