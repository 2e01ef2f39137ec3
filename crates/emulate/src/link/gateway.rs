//! The way from behind a link to the rest of the world: the server's host answers for every address, and what is sent
//! to one is passed on by this process from the machine's own network.
//!
//! No packet leaves the emulated network, so that nothing of the machine has to be changed: no forwarding, no
//! translation, no rights. When the emulator sees the first packet to an address and port, it opens a socket for it in
//! the server's host, and a thread hands over what comes there. The connections across the link are the kernel's, from
//! end to end of it; the server's own address stands for the loopback of its host, where servers of `--server` may
//! listen, and for the machine's loopback where none does. A port that is closed on both stays closed.

use super::names;
use super::relay::{LOOK, Life, MOST, accept, begin, join, pass_datagrams};
use crate::sys::{Namespace, TcpSocket};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// Longest wait of the emulator for a connection to a loopback.
const PROBE: Duration = Duration::from_millis(5);

/// The port of resolvers.
const DOMAIN: u16 = 53;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Opens the sockets that packets ask for. It belongs to the emulator's thread, which it moves into the server's host.
pub(super) struct Gateway<'a> {
    server: &'a Namespace,
    address: Ipv4Addr,
    is_inside: bool,
    life: Arc<Life>,
    /// The machine's resolver, where it is on the loopback.
    resolver: Option<Ipv4Addr>,
    /// To the thread that starts the others: a thread is where the one was that started it.
    outside: Sender<Work>,
    /// Sockets of the machine's own network: a socket stays where it was made.
    sockets: (Sender<TcpSocket>, Receiver<TcpSocket>),
}

/// Task of a thread.
type Work = Box<dyn FnOnce(&Arc<Life>) -> io::Result<()> + Send>;

/// Target of connections, and a connection to it that has been opened to see whether it listens.
struct Opened {
    outside: SocketAddrV4,
    spare: Option<TcpStream>,
}

impl<'a> Gateway<'a> {
    /// A gateway in `server`, which is at `address` and must hold every address for its own, to the network of the
    /// calling thread.
    pub(super) fn new(server: &'a Namespace, address: Ipv4Addr) -> Self {
        let life = Arc::<Life>::default();
        let (outside, orders) = mpsc::channel::<Work>();
        let doorman = Arc::clone(&life);
        thread::spawn(move || orders.into_iter().for_each(|work| begin(&doorman, work)));
        let sockets = mpsc::channel();
        let gateway = Self { server, address, is_inside: false, life, resolver: names::resolver(), outside, sockets };
        gateway.order_socket();
        gateway
    }

    /// A packet goes to the server's host.
    pub(super) fn see(&mut self, packet: &[u8]) {
        let Some((protocol, target)) = opening(packet) else { return };
        {
            let mut known = self.life.known();
            if known.len() >= MOST || !known.insert((protocol, target)) {
                return;
            }
        }
        if !self.is_inside {
            self.is_inside = self.server.enter().is_ok();
        }
        match protocol {
            TCP => self.open_connections(target),
            _ => self.open_datagrams(target),
        }
    }

    /// Passes datagrams on, unless a server of the user's own holds the port at the target.
    fn open_datagrams(&self, target: SocketAddrV4) {
        let Ok(socket) = UdpSocket::bind(target) else { return };
        let outside = self.outside(target);
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
        // A port of the host's own loopback that cannot be bound has a reader there.
        if outside.ip().is_loopback() && UdpSocket::bind(outside).as_ref().is_err_and(is_taken) {
            begin(&self.life, move |life| pass_datagrams(&socket, outside, life));
        } else {
            self.beyond(move |life| pass_datagrams(&socket, outside, life));
        }
    }

    /// Listens at a target, unless a server of the user's own does, or nothing listens where it leads to.
    fn open_connections(&self, target: SocketAddrV4) {
        let Ok(listener) = TcpListener::bind(target) else { return };
        let outside = self.outside(target);
        if !outside.ip().is_loopback() {
            let opened = Opened { outside, spare: None };
            self.beyond(move |life| pass_connections(&listener, target, opened, life));
            return;
        }
        // Connecting to a loopback takes no time: it ends before the SYN arrives at the server's host.
        if let Ok(socket) = unbound()
            && let Some(spare) = probe(socket, outside)
        {
            let opened = Opened { outside, spare };
            begin(&self.life, move |life| pass_connections(&listener, target, opened, life));
            return;
        }
        let spare = match self.sockets.1.recv_timeout(PROBE) {
            Ok(socket) => {
                self.order_socket();
                probe(socket, outside)
            }
            // Without a socket it is not known; the connection then ends as soon as it has begun.
            Err(_) => Some(None),
        };
        match spare {
            None => drop(self.life.known().remove(&(TCP, target))),
            Some(spare) => {
                let opened = Opened { outside, spare };
                self.beyond(move |life| pass_connections(&listener, target, opened, life));
            }
        }
    }

