//! A way into a link from this machine: a port here whose connections and datagrams begin at the near end of the link.
//!
//! A connection to the port ends here; a second one, of the kernel of the near end, goes on across the link. What the
//! link does to a connection therefore happens to the second one.

use super::hosts::Hosts;
use super::relay::{Life, accept, begin, join, pass_datagrams};
use crate::sys::TcpSocket;
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Attempts to find a port that is free for TCP and for UDP.
const ATTEMPTS: usize = 32;

/// Time for a connection across the link: the kernel's own patience with a lost SYN.
const PATIENCE: Duration = Duration::from_secs(130);

/// Opens a port at `at`, any free one if that is zero, that leads to `port` of the far end. Returns its number.
pub(super) fn publish(hosts: &'static Hosts, life: &Arc<Life>, at: SocketAddrV4, port: u16) -> io::Result<u16> {
    let (listener, socket) = open(at)?;
    let own = listener.local_addr()?.port();
    let target = SocketAddrV4::new(hosts.addresses.server, port);
    begin(life, move |life| {
        listener.set_nonblocking(true)?;
        while !life.is_over.load(Ordering::Relaxed) {
            let Ok(Some(outer)) = accept(&listener) else { continue };
            begin(life, move |life| pass(outer, hosts, target, life));
        }
        Ok(())
    });
    begin(life, move |life| {
        // Here, the sockets on the way to the target are made at the near end.
        hosts.client.enter()?;
        pass_datagrams(&socket, target, life)
    });
    Ok(own)
}

/// One number for both protocols.
fn open(at: SocketAddrV4) -> io::Result<(TcpListener, UdpSocket)> {
    let mut last = None;
    for _ in 0..if at.port() == 0 { ATTEMPTS } else { 1 } {
        let listener = TcpListener::bind(at)?;
        match UdpSocket::bind(listener.local_addr()?) {
            Ok(socket) => return Ok((listener, socket)),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no port is free for TCP and UDP")))
}

/// Connects across the link, and passes on what comes.
fn pass(outer: TcpStream, hosts: &Hosts, target: SocketAddrV4, life: &Arc<Life>) -> io::Result<()> {
    hosts.client.enter()?;
    match TcpStream::connect_timeout(&target.into(), PATIENCE) {
        Ok(inner) => join(outer, inner, life),
        // It was accepted before this was known: it is reset.
        Err(error) => TcpSocket::of(outer).abort().and(Err(error)),
    }
}
