//! A flow: a connection, and the two threads that feed and empty it. A flow of a transfer has one connection after the
//! other, while the transfer wants it.

use super::coded::Sight;
use super::options::{connect, set_receiver, set_sender};
use super::plan::FlowPlan;
use crate::error::Error;
use crate::sys::{Clock, Namespace, TcpInfo, TcpSocket};
use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use windward_sim::TcpOptions;
use windward_units::{Duration, Time};

/// Port of the sinks.
const PORT: u16 = 5001;

/// Zeros, as many as are handed to the kernel at once.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Data that wait in the kernel for their turn: enough to never run dry, little enough to stop soon.
const UNSENT: u32 = 1 << 16;

/// Interval in which threads check for the end of the run, in milliseconds.
const LOOK: i32 = 20;

/// A flow, before it begins and while it runs.
pub(super) struct Flow<'a> {
    pub plan: &'a FlowPlan,
    source: &'a Namespace,
    listener: TcpSocket,
    connection: Mutex<Connection>,
    state: Mutex<State>,
    /// True while its transfer wants it to send.
    is_wanted: AtomicBool,
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
    /// Time at which the sink had taken the last byte and confirmed it; `None` while there is a connection.
    pub closed: Option<Time>,
    /// The last byte of a sized flow was acknowledged.
    pub is_complete: bool,
    /// Why it failed.
    pub problem: Option<String>,
}

impl<'a> Flow<'a> {
    /// Makes the sockets of `plan` in its two hosts.
    pub(super) fn prepare(plan: &'a FlowPlan, hosts: &'a [Namespace]) -> Result<Self, Error> {
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
        })
    }

    /// Lets a flow of a transfer open a connection, or close the one that it has.
    pub(super) fn want(&self, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Connects and sends, from the flow's start to its end or to `stop`.
    pub(super) fn send(&self, clock: Clock, stop: &AtomicBool) {
        if let Err(error) = self.try_send(clock, stop) {
            self.lock().problem = Some(format!("flow `{}` failed: {error}", self.plan.name));
        }
    }

    fn try_send(&self, clock: Clock, stop: &AtomicBool) -> io::Result<()> {
        let config = &self.plan.config;
        if self.plan.transfer.is_some() {
            return self.send_in_turns(clock, stop);
        }
        if !sleep_until(clock, config.start, stop) {
            return Ok(());
        }
        let has_stopped = || config.stop.is_some_and(|time| clock.now() >= time);
        if let Some(left) = self.converse(config.start, has_stopped, stop)? {
            let mut state = self.lock();
            (state.closed, state.is_complete) = (Some(clock.now()), left == 0);
        }
        Ok(())
    }

    /// A connection for each time that the transfer wants one.
    fn send_in_turns(&self, clock: Clock, stop: &AtomicBool) -> io::Result<()> {
        let is_wanted = || self.is_wanted.load(Ordering::Relaxed);
        while !stop.load(Ordering::Relaxed) {
            if !is_wanted() {
                thread::sleep(std::time::Duration::from_millis(LOOK as u64));
                continue;
            }
            if self.converse(clock.now(), || !is_wanted(), stop)?.is_none() {
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

    /// Connects, sends until the end of the data or until `has_stopped`, and closes. Returns the bytes left, or `None`
    /// where the run was over before.
    fn converse(&self, at: Time, has_stopped: impl Fn() -> bool, stop: &AtomicBool) -> io::Result<Option<u64>> {
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
        let mut left = config.size.map_or(u64::MAX, |size| size.count());
        while left > 0 && !has_stopped() && !is_over() {
            if socket.wait(true, LOOK)? {
                let chunk = left.min(ZEROS.len() as u64) as usize;
                match socket.send(&ZEROS[..chunk]) {
                    Ok(sent) if config.size.is_some() => left -= sent as u64,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    _ => {}
                }
            }
        }
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

    /// Takes in what comes, until the other side closes or `stop`.
    pub(super) fn receive(&self, stop: &AtomicBool) {
        if let Err(error) = self.try_receive(stop) {
            self.lock().problem.get_or_insert(format!("the sink of flow `{}` failed: {error}", self.plan.name));
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
    socket.set_tcp(libc::TCP_NOTSENT_LOWAT, UNSENT)?;
    set_sender(&socket, tcp, &plan.law)?;
    Ok(socket)
}

/// Sleeps until `time`; false where the run ends before.
pub(super) fn sleep_until(clock: Clock, time: Time, stop: &AtomicBool) -> bool {
    while clock.now() < time {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let left = time.since(clock.now()).min(Duration::from_millis(LOOK as u64));
        thread::sleep(std::time::Duration::from_nanos(left.as_nanos()));
    }
    true
}
