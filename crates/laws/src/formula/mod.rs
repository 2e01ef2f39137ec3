//! A law of one's own as formulas: text, compiled to a small stack machine.
//!
//! Framework: RFC 5681 (slow start, threshold, floor, timeout). Window W in packets, `acked` the packets that an ACK is
//! for:
//!
//! * slow start, W < ssthresh: W ← W + `start`, or without a formula W ← min{W + acked, ssthresh}
//! * it ends at ssthresh, at a loss, and, with `exit` > 0, at that many packets in queues, as
//!   [QUIC-TCP](crate::quic_tcp)'s
//! * otherwise: W ← max{W + `step`, 2}
//! * on loss: ssthresh ← max{`loss`, 2}, W ← ssthresh; on a mark the same with `mark`; on timeout: the threshold of a
//!   loss, W ← 1
//!
//! An ACK adds at most the packets that it is for, and takes at most half of them. What is not finite changes nothing.
//!
//! Fluid: dW/dt = W/rtt · [(1−p)·step − p·(W − loss)] packets per second, with `acked` = 1 and `flight` = W. At rest
//! without losses step = 0: in closed form where it is a rational function of W of a low degree, otherwise by
//! bisection. A formula that reads the time since a reduction, the threshold or the window before it has no fluid form.
//!
//! With its defaults it is [Reno](crate::reno), to the bit.
//!
//! **Where we differ**
//! * The window is a real number, and its floor outside slow start is two packets.
//! * The decrease of the default halves the flight, as in RFC 5681.

mod fluid;
mod program;
mod quantity;
mod rational;
mod text;

use crate::backlog::{AvgRtt, Exit};
use crate::shared::{LOSS_FLOOR, Refusal, RoundTrip, between};
use crate::window::Window;
use crate::{Ack, Congestion, CongestionKind, Law, Needs};
use program::Program;
use quantity::Quantity;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use text::Tree;
use windward_units::{Duration, Packets, Time};

/// Parameters of [`Formula`].
///
/// Each distinct set of formulas is compiled once, and stays for the life of the process (about 1 kB): parameters of
/// laws are small values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Formulas", into = "Formulas")]
pub struct Params(&'static Known);

/// The formulas of a law, and what belongs to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Formulas {
    /// Packets that an ACK adds to the window in congestion avoidance. Default Reno's, "acked / w".
    pub step: String,
    /// Window after a loss. Default Reno's, "flight / 2".
    pub loss: String,
    /// Window after an ECN mark. Default "", that after a loss.
    pub mark: String,
    /// Packets that an ACK adds to the window in slow start; "": those that it is for, up to the threshold, as in
    /// Linux. Default Reno's, "min(acked, max(ssthresh - w, 2))".
    pub start: String,
    /// Packets in queues at which slow start ends; 0: it ends at the threshold and at losses alone. 0 to 1e9. Default
    /// 0.
    #[schemars(range(min = 0.0, max = 1e9))]
    pub exit: f64,
    /// Length of the averages `avg` and `lost`, in samples. 1 to 1e6. Default 256.
    #[schemars(range(min = 1.0, max = 1e6))]
    pub average: f64,
    /// Named numbers of the formulas, to be swept and tuned as `law.constants.NAME`. Default none.
    pub constants: BTreeMap<String, f64>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self {
            step: "acked / w".to_owned(),
            loss: "flight / 2".to_owned(),
            mark: String::new(),
            start: "min(acked, max(ssthresh - w, 2))".to_owned(),
            exit: 0.0,
            average: crate::backlog::FILTER,
            constants: BTreeMap::new(),
        }
    }
}

/// Formulas as written and compiled.
#[derive(Debug)]
struct Known {
    written: Formulas,
    compiled: Result<Programs, Refusal>,
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// All formulas of the process, by their text.
static KNOWN: Mutex<BTreeMap<String, &'static Known>> = Mutex::new(BTreeMap::new());

impl From<Formulas> for Params {
    fn from(written: Formulas) -> Self {
        let text = format!("{written:?}");
        // The table is whole even if a thread has panicked over it.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Self(known.entry(text).or_insert_with(|| {
            let compiled = written.compiled();
            Box::leak(Box::new(Known { written, compiled }))
        }))
    }
}

impl From<Params> for Formulas {
    fn from(params: Params) -> Self {
        params.0.written.clone()
    }
}

impl Default for Params {
    fn default() -> Self {
        Formulas::default().into()
    }
}

impl JsonSchema for Params {
    fn schema_name() -> Cow<'static, str> {
        Formulas::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Formulas::json_schema(generator)
    }
}

/// The formulas of a law.
#[derive(Debug)]
struct Programs {
    step: Formulated,
    loss: Formulated,
    mark: Option<Formulated>,
    start: Option<Formulated>,
    /// True if a formula reads the share of lost packets, or the least round-trip time of a round trip.
    reads_lost: bool,
    reads_least: bool,
}

