//! The way from behind a link to the rest of the world: the server's host answers for every address, and what is sent
//! to one is passed on by this process from the machine's own network.
//!
//! No packet leaves the emulated network, so that nothing of the machine has to be changed: no forwarding, no
//! translation, no rights. When the emulator sees the first packet to an address and port, it opens a socket for it in
//! the server's host, and a thread hands over what comes there. The connections across the link are the kernel's, from
//! end to end of it; the server's own address stands for the machine's loopback.

use super::names;
use crate::sys::Namespace;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

/// Addresses and ports that may be open, and connections through all of them.
const MOST: usize = 1024;

/// Interval in which threads check for the end of the link.
const LOOK: Duration = Duration::from_millis(100);

/// A UDP port is closed after so long a silence.
const SILENCE: Duration = Duration::from_secs(60);

/// The port of resolvers.
const DOMAIN: u16 = 53;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Opens the sockets that packets ask for. It belongs to the emulator's thread, which it moves into the server's host.
pub(super) struct Gateway<'a> {
    server: &'a Namespace,
    address: Ipv4Addr,
    is_inside: bool,
    known: BTreeSet<(u8, SocketAddrV4)>,
    life: Arc<Life>,
    /// The machine's resolver, where it is on the loopback.
    resolver: Option<Ipv4Addr>,
    /// To the thread that starts the others: a thread is where the one was that started it.
    outside: Sender<Work>,
}

/// Task of a thread.
type Work = Box<dyn FnOnce(&Arc<Life>) -> io::Result<()> + Send>;

/// State shared by the threads.
#[derive(Default)]
struct Life {
    is_over: AtomicBool,
    threads: AtomicUsize,
}

impl<'a> Gateway<'a> {
    /// A gateway in `server`, which is at `address` and must hold every address for its own, to the network of the
    /// calling thread.
    pub(super) fn new(server: &'a Namespace, address: Ipv4Addr) -> Self {
        let life = Arc::<Life>::default();
        let (outside, orders) = mpsc::channel::<Work>();
        let doorman = Arc::clone(&life);
        thread::spawn(move || orders.into_iter().for_each(|work| begin(&doorman, work)));
        Self { server, address, is_inside: false, known: BTreeSet::new(), life, resolver: names::resolver(), outside }
    }

    /// A packet goes to the server's host.
    pub(super) fn see(&mut self, packet: &[u8]) {
        let Some((protocol, target)) = opening(packet) else { return };
        if self.known.len() >= MOST || !self.known.insert((protocol, target)) {
            return;
        }
        if !self.is_inside {
            self.is_inside = self.server.enter().is_ok();
        }
        let host = match (*target.ip(), target.port()) {
            (own, DOMAIN) if own == self.address => self.resolver.unwrap_or(Ipv4Addr::LOCALHOST),
            (own, _) if own == self.address => Ipv4Addr::LOCALHOST,
            (other, _) => other,
        };
        let outside = SocketAddrV4::new(host, target.port());
        let work: io::Result<Work> = match protocol {
            TCP => TcpListener::bind(target)
                .map(|listener| Box::new(move |life: &Arc<Life>| pass_connections(&listener, outside, life)) as Work),
            _ => UdpSocket::bind(target)
                .map(|socket| Box::new(move |life: &Arc<Life>| pass_datagrams(&socket, outside, life)) as Work),
        };
        // A server of the user's own may hold the port: then it is his.
        if let Ok(work) = work {
            let _ = self.outside.send(work);
        }
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

/// Starts a thread, if there are not too many.
fn begin(life: &Arc<Life>, work: impl FnOnce(&Arc<Life>) -> io::Result<()> + Send + 'static) {
    if life.threads.fetch_add(1, Ordering::Relaxed) >= 2 * MOST {
        life.threads.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let own = Arc::clone(life);
    let started = thread::Builder::new().stack_size(128 << 10).spawn(move || {
        // What went wrong, the ends of the connection see: it is closed.
        let _ = work(&own);
        own.threads.fetch_sub(1, Ordering::Relaxed);
    });
    if started.is_err() {
        life.threads.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Accepts what comes across the link, and connects to `outside` for each.
fn pass_connections(listener: &TcpListener, outside: SocketAddrV4, life: &Arc<Life>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    while !life.is_over.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((inner, _)) => {
                inner.set_nonblocking(false)?;
                begin(life, move |life| join(inner, outside, life));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(1)),
            Err(_) => thread::sleep(LOOK),
        }
    }
    Ok(())
}

fn join(inner: TcpStream, outside: SocketAddrV4, life: &Arc<Life>) -> io::Result<()> {
    let outer = TcpStream::connect_timeout(&outside.into(), Duration::from_secs(30))?;
    for stream in [&inner, &outer] {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
    }
    let (back_inner, back_outer) = (inner.try_clone()?, outer.try_clone()?);
    begin(life, move |life| hand_over(&back_outer, &back_inner, life));
    hand_over(&inner, &outer, life)
}

/// Passes on what comes until the sender has no more, and says so to the receiver.
fn hand_over(mut from: &TcpStream, mut to: &TcpStream, life: &Life) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let outcome = loop {
        if life.is_over.load(Ordering::Relaxed) {
            break Ok(());
        }
        match from.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => {
                if let Err(error) = to.write_all(&buffer[..count]) {
                    break Err(error);
                }
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => break Err(error),
        }
    };
    match &outcome {
        Ok(()) => drop(to.shutdown(Shutdown::Write)),
        // A connection that broke on one side is of no use on the other.
        Err(_) => [from, to].iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both))),
    }
    outcome
}

/// Passes datagrams on to `outside`, and back to whoever on the other side of the link sent the last.
fn pass_datagrams(inner: &UdpSocket, outside: SocketAddrV4, life: &Arc<Life>) -> io::Result<()> {
    let mut ways: Vec<(SocketAddr, Arc<UdpSocket>)> = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    inner.set_read_timeout(Some(LOOK))?;
    while !life.is_over.load(Ordering::Relaxed) {
        let (count, sender) = match inner.recv_from(&mut buffer) {
            Ok(received) => received,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => continue,
            Err(_) => continue,
        };
        let known = ways.iter().find(|(who, _)| *who == sender).map(|(_, way)| Arc::clone(way));
        let way = match known {
            Some(way) => way,
            None => {
                let way = Arc::new(UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?);
                way.connect(outside)?;
                way.set_read_timeout(Some(LOOK))?;
                // Ways that have fallen silent are held by nobody else.
                ways.retain(|(_, way)| Arc::strong_count(way) > 1);
                ways.push((sender, Arc::clone(&way)));
                let (back, inner) = (Arc::clone(&way), inner.try_clone()?);
                begin(life, move |life| pass_back(&back, &inner, sender, life));
                way
            }
        };
        // A datagram that cannot be sent is lost, as datagrams are.
        let _ = way.send(&buffer[..count]);
    }
    Ok(())
}

fn pass_back(way: &UdpSocket, inner: &UdpSocket, to: SocketAddr, life: &Life) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut silent = Duration::ZERO;
    while silent < SILENCE && !life.is_over.load(Ordering::Relaxed) {
        match way.recv(&mut buffer) {
            Ok(count) => {
                silent = Duration::ZERO;
                inner.send_to(&buffer[..count], to)?;
            }
            Err(_) => silent += LOOK,
        }
    }
    Ok(())
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
