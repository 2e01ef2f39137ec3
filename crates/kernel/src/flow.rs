//! State of a connection as a law reports it: `struct flow` of `bpf/host.h`.

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
    /// True while slow start doubles the window.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bytes: &mut [u8; Flow::SIZE], at: usize, part: &[u8]) {
        bytes[at..at + part.len()].copy_from_slice(part);
    }

    #[test]
    fn a_connection_is_read_as_the_kernel_wrote_it() {
        let mut bytes = [0; Flow::SIZE];
        put(&mut bytes, 0, &[10, 9, 0, 1]);
        put(&mut bytes, 16, &[10, 9, 0, 2]);
        put(&mut bytes, 32, &44176u16.to_ne_bytes());
        put(&mut bytes, 34, &5201u16.to_be_bytes());
        put(&mut bytes, 36, &2u16.to_ne_bytes());
        put(&mut bytes, 38, &1u16.to_ne_bytes());
        put(&mut bytes, 44, &20_000u32.to_ne_bytes());
        put(&mut bytes, 48, &25_000u32.to_ne_bytes());
        put(&mut bytes, 56, &(3u64 << 23).to_ne_bytes());
        put(&mut bytes, 72, &(7u64 << 24).to_ne_bytes());
        put(&mut bytes, 80, &12u64.to_ne_bytes());
        let expected = Flow {
            local: "10.9.0.1:44176".parse().unwrap(),
            remote: "10.9.0.2:5201".parse().unwrap(),
            cwnd: 1.5,
            base_rtt: Some(0.02),
            avg_rtt: Some(0.025),
            own: 7.0,
            is_slow_start: true,
            rounds: 12,
        };
        assert_eq!(Flow::read(&bytes), expected);
        // The law's own average counts before the kernel's; no sample is no base RTT; an address of 16 bytes.
        put(&mut bytes, 64, &(30_000u64 << 24).to_ne_bytes());
        put(&mut bytes, 44, &RTT_LIMIT.to_ne_bytes());
        put(&mut bytes, 36, &10u16.to_ne_bytes());
        put(&mut bytes, 0, &"fd00::1".parse::<Ipv6Addr>().unwrap().octets());
        let flow = Flow::read(&bytes);
        assert_eq!((flow.base_rtt, flow.avg_rtt), (None, Some(0.03)));
        assert_eq!(flow.local, "[fd00::1]:44176".parse().unwrap());
    }
}
