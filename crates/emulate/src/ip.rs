//! IPv4 headers as queues need them: the conversation of a packet, its DSCP and its ECN field.

use windward_sim::{Codepoint, parcel_conversation};
use windward_units::splitmix64;

/// Bytes of a header without options.
const HEADER: usize = 20;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The ECN field of a packet (RFC 3168 §5).
pub(crate) fn codepoint(packet: &[u8]) -> Codepoint {
    packet.get(1).map_or(Codepoint::NotCapable, |byte| Codepoint::from_bits(*byte))
}

/// The DSCP of a packet (RFC 2474 §3).
pub(crate) fn dscp(packet: &[u8]) -> u8 {
    packet.get(1).map_or(0, |byte| byte >> 2)
}

/// Destination of a UDP datagram; `None` of other packets.
pub(crate) fn to_udp(packet: &[u8]) -> Option<u32> {
    let header = packet.first_chunk::<HEADER>()?;
    (header[9] == UDP).then(|| u32::from_be_bytes([header[16], header[17], header[18], header[19]]))
}

/// Code point and hashes of protocol, addresses and ports: equal for all packets of a conversation in one direction.
pub(crate) fn conversation(packet: &[u8]) -> u64 {
    let Some(header) = packet.first_chunk::<HEADER>() else { return 0 };
    let [_, _, _, _, _, _, _, _, _, protocol, _, _, ends @ ..] = header;
    let [source, sink] = [0, 4].map(|at| {
        let address = u32::from_be_bytes([ends[at], ends[at + 1], ends[at + 2], ends[at + 3]]);
        splitmix64(u64::from(address))
    });
    let mut hash = splitmix64(u64::from_be_bytes(*ends) ^ splitmix64(u64::from(*protocol)));
    // Only the first of a packet's fragments has ports; all of them stay together without.
    let is_fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0;
    let ports = packet.get(usize::from(header[0] & 15) * 4..).and_then(|rest| rest.first_chunk::<4>());
    if let Some(ports) = ports
        && matches!(*protocol, TCP | UDP)
        && !is_fragment
    {
        hash = splitmix64(hash ^ u64::from(u32::from_be_bytes(*ports)));
    }
    parcel_conversation(dscp(packet), source, sink, hash)
}

/// Sets CE, and mends the checksum of the header for it (RFC 1624, equation 3).
pub(crate) fn mark(packet: &mut [u8]) {
    let Some(header) = packet.first_chunk_mut::<HEADER>() else { return };
    let before = u16::from_be_bytes([header[0], header[1]]);
    header[1] |= Codepoint::Marked.bits();
    let after = u16::from_be_bytes([header[0], header[1]]);
    let mut sum = u32::from(!u16::from_be_bytes([header[10], header[11]])) + u32::from(!before) + u32::from(after);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of RFC 1071's usual textbook example, which is UDP, with ports 53 and 1024.
    const PACKET: [u8; 24] =
        [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7, 0, 53, 4, 0];

    /// The sum over a whole header whose checksum is right is 0xffff (RFC 1071 §1).
    fn sum(packet: &[u8]) -> u32 {
        let sum: u32 = packet[..HEADER].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        (sum & 0xffff) + (sum >> 16)
    }

    #[test]
    fn a_marked_header_has_a_right_checksum() {
        assert_eq!(sum(&PACKET), 0xffff);
        for first in 0..=255_u8 {
            let mut packet = PACKET;
            // Another length, with the checksum that goes with it.
            packet[3] = first;
            packet[10..12].fill(0);
            let checksum = !(sum(&packet) as u16);
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
            for bits in [1, 2] {
                let mut packet = packet;
                packet[1] = bits;
                let with = u32::from(!checksum) + u32::from(bits);
                let with = !(((with & 0xffff) + (with >> 16)) as u16);
                packet[10..12].copy_from_slice(&with.to_be_bytes());
                assert_eq!((sum(&packet), codepoint(&packet)), (0xffff, Codepoint::from_bits(bits)));
                mark(&mut packet);
                assert_eq!((sum(&packet), codepoint(&packet)), (0xffff, Codepoint::Marked));
            }
        }
    }

    #[test]
    fn ports_and_addresses_tell_conversations_apart() {
        let other = |at: usize, value: u8| {
            let mut packet = PACKET;
            packet[at] = value;
            conversation(&packet)
        };
        let own = conversation(&PACKET);
        assert_eq!([other(3, 9), other(8, 9), other(10, 9), other(1, 2)], [own; 4]);
        for changed in [other(9, 6), other(15, 9), other(19, 9), other(21, 9), other(23, 9)] {
            assert_ne!(changed, own);
        }
        // A fragment's first bytes of data are no ports.
        let fragment = |port: u8| {
            let mut packet = PACKET;
            (packet[7], packet[21]) = (9, port);
            conversation(&packet)
        };
        assert_eq!(fragment(1), fragment(2));
        assert_eq!((conversation(&PACKET[..9]), codepoint(&[])), (0, Codepoint::NotCapable));
    }
}
