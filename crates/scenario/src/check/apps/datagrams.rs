//! Games, calls and pings: sources of datagrams.

use super::shared::inside;
use crate::check::key::key;
use crate::check::sources::{Sources, check_packet, check_spacing};
use crate::format::{Call, Dscp, Ping};
use crate::names::SourceName;
use crate::problems::Problems;
use windward_sim::{CallConfig, Codepoint, NodeId, Pattern, SourceConfig};
use windward_units::{Bytes, Duration, Time};

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
        Stream { suffix, is_back, pattern, packet: Bytes::new(Pattern::HEADERS), has_replies: false, call: None }
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
    };
    let streams = vec![stream(":up", false), stream(":down", true)];
    (problems.len() == before).then(|| Datagrams { dscp: call.dscp.unwrap_or_default(), streams })
}

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
                ecn: Codepoint::NotCapable,
                call: stream.call,
                reply: stream.has_replies.then(|| routes[there].to_vec().into()),
            });
            let [from, to] = [here, there].map(|end| ends[end].to_owned());
            sources.names.push(SourceName { name, label: label.to_owned(), from, to });
        }
    }
}
