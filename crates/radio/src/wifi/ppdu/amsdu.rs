//! Size of an A-MSDU (IEEE 802.11-2020, §9.3.2.2).

/// Bytes of LLC and SNAP, which each packet of an A-MSDU has of its own.
pub(crate) const LLC: u64 = 8;
/// Bytes of a subframe's header: two addresses and the length.
const HEADER: u64 = 14;

/// Bytes of the subframe of a packet of `bytes`, without its pad.
pub(crate) const fn subframe_bytes(bytes: u64) -> u64 {
    HEADER + LLC + bytes
}

/// Bytes of an A-MSDU of `packets` packets of `bytes`: each subframe but the last is padded to a multiple of four.
pub const fn amsdu_bytes(packets: u64, bytes: u64) -> u64 {
    let subframe = subframe_bytes(bytes);
    subframe.next_multiple_of(4) * packets.saturating_sub(1) + subframe
}

/// Most packets of `bytes` in an A-MSDU of at most `most` bytes; at least one, which needs no A-MSDU.
pub(crate) const fn largest_amsdu(bytes: u64, most: u64) -> u64 {
    let subframe = subframe_bytes(bytes);
    1 + most.saturating_sub(subframe) / subframe.next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1500 bytes: subframes of 1522 and 1524 bytes. 7935 bytes hold five, 7618 bytes; 3839 hold two.
    #[test]
    fn subframes_are_padded_but_the_last() {
        assert_eq!([1, 2, 5].map(|packets| amsdu_bytes(packets, 1500)), [1522, 3046, 7618]);
        assert_eq!([0, 1521, 3045, 3046, 3839, 7935].map(|most| largest_amsdu(1500, most)), [1, 1, 1, 2, 2, 5]);
        // An ACK of TCP has 52 bytes: 74 and 76.
        assert_eq!((amsdu_bytes(2, 52), largest_amsdu(52, 149), largest_amsdu(52, 150)), (150, 1, 2));
    }
}