/// A formula as text means it, and as it runs.
#[derive(Debug)]
struct Formulated {
    tree: Tree,
    program: Program,
}

impl Formulas {
    /// Compiles the formulas.
    ///
    /// # Errors
    /// Numbers outside their range, and text that is no formula.
    fn compiled(&self) -> Result<Programs, Refusal> {
        between("exit", self.exit, 0.0..=1e9)?;
        between("average", self.average, 1.0..=1e6)?;
        for (name, value) in &self.constants {
            let refused = |why: String| Err(("constants", format!("`{name}` {why}")));
            if !text::is_name(name) {
                return refused("is no name: letters, digits and _, a letter first".to_owned());
            }
            if let Some(meaning) = text::reserved(name) {
                return refused(format!("is {meaning}; choose another name"));
            }
            if !value.is_finite() {
                return refused("is not finite".to_owned());
            }
        }
        let formula = |field, text: &str| -> Result<Formulated, Refusal> {
            let tree = text::read(text, &self.constants).map_err(|why| (field, why))?;
            let program = Program::of(&tree).map_err(|why| (field, why))?;
            Ok(Formulated { tree, program })
        };
        let given = |field, text: &str| if text.is_empty() { Ok(None) } else { formula(field, text).map(Some) };
        let (step, loss) = (formula("step", &self.step)?, formula("loss", &self.loss)?);
        let (mark, start) = (given("mark", &self.mark)?, given("start", &self.start)?);
        let all = || [&step, &loss].into_iter().chain(&mark).chain(&start);
        let reads = |asked| all().any(|formula| formula.tree.reads(asked));
        let reads_lost = reads(|quantity| quantity == Quantity::Lost);
        let reads_least = reads(|quantity| quantity == Quantity::Least);
        Ok(Programs { step, loss, mark, start, reads_lost, reads_least })
    }
}

impl Params {
    /// True if the law has a formula of its own for marks.
    pub fn has_mark(&self) -> bool {
        !self.0.written.mark.is_empty()
    }

    /// Ranges of the numbers.
    pub(crate) const RANGES: &[(&str, f64, f64)] = &[("exit", 0.0, 1e9), ("average", 1.0, 1e6)];

    /// Refuses numbers outside their range, and formulas that are none.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.programs().map(drop)
    }

    /// The compiled formulas.
    fn programs(self) -> Result<&'static Programs, Refusal> {
        self.0.compiled.as_ref().map_err(Clone::clone)
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Formula {
    programs: &'static Programs,
    exit: f64,
    length: f64,
    window: Window,
    /// True in slow start. A window that falls below the threshold in congestion avoidance does not return to it.
    is_slow_start: bool,
    /// Its value before the last event.
    was_slow_start: bool,
    avg_rtt: AvgRtt,
    queue: Exit,
    state: State,
}

/// Quantities between ACKs.
#[derive(Clone, Debug)]
struct State {
    /// Newest sample.
    rtt: Duration,
    round: RoundTrip,
    /// Least sample of the last round trip; zero before its end.
    least: Duration,
    rate: f64,
    lost: f64,
    now: Time,
    rounds: u64,
    reduced: Time,
    reduced_round: u64,
    /// Window before the last reduction.
    last: f64,
}

impl Formula {
    /// A sender whose window begins at `initial`.
    ///
    /// # Panics
    /// The formulas are none: a registered law has been checked.
    pub fn new(params: Params, initial: Packets) -> Self {
        let programs = params.programs().unwrap_or_else(|(field, why)| panic!("`{field}`: {why}"));
        Self {
            programs,
            exit: params.0.written.exit,
            length: params.0.written.average,
            window: Window::new(initial),
            is_slow_start: true,
            was_slow_start: true,
            avg_rtt: AvgRtt::default(),
            queue: Exit::new(),
            state: State {
                rtt: Duration::ZERO,
                round: RoundTrip::new(),
                least: Duration::ZERO,
                rate: 0.0,
                lost: 0.0,
                now: Time::ZERO,
                rounds: 0,
                reduced: Time::ZERO,
                reduced_round: 0,
                last: initial.count(),
            },
        }
    }