    /// Has a socket made in the machine's own network.
    fn order_socket(&self) {
        let deliver = self.sockets.0.clone();
        self.beyond(move |_| {
            let _ = deliver.send(unbound()?);
            Ok(())
        });
    }

    /// Target of the machine that a target behind the link stands for.
    fn outside(&self, target: SocketAddrV4) -> SocketAddrV4 {
        let host = match (*target.ip(), target.port()) {
            (own, DOMAIN) if own == self.address => self.resolver.unwrap_or(Ipv4Addr::LOCALHOST),
            (own, _) if own == self.address => Ipv4Addr::LOCALHOST,
            (other, _) => other,
        };
        SocketAddrV4::new(host, target.port())
    }

    /// Gives a task to a thread in the machine's own network.
    fn beyond(&self, work: impl FnOnce(&Arc<Life>) -> io::Result<()> + Send + 'static) {
        let _ = self.outside.send(Box::new(work));
    }
}

/// A socket of the network that this thread is in.
fn unbound() -> io::Result<TcpSocket> {
    TcpSocket::bound(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0))
}

/// A connection to a loopback, none yet if its queue is full, or nothing if nothing listens there.
fn probe(socket: TcpSocket, outside: SocketAddrV4) -> Option<Option<TcpStream>> {
    let limit = windward_units::Duration::from_nanos(PROBE.as_nanos() as u64);
    let connected = socket.connect(outside).and_then(|()| socket.wait(true, limit));
    let stream = socket.into_stream();
    let error = connected.as_ref().err().map(io::Error::kind);
    let failed = stream.take_error().ok().flatten().map(|error| error.kind());
    match error.or(failed) {
        Some(io::ErrorKind::ConnectionRefused) => None,
        None if matches!(connected, Ok(true)) => Some(stream.set_nonblocking(false).ok().map(|()| stream)),
        _ => Some(None),
    }
}

impl Drop for Gateway<'_> {
    fn drop(&mut self) {
        self.life.is_over.store(true, Ordering::Relaxed);
    }
}

/// Protocol and target of a packet that may begin something: a SYN, or any datagram.
fn opening(packet: &[u8]) -> Option<(u8, SocketAddrV4)> {
    let protocol = *packet.get(9)?;
    let target: [u8; 4] = packet.get(16..20)?.try_into().ok()?;
    let header = usize::from(packet.first()? & 15) * 4;
    let port = u16::from_be_bytes(packet.get(header + 2..header + 4)?.try_into().ok()?);
    // Flags: SYN without ACK.
    let is_opening = match protocol {
        TCP => packet.get(header + 13)? & 0x12 == 0x02,
        UDP => true,
        _ => false,
    };
    is_opening.then(|| (protocol, SocketAddrV4::new(target.into(), port)))
}

/// Accepts what comes across the link, and connects for each, until nothing listens at the other end any more.
fn pass_connections(
    listener: &TcpListener,
    target: SocketAddrV4,
    mut opened: Opened,
    life: &Arc<Life>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let outside = opened.outside;
    let is_closed = Arc::<AtomicBool>::default();
    while !life.is_over.load(Ordering::Relaxed) && !is_closed.load(Ordering::Relaxed) {
        match accept(listener) {
            Ok(Some(inner)) => {
                let spare = opened.spare.take().filter(is_open);
                let is_closed = Arc::clone(&is_closed);
                begin(life, move |life| {
                    let outer = match spare {
                        Some(spare) => Ok(spare),
                        None => TcpStream::connect_timeout(&outside.into(), Duration::from_secs(30)),
                    };
                    let is_refused =
                        outer.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
                    is_closed.fetch_or(is_refused && outside.ip().is_loopback(), Ordering::Relaxed);
                    match outer {
                        Ok(outer) => join(inner, outer, life),
                        // Reset, as by a port that nothing listens at; an end without data would be an answer.
                        Err(error) => TcpSocket::of(inner).abort().and(Err(error)),
                    }
                });
            }
            Ok(None) => {}
            Err(_) => thread::sleep(LOOK),
        }
    }
    life.known().remove(&(TCP, target));
    Ok(())
}

/// Returns false for a connection that its server has given up meanwhile.
fn is_open(stream: &TcpStream) -> bool {
    let is_open = stream.set_nonblocking(true).map(|()| match stream.peek(&mut [0]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    });
    stream.set_nonblocking(false).is_ok() && is_open.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_something_is_seen() {
        let mut packet = vec![0u8; 40];
        packet[0] = 0x45;
        packet[9] = TCP;
        packet[16..20].copy_from_slice(&[192, 0, 2, 7]);
        packet[22..24].copy_from_slice(&443u16.to_be_bytes());
        packet[33] = 0x02;
        let target = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 7), 443);
        assert_eq!(opening(&packet), Some((TCP, target)));
        packet[33] = 0x12;
        assert_eq!(opening(&packet), None);
        packet[9] = UDP;
        assert_eq!(opening(&packet), Some((UDP, target)));
        packet[9] = 1;
        assert_eq!(opening(&packet), None);
        (0..24).for_each(|end| assert_eq!(opening(&packet[..end]), None));
    }
}
