//! Segments as scripts write them.

use super::Player;
use crate::script::Segment;
use std::fmt;
use windward_sim::Codepoint;
use windward_sim::socket::Sent;

impl Player<'_> {
    pub(super) fn show(&self, sent: &Sent) -> String {
        let number = sent.data.map_or(self.sent_count, |data| data.number);
        let is_last = sent.data.is_some_and(|data| data.is_last);
        let shown = Shown {
            at: sent.at.as_nanos() / 1000,
            ip: match sent.codepoint {
                Codepoint::NotCapable => None,
                Codepoint::Capable => Some("ect0"),
                Codepoint::Scalable => Some("ect1"),
                Codepoint::Marked => Some("ce"),
            },
            flags: match self.counting() {
                Some(opened) => format!(".{}", opened.shown(sent)),
                None => format!(
                    "{}{}{}.",
                    if is_last { "F" } else { "" },
                    if sent.acknowledges.echoes { "E" } else { "" },
                    if sent.is_reduced { "W" } else { "" }
                ),
            },
            from: self.ours.byte(number) - u32::from(sent.is_probe),
            to: match sent.data {
                Some(data) => self.ours.byte(number) + data.payload,
                None => self.ours.byte(number) - u32::from(sent.is_probe),
            },
            ack: Some(self.theirs.byte(sent.acknowledges.number)),
            sack: self.blocks(sent),
        };
        shown.to_string()
    }

    /// SACK blocks in bytes, those that are used.
    pub(super) fn blocks(&self, sent: &Sent) -> Vec<(u32, u32)> {
        let blocks = sent.acknowledges.sack.iter().take_while(|(from, to)| from < to);
        blocks.map(|&(from, to)| (self.theirs.byte(from), self.theirs.byte(to))).collect()
    }
}

pub(super) fn show_expected(segment: &Segment, from: u32, at: u64) -> String {
    let shown = Shown {
        at,
        ip: segment.ip.as_deref(),
        flags: segment.flags.replace('P', ""),
        from,
        to: segment.to,
        ack: segment.ack,
        sack: segment.sack(),
    };
    shown.to_string()
}

/// A segment as scripts write it, and when.
struct Shown<'a> {
    at: u64,
    ip: Option<&'a str>,
    flags: String,
    from: u32,
    to: u32,
    ack: Option<u32>,
    sack: Vec<(u32, u32)>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, ip, flags, from, to, ack, sack } = self;
        if let Some(ip) = ip {
            write!(f, "[{ip}] ")?;
        }
        write!(f, "{flags} {from}:{to}({})", to.saturating_sub(*from))?;
        if let Some(ack) = ack {
            write!(f, " ack {ack}")?;
        }
        if !sack.is_empty() {
            let blocks: Vec<String> = sack.iter().map(|(from, to)| format!("{from}:{to}")).collect();
            write!(f, " sack {}", blocks.join(" "))?;
        }
        write!(f, " at {}.{:04} s", at / 1_000_000, at % 1_000_000 / 100)
    }
}
