//! Plays a script: what arrives is given to the simulator's TCP, what it sends is compared.

mod handshake;
mod names;

use crate::assertion::{self, Names, Outcome};
use crate::bytes::Bytes;
use crate::script::{Action, Call, Event, Script, Segment, When};
use crate::settings::Settings;
use handshake::{Handshake, Opened};
use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use windward_sim::Codepoint;
use windward_sim::socket::{Acknowledgement, Arrival, Sent, Socket};
use windward_units::{Duration, Packets, Time};

/// How far off the script's time something may happen, where the script does not say: packetdrill's own default. Scripts give the
/// times that kernels were seen to keep, whose timers expire up to one tick of 1 to 4 ms late; the simulator's are exact and need
/// nothing on top.
const TOLERANCE: u64 = 4_000;
/// The same as a share of the time since the event before, where that is more: one in so many, packetdrill's 12.5 %.
const TOLERANCE_SHARE: u64 = 8;
/// What a packet or a call takes: what is sent in answer to several of the same instant has an order in time.
const STEP: u64 = 10;
/// Linux's initial window (RFC 6928).
const INITIAL_WINDOW: f64 = 10.0;

/// What came of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as the script says, to its end or up to what the simulator does not have.
    Passes {
        /// The first line that was not looked at, and why.
        until: Option<(usize, String)>,
    },
    /// Something is not.
    Differs {
        /// From 1.
        line: usize,
        /// What was expected and what came.
        what: String,
    },
    /// It is about what the simulator does not have.
    Inapplicable {
        /// From 1; 0: the script's head.
        line: usize,
        /// What that is.
        why: String,
    },
}

/// Why playing ends before the end.
enum Stop {
    Differs(String),
    Inapplicable(String),
    Closes(&'static str),
}

/// Plays `script`, which lies in `folder`. `trace` hears what the simulator sends.
pub fn play(script: &Script, folder: &Path, trace: &mut dyn FnMut(String)) -> Verdict {
    let settings = match Settings::read(&script.setup, folder) {
        Ok(settings) => settings,
        Err(why) => return Verdict::Inapplicable { line: 0, why },
    };
    let Some(theirs) = Bytes::of(&data_of(script)) else {
        return Verdict::Inapplicable { line: 0, why: "segments that overlap others in part".into() };
    };
    let mut player = Player {
        tolerance: script.tolerance.unwrap_or(TOLERANCE),
        settings,
        folder,
        now: 0,
        last_arrival: None,
        last: 0,
        handshake: Handshake::default(),
        socket: None,
        opened: None,
        ours: Bytes::new(),
        theirs,
        sent: VecDeque::new(),
        sent_count: 0,
        stamps: Vec::new(),
        names: Names::new(),
        has_compared: false,
        trace,
    };
    for event in &script.events {
        let line = event.line;
        match player.play(event) {
            Ok(()) => {}
            Err(Stop::Differs(what)) => return Verdict::Differs { line, what },
            Err(Stop::Inapplicable(why)) => return Verdict::Inapplicable { line, why },
            Err(Stop::Closes(why)) if player.has_compared => {
                return Verdict::Passes { until: Some((line, why.into())) };
            }
            Err(Stop::Closes(why)) => return Verdict::Inapplicable { line, why: format!("{why}, and nothing else") },
        }
    }
    if !player.settings.has_probes && player.socket.is_some_and(|socket| socket.info().probes > 0) {
        return Verdict::Inapplicable { line: 0, why: "the setting tcp_early_retrans = 0".into() };
    }
    Verdict::Passes { until: None }
}

/// The segments of data that arrive.
fn data_of(script: &Script) -> Vec<(u32, u32)> {
    let arrivals = script.events.iter().filter_map(|event| match &event.action {
        Action::Inbound(segment) if segment.to > segment.from && !segment.has('S') => Some((segment.from, segment.to)),
        _ => None,
    });
    arrivals.collect()
}

struct Player<'a> {
    tolerance: u64,
    settings: Settings,
    folder: &'a Path,
    /// The clock, in microseconds.
    now: u64,
    /// When the event before happened, if a segment arrived: what comes after is counted from there.
    last_arrival: Option<u64>,
    /// When the event before should have happened.
    last: u64,
    handshake: Handshake,
    opened: Option<Opened>,
    socket: Option<Socket>,
    ours: Bytes,
    theirs: Bytes,
    /// What was sent and not yet compared.
    sent: VecDeque<Sent>,
    /// Segments of data sent so far, each once.
    sent_count: u32,
    /// The stamps of what was sent, in the script's numbers, and when.
    stamps: Vec<(u32, Time)>,
    names: Names,
    /// Something was held against the script.
    has_compared: bool,
    trace: &'a mut dyn FnMut(String),
}

