//! Plays a script: what arrives is given to the simulator's TCP, what it sends is compared.

mod arrive;
mod calls;
mod compare;
mod handshake;
mod marks;
mod names;
mod show;

use crate::assertion::{self, Names, Outcome};
use crate::bytes::Bytes;
use crate::script::{Action, Event, Script, When};
use crate::settings::Settings;
use handshake::{Handshake, Opened};
use std::collections::VecDeque;
use std::path::Path;
use windward_sim::socket::{Sent, Socket};
use windward_sim::{Codepoint, TcpOptions};
use windward_units::{Duration, Packets, Time};

/// Default tolerance of an event's time, packetdrill's own. Scripts give the
/// times that kernels were seen to keep, whose timers expire up to one tick of 1 to 4 ms late; the simulator's are
/// exact and need nothing on top.
const TOLERANCE: u64 = 4_000;
/// Relative tolerance, as the inverse of a share of the time since the previous event, where that is more:
/// packetdrill's 12.5 %.
const TOLERANCE_SHARE: u64 = 8;
/// Time that a packet or a call takes: answers to simultaneous events keep an order in time.
const STEP: u64 = 10;
/// Linux's initial window (RFC 6928).
const INITIAL_WINDOW: f64 = 10.0;

/// Outcome of a script.
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
        /// Expected and actual event.
        what: String,
    },
    /// It is about what the simulator does not have.
    Inapplicable {
        /// From 1; 0: the script's head.
        line: usize,
        /// Explanation of the subject.
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
    // A FIN that comes elsewhere than after the last byte is invalid, or ends what can be played.
    let of = |has_fin| Bytes::of(&data_of(script, has_fin)).map(|bytes| (bytes, has_fin));
    let Some((theirs, takes_fin)) = of(true).or_else(|| of(false)) else {
        return Verdict::Inapplicable { line: 0, why: "segments that overlap others in part".into() };
    };
    let mut player = Player {
        tolerance: script.tolerance.unwrap_or(TOLERANCE),
        has_tick: script.has_tick,
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
        takes_fin,
        descriptor: None,
        has_no_delay: false,
        is_corked: false,
        is_closed: false,
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
            Err(Stop::Closes(why)) => {
                return Verdict::Inapplicable { line, why: format!("{why} before any comparison") };
            }
        }
    }
    if !player.settings.has_probes && player.socket.is_some_and(|socket| socket.info().probes > 0) {
        return Verdict::Inapplicable { line: 0, why: "the setting tcp_early_retrans = 0".into() };
    }
    if !player.has_compared {
        return Verdict::Inapplicable { line: 0, why: "only a handshake, which is not simulated".into() };
    }
    Verdict::Passes { until: None }
}

/// The segments of data that arrive, and those of FIN if `has_fin`.
fn data_of(script: &Script, has_fin: bool) -> Vec<(u32, u32)> {
    let arrivals = script.events.iter().filter_map(|event| match &event.action {
        // FIN takes a number.
        Action::Inbound(segment) if !segment.has('S') => {
            Some((segment.from, if has_fin { segment.end() } else { segment.to }))
        }
        _ => None,
    });
    arrivals.filter(|(from, to)| to > from).collect()
}

struct Player<'a> {
    tolerance: u64,
    /// Stamps that are sent are compared.
    has_tick: bool,
    settings: Settings,
    folder: &'a Path,
    /// The clock, in microseconds.
    now: u64,
    /// Time of the previous event if a segment arrived: later times count from there.
    last_arrival: Option<u64>,
    /// Expected time of the previous event.
    last: u64,
    handshake: Handshake,
    opened: Option<Opened>,
    socket: Option<Socket>,
    ours: Bytes,
    theirs: Bytes,
    /// Sent segments that are not yet compared.
    sent: VecDeque<Sent>,
    /// Segments of data sent so far, each once.
    sent_count: u32,
    /// The stamps of what was sent, in the script's numbers, and when.
    stamps: Vec<(u32, Time)>,
    names: Names,
    /// Something was held against the script.
    has_compared: bool,
    /// Number of the socket that `accept` returned.
    descriptor: Option<String>,
    /// The other end's FIN has a number.
    takes_fin: bool,
    /// `TCP_NODELAY`: Nagle's algorithm is off.
    has_no_delay: bool,
    /// `TCP_CORK`.
    is_corked: bool,
    /// The application has closed its direction.
    is_closed: bool,
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
            return self.expect(segment, (begin, end), self.tolerance.max(since / TOLERANCE_SHARE));
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
            if let Some(data) = sent.data.filter(|data| data.number == self.sent_count) {
                self.sent_count += 1;
                self.ours.push(data.payload + u32::from(data.is_last));
            }
            if let Some(stamp) = self.handshake.stamp_at(sent.at).filter(|_| self.has_tick) {
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
            let segment = windward_units::Bytes::new(opened.mss.into());
            let tcp = TcpOptions { segment, nagle: !self.has_no_delay, ..tcp };
            self.socket = Some(Socket::new(law, &tcp, time(opened.at), opened.rtt, opened.window));
        }
        Ok(self.socket.as_mut().expect("it was just made"))
    }

    fn check(&mut self, code: &str) -> Result<(), Stop> {
        if self.socket.is_none() && self.opened.is_some() {
            self.socket()?;
        }
        let names = match (&self.socket, &self.opened) {
            (Some(socket), Some(opened)) => names::of(&socket.info(), socket.busy(time(self.now)), opened.marks.0),
            _ => Names::new(),
        };
        match assertion::run(code, &mut self.names, &names) {
            Outcome::Holds => {
                self.has_compared |= self.socket.is_some();
                Ok(())
            }
            Outcome::Fails(what) => Err(Stop::Differs(format!("asserts otherwise: {what}"))),
            Outcome::Unknown(what) => Err(Stop::Inapplicable(format!("asserts about {what}"))),
        }
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
