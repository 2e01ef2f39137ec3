//! The handshake, which the simulator takes as it stands in the script: it says what the two ends agreed on, and gives the first
//! round-trip sample.

use crate::script::{Segment, TcpOption};
use windward_sim::EcnMode;
use windward_units::{Duration, Time};

/// A handshake on its way.
#[derive(Clone, Debug, Default)]
pub struct Handshake {
    theirs: Option<Segment>,
    ours: Option<(u64, Segment)>,
    /// The connection was opened from here, and the ACK that ends the handshake is still to be seen.
    must_confirm: bool,
}

/// What the two ends agreed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// When, in microseconds.
    pub at: u64,
    /// From what was sent to its answer.
    pub rtt: Duration,
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
    /// What they say of marks.
    pub ecn: EcnMode,
}

/// Bytes that timestamps take of every segment (RFC 7323 appendix A).
const STAMPS: u32 = 12;
/// What a segment carries where the other end does not say (RFC 9293 §3.7.1).
const LEAST_MSS: u32 = 536;

impl Handshake {
    /// A segment arrives before the connection is open. What it opens, if it does.
    pub fn arrive(&mut self, now: u64, segment: &Segment) -> Result<Option<Opened>, String> {
        if segment.has('S') {
            if segment.to > segment.from {
                return Err("data in a SYN".into());
            }
            if self.theirs.replace(segment.clone()).is_some() {
                return Err("a SYN that comes again".into());
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
        let mss = theirs.find(|option| if let TcpOption::Mss(mss) = option { Some(*mss) } else { None });
        let has_scale = both(|option| matches!(option, TcpOption::Scale(_)));
        let scale = theirs.find(|option| if let TcpOption::Scale(scale) = option { Some(*scale) } else { None });
        let scale = scale.filter(|_| has_scale).unwrap_or(0);
        Ok(Some(Opened {
            at: now,
            rtt: Duration::from_micros((now - sent_at).max(1)),
            mss: mss.unwrap_or(LEAST_MSS).saturating_sub(if has_stamps { STAMPS } else { 0 }).max(1),
            scale,
            window: segment.window.map_or(u32::MAX, |field| if segment.has('S') { field } else { field << scale }),
            has_sack: both(|option| *option == TcpOption::SackOk),
            has_stamps,
            ecn: agreed(theirs, ours)?,
        }))
    }

    /// Whether a segment that the script has sent belongs to the handshake, which nobody compares.
    pub fn expect(&mut self, at: u64, segment: &Segment, is_open: bool) -> Result<bool, String> {
        if segment.has('S') {
            if segment.to > segment.from {
                return Err("data in a SYN".into());
            }
            if self.ours.replace((at, segment.clone())).is_some() {
                return Err("the timer of SYNs".into());
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

    /// When a stamp was taken.
    pub fn time_of(&self, stamp: u32) -> Time {
        self.first_stamp()
            .map_or(Time::ZERO, |(at, first)| at + Duration::from_millis(u64::from(stamp.saturating_sub(first))))
    }

    /// The stamp that the other end's SYN brought.
    pub fn echo(&self) -> u64 {
        self.theirs.as_ref().and_then(Segment::stamps).map_or(0, |(own, _)| u64::from(own))
    }

    fn first_stamp(&self) -> Option<(Time, u32)> {
        let (at, segment) = self.ours.as_ref()?;
        segment.stamps().map(|(own, _)| (Time::from_nanos(at * 1000), own))
    }
}

/// RFC 3168 §6.1.1: a SYN with ECE and CWR, answered by one with ECE alone.
fn agreed(theirs: &Segment, ours: &Segment) -> Result<EcnMode, String> {
    let answer = if theirs.has('.') { theirs } else { ours };
    let flags: String = answer.flags.chars().filter(|flag| "EWA".contains(*flag)).collect();
    match flags.as_str() {
        "" => Ok(EcnMode::Off),
        "E" => Ok(EcnMode::Classic),
        _ => Err(format!("a handshake of accurate ECN ({})", answer.flags)),
    }
}
