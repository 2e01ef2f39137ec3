//! Games, calls and pings: sources of datagrams.

use super::shared::inside;
use crate::check::key::key;
use crate::check::source::{Sources, check_packet, check_size, check_spacing};
use crate::format::{Call, CallVideo, Dscp, Ping};
use crate::names::SourceName;
use crate::problems::Problems;
use windward_sim::traffic::emodel::CallConfig;
use windward_sim::traffic::rtp::{RtpConfig, RtpControl};
use windward_sim::{Codepoint, NodeId, Pattern, SourceConfig};
use windward_units::{BitRate, Bytes, Duration, Time};

/// A direction of an application.
struct Stream {
    /// End of the source's name.
    suffix: &'static str,
    /// True if the datagrams go from the server to the client.
    is_back: bool,
    pattern: Pattern,
    packet: Bytes,
    /// True if the other end answers.
    has_replies: bool,
    call: Option<CallConfig>,
    ecn: Codepoint,
}

/// Sources of an application between any two nodes.
pub struct Datagrams {
    dscp: Dscp,
    streams: Vec<Stream>,
}

/// A pair of client and server.
pub struct Member<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub nodes: [NodeId; 2],
}

/// Both directions of a game.
pub fn game(dscp: Option<Dscp>) -> Datagrams {
    let stream = |suffix, is_back, pattern| {
        // The pattern draws the sizes.
        Stream {
            suffix,
            is_back,
            pattern,
            packet: Bytes::new(Pattern::HEADERS),
            has_replies: false,
            call: None,
            ecn: Codepoint::NotCapable,
        }
    };
    let streams = vec![stream(":up", false, Pattern::GAME_UP), stream(":down", true, Pattern::GAME_DOWN)];
    Datagrams { dscp: dscp.unwrap_or_default(), streams }
}

/// Both directions of a call; reports problems.
pub fn call(call: &Call, at: usize, problems: &mut Problems) -> Option<Datagrams> {
    let before = problems.len();
    check_packet(call.packet.0, ("app", at), problems);
    let every = call.every.0;
    check_spacing(every, inside(at, ["every".into()]), problems);
    let mut refuse = |key: &'static str, why: String| problems.add(inside(at, [key.into()]), why, None);
    let (impairment, robustness) = (call.impairment.0, call.robustness.0);
    if !(0.0..=95.0).contains(&impairment) {
        refuse("impairment", format!("{impairment} is out of range; allowed: 0 to 95"));
    }
    if robustness <= 0.0 {
        refuse("robustness", format!("{robustness} is out of range; allowed: above 0"));
    }
    let config = CallConfig { frame: every, playout: call.playout.0, impairment, robustness };
    let stream = |suffix, is_back| Stream {
        suffix,
        is_back,
        pattern: Pattern::Periodic { every, jitter: Duration::ZERO },
        packet: call.packet.0,
        has_replies: false,
        call: Some(config),
        ecn: Codepoint::NotCapable,
    };
    let mut streams = vec![stream(":up", false), stream(":down", true)];
    if let Some(own) = &call.video {
        let (config, ecn) = video(&own.0, at, problems)?;
        streams.extend([(":video-up", false), (":video-down", true)].map(|(suffix, is_back)| Stream {
            suffix,
            is_back,
            pattern: Pattern::Rtp(config),
            packet: Bytes::new(u64::from(config.packet)),
            has_replies: true,
            call: None,
            ecn,
        }));
    }
    (problems.len() == before).then(|| Datagrams { dscp: call.dscp.unwrap_or_default(), streams })
}

