//! A flow: a connection, and the two threads that feed and empty it. A flow of a transfer has one connection after the
//! other, while the transfer wants it. Applications with a pace of their own are those of [`pace`](super::pace).

use super::coded::Sight;
use super::options::{connect, set_receiver, set_sender};
use super::pace::{ReadingApp, WritingApp};
use super::plan::FlowPlan;
use super::start::Start;
use super::traffic::FlowCounts;
use crate::error::Error;
use crate::quality::Lateness;
use crate::sys::{Clock, Namespace, Rank, RunDelay, TcpInfo, TcpSocket, make_realtime, rest};
use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use windward_sim::{Reading, SendBuffer, TcpOptions, Timing};
use windward_units::{Duration, Time};

/// Port of the sinks.
const PORT: u16 = 5001;

/// Zeros, as many as are handed to the kernel at once.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Data that wait in the kernel for their turn: enough to never run dry, little enough to stop soon.
const UNSENT: u32 = 1 << 16;

/// Interval in which threads check for the end of the run.
const LOOK: Duration = Duration::from_millis(20);

/// The longest wait of a call for room, after which the flow or the run may be over.
const PATIENCE: Duration = Duration::from_millis(1000);

/// A flow, before it begins and while it runs.
pub(super) struct Flow<'a> {
    pub plan: &'a FlowPlan,
    source: &'a Namespace,
    listener: TcpSocket,
    connection: Mutex<Connection>,
    state: Mutex<State>,
    /// True while its transfer wants it to send.
    is_wanted: AtomicBool,
    /// Data that its application has read, if it has a pace of its own.
    read: Mutex<FlowCounts>,
}

/// The current connection of a flow, and the counts of those before it.
struct Connection {
    socket: Arc<TcpSocket>,
    past: TcpInfo,
}

impl Drop for Flow<'_> {
    fn drop(&mut self) {
        // The network is gone, and what has not arrived with it. Where this cannot be set, the kernel tries for two
        // minutes more.
        _ = self.socket().abort();
    }
}

/// Progress of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Time at which it, or its last connection, began to connect.
    pub opened: Option<Time>,
    /// Time at which the sink had taken the last byte and confirmed it; `None` while there is a connection. Where an
    /// application reads at its own pace, the time of its last read.
    pub closed: Option<Time>,
    /// Time of the last read by an application that reads at its own pace.
    pub last_read: Option<Time>,
    /// The last byte of a sized flow was acknowledged.
    pub is_complete: bool,
    /// Why it failed.
    pub problem: Option<String>,
}

impl<'a> Flow<'a> {
    /// Makes the sockets of `plan` in its two hosts.
    pub(super) fn prepare(plan: &'a FlowPlan, hosts: &'a [Namespace], timing: Timing) -> Result<Self, Error> {
        let tcp = &plan.config.tcp;
        let listen = || {
            let socket = TcpSocket::bound(SocketAddrV4::new(plan.to, PORT))?;
            set_receiver(&socket, tcp)?;
            socket.listen()?;
            Ok(socket)
        };
        let named = |error| Error::system(format!("preparing flow `{}`", plan.name))(error);
        let source = &hosts[plan.source];
        Ok(Self {
            plan,
            source,
            listener: hosts[plan.sink].inside(listen).map_err(named)?,
            connection: Mutex::new(Connection {
                socket: Arc::new(source.inside(|| own_socket(plan)).map_err(named)?),
                past: TcpInfo::default(),
            }),
            state: Mutex::default(),
            is_wanted: AtomicBool::new(false),
            read: Mutex::new(FlowCounts::new(timing)),
        })
    }

