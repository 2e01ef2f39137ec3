//! What IP and TCP say of congestion: explicit congestion notification.

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Codepoint {
    /// Not-ECT: queues can only drop it.
    #[default]
    NotCapable = 0,
    /// ECT(1): its sender answers marks by little and often (RFC 9331).
    Scalable = 1,
    /// ECT(0).
    Capable = 2,
    /// CE: a queue has marked it.
    Marked = 3,
}

impl Codepoint {
    /// That of the two bits in which IP carries it.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotCapable,
            1 => Self::Scalable,
            2 => Self::Capable,
            _ => Self::Marked,
        }
    }

    /// The two bits in which IP carries it.
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }
}

/// What a packet says of congestion, in one byte: the codepoint of IP (two bits), a flag of TCP (ECE of an ACK, CWR of data) and,
/// of an ACK, the counter of marked packets in three bits (ACE, RFC 9768 §3.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecn(u8);

const CODEPOINT: u8 = 0b11;
const FLAG: u8 = 0b100;
const COUNT_SHIFT: u8 = 3;
/// The counter of marked packets goes round after so many.
pub const COUNT_MODULO: u32 = 8;

impl Ecn {
    /// A packet with this codepoint that says nothing else.
    #[inline]
    pub const fn new(codepoint: Codepoint) -> Self {
        Self(codepoint.bits())
    }

    /// An ACK whose flag is ECE, and that counts so many marked packets, of which it carries the lowest three bits.
    #[inline]
    pub const fn echo(flag: bool, count: u32) -> Self {
        Self(if flag { FLAG } else { 0 } | ((count % COUNT_MODULO) as u8) << COUNT_SHIFT)
    }

    /// The same packet with the flag set.
    #[inline]
    #[must_use]
    pub const fn flagged(self) -> Self {
        Self(self.0 | FLAG)
    }

    /// The codepoint of IP.
    #[inline]
    pub const fn codepoint(self) -> Codepoint {
        Codepoint::from_bits(self.0)
    }

    /// ECE of an ACK, CWR of data.
    #[inline]
    pub const fn flag(self) -> bool {
        self.0 & FLAG != 0
    }

    /// The lowest three bits of an ACK's count of marked packets.
    #[inline]
    pub const fn count(self) -> u32 {
        (self.0 >> COUNT_SHIFT) as u32
    }

    /// Whether a queue has marked it.
    #[inline]
    pub const fn is_marked(self) -> bool {
        self.0 & CODEPOINT == CODEPOINT
    }

    /// A queue marks it; false where its sender would not understand, who must be told by a drop.
    #[inline]
    pub const fn mark(&mut self) -> bool {
        let is_capable = self.0 & CODEPOINT != 0;
        if is_capable {
            self.0 |= CODEPOINT;
        }
        is_capable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_holds_all_three() {
        for (codepoint, is_capable) in [
            (Codepoint::NotCapable, false),
            (Codepoint::Scalable, true),
            (Codepoint::Capable, true),
            (Codepoint::Marked, true),
        ] {
            let mut ecn = Ecn::new(codepoint).flagged();
            assert_eq!((ecn.codepoint(), Codepoint::from_bits(codepoint.bits())), (codepoint, codepoint));
            assert_eq!((ecn.mark(), ecn.is_marked(), ecn.flag(), ecn.count()), (is_capable, is_capable, true, 0));
        }
        let ack = Ecn::echo(false, 13);
        assert_eq!((ack.codepoint(), ack.flag(), ack.count()), (Codepoint::NotCapable, false, 5));
        assert!(Ecn::echo(true, 0).flag());
    }
}