impl Player<'_> {
    fn play(&mut self, event: &Event) -> Result<(), Stop> {
        let is_arrival = matches!(event.action, Action::Inbound(_));
        let base = self.last_arrival.filter(|_| is_arrival).unwrap_or(self.now);
        let (begin, end) = match event.time {
            When::At(at) => (at, at),
            When::After(wait) => (base + wait, base + wait),
            When::AtBetween(begin, end) => (begin, end),
            When::AfterBetween(begin, end) => (base + begin, base + end),
            When::Any => (self.now, u64::MAX / 2000),
        };
        self.last_arrival = is_arrival.then_some(begin);
        let since = begin.saturating_sub(std::mem::replace(&mut self.last, begin));
        if let Action::Outbound(segment) = &event.action {
            let expected = Expected { segment, begin, end, tolerance: self.tolerance.max(since / TOLERANCE_SHARE) };
            return self.expect(&expected);
        }
        self.run_until(begin);
        match &event.action {
            Action::Inbound(segment) => self.arrive(segment)?,
            Action::Call(call) => self.call(call)?,
            Action::Code(code) => return self.check(code),
            Action::Commands(commands) => self.run_commands(commands)?,
            Action::Outbound(_) => {}
        }
        self.now += STEP;
        Ok(())
    }

    /// Commands set what the connection begins with; later they may only clean up.
    fn run_commands(&mut self, commands: &[String]) -> Result<(), Stop> {
        if self.socket.is_none() {
            return self.settings.read_on(commands, self.folder).map_err(Stop::Inapplicable);
        }
        match commands.iter().find(|command| !command.contains("sysctl_restore")) {
            None => Ok(()),
            Some(command) => Err(Stop::Inapplicable(format!("the command `{command}`"))),
        }
    }

    /// Lets timers ring that are due before `until`.
    fn run_until(&mut self, until: u64) {
        while self.ring_before(until) {}
        self.now = self.now.max(until);
    }

    /// Lets the next timer ring if it is due before `until`. Whether one did.
    fn ring_before(&mut self, until: u64) -> bool {
        let Some(socket) = &mut self.socket else { return false };
        let deadline = socket.deadline();
        if deadline >= time(until) {
            return false;
        }
        // A timer that should have rung does so now.
        let at = deadline.max(time(self.now));
        self.now = self.now.max(at.as_nanos() / 1000);
        socket.ring(at);
        self.take_sent();
        true
    }

    fn take_sent(&mut self) {
        let Some(socket) = &mut self.socket else { return };
        for sent in socket.take_sent() {
            self.sent_count = self.sent_count.max(sent.data.map_or(0, |number| number + 1));
            if let Some(stamp) = self.handshake.stamp_at(sent.at) {
                self.stamps.push((stamp, sent.at));
            }
            let shown = self.show(&sent);
            (self.trace)(shown);
            self.sent.push_back(sent);
        }
    }

    /// The socket, once the handshake is over.
    fn socket(&mut self) -> Result<&mut Socket, Stop> {
        if self.socket.is_none() {
            let Some(opened) = &self.opened else { return Err(Stop::Inapplicable("data in a handshake".into())) };
            let law = self.settings.build(Packets::new(INITIAL_WINDOW)).map_err(Stop::Inapplicable)?;
            let tcp = self.settings.tcp(opened.has_sack, opened.has_stamps, opened.ecn);
            let mut socket = Socket::new(law, &tcp, time(opened.at), Some(opened.rtt));
            socket.grant(opened.window / opened.mss);
            self.socket = Some(socket);
        }
        Ok(self.socket.as_mut().expect("it was just made"))
    }

    fn arrive(&mut self, segment: &Segment) -> Result<(), Stop> {
        if self.opened.is_none() {
            self.opened = self.handshake.arrive(self.now, segment).map_err(Stop::Inapplicable)?;
            let is_over = self.opened.is_some() && !segment.has('S');
            if !is_over || segment.to == segment.from {
                return Ok(());
            }
        }
        if segment.has('S') {
            return Err(Stop::Inapplicable("a SYN on an open connection".into()));
        }
        if segment.has('R') {
            return Err(Stop::Closes("a reset"));
        }
        let acknowledges = self.acknowledgement(segment)?;
        let is_valid = acknowledges.number <= self.sent_count;
        if segment.has('F') && is_valid {
            return Err(Stop::Closes("the other end closes"));
        }
        let data = (segment.to > segment.from)
            .then(|| self.theirs.number(segment.from).expect("the segments of data were numbered before"));
        let own_stamp = segment.stamps().map_or(0, |(own, _)| u64::from(own));
        let arrival = Arrival {
            acknowledges,
            data: data.map(|number| (number, own_stamp)),
            codepoint: codepoint(segment.ip.as_deref()).map_err(Stop::Inapplicable)?.unwrap_or_default(),
            is_reduced: segment.has('W'),
        };
        let window = self.window(segment)?;
        let now = time(self.now);
        let socket = self.socket()?;
        if let Some(window) = window.filter(|_| is_valid) {
            socket.grant(window);
        }
        socket.arrive(now, &arrival);
        self.take_sent();
        Ok(())
    }

    /// Segments that the other end has room for.
    fn window(&self, segment: &Segment) -> Result<Option<u32>, Stop> {
        let (Some(opened), Some(field)) = (&self.opened, segment.window) else { return Ok(None) };
        let window = (field << opened.scale) / opened.mss;
        if window == 0 {
            return Err(Stop::Inapplicable(
                "a window of less than a segment: the simulator's receivers never close theirs".into(),
            ));
        }
        Ok(Some(window))
    }

    fn acknowledgement(&self, segment: &Segment) -> Result<Acknowledgement, Stop> {
        let in_part = |what: &str| Stop::Inapplicable(format!("{what} a part of a segment"));
        let ack = segment.ack.unwrap_or(1);
        let number = match self.ours.number(ack) {
            Some(number) => number,
            None if ack > self.ours.end() => u32::MAX,
            None => return Err(in_part("an ACK of")),
        };
        let mut sack = <[(u32, u32); 3]>::default();
        let blocks = segment.sack();
        if blocks.len() > sack.len() {
            return Err(Stop::Inapplicable("more than three SACK blocks".into()));
        }
        for (slot, (from, to)) in sack.iter_mut().zip(blocks) {
            let Some((from, to)) = self.ours.number(from).zip(self.ours.number(to)) else {
                return Err(in_part("a SACK of"));
            };
            *slot = (from, to);
        }
        let echo = segment.stamps().map(|(_, echo)| echo);
        let stamp = echo.map_or(0, |echo| self.sent_at(echo).as_nanos());
        Ok(Acknowledgement { number, sack, stamp, echoes: segment.has('E'), marked: 0 })
    }

    /// When the last segment was sent that carried a stamp; stamps count milliseconds, and several segments share one.
    fn sent_at(&self, stamp: u32) -> Time {
        let known = self.stamps.iter().rev().find(|(own, _)| *own == stamp);
        known.map_or_else(|| self.handshake.time_of(stamp), |(_, at)| *at)
    }

    fn call(&mut self, call: &Call) -> Result<(), Stop> {
        let Call { name, arguments, result } = call;
        match name.as_str() {
            "socket" | "bind" | "listen" | "accept" | "connect" | "fcntl" | "getsockopt" | "read" | "recv" => Ok(()),
            "write" | "send" | "sendto" => {
                let count = result.parse::<u32>().map_err(|_| Stop::Inapplicable(format!("a {name} that fails")))?;
                let is_plain = match arguments.get(3).map(String::as_str) {
                    None | Some("0") => true,
                    Some(_) => name == "write",
                };
                if !is_plain {
                    return Err(Stop::Inapplicable(format!("{name} with flags")));
                }
                self.write(count)
            }
            "setsockopt" => self.set_option(arguments),
            "close" | "shutdown" => Err(Stop::Closes("the connection closes")),
            _ => Err(Stop::Inapplicable(format!("the call {name}"))),
        }
    }

    fn set_option(&mut self, arguments: &[String]) -> Result<(), Stop> {
        let [_, _, option, value, ..] = arguments else {
            return Err(Stop::Inapplicable("an option of sockets".into()));
        };
        match option.as_str() {
            "SO_REUSEADDR" | "SO_SNDBUF" | "SO_RCVBUF" | "IP_MTU_DISCOVER" | "IP_TOS" | "TCP_NODELAY" => Ok(()),
            "TCP_CONGESTION" if self.socket.is_none() => {
                self.settings.law = value.trim_matches(['"', '[', ']']).to_owned();
                Ok(())
            }
            _ => Err(Stop::Inapplicable(format!("the option of sockets {option}"))),
        }
    }

    fn write(&mut self, count: u32) -> Result<(), Stop> {
        self.socket()?;
        let mss = self.opened.as_ref().map_or(1, |opened| opened.mss);
        let segments = self.ours.write(count, mss, self.sent_count);
        let now = time(self.now);
        self.socket()?.write(now, segments);
        self.take_sent();
        Ok(())
    }

    fn check(&mut self, code: &str) -> Result<(), Stop> {
        let names = match &self.socket {
            Some(socket) => names::of(&socket.info()),
            None if self.opened.is_some() => {
                let socket = self.socket()?;
                names::of(&socket.info())
            }
            None => Names::new(),
        };
        match assertion::run(code, &mut self.names, &names) {
            Outcome::Holds => Ok(()),
            Outcome::Fails(what) => Err(Stop::Differs(format!("asserts otherwise: {what}"))),
            Outcome::Unknown(what) => Err(Stop::Inapplicable(format!("asserts about {what}"))),
        }
    }

    /// A segment must be sent, or several that make it.
    fn expect(&mut self, expected: &Expected) -> Result<(), Stop> {
        let Expected { segment, begin, .. } = *expected;
        let at = self.now.max(begin);
        if self.handshake.expect(at, segment, self.opened.is_some()).map_err(Stop::Inapplicable)? {
            self.now = at + STEP;
            return Ok(());
        }
        if segment.has('F') || segment.has('R') {
            return Err(Stop::Closes("the connection closes"));
        }
        if segment.window.is_some() {
            return Err(Stop::Inapplicable("the window field of what is sent".into()));
        }
        if self.settings.is_paced {
            return Err(Stop::Inapplicable("pacing by the sending host's queue fq".into()));
        }
        self.has_compared = true;
        let mut from = segment.from;
        loop {
            let sent = self.next_sent(expected)?;
            self.compare(expected, from, &sent)?;
            self.now = self.now.max(sent.at.as_nanos() / 1000);
            if let Some(number) = sent.data {
                from = self.ours.byte(number + 1);
            }
            if from >= segment.to {
                return Ok(());
            }
        }
    }

    /// What is sent next, which must be before it is too late.
    fn next_sent(&mut self, expected: &Expected) -> Result<Sent, Stop> {
        loop {
            if let Some(sent) = self.sent.pop_front() {
                return Ok(sent);
            }
            if !self.ring_before(expected.latest() + 1) {
                let what = show_expected(expected.segment, expected.segment.from, expected.begin);
                return Err(Stop::Differs(format!("expected {what}; nothing is sent by then")));
            }
        }
    }

    fn compare(&self, expected: &Expected, from: u32, sent: &Sent) -> Result<(), Stop> {
        let Expected { segment, begin, tolerance, .. } = *expected;
        let is_in_time = sent.at + micros(tolerance) >= time(begin) && sent.at <= time(expected.latest());
        let carries = match sent.data {
            Some(number) => {
                segment.to > segment.from && self.ours.byte(number) == from && self.ours.byte(number + 1) <= segment.to
            }
            None => segment.to == segment.from && segment.from == self.ours.byte(self.sent_count),
        };
        let Acknowledgement { number, stamp, echoes, .. } = sent.acknowledges;
        let acknowledges = segment.ack.is_none_or(|ack| ack == self.theirs.byte(number));
        let options = segment.options.is_none() || {
            let has_sack = segment.sack() == self.blocks(sent);
            let has_stamps = segment.stamps().is_none_or(|(own, echo)| {
                let is_own = self
                    .handshake
                    .stamp_at(sent.at)
                    .is_some_and(|stamp| u64::from(stamp.abs_diff(own)) <= tolerance.div_ceil(1000));
                is_own && u64::from(echo) == if stamp == 0 { self.handshake.echo() } else { stamp }
            });
            has_sack && has_stamps
        };
        let flags = segment.has('E') == echoes && segment.has('W') == sent.is_reduced;
        let ip = codepoint(segment.ip.as_deref()).map_err(Stop::Inapplicable)?;
        let is_same_ip = ip.is_none_or(|codepoint| codepoint == sent.codepoint);
        if is_in_time && carries && acknowledges && options && flags && is_same_ip {
            return Ok(());
        }
        let expected = show_expected(segment, from, begin);
        Err(Stop::Differs(format!("expected {expected}; got {}", self.show(sent))))
    }

    fn blocks(&self, sent: &Sent) -> Vec<(u32, u32)> {
        let blocks = sent.acknowledges.sack.iter().take_while(|(from, to)| from < to);
        blocks.map(|&(from, to)| (self.theirs.byte(from), self.theirs.byte(to))).collect()
    }

    fn show(&self, sent: &Sent) -> String {
        let number = sent.data.unwrap_or(self.sent_count);
        let shown = Shown {
            at: sent.at.as_nanos() / 1000,
            ip: match sent.codepoint {
                Codepoint::NotCapable => None,
                Codepoint::Capable => Some("ect0"),
                Codepoint::Scalable => Some("ect1"),
                Codepoint::Marked => Some("ce"),
            },
            flags: format!(
                "{}{}.",
                if sent.acknowledges.echoes { "E" } else { "" },
                if sent.is_reduced { "W" } else { "" }
            ),
            from: self.ours.byte(number),
            to: self.ours.byte(if sent.data.is_some() { number + 1 } else { number }),
            ack: Some(self.theirs.byte(sent.acknowledges.number)),
            sack: self.blocks(sent),
        };
        shown.to_string()
    }
}

/// A segment that must be sent between two instants, give or take.
struct Expected<'a> {
    segment: &'a Segment,
    begin: u64,
    end: u64,
    tolerance: u64,
}

impl Expected<'_> {
    fn latest(&self) -> u64 {
        self.end + self.tolerance
    }
}

fn show_expected(segment: &Segment, from: u32, at: u64) -> String {
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

fn codepoint(word: Option<&str>) -> Result<Option<Codepoint>, String> {
    match word {
        None => Ok(None),
        Some("noecn") => Ok(Some(Codepoint::NotCapable)),
        Some("ect0") => Ok(Some(Codepoint::Capable)),
        Some("ect1") => Ok(Some(Codepoint::Scalable)),
        Some("ce") => Ok(Some(Codepoint::Marked)),
        Some(other) => Err(format!("a field of IP, [{other}]")),
    }
}

fn time(micros: u64) -> Time {
    Time::from_nanos(micros.saturating_mul(1000))
}

fn micros(count: u64) -> Duration {
    Duration::from_micros(count)
}
