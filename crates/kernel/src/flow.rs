//! What a law tells of a connection: `struct flow` of `bpf/host.h`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A connection that a loaded law drives, as it stood when its last round trip ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The law's window, in packets; the kernel's is its whole part.
    pub cwnd: f64,
    /// Least round-trip time, in seconds; `None` before the first sample.
    pub base_rtt: Option<f64>,
    /// The law's average round-trip time in seconds, or the kernel's where the law keeps none; `None` before the first
    /// sample.
    pub avg_rtt: Option<f64>,
    /// The law's own figure: see [`KernelLaw::own`](crate::KernelLaw::own).
    pub own: f64,
    /// Whether the window still doubles.
    pub is_slow_start: bool,
    /// Round trips so far.
    pub rounds: u64,
}

impl Flow {
    /// Bytes of `struct flow`.
    pub(crate) const SIZE: usize = 88;

    /// Reads the map's value.
    pub(crate) fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let half = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let address = |at: usize| {
            let octets: [u8; 16] = std::array::from_fn(|index| bytes[at + index]);
            if half(36) == libc::AF_INET as u16 {
                IpAddr::V4(Ipv4Addr::new(octets[0], octets[1], octets[2], octets[3]))
            } else {
                IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()
            }
        };
        let seconds = |micros: f64| (micros > 0.0).then_some(micros / 1e6);
        let (base_rtt, srtt, avg_rtt) = (word(44), word(48), long(64));
        Self {
            local: SocketAddr::new(address(0), half(32)),
            remote: SocketAddr::new(address(16), u16::from_be(half(34))),
            cwnd: packets(long(56)),
            base_rtt: if base_rtt < RTT_LIMIT { seconds(f64::from(base_rtt)) } else { None },
            avg_rtt: seconds(if avg_rtt > 0 { packets(avg_rtt) } else { f64::from(srtt) }),
            own: packets(long(72)),
            is_slow_start: half(38) != 0,
            rounds: long(80),
        }
    }
}

/// Fixed point with 24 binary digits.
fn packets(value: u64) -> f64 {
    value as f64 / f64::from(1 << 24)
}

/// `RTT_LIMIT` of `bpf/law.h`: no sample yet.
const RTT_LIMIT: u32 = (1 << 24) - 1;
