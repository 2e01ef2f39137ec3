//! Options of TCP that connections of flows and applications need.

use crate::sys::{TcpSocket, write_setting};
use std::io;
use std::net::SocketAddrV4;
use std::sync::{Mutex, PoisonError};
use windward_sim::{EcnMode, SendBuffer, TcpOptions};

/// Some options of a connection are settings of its namespace in the instant in which it is made: one at a time.
static CONNECTING: Mutex<()> = Mutex::new(());

/// Begins to connect a socket of the namespace that this thread is in, with the options of `tcp`.
pub(super) fn connect(socket: &TcpSocket, tcp: &TcpOptions, to: SocketAddrV4) -> io::Result<()> {
    let switch = |is_on: bool| if is_on { "1" } else { "0" };
    let _alone = CONNECTING.lock().unwrap_or_else(PoisonError::into_inner);
    write_setting("ipv4/tcp_sack", switch(tcp.sack))?;
    write_setting("ipv4/tcp_timestamps", switch(tcp.timestamps))?;
    write_setting("ipv4/tcp_ecn", switch(tcp.ecn != EcnMode::Off))?;
    socket.connect(to)
}

/// Sets the segments and the receive window of an end before it listens or connects.
pub(super) fn set_receiver(socket: &TcpSocket, tcp: &TcpOptions) -> io::Result<()> {
    let segment = (tcp.segment.count() + tcp.real_header_bytes() - TcpOptions::LEAST_HEADER) as u32;
    socket.set_tcp(libc::TCP_MAXSEG, segment)?;
    let window = u64::from(tcp.receive_window) * tcp.segment.count();
    i32::try_from(window).map_or(Ok(()), |window| socket.set_tcp(libc::TCP_WINDOW_CLAMP, window as u32))
}

/// Sets the congestion control and the pacing of an end that sends.
pub(super) fn set_sender(socket: &TcpSocket, tcp: &TcpOptions, law: &str) -> io::Result<()> {
    socket.set(libc::IPPROTO_TCP, libc::TCP_CONGESTION, law.as_bytes())?;
    if let Some(SendBuffer::Fixed(bytes)) = tcp.send_buffer {
        socket.set_send_buffer(bytes.count())?;
    }
    if tcp.pacing {
        // A rate that never limits: what matters is that one is set.
        socket.set(libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &(u64::MAX - 1).to_ne_bytes())?;
    }
    Ok(())
}