    /// A quantity at an event with `acked`, `flight`, and the host's round-trip times.
    #[inline]
    fn read(&self, quantity: Quantity, acked: f64, flight: Packets, srtt: Duration, base_rtt: Duration) -> f64 {
        match quantity {
            Quantity::Window => self.window.cwnd,
            Quantity::Acked => acked,
            Quantity::Flight => flight.count(),
            Quantity::Ssthresh => self.window.ssthresh,
            Quantity::Rtt => self.state.rtt.as_secs(),
            Quantity::Srtt => srtt.as_secs(),
            Quantity::Average => self.avg_rtt.nanos / 1e9,
            Quantity::Least if self.state.least == Duration::ZERO => self.state.rtt.as_secs(),
            Quantity::Least => self.state.least.as_secs(),
            Quantity::Base => base_rtt.as_secs(),
            Quantity::Share => self.avg_rtt.base_share(base_rtt),
            Quantity::Rate => self.state.rate,
            Quantity::Lost => self.state.lost,
            Quantity::Since => self.state.now.since(self.state.reduced).as_secs(),
            Quantity::Rounds => self.state.rounds.saturating_sub(self.state.reduced_round) as f64,
            Quantity::Last => self.state.last,
        }
    }

    /// Change of the window by an ACK.
    #[inline]
    fn change(&self, program: &Program, acked: f64, ack: &Ack) -> f64 {
        let value = program.run(|quantity| self.read(quantity, acked, ack.flight, ack.srtt, ack.base_rtt));
        if value.is_finite() { value.clamp(-MOST_DOWN * acked, MOST_UP * acked) } else { 0.0 }
    }

    /// Learns from an ACK.
    #[inline]
    fn learn(&mut self, ack: &Ack) {
        let state = &mut self.state;
        state.now = ack.now;
        state.rounds = ack.round;
        if let Some(rtt) = ack.rtt {
            self.avg_rtt.push(rtt, self.length);
            state.rtt = rtt;
        }
        if self.programs.reads_least
            && let Some(ended) = state.round.on_ack(ack)
        {
            state.least = ended.min_rtt.unwrap_or(state.least);
        }
        if let Some(rate) = ack.delivery_rate {
            state.rate = rate.as_per_sec();
        }
        let (acked, lost) = (ack.acked.count(), ack.lost.count());
        if self.programs.reads_lost && acked + lost > 0.0 {
            state.lost += (lost / (acked + lost) - state.lost) / self.length;
        }
    }
}

impl Law for Formula {
    const NEEDS: Needs = Needs { reads_base_rtt: true, ..Needs::CLASSIC };

    const NOT_IN_LINUX: Option<&'static str> =
        Some("a formula has no form for the kernel\nhint: use a law with one (docs/guides/kernel.md), or `simulate`");

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if self.queue.is_before(ack) {
            return;
        }
        self.learn(ack);
        if ack.app_limited || ack.recovering {
            return;
        }
        let acked = ack.counted().count();
        if self.is_slow_start && self.window.is_slow_start() {
            self.window.cwnd = match &self.programs.start {
                Some(start) => self.window.cwnd + self.change(&start.program, acked, ack),
                None => self.window.doubled(acked),
            };
            self.is_slow_start = self.window.is_slow_start();
            if self.exit > 0.0 && self.queue.found(ack, self.exit, &mut self.window.cwnd, &mut self.avg_rtt) {
                self.is_slow_start = false;
            }
            return;
        }
        self.is_slow_start = false;
        let step = self.change(&self.programs.step.program, acked, ack);
        self.window.cwnd = (self.window.cwnd + step).max(LOSS_FLOOR);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let programs = self.programs;
        let formula = match event.kind {
            CongestionKind::Mark => programs.mark.as_ref().unwrap_or(&programs.loss),
            CongestionKind::Loss | CongestionKind::Timeout => &programs.loss,
        };
        let read = |quantity| self.read(quantity, 0.0, event.flight, event.srtt, event.base_rtt);
        let after = formula.program.run(read);
        let flight = event.flight.count();
        // A response never raises the window.
        let after = if after.is_finite() { after.min(self.window.cwnd.max(flight)) } else { flight / 2.0 };
        self.was_slow_start = self.is_slow_start && self.window.is_slow_start();
        self.state.last = self.window.cwnd;
        (self.state.reduced, self.state.reduced_round) = (event.now, self.state.rounds);
        self.state.now = event.now;
        self.window.reduce(event.kind, after.max(LOSS_FLOOR));
        self.is_slow_start = event.kind == CongestionKind::Timeout;
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.window.restart(cwnd);
        self.is_slow_start = self.window.is_slow_start();
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.window.remember(ssthresh)
    }

    fn on_undo(&mut self, before: Packets) {
        self.window.undo(before);
        self.is_slow_start = self.was_slow_start;
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.window.ssthresh);
        sink("avg_rtt", self.avg_rtt.nanos / 1e9);
    }
}

/// Largest increase by an ACK, per packet that it is for.
const MOST_UP: f64 = 1.0;

/// Largest decrease by an ACK, per packet that it is for.
const MOST_DOWN: f64 = 0.5;

/// BibTeX entry of the framework: Reno's.
pub use crate::reno::BIBTEX;

#[cfg(test)]
mod tests;
