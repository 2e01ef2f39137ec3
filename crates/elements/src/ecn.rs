//! Explicit congestion notification: the ECN fields of IP and TCP.

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Codepoint {
    /// Not-ECT: queues can only drop the packet.
    #[default]
    NotCapable = 0,
    /// ECT(1): the sender reacts to marks often and in small steps (RFC 9331).
    Scalable = 1,
    /// ECT(0).
    Capable = 2,
    /// CE: a queue has marked the packet.
    Marked = 3,
}

impl Codepoint {
    /// Returns the codepoint that two bits of the IP header encode.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotCapable,
            1 => Self::Scalable,
            2 => Self::Capable,
            _ => Self::Marked,
        }
    }

    /// Returns the two bits of the IP header.
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }
}

/// ECN fields of a packet in one byte: the codepoint of IP (two bits), a flag of TCP (ECE of an ACK, CWR of data) and,
/// on an ACK, the counter of marked packets in three bits (ACE, RFC 9768 §3.2.2). Data that acknowledges other data has
/// one more flag: ECE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecn(u8);

const CODEPOINT: u8 = 0b11;
const FLAG: u8 = 0b100;
const COUNT_SHIFT: u8 = 3;
const COUNT: u8 = 0b11_1000;
/// ECE of a packet that is data and ACK.
const ECHO: u8 = 0b100_0000;
/// Modulus of the counter of marked packets.
pub const COUNT_MODULO: u32 = 8;

impl Ecn {
    /// A packet with this codepoint, without flag and count.
    #[inline]
    pub const fn new(codepoint: Codepoint) -> Self {
        Self(codepoint.bits())
    }

    /// An ACK with ECE set to `flag` and the lowest three bits of `count`, the number of marked packets.
    #[inline]
    pub const fn echo(flag: bool, count: u32) -> Self {
        Self(if flag { FLAG } else { 0 } | ((count % COUNT_MODULO) as u8) << COUNT_SHIFT)
    }

    /// Returns the packet with the flag set.
    #[inline]
    #[must_use]
    pub const fn flagged(self) -> Self {
        Self(self.0 | FLAG)
    }

    /// Codepoint of the IP header.
    #[inline]
    pub const fn codepoint(self) -> Codepoint {
        Codepoint::from_bits(self.0)
    }

    /// ECE of an ACK, CWR of data.
    #[inline]
    pub const fn flag(self) -> bool {
        self.0 & FLAG != 0
    }

    /// Lowest three bits of the number of marked packets that an ACK reports.
    #[inline]
    pub const fn count(self) -> u32 {
        ((self.0 & COUNT) >> COUNT_SHIFT) as u32
    }

    /// Fields of data that carries `ack`, the fields of an ACK.
    #[inline]
    #[must_use]
    pub const fn with_ack(self, ack: Self) -> Self {
        Self(self.0 & (CODEPOINT | FLAG) | ack.0 & COUNT | if ack.flag() { ECHO } else { 0 })
    }

    /// Fields of the data in a packet that is data and ACK.
    #[inline]
    #[must_use]
    pub const fn of_data(self) -> Self {
        Self(self.0 & (CODEPOINT | FLAG))
    }

    /// Fields of the ACK in a packet that is data and ACK.
    #[inline]
    #[must_use]
    pub const fn of_ack(self) -> Self {
        Self(self.0 & COUNT | if self.0 & ECHO != 0 { FLAG } else { 0 })
    }

    /// True if a queue has marked the packet.
    #[inline]
    pub const fn is_marked(self) -> bool {
        self.0 & CODEPOINT == CODEPOINT
    }

    /// Marks the packet. Returns false if its sender does not support ECN, so that the queue must drop it instead.
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
        let mut both = Ecn::new(Codepoint::Capable).flagged().with_ack(Ecn::echo(true, 5));
        assert_eq!((both.codepoint(), both.flag(), both.count()), (Codepoint::Capable, true, 5));
        assert!(both.mark());
        assert_eq!(both.of_ack(), Ecn::echo(true, 5));
        assert_eq!((both.of_data().is_marked(), both.of_data().flag(), both.of_data().count()), (true, true, 0));
        assert!(!Ecn::new(Codepoint::Capable).flagged().with_ack(Ecn::echo(false, 5)).of_ack().flag());
    }
}
