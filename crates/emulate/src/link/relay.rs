//! Connections and datagrams that are passed on between a socket here and one there.

use crate::sys::wait_for;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Addresses and ports that may be open, and connections through all of them.
pub(super) const MOST: usize = 1024;

/// Interval in which threads check for the end of the link.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// A UDP port is closed after so long a silence.
const SILENCE: Duration = Duration::from_secs(60);

/// State shared by the threads.
#[derive(Default)]
pub(super) struct Life {
    pub is_over: AtomicBool,
    threads: AtomicUsize,
    /// Targets whose socket is open here, or that are none of ours.
    known: Mutex<BTreeSet<(u8, SocketAddrV4)>>,
}

impl Life {
    pub fn known(&self) -> MutexGuard<'_, BTreeSet<(u8, SocketAddrV4)>> {
        // A set is whole at every instant: a panic elsewhere does not spoil it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a thread, if there are not too many.
pub(super) fn begin(life: &Arc<Life>, work: impl FnOnce(&Arc<Life>) -> io::Result<()> + Send + 'static) {
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

/// The next connection; `None` if there is none yet. It does not wait for longer than a thread may.
pub(super) fn accept(listener: &TcpListener) -> io::Result<Option<TcpStream>> {
    let limit = windward_units::Duration::from_nanos(LOOK.as_nanos() as u64);
    if wait_for(&[listener], limit)?.is_none() {
        return Ok(None);
    }
    match listener.accept() {
        Ok((stream, _)) => stream.set_nonblocking(false).map(|()| Some(stream)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// Passes on what comes on either, until both have ended.
pub(super) fn join(inner: TcpStream, outer: TcpStream, life: &Arc<Life>) -> io::Result<()> {
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

/// Passes datagrams on to `outside`, and back to the sender of the last one on the other side of the link.
pub(super) fn pass_datagrams(inner: &UdpSocket, outside: SocketAddrV4, life: &Arc<Life>) -> io::Result<()> {
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
                // Ways that have fallen silent have no other owner.
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
