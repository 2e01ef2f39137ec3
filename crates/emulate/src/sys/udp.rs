//! UDP sockets with ECN fields, by quinn-udp.

use super::check;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};
use windward_sim::Codepoint;

/// Bytes that wait in the kernel for the application: more than any window of a test.
const BUFFER: libc::c_int = 16 << 20;

/// One end of a conversation in datagrams. It does not block.
#[derive(Debug)]
pub(crate) struct UdpEnd {
    socket: UdpSocket,
    state: UdpSocketState,
    peer: SocketAddr,
    /// Room for what is read at once: datagrams that the kernel has put together (GRO).
    room: Vec<u8>,
}

impl UdpEnd {
    /// A socket of the namespace that this thread is in.
    pub(crate) fn new(own: SocketAddrV4, peer: SocketAddrV4) -> io::Result<Self> {
        let socket = UdpSocket::bind(own)?;
        let state = UdpSocketState::new((&socket).into())?;
        let size = BUFFER;
        for option in [libc::SO_RCVBUFFORCE, libc::SO_SNDBUFFORCE] {
            let (value, length) = ((&raw const size).cast(), size_of_val(&size) as libc::socklen_t);
            // SAFETY: the value lives through the call, which gets its length.
            check(unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, value, length) })?;
        }
        Ok(Self { socket, state, peer: peer.into(), room: vec![0; 1 << 16] })
    }

    /// Sends a datagram; false where the kernel has no room now.
    pub(crate) fn send(&self, payload: &[u8], ecn: Codepoint) -> io::Result<bool> {
        let ecn = EcnCodepoint::from_bits(ecn.bits());
        let transmit = Transmit { destination: self.peer, ecn, contents: payload, segment_size: None, src_ip: None };
        match self.state.try_send((&self.socket).into(), &transmit) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENOBUFS)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads what has arrived, and hands each datagram to `sink`; false if there is nothing.
    pub(crate) fn receive(&mut self, mut sink: impl FnMut(&[u8], Codepoint)) -> io::Result<bool> {
        let Self { socket, state, room, .. } = self;
        let mut meta = [RecvMeta::default()];
        match state.recv((&*socket).into(), &mut [IoSliceMut::new(room)], &mut meta) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        let [RecvMeta { len, stride, ecn, .. }] = meta;
        let ecn = Codepoint::from_bits(ecn.map_or(0, |ecn| ecn as u8));
        room[..len].chunks(stride.max(1)).for_each(|datagram| sink(datagram, ecn));
        Ok(true)
    }
}

impl AsRawFd for UdpEnd {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn datagrams_arrive_with_their_ecn_fields() {
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let socket = UdpSocket::bind(address(0)).unwrap();
        let SocketAddr::V4(taken) = socket.local_addr().unwrap() else { panic!("bound to IPv4") };
        drop(socket);
        let own = |own, peer| match UdpEnd::new(own, peer) {
            // SO_RCVBUFFORCE needs CAP_NET_ADMIN.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => None,
            end => Some(end.unwrap()),
        };
        let Some(mut end) = own(taken, taken) else { return };
        let sent = [Codepoint::NotCapable, Codepoint::Capable, Codepoint::Scalable, Codepoint::Marked];
        for (size, ecn) in (1..).zip(sent) {
            assert!(end.send(&vec![7; size * 100], ecn).unwrap());
        }
        let mut heard = Vec::new();
        while end.receive(|datagram, ecn| heard.push((datagram.len(), ecn))).unwrap() {}
        assert_eq!(heard, (1..).map(|size| size * 100).zip(sent).collect::<Vec<_>>());
    }
}
