//! Return of probes: each datagram that is a probe returns to its sender, if that has a connection here.
//!
//! An answer is as long as its question, and only addresses that have completed a handshake get one: forged
//! addresses of others receive nothing.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use super::site::Site;
use crate::common::probe::{Arrived, Probe, receive, watch_hop_limit};

/// Interval between looks whether the server has ended.
const TICK: Duration = Duration::from_millis(100);

/// Returns probes at the UDP port of `address` in a separate thread until the site is dropped.
///
/// # Errors
/// The port is in use, or the system has no thread for it.
pub fn start(address: SocketAddr, site: &Arc<Site>) -> io::Result<()> {
    let socket = UdpSocket::bind(address)?;
    socket.set_read_timeout(Some(TICK))?;
    watch_hop_limit(&socket);
    let site = Arc::downgrade(site);
    thread::Builder::new().name("probes".to_owned()).stack_size(256 << 10).spawn(move || reflect(&socket, &site))?;
    Ok(())
}

fn reflect(socket: &UdpSocket, site: &Weak<Site>) {
    loop {
        let arrived = receive(socket);
        let Some(site) = site.upgrade() else { return };
        if let Ok(Some(Arrived { probe, from, hop_limit })) = arrived
            && site.is_connected(from.ip())
        {
            // A full queue loses the answer, as the path could.
            let _ = socket.send_to(&Probe { there: hop_limit, ..probe }.bytes(), from);
        }
    }
}
