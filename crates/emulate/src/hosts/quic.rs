//! A flow over QUIC: one thread has both ends of its connection, each with a socket of its own host.

use super::flow::{State, sleep_until};
use super::plan::FlowPlan;
use super::start::Start;
use super::traffic::FlowCounts;
use crate::error::Error;
use crate::quality::Lateness;
use crate::sys::{Clock, Devices, Namespace, Rank, RunDelay, TcpInfo, UdpEnd, Watch, make_realtime, rest};
use std::io;
use std::net::SocketAddrV4;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use windward_sim::{
    Codepoint, EcnMode, LawChoice, LawOf, QuicConfig, QuicDatagram, QuicState, Timing, Writer, Writing,
};
use windward_units::{Duration, Time, splitmix64};

/// Port of both ends.
const PORT: u16 = 4433;

/// The longest wait, after which the run may be over.
const PATIENCE: Duration = Duration::from_millis(20);

/// Wait for room in the kernel where it takes no datagram.
const NO_ROOM: Duration = Duration::from_micros(500);

/// Reads of a socket before the ends send and the timers go off.
const READS: usize = 64;

/// A flow, before it begins and while it runs.
pub(super) struct QuicFlow<'a> {
    pub plan: &'a FlowPlan,
    connection: Mutex<Connection>,
}

/// Both ends, and what was seen of them.
struct Connection {
    ends: Box<dyn windward_sim::QuicFlow>,
    /// Pace of the application, and the application once the connection is open.
    writing: Option<Writing>,
    writer: Option<Writer>,
    /// Bytes that it has not written.
    rest: u64,
    sockets: [UdpEnd; 2],
    /// True if datagrams keep the ECN fields of their senders.
    has_ecn: bool,
    /// Datagram that the kernel has not taken.
    unsent: Option<(usize, Vec<u8>, Codepoint)>,
    sent: u64,
    min_rtt: Option<Duration>,
    rtts: u64,
    arrived: u64,
    counts: FlowCounts,
    state: State,
}

impl<'a> QuicFlow<'a> {
    /// Makes the ends and the sockets of `plan` in its two hosts for the run of `seed`. It writes its qlog file
    /// to a folder, if one is given.
    pub(super) fn prepare(
        plan: &'a FlowPlan,
        hosts: &'a [Namespace],
        timing: Timing,
        (seed, qlog): (u64, Option<&Path>),
    ) -> Result<Self, Error> {
        let FlowPlan { config, name, source, sink, from, to, .. } = plan;
        let LawChoice::Quic(law, options) = config.law else {
            return Err(Error::Impossible(format!("flow `{name}` is not over QUIC")));
        };
        if options.law_of == LawOf::Noq && !windward_quic::HAS_NOQ {
            let message =
                format!("`{name}` runs between endpoints of noq, which this engine lacks\nhint: make .venv/noq");
            return Err(Error::Impossible(message));
        }
        let quic = QuicConfig {
            size: config.size.map(|size| size.count()),
            is_paced: config.tcp.writing.is_some(),
            ..QuicConfig::new(&config.tcp, (law, options), splitmix64(splitmix64(seed) ^ config.key))
        };
        let ends = [SocketAddrV4::new(*from, PORT), SocketAddrV4::new(*to, PORT)];
        let socket = |host: usize, own, peer| {
            let socket = hosts[host].inside(|| UdpEnd::new(own, peer));
            socket.map_err(Error::system(format!("preparing flow `{name}`")))
        };
        let connection = Connection {
            ends: windward_quic::ends(qlog.map(Path::to_owned)).flow(&quic),
            writing: config.tcp.writing,
            writer: None,
            rest: config.size.map_or(u64::MAX, |size| size.count()),
            sockets: [socket(*source, ends[0], ends[1])?, socket(*sink, ends[1], ends[0])?],
            has_ecn: config.tcp.ecn != EcnMode::Off,
            unsent: None,
            sent: 0,
            min_rtt: None,
            rtts: 0,
            arrived: 0,
            counts: FlowCounts::new(timing),
            state: State::default(),
        };
        Ok(Self { plan, connection: Mutex::new(connection) })
    }

    /// Connects and sends, from the flow's start to its end or to `stop`. Returns its lateness.
    pub(super) fn run(&self, start: &Start, stop: &AtomicBool, timing: Timing) -> Result<Lateness, Error> {
        let lateness = Lateness::new();
        // Without the right to, the lateness shows it.
        _ = make_realtime(Rank::Application);
        let clock = start.wait();
        let mut lateness = lateness?;
        let ran = self.go(clock, stop, timing, &mut lateness);
        ran.map_err(Error::system(format!("flow `{}`", self.plan.name)))?;
        Ok(lateness)
    }

