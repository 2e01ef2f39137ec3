//! An RTP stream and its control.

use windward_units::Duration;

/// A stream of frames as datagrams. Rates are on the wire, headers included, in bits per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtpConfig {
    /// Law of the bit rate.
    pub control: RtpControl,
    /// Time between two frames; positive.
    pub frame: Duration,
    /// Largest datagram in bytes; at least [`Self::LEAST_PACKET`].
    pub packet: u32,
    /// Scale of the Laplace distribution of frame sizes, as a share of the mean; 0 if all frames have the mean size.
    pub spread: f64,
    /// Time between two reports of the receiver; `None`: that of the law.
    pub report: Option<Duration>,
}

/// Law of a stream's bit rate, between `least` and `most`, which are positive and in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RtpControl {
    /// Constant rate.
    Constant {
        /// Rate.
        rate: f64,
    },
    /// NADA (RFC 8698).
    Nada {
        /// RMIN.
        least: f64,
        /// RMAX.
        most: f64,
        /// PRIO; positive.
        priority: f64,
    },
    /// SCReAM v2 (draft-ietf-ccwg-rfc8298bis-screamv2).
    Scream {
        /// TARGET_BITRATE_MIN.
        least: f64,
        /// TARGET_BITRATE_MAX.
        most: f64,
        /// True if the packets are ECT(1), so that marks are those of L4S.
        is_l4s: bool,
    },
    /// GCC (draft-ietf-rmcat-gcc-02).
    Gcc {
        /// Least target.
        least: f64,
        /// Largest target.
        most: f64,
    },
}

/// Times of the reports of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportRule {
    /// Longest time from an arrival to its report, and from one report to the next.
    pub every: Duration,
    /// Arrivals that make a report at once, if the last packet of a frame does too.
    pub packets: Option<u32>,
}

impl RtpControl {
    /// Least and largest rate.
    pub const fn range(&self) -> [f64; 2] {
        match *self {
            Self::Constant { rate } => [rate, rate],
            Self::Nada { least, most, .. } | Self::Scream { least, most, .. } | Self::Gcc { least, most } => {
                [least, most]
            }
        }
    }
}

impl RtpConfig {
    /// Bytes of RTP, UDP and IPv4 headers, and of the least payload.
    pub const LEAST_PACKET: u32 = 100;

    /// DELTA of RFC 8698, also taken for GCC.
    const DELTA: Duration = Duration::from_millis(100);

    /// Rule of the receiver's reports.
    pub fn report_rule(&self) -> ReportRule {
        match (self.report, self.control) {
            (Some(every), _) => ReportRule { every, packets: None },
            // Receiver requirements of the draft: at most 40 ms or 16 data units apart, and at the end of a frame.
            (None, RtpControl::Scream { .. }) => ReportRule { every: Duration::from_millis(40), packets: Some(16) },
            (None, _) => ReportRule { every: Self::DELTA, packets: None },
        }
    }

    /// Rate that the stream has at least.
    pub const fn least_rate(&self) -> f64 {
        self.control.range()[0]
    }

    /// Rate of the reports while the stream has its least rate.
    pub fn report_rate(&self) -> f64 {
        let rule = self.report_rule();
        let every = rule.packets.map_or(rule.every, |_| rule.every.min(self.frame)).as_secs();
        let packets = self.least_rate() * every / (8.0 * f64::from(self.packet));
        f64::from(report_bytes(libm::ceil(packets) as u32)) * 8.0 / every
    }
}

/// Bytes on the wire of a report of `packets` packets (RFC 8888 §3.1): 28 of IPv4 and UDP, 8 of the RTCP header with
/// its sender, 8 of the stream with its first and last number, 4 of the timestamp, and two for each packet, in words of
/// four.
pub const fn report_bytes(packets: u32) -> u32 {
    28 + 8 + 8 + 4 + packets.div_ceil(2) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_grow_by_words() {
        assert_eq!([0, 1, 2, 3].map(report_bytes), [48, 52, 52, 56]);
    }
}
