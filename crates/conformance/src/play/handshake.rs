//! The handshake, which the simulator takes as it stands in the script: it says what the two ends agreed on, and gives
//! the first round-trip sample.

use crate::script::{Segment, TcpOption};
use windward_sim::EcnMode;
use windward_units::{Duration, Time};

/// A handshake on its way.
#[derive(Clone, Debug, Default)]
pub struct Handshake {
    theirs: Option<Segment>,
    ours: Option<(u64, Segment)>,
    /// Something was sent again: nobody knows which of them was answered (Karn's rule).
    is_repeated: bool,
    /// The stamp of the last segment that arrived.
    echo: u32,
    /// The connection was opened from here, and the ACK that ends the handshake is still to be seen.
    must_confirm: bool,
}

/// Options negotiated by the two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// Time in microseconds.
    pub at: u64,
    /// From what was sent to its answer, where that is known.
    pub rtt: Option<Duration>,
    /// Bytes of data in a full segment.
    pub mss: u32,
    /// By how many bits the other end's window is to be shifted.
    pub scale: u32,
    /// The other end's window, in bytes.
    pub window: u32,
    /// Both ends know SACK.
    pub has_sack: bool,
    /// Both ends send timestamps.
    pub has_stamps: bool,
    /// ECN mode negotiated.
    pub ecn: EcnMode,
    /// Marks of the handshake that accurate ECN counts: those that the other end has told of, and those that arrived.
    pub marks: (u32, u32),
}

/// Bytes that timestamps take of every segment (RFC 7323 appendix A).
const STAMPS: u32 = 12;
/// Bytes that accurate ECN's three counters take, padded to a word (RFC 9768 §3.2.3).
const COUNTERS: u32 = 12;
/// Segment size if the other end announces none (RFC 9293 §3.7.1).
const LEAST_MSS: u32 = 536;

impl Handshake {
    /// A segment arrives before the connection is open. What it opens, if it does.
    pub fn arrive(&mut self, now: u64, segment: &Segment) -> Result<Option<Opened>, String> {
        self.echo = segment.stamps().map_or(self.echo, |(own, _)| own);
        if segment.has('S') {
            if segment.to > segment.from {
                return Err("data in a SYN".into());
            }
            if let Some(before) = self.theirs.replace(segment.clone()) {
                if before.ace() != segment.ace() {
                    return Err("SYNs that say different things of ECN".into());
                }
                self.is_repeated = true;
            }
            if !segment.has('.') {
                return Ok(None);
            }
            self.must_confirm = true;
        }
        let (Some(theirs), Some((sent_at, ours))) = (&self.theirs, &self.ours) else {
            return Err("a segment before the handshake".into());
        };
        // Where the script has any options, all that the other end offers is agreed to.
        let has = |segment: &Segment, option: fn(&TcpOption) -> bool| {
            segment.options.is_none() || segment.find(|one| option(one).then_some(())).is_some()
        };
        let both = |option| has(theirs, option) && has(ours, option);
        let has_stamps = both(|option| matches!(option, TcpOption::Stamps(..)));
        // They are sent where the other end has them.
        let has_counters = segment.find(|option| (*option == TcpOption::Ecn).then_some(())).is_some();
        let mss = theirs.find(|option| if let TcpOption::Mss(mss) = option { Some(*mss) } else { None });
        let has_scale = both(|option| matches!(option, TcpOption::Scale(_)));
        let scale = theirs.find(|option| if let TcpOption::Scale(scale) = option { Some(*scale) } else { None });
        let scale = scale.filter(|_| has_scale).unwrap_or(0);
        let ecn = agreed(theirs, ours)?;
        if ecn == EcnMode::Accurate && !segment.has('S') && segment.ace() == 0 {
            return Err("a path that takes the flags of ECN away".into());
        }
        Ok(Some(Opened {
            at: now,
            rtt: (!self.is_repeated).then(|| Duration::from_micros((now - sent_at).max(1))),
            mss: mss
                .unwrap_or(LEAST_MSS)
                .saturating_sub(if has_stamps { STAMPS } else { 0 } + if has_counters { COUNTERS } else { 0 })
                .max(1),
            scale,
            window: segment.window.map_or(u32::MAX, |field| if segment.has('S') { field } else { field << scale }),
            has_sack: both(|option| *option == TcpOption::SackOk),
            has_stamps,
            ecn,
            marks: marks(segment),
        }))
    }

    /// True if a segment of the script belongs to the handshake, which is not compared.
    pub fn expect(&mut self, at: u64, segment: &Segment, is_open: bool) -> Result<bool, String> {
        if segment.has('S') {
            if segment.to > segment.from {
                return Err("data in a SYN".into());
            }
            // The first stamp is that of the first.
            if let Some((_, before)) = &mut self.ours {
                *before = Segment { options: before.options.clone(), ..segment.clone() };
                self.is_repeated = true;
            } else {
                self.ours = Some((at, segment.clone()));
            }
            return Ok(true);
        }
        Ok(is_open && std::mem::take(&mut self.must_confirm))
    }

    /// The stamp of what is sent at `at`, in the script's numbers; `None` without stamps.
    pub fn stamp_at(&self, at: Time) -> Option<u32> {
        let (first_at, first) = self.first_stamp()?;
        Some(first + (at.since(first_at).as_nanos() / 1_000_000) as u32)
    }

    /// Time of a timestamp.
    pub fn time_of(&self, stamp: u32) -> Time {
        self.first_stamp()
            .map_or(Time::ZERO, |(at, first)| at + Duration::from_millis(u64::from(stamp.saturating_sub(first))))
    }

    /// The stamp that the other end's last segment brought.
    pub fn echo(&self) -> u64 {
        self.echo.into()
    }

    fn first_stamp(&self) -> Option<(Time, u32)> {
        let (at, segment) = self.ours.as_ref()?;
        segment.stamps().map(|(own, _)| (Time::from_nanos(at * 1000), own))
    }
}

/// RFC 3168 §6.1.1: a SYN with ECE and CWR, answered by one with ECE alone. RFC 9768 §3.1.1: a SYN with all three
/// flags, answered by one that says what became of its codepoint; table 2 has what else the answer may be.
fn agreed(theirs: &Segment, ours: &Segment) -> Result<EcnMode, String> {
    let (syn, answer) = if theirs.has('.') { (ours, theirs) } else { (theirs, ours) };
    match (syn.ace(), answer.ace()) {
        (ACE, 0b010..=0b110) => Ok(EcnMode::Accurate),
        (0, _) | (_, 0) | (ACE, ACE) => Ok(EcnMode::Off),
        (0b011 | ACE, 0b001) => Ok(EcnMode::Classic),
        _ => Err(format!("a handshake of ECN, {} and {}", syn.flags, answer.flags)),
    }
}

/// All three flags, which ask for accurate ECN.
const ACE: u32 = 0b111;

/// Marks that the segment which opens a connection tells of, and those that it brings (RFC 9768 §3.2.2.1).
fn marks(opening: &Segment) -> (u32, u32) {
    let told = u32::from(!opening.has('S') && opening.from == opening.to && opening.ace() == 0b110);
    let is_marked = opening.ip.as_deref() == Some("ce") && opening.from == opening.to;
    (told, u32::from(is_marked))
}