    fn go(&self, clock: Clock, stop: &AtomicBool, timing: Timing, lateness: &mut Lateness) -> io::Result<()> {
        let config = &self.plan.config;
        let devices = Devices::new(&[])?;
        let mut open = self.lock();
        for (number, socket) in (0..).zip(&open.sockets) {
            devices.add(socket, number, Watch::Level)?;
        }
        drop(open);
        if !sleep_until(clock, config.start, stop) {
            return Ok(());
        }
        open = self.lock();
        open.state.opened = Some(config.start);
        open.ends.open(clock.now());
        drop(open);
        let mut end = config.stop.unwrap_or(Time::NEVER);
        let mut delay = RunDelay::of_this_thread();
        let mut due = clock.now();
        let mut is_input = false;
        loop {
            let now = clock.now();
            let waited = delay.lap();
            if is_input || due <= now {
                lateness.record(waited.max(now.since(due)));
            }
            let mut connection = self.lock();
            if now >= end {
                connection.ends.close(now);
                (connection.state.closed, end) = (Some(now), Time::NEVER);
            }
            let is_blocked = match connection.step(now, timing) {
                // The network is gone, and its devices with it.
                Err(_) if stop.load(Ordering::Relaxed) || clock.now() >= timing.duration => return Ok(()),
                stepped => stepped?,
            };
            let is_over = connection.state.closed.is_some() && !is_blocked;
            due = connection.due().min(end);
            drop(connection);
            if is_over || stop.load(Ordering::Relaxed) || now >= timing.duration {
                return Ok(());
            }
            if is_blocked {
                rest(NO_ROOM)?;
                is_input = false;
                continue;
            }
            is_input = devices.wait(due.since(clock.now()).min(PATIENCE))?;
        }
    }

    /// Sender's state in the terms of TCP; `None` before it connects.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        let connection = self.lock();
        connection.state.opened?;
        let Connection { ends, min_rtt, sent, rtts, .. } = &*connection;
        let QuicState { cwnd, flight, srtt, recoveries, timeouts, .. } = ends.state();
        let micros = |time: Duration| (time.as_nanos() / 1000) as u32;
        Some(TcpInfo {
            cwnd: cwnd.count().round() as u32,
            flight,
            srtt_us: micros(srtt),
            min_rtt_us: min_rtt.map_or(0, micros),
            data_segments: *sent,
            delivered: *rtts,
            retransmits: ends.declared_lost(),
            timeouts,
            reductions: recoveries,
            ..TcpInfo::default()
        })
    }

    /// Outcome of the flow.
    pub(super) fn state(&self) -> State {
        self.lock().state.clone()
    }

    /// Reports the internal state of the law.
    pub(super) fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        self.lock().ends.observe(sink);
    }

    /// Adds what the sink has read to the counts of the network.
    pub(super) fn add_to(&self, counts: &mut FlowCounts) {
        let FlowCounts { arrived, by_sample, .. } = self.lock().counts.clone();
        (counts.arrived, counts.by_sample) = (arrived, by_sample);
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Lets both ends do what they can now; returns true if the kernel does not take all that they send.
    fn step(&mut self, now: Time, timing: Timing) -> io::Result<bool> {
        let Self { ends, sockets, .. } = self;
        for (side, socket) in sockets.iter_mut().enumerate() {
            let mut take = |payload: &[u8], ecn| {
                let handle = ends.put(payload);
                ends.receive(now, QuicDatagram { handle, is_backward: side == 0, size: payload.len() as u32, ecn });
            };
            for _ in 0..READS {
                if !socket.receive(&mut take)? {
                    break;
                }
            }
        }
        if ends.next_time().is_some_and(|time| time <= now) {
            ends.wake(now);
        }
        self.write(now);
        let is_blocked = !self.send(now)?;
        let Self { ends, min_rtt, rtts, .. } = self;
        ends.take_rtts(&mut |rtt| {
            *min_rtt = Some(min_rtt.map_or(rtt, |least| least.min(rtt)));
            *rtts += 1;
        });
        let QuicState { completed, arrived, .. } = ends.state();
        self.counts.arrive(now, arrived - self.arrived, timing);
        self.arrived = arrived;
        if let Some(completed) = completed
            && self.state.closed.is_none()
        {
            (self.state.closed, self.state.is_complete) = (Some(completed), true);
        }
        Ok(is_blocked)
    }

    /// Time of the next timer or write.
    fn due(&mut self) -> Time {
        let write = self.writer.as_ref().filter(|_| self.rest > 0).map_or(Time::NEVER, Writer::next);
        self.ends.next_time().unwrap_or(Time::NEVER).min(write)
    }

    /// Lets the application write what is due.
    fn write(&mut self, now: Time) {
        if let Some(writing) = self.writing.take_if(|_| self.ends.state().is_open) {
            self.writer = Some(Writer::new(writing, now));
        }
        let Some(writer) = &mut self.writer else { return };
        while self.rest > 0 && writer.next() <= now && self.ends.state().is_open {
            let bytes = writer.write().min(self.rest);
            self.rest -= bytes;
            self.ends.write(bytes, self.rest == 0);
        }
    }

    /// Hands to the kernel what both ends send now; false if it has no room for all.
    fn send(&mut self, now: Time) -> io::Result<bool> {
        loop {
            let next = self.unsent.take().or_else(|| {
                let QuicDatagram { handle, is_backward, ecn, .. } = self.ends.poll(now)?;
                self.sent += u64::from(!is_backward);
                let ecn = if self.has_ecn { ecn } else { Codepoint::NotCapable };
                Some((usize::from(is_backward), self.ends.take(handle), ecn))
            });
            let Some((side, payload, ecn)) = next else { return Ok(true) };
            if !self.sockets[side].send(&payload, ecn)? {
                self.unsent = Some((side, payload, ecn));
                return Ok(false);
            }
        }
    }
}
