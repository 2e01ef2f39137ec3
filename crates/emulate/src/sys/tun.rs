//! TUN devices: IP packets as a file.

use super::{Netlink, check};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

/// The device's name; each stands alone in its namespace.
const NAME: &str = "windward0";

/// Packets that may wait for the emulator before the device drops them without a word: more than any window.
const QUEUE: u32 = 10_000;

/// A TUN device in the namespace in which it was made. It goes with this file.
#[derive(Debug)]
pub(crate) struct Tun {
    pub file: File,
    pub device: u32,
}

impl Tun {
    /// Makes one in the namespace that this thread is in, raised and with `addresses`.
    pub(crate) fn new(mtu: u32, addresses: &[(Ipv4Addr, u8)]) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
        // SAFETY: an interface request is plain data, for which zeros are a value; the call reads it, and writes the
        // name.
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            request.ifr_name.iter_mut().zip(NAME.bytes()).for_each(|(to, byte)| *to = byte as libc::c_char);
            // Without offloads: one packet of at most the MTU for each read and write.
            request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
            check(libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &raw const request))?;
        }
        // SAFETY: the name ends with a zero.
        let device = unsafe { libc::if_nametoindex(c"windward0".as_ptr()) };
        if device == 0 {
            return Err(io::Error::last_os_error());
        }
        let netlink = Netlink::open()?;
        netlink.raise(1, None, None)?;
        netlink.raise(device, Some(mtu), Some(QUEUE))?;
        addresses.iter().try_for_each(|&(address, prefix)| netlink.add_address(device, address, prefix))?;
        Ok(Self { file, device })
    }
}

/// Packets that the device of this thread's namespace dropped because they were not read in time.
pub(crate) fn read_dropped() -> io::Result<u64> {
    let table = fs::read_to_string("/proc/thread-self/net/dev")?;
    let line = table.lines().find_map(|line| line.trim_start().strip_prefix(NAME)?.strip_prefix(':'));
    // Receive: bytes packets errs drop fifo frame compressed multicast; transmit: bytes packets errs drop.
    let dropped = line.and_then(|line| line.split_whitespace().nth(11)?.parse().ok());
    dropped.ok_or_else(|| io::Error::other("the device is not in /proc/net/dev"))
}

/// Datagrams that the sockets of this thread's namespace dropped because they were not read in time.
pub(crate) fn read_overflowed() -> io::Result<u64> {
    let table = fs::read_to_string("/proc/thread-self/net/snmp")?;
    overflowed(&table).ok_or_else(|| io::Error::other("/proc/net/snmp has no RcvbufErrors"))
}

/// `RcvbufErrors` of a table that has the names of its columns in a line, and their values in the next one.
fn overflowed(table: &str) -> Option<u64> {
    let mut lines = table.lines().filter_map(|line| line.strip_prefix("Udp:"));
    let place = lines.next()?.split_whitespace().position(|name| name == "RcvbufErrors")?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflows_are_found_by_their_name() {
        let table = "Tcp: A B\nTcp: 1 2\nUdp: InDatagrams NoPorts RcvbufErrors\nUdp: 5 0 3\n";
        assert_eq!((overflowed(table), overflowed("Udp: A\nUdp: 1\n")), (Some(3), None));
    }
}