    /// Lets a flow of a transfer open a connection, or close the one that it has.
    pub(super) fn want(&self, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Connects and sends, from the flow's start to its end or to `stop`. Returns the lateness of an application with a
    /// pace of its own.
    pub(super) fn send(&self, start: &Start, stop: &AtomicBool) -> Option<Lateness> {
        let is_paced = self.plan.config.tcp.writing.is_some();
        let mut lateness = is_paced.then(punctual).flatten();
        let clock = start.wait();
        if let Err(error) = self.try_send(clock, stop, lateness.as_mut()) {
            self.lock().problem = Some(format!("flow `{}` failed: {error}", self.plan.name));
        }
        lateness
    }

    fn try_send(&self, clock: Clock, stop: &AtomicBool, lateness: Option<&mut Lateness>) -> io::Result<()> {
        let config = &self.plan.config;
        if self.plan.transfer.is_some() {
            return self.send_in_turns(clock, stop);
        }
        if !sleep_until(clock, config.start, stop) {
            return Ok(());
        }
        let has_stopped = || config.stop.is_some_and(|time| clock.now() >= time);
        if let Some(left) = self.converse((clock, config.start), has_stopped, stop, lateness)? {
            let mut state = self.lock();
            (state.closed, state.is_complete) = (state.last_read.or(Some(clock.now())), left == 0);
        }
        Ok(())
    }

    /// A connection for each time that the transfer wants one.
    fn send_in_turns(&self, clock: Clock, stop: &AtomicBool) -> io::Result<()> {
        let is_wanted = || self.is_wanted.load(Ordering::Relaxed);
        while !stop.load(Ordering::Relaxed) {
            if !is_wanted() {
                rest(LOOK)?;
                continue;
            }
            if self.converse((clock, clock.now()), || !is_wanted(), stop, None)?.is_none() {
                return Ok(());
            }
            // This thread is in the host of the source since it connected.
            let next = Arc::new(own_socket(self.plan)?);
            let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.past = connection.past.and(&connection.socket.info()?);
            connection.socket = next;
            drop(connection);
            self.lock().closed = Some(clock.now());
        }
        Ok(())
    }

    /// Connects, as of a time, sends until the end of the data or until `has_stopped`, and closes. Returns the bytes
    /// left, or `None` where the run was over before.
    fn converse(
        &self,
        (clock, at): (Clock, Time),
        has_stopped: impl Fn() -> bool,
        stop: &AtomicBool,
        lateness: Option<&mut Lateness>,
    ) -> io::Result<Option<u64>> {
        let (config, socket) = (&self.plan.config, self.socket());
        let is_over = || stop.load(Ordering::Relaxed);
        self.source.enter()?;
        connect(&socket, &config.tcp, SocketAddrV4::new(self.plan.to, PORT))?;
        let mut state = self.lock();
        (state.opened, state.closed) = (Some(at), None);
        drop(state);
        while !socket.wait(true, LOOK)? {
            if is_over() {
                return Ok(None);
            }
        }
        let has_ended = || has_stopped() || is_over();
        let left = match WritingApp::new(&config.tcp, config.size, clock.now()) {
            Some(app) => write(&socket, app, clock, has_ended, lateness)?,
            None => self.write_all(&socket, has_ended)?,
        };
        if is_over() {
            return Ok(None);
        }
        socket.finish_sending()?;
        // The sink closes when it has taken the last byte.
        while !socket.wait(false, LOOK)? {
            if is_over() {
                return Ok(None);
            }
        }
        Ok(Some(left))
    }

    /// Writes as much as the socket takes, until the end of the data or `has_ended`. Returns the bytes left.
    fn write_all(&self, socket: &TcpSocket, has_ended: impl Fn() -> bool) -> io::Result<u64> {
        let size = self.plan.config.size;
        let mut left = size.map_or(u64::MAX, |size| size.count());
        while left > 0 && !has_ended() {
            if socket.wait(true, LOOK)? {
                let chunk = left.min(ZEROS.len() as u64) as usize;
                match socket.send(&ZEROS[..chunk]) {
                    Ok(sent) if size.is_some() => left -= sent as u64,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(left)
    }

    /// Takes in what comes, until the other side closes or `stop`. Returns the lateness of an application with a pace
    /// of its own.
    pub(super) fn receive(&self, start: &Start, stop: &AtomicBool, timing: Timing) -> Option<Lateness> {
        let reading = self.plan.config.tcp.reading.as_ref();
        let mut lateness = reading.and_then(|_| punctual());
        let clock = start.wait();
        let received = match reading {
            Some(reading) => self.read(reading, clock, stop, timing, lateness.as_mut()),
            None => self.try_receive(stop),
        };
        if let Err(error) = received {
            self.lock().problem.get_or_insert(format!("the sink of flow `{}` failed: {error}", self.plan.name));
        }
        lateness
    }

    /// Reads at the application's pace.
    fn read(
        &self,
        reading: &Reading,
        clock: Clock,
        stop: &AtomicBool,
        timing: Timing,
        mut lateness: Option<&mut Lateness>,
    ) -> io::Result<()> {
        let has_ended = || stop.load(Ordering::Relaxed);
        let mut app = ReadingApp::new(reading);
        while !self.listener.wait(false, LOOK)? {
            if has_ended() {
                return Ok(());
            }
        }
        let connection = self.listener.accept()?;
        let mut delay = RunDelay::of_this_thread();
        let mut alarm = Alarm::default();
        // The latest of the times that it woke for this read.
        let mut late = Duration::ZERO;
        while !has_ended() {
            let now = clock.now();
            late = late.max(delay.lap());
            let due = app.free_at(now);
            if due > now {
                alarm.set(due);
                rest(due.since(now).min(LOOK))?;
                continue;
            }
            late = late.max(alarm.late(now));
            if !connection.wait(false, LOOK)? {
                continue;
            }
            let now = clock.now();
            let Some(bytes) = app.read(now, &connection)? else { return Ok(()) };
            self.read.lock().unwrap_or_else(PoisonError::into_inner).arrive(now, bytes, timing);
            if bytes > 0 {
                self.lock().last_read = Some(now);
            }
            late = late.max(delay.lap());
            if let Some(lateness) = &mut lateness {
                lateness.record(late);
            }
            late = Duration::ZERO;
        }
        connection.abort()
    }

    /// Adds what the application has read to the counts of the network, if it has a pace of its own.
    pub(super) fn add_to(&self, counts: &mut FlowCounts) {
        if self.plan.config.tcp.reading.is_some() {
            let FlowCounts { arrived, by_sample, .. } =
                self.read.lock().unwrap_or_else(PoisonError::into_inner).clone();
            (counts.arrived, counts.by_sample) = (arrived, by_sample);
        }
    }

    fn try_receive(&self, stop: &AtomicBool) -> io::Result<()> {
        let wait = |socket: &TcpSocket| {
            while !socket.wait(false, LOOK)? {
                if stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
            }
            Ok::<_, io::Error>(true)
        };
        while wait(&self.listener)? {
            let connection = self.listener.accept()?;
            let is_closed = loop {
                if !wait(&connection)? {
                    break false;
                }
                match connection.discard(1 << 20) {
                    Ok(0) => break true,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
            };
            if !is_closed {
                return connection.abort();
            }
            if self.plan.transfer.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sender's state according to the kernel, with the counts of all its connections; `None` before the first.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        self.lock().opened?;
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        Some(connection.past.and(&connection.socket.info().ok()?))
    }

    /// Sender's state for the coding layer.
    pub(super) fn sight(&self) -> Sight {
        let info = self.socket().info().unwrap_or_default();
        Sight { cwnd: f64::from(info.cwnd.max(1)), srtt: Duration::from_micros(u64::from(info.srtt_us)) }
    }

    /// Reports the state of the kernel's own BBR, under the names of Windward's `bbr`.
    pub(super) fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        if self.lock().opened.is_none() || self.plan.is_ours {
            return;
        }
        let Some(bbr) = self.socket().bbr() else { return };
        sink("bandwidth", bbr.bandwidth / self.plan.config.tcp.segment.count() as f64);
        sink("min_rtt", bbr.min_rtt);
        sink("pacing_gain", bbr.gains.0);
        sink("mode", f64::from(bbr.mode()));
    }

    /// Outcome of the flow.
    pub(super) fn state(&self) -> State {
        self.lock().clone()
    }

    fn socket(&self) -> Arc<TcpSocket> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&connection.socket)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A socket of the flow's source, in whose host the calling thread is.
fn own_socket(plan: &FlowPlan) -> io::Result<TcpSocket> {
    let tcp = &plan.config.tcp;
    let segment = (tcp.segment.count() + tcp.real_header_bytes() - TcpOptions::LEAST_HEADER) as u32;
    let socket = TcpSocket::bound(SocketAddrV4::new(plan.from, 0))?;
    socket.set_tcp(libc::TCP_MAXSEG, segment)?;
    match tcp.send_buffer {
        Some(SendBuffer::Fixed(_)) => {}
        _ if tcp.writing.is_some() => {}
        _ => socket.set_tcp(libc::TCP_NOTSENT_LOWAT, UNSENT)?,
    }
    if tcp.writing.is_some() {
        socket.set_tcp(libc::TCP_NODELAY, u32::from(!tcp.nagle))?;
    }
    set_sender(&socket, tcp, &plan.law)?;
    Ok(socket)
}

/// Makes this thread one of an application with a pace of its own; `None` without memory for its lateness.
fn punctual() -> Option<Lateness> {
    // Without the right to, the lateness shows it.
    _ = make_realtime(Rank::Application);
    Lateness::new().ok()
}

/// Lets `app` write until the end of its data or `has_ended`. Returns the bytes left.
fn write(
    socket: &TcpSocket,
    mut app: WritingApp,
    clock: Clock,
    has_ended: impl Fn() -> bool,
    mut lateness: Option<&mut Lateness>,
) -> io::Result<u64> {
    // A call that waits for room is one call to the kernel: another one would mark what follows as app-limited.
    socket.let_sends_wait(PATIENCE)?;
    let mut alarm = Alarm::default();
    while app.left() > 0 && !has_ended() {
        let now = clock.now();
        match app.due() {
            Some(due) if due > now => {
                alarm.set(due);
                rest(due.since(now).min(LOOK))?;
                continue;
            }
            None if !socket.wait(true, LOOK)? => continue,
            _ => {}
        }
        let now = clock.now();
        let late = alarm.late(now);
        if let Some(lateness) = &mut lateness {
            lateness.record(late);
        }
        app.write(now, |data| socket.send(data))?;
    }
    Ok(app.left())
}

/// Time for which the thread of an application sleeps. A call that waits for room or data is no sleep: what becomes due
/// meanwhile is not late.
#[derive(Clone, Copy, Debug, Default)]
struct Alarm(Option<Time>);

impl Alarm {
    /// Sets the time of the next write.
    fn set(&mut self, due: Time) {
        self.0 = Some(due);
    }

    /// Returns how late the thread woke, zero if it has not slept since the last call.
    fn late(&mut self, now: Time) -> Duration {
        self.0.take().map_or(Duration::ZERO, |due| now.since(due))
    }
}

/// Sleeps until `time`; false where the run ends before.
pub(super) fn sleep_until(clock: Clock, time: Time, stop: &AtomicBool) -> bool {
    while clock.now() < time {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let left = time.since(clock.now()).min(LOOK);
        thread::sleep(std::time::Duration::from_nanos(left.as_nanos()));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer of one write each 10 ms wakes at 10.2 ms for the second. That call waits for room until 45 ms: the
    /// writes of 20, 30 and 40 ms follow it at once and are in time. The one of 50 ms begins at 52 ms.
    #[test]
    fn a_call_that_waits_for_room_is_not_late() {
        let at = |micros| Time::ZERO + Duration::from_micros(micros);
        let mut alarm = Alarm::default();
        let mut lateness = Lateness::new().unwrap();
        lateness.record(alarm.late(at(0)));
        alarm.set(at(10_000));
        lateness.record(alarm.late(at(10_200)));
        for micros in [45_000, 45_010, 45_020] {
            let late = alarm.late(at(micros));
            assert_eq!(late, Duration::ZERO);
            lateness.record(late);
        }
        alarm.set(at(50_000));
        lateness.record(alarm.late(at(52_000)));
        let quality = lateness.quality();
        assert!((quality.late_max_s - 2e-3).abs() < 1e-5, "{}", quality.late_max_s);
        assert!((quality.late_share - 1.0 / 6.0).abs() < 1e-9, "{}", quality.late_share);
    }
}