/// The video of a call, and the ECN field of its datagrams; reports problems.
fn video(video: &CallVideo, at: usize, problems: &mut Problems) -> Option<(RtpConfig, Codepoint)> {
    let before = problems.len();
    let path = |key: &'static str| inside(at, ["video".into(), key.into()]);
    let common = Common::of(video);
    let Common { fps, packet, spread, report, ecn } = common;
    if !(1.0..=240.0).contains(&fps) {
        problems.add(path("fps"), format!("{fps} is out of range; allowed: 1 to 240"), None);
    }
    check_size(packet, u64::from(RtpConfig::LEAST_PACKET), path("packet"), problems);
    if !(0.0..=0.5).contains(&spread) {
        problems.add(path("spread"), format!("{spread} is out of range; allowed: 0 to 0.5"), None);
    }
    if let Some(every) = report
        && every < LEAST_REPORT
    {
        problems.add(path("report"), format!("{every} is out of range; allowed: from {LEAST_REPORT}"), None);
    }
    // A frame fills at least the least datagram, and the pace has room between two of them.
    let bounds = [8.0 * fps * f64::from(RtpConfig::LEAST_PACKET), MOST_RATE];
    let mut rate = |key: &'static str, rate: BitRate| {
        let bps = rate.as_bits_per_sec() as f64;
        if !(bounds[0]..=bounds[1]).contains(&bps) {
            let [least, most] = bounds.map(|bound| BitRate::bits_per_sec(bound as u64));
            let message = format!("{rate} is out of range; allowed at {fps} frames per second: {least} to {most}");
            problems.add(path(key), message, None);
        }
        bps
    };
    let control = match video {
        CallVideo::ConstantVideo(own) => RtpControl::Constant { rate: rate("rate", own.rate.0) },
        CallVideo::Nada(own) => RtpControl::Nada {
            least: rate("least", own.least.0),
            most: rate("most", own.most.0),
            priority: own.priority.0,
        },
        CallVideo::Scream(own) => RtpControl::Scream {
            least: rate("least", own.least.0),
            most: rate("most", own.most.0),
            is_l4s: ecn == Codepoint::Scalable,
        },
        CallVideo::Gcc(own) => RtpControl::Gcc { least: rate("least", own.least.0), most: rate("most", own.most.0) },
    };
    let [least, most] = control.range();
    if least > most {
        let [least, most] = [least, most].map(|bps| BitRate::bits_per_sec(bps as u64));
        problems.add(path("least"), format!("`least` ({least}) must not exceed `most` ({most})"), None);
    }
    if let RtpControl::Nada { priority, .. } = control
        && !(0.01..=100.0).contains(&priority)
    {
        problems.add(path("priority"), format!("{priority} is out of range; allowed: 0.01 to 100"), None);
    }
    let frame = Duration::from_secs(1.0 / fps.max(1.0));
    let config = RtpConfig { control, frame, packet: packet.count() as u32, spread, report };
    (problems.len() == before).then_some((config, ecn))
}

/// Least time between two reports.
const LEAST_REPORT: Duration = Duration::from_millis(1);

/// Largest bit rate of a video: far beyond what is sent live.
const MOST_RATE: f64 = 1e9;

/// Fields that the videos of all laws have.
struct Common {
    fps: f64,
    packet: Bytes,
    spread: f64,
    report: Option<Duration>,
    ecn: Codepoint,
}

/// Reads the common fields of each law.
macro_rules! common {
    ($($law:ident),*) => {
        impl Common {
            fn of(video: &CallVideo) -> Self {
                match video {
                    $(CallVideo::$law(own) => Self {
                        fps: own.fps.0,
                        packet: own.packet.0,
                        spread: own.spread.0,
                        report: own.report.map(|every| every.0),
                        ecn: own.ecn.into(),
                    },)*
                }
            }
        }
    };
}

common! { ConstantVideo, Nada, Scream, Gcc }

/// A ping; reports problems.
pub fn ping(ping: &Ping, at: usize, problems: &mut Problems) -> Option<Datagrams> {
    let before = problems.len();
    check_packet(ping.packet.0, ("app", at), problems);
    let every = ping.every.0;
    check_spacing(every, inside(at, ["every".into()]), problems);
    let stream = Stream {
        suffix: "",
        is_back: false,
        pattern: Pattern::Periodic { every, jitter: Duration::ZERO },
        packet: ping.packet.0,
        has_replies: true,
        call: None,
        ecn: Codepoint::NotCapable,
    };
    (problems.len() == before).then(|| Datagrams { dscp: ping.dscp.unwrap_or_default(), streams: vec![stream] })
}

impl Datagrams {
    /// Adds the sources of one pair; names and routes are those of the client and of the server.
    pub fn add(
        &self,
        Member { name, label, nodes }: Member<'_>,
        ends: [&str; 2],
        routes: [&[u32]; 2],
        (start, stop): (Duration, Option<Duration>),
        sources: &mut Sources,
    ) {
        let time = |span: Duration| Time::from_nanos(span.as_nanos());
        for stream in &self.streams {
            let name = format!("{name}{}", stream.suffix);
            let [here, there] = if stream.is_back { [1, 0] } else { [0, 1] };
            sources.dscps.push(self.dscp);
            sources.configs.push(SourceConfig {
                key: key("app", &name),
                source: nodes[here],
                sink: nodes[there],
                path: routes[here].to_vec().into(),
                pattern: stream.pattern,
                packet: stream.packet,
                start: time(start),
                stop: stop.map(time),
                ecn: stream.ecn,
                call: stream.call,
                reply: stream.has_replies.then(|| routes[there].to_vec().into()),
            });
            let [from, to] = [here, there].map(|end| ends[end].to_owned());
            sources.names.push(SourceName { name, label: label.to_owned(), from, to });
        }
    }
}
