//! The Internet checksum (RFC 1071).

/// The sum of 16-bit words in ones' complement, not yet folded; an odd byte counts as if a zero followed.
fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum()
}

fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The checksum of an IPv4 header whose checksum field is zero; zero if the field has what it should.
pub(super) fn of_header(header: &[u8]) -> u16 {
    !fold(sum(header))
}

/// The checksum of a segment between two addresses (RFC 9293 §3.1) whose checksum field is zero; zero if the field has
/// what it should.
pub(super) fn of_segment(addresses: [u32; 2], segment: &[u8]) -> u16 {
    let pseudo: u32 = addresses.iter().map(|address| (address >> 16) + (address & 0xffff)).sum();
    !fold(pseudo + u32::from(libc::IPPROTO_TCP as u16) + segment.len() as u32 + sum(segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071 §3: the sum of 00 01 f2 03 f4 f5 f6 f7 is ddf2.
    #[test]
    fn the_example_of_the_rfc() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(of_header(&bytes), !0xddf2);
        assert_eq!(fold(sum(&bytes[..7])), fold(0x0001 + 0xf203 + 0xf4f5 + 0xf600));
    }
}
