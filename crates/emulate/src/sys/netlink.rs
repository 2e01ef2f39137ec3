//! Devices, addresses and routes of the namespace that the thread is in, by rtnetlink(7): four requests, each answered
//! by an acknowledgement.
//!
//! Why no library: the `rtnetlink` crate is asynchronous. It brings a runtime and half a dozen crates for what are four
//! messages of fixed shape, and a network namespace belongs to a thread, on which every request here has to stay.

use super::check;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Ownership of packets by a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ours {
    /// They go through the device.
    No,
    /// They go through the device, and the table of what is ours says so before it says anything else.
    Never,
    /// Every address there is this host.
    Yes,
}

/// A route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route<'a> {
    /// Destination.
    pub to: (Ipv4Addr, u8),
    /// Through which device.
    pub device: u32,
    /// Which packets are ours.
    pub ours: Ours,
    /// Segments in the first window of connections there.
    pub initial_window: Option<u32>,
    /// Least retransmission timeout of connections there, in milliseconds.
    pub min_rto_ms: Option<u32>,
    /// Every segment from there is acknowledged at once.
    pub is_quick: bool,
    /// Congestion control of connections there that choose none.
    pub congestion: Option<&'a str>,
}

impl Route<'_> {
    /// The plain route to `to` through `device`.
    pub(crate) const fn new(to: (Ipv4Addr, u8), device: u32) -> Self {
        Self { to, device, ours: Ours::No, initial_window: None, min_rto_ms: None, is_quick: false, congestion: None }
    }
}

/// A conversation with the kernel about one namespace.
pub(crate) struct Netlink {
    socket: OwnedFd,
}

impl Netlink {
    /// About the namespace that this thread is in.
    pub(crate) fn open() -> io::Result<Self> {
        // SAFETY: the call makes a descriptor that nobody else knows.
        let socket = unsafe {
            let number =
                check(libc::socket(libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, libc::NETLINK_ROUTE))?;
            OwnedFd::from_raw_fd(number)
        };
        Ok(Self { socket })
    }

    /// Raises a device, with an MTU and a length of its queue where they are given.
    pub(crate) fn raise(&self, device: u32, mtu: Option<u32>, queue: Option<u32>) -> io::Result<()> {
        let up = (libc::IFF_UP as u32).to_ne_bytes();
        // struct ifinfomsg: family, padding, type, index, flags, changed flags.
        let mut message = Message::new(libc::RTM_NEWLINK, 0);
        message.put(&[0; 4]).put(&device.to_ne_bytes()).put(&up).put(&up);
        if let Some(mtu) = mtu {
            message.attribute(libc::IFLA_MTU, &mtu.to_ne_bytes());
        }
        if let Some(queue) = queue {
            message.attribute(libc::IFLA_TXQLEN, &queue.to_ne_bytes());
        }
        self.ask(message)
    }

    /// Gives a device an address.
    pub(crate) fn add_address(&self, device: u32, address: Ipv4Addr, prefix: u8) -> io::Result<()> {
        // struct ifaddrmsg: family, prefix, flags, scope, index.
        let mut message = Message::new(libc::RTM_NEWADDR, libc::NLM_F_CREATE | libc::NLM_F_REPLACE);
        message.put(&[libc::AF_INET as u8, prefix, 0, 0]).put(&device.to_ne_bytes());
        message.attribute(libc::IFA_LOCAL, &address.octets()).attribute(libc::IFA_ADDRESS, &address.octets());
        self.ask(message)
    }

    /// Adds a route.
    pub(crate) fn add_route(&self, route: &Route<'_>) -> io::Result<()> {
        let (table, scope, kind) = match route.ours {
            Ours::No => (libc::RT_TABLE_MAIN, libc::RT_SCOPE_LINK, libc::RTN_UNICAST),
            Ours::Never => (libc::RT_TABLE_LOCAL, libc::RT_SCOPE_LINK, libc::RTN_UNICAST),
            Ours::Yes => (libc::RT_TABLE_LOCAL, libc::RT_SCOPE_HOST, libc::RTN_LOCAL),
        };
        let mut message = Message::new(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_REPLACE);
        // struct rtmsg: family, lengths of destination and source, TOS, table, protocol, scope, type; flags.
        message.put(&[libc::AF_INET as u8, route.to.1, 0, 0, table, libc::RTPROT_BOOT, scope, kind]).put(&[0; 4]);
        message.attribute(libc::RTA_DST, &route.to.0.octets());
        message.attribute(libc::RTA_OIF, &route.device.to_ne_bytes());
        let quick = route.is_quick.then_some(1);
        let metrics = [(RTAX_INITCWND, route.initial_window), (RTAX_RTO_MIN, route.min_rto_ms), (RTAX_QUICKACK, quick)];
        let mut nested = Vec::new();
        for (kind, value) in metrics.into_iter().filter_map(|(kind, value)| value.map(|value| (kind, value))) {
            append(&mut nested, kind, &value.to_ne_bytes());
        }
        if let Some(name) = route.congestion {
            append(&mut nested, RTAX_CC_ALGO, &[name.as_bytes(), &[0]].concat());
        }
        if !nested.is_empty() {
            message.attribute(libc::RTA_METRICS, &nested);
        }
        self.ask(message)
    }

    fn ask(&self, message: Message) -> io::Result<()> {
        let bytes = message.finish();
        let mut answer = [0u8; 4096];
        // SAFETY: both buffers live through the calls, which are told their lengths.
        let length = unsafe {
            let socket = self.socket.as_raw_fd();
            check(libc::send(socket, bytes.as_ptr().cast(), bytes.len(), 0) as libc::c_int)?;
            check(libc::recv(socket, answer.as_mut_ptr().cast(), answer.len(), 0) as libc::c_int)?
        };
        // struct nlmsghdr, then the error as a negative number, zero for none.
        let word = |at: usize| answer[at..at + 4].try_into().map(i32::from_ne_bytes).unwrap_or_default();
        if length < 20 || answer[4..6] != (libc::NLMSG_ERROR as u16).to_ne_bytes() {
            return Err(io::Error::other("the kernel did not acknowledge the request"));
        }
        if word(16) == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-word(16))) }
    }
}

const RTAX_INITCWND: u16 = 11;
const RTAX_RTO_MIN: u16 = 13;
const RTAX_QUICKACK: u16 = 15;
const RTAX_CC_ALGO: u16 = 16;

struct Message(Vec<u8>);

impl Message {
    fn new(kind: u16, flags: libc::c_int) -> Self {
        let flags = (flags | libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
        let mut bytes = vec![0; 4];
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        // Sequence number and port: one question at a time needs neither.
        bytes.extend([0; 8]);
        Self(bytes)
    }

    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) -> &mut Self {
        append(&mut self.0, kind, value);
        self
    }

    fn finish(mut self) -> Vec<u8> {
        let length = self.0.len() as u32;
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0
    }
}

/// Appends an attribute, padded to four bytes.
fn append(bytes: &mut Vec<u8>, kind: u16, value: &[u8]) {
    bytes.extend((value.len() as u16 + 4).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
