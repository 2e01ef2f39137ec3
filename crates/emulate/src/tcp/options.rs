//! Options of a TCP header.

/// Kinds of options (RFC 9293 §3.2, RFC 2018, RFC 7323).
const END: u8 = 0;
pub(super) const PADDING: u8 = 1;
const MAXIMUM_SEGMENT: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
pub(super) const SACK: u8 = 5;
pub(super) const TIMESTAMPS: u8 = 8;

/// The timestamps of a segment (RFC 7323 §3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the last of the other side's that it has taken note of.
    pub echo: u32,
}

/// TCP options of a segment, without its SACK blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The largest segment that its sender takes, in a SYN.
    pub maximum_segment: Option<u16>,
    /// The shift of its sender's windows, in a SYN.
    pub window_shift: Option<u8>,
    /// True if its sender supports SACK, in a SYN.
    pub is_sack_permitted: bool,
    pub timestamps: Option<Timestamps>,
}

impl Options {
    /// Reads what stands between the header of a segment and its data. What is cut off or unknown counts as not there.
    pub(crate) fn read(mut bytes: &[u8]) -> Self {
        let mut options = Self::default();
        while let [kind, rest @ ..] = bytes {
            match *kind {
                END => break,
                PADDING => bytes = rest,
                kind => {
                    let Some((&length, _)) = rest.split_first() else { break };
                    let (Some(value), Some(next)) =
                        (bytes.get(2..usize::from(length)), bytes.get(usize::from(length)..))
                    else {
                        break;
                    };
                    options.note(kind, value);
                    bytes = next;
                }
            }
        }
        options
    }

    fn note(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (MAXIMUM_SEGMENT, &[high, low]) => self.maximum_segment = Some(u16::from_be_bytes([high, low])),
            // More than 14 counts as 14 (RFC 7323 §2.3).
            (WINDOW_SCALE, &[shift]) => self.window_shift = Some(shift.min(14)),
            (SACK_PERMITTED, []) => self.is_sack_permitted = true,
            (TIMESTAMPS, &[a, b, c, d, e, f, g, h]) => {
                let (value, echo) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
                self.timestamps = Some(Timestamps { value, echo });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of a SYN of Linux: MSS 1460, SACK permitted, timestamps, padding, a shift of 7.
    const LINUX: [u8; 20] = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7];

    #[test]
    fn the_options_of_a_syn_are_read() {
        let expected = Options {
            maximum_segment: Some(1460),
            window_shift: Some(7),
            is_sack_permitted: true,
            timestamps: Some(Timestamps { value: 9, echo: 0 }),
        };
        assert_eq!(Options::read(&LINUX), expected);
    }

    /// However short it is cut, what stands before the cut is read, and nothing else.
    #[test]
    fn what_is_cut_off_is_not_there() {
        for end in 0..LINUX.len() {
            let options = Options::read(&LINUX[..end]);
            assert_eq!(options.maximum_segment.is_some(), end >= 4);
            assert_eq!(options.is_sack_permitted, end >= 6);
            assert_eq!(options.timestamps.is_some(), end >= 16);
            assert_eq!(options.window_shift, None);
        }
        // Lengths that no option has; an option that is said to be shorter than its own head.
        for noise in [&[2, 0, 5, 180][..], &[8, 1, 3, 3, 7], &[2, 255, 1], &[0, 3, 3, 7], &[9]] {
            assert_eq!(Options::read(noise), Options::default(), "{noise:?}");
        }
    }
}
