//! A flow: a connection, and the two threads that feed and empty it.

use super::coded::Sight;
use super::options::{connect, set_receiver, set_sender};
use super::plan::FlowPlan;
use crate::error::Error;
use crate::sys::{Clock, Namespace, TcpInfo, TcpSocket};
use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    connection: TcpSocket,
    state: Mutex<State>,
}

impl Drop for Flow<'_> {
    fn drop(&mut self) {
        // The network is gone, and what has not arrived with it. Where this cannot be set, the kernel tries for two
        // minutes more.
        _ = self.connection.abort();
    }
}

/// Progress of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Time at which it began to connect.
    pub opened: Option<Time>,
    /// Time at which the sink had taken the last byte and confirmed it.
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
        let segment = (tcp.segment.count() + tcp.real_header_bytes() - TcpOptions::LEAST_HEADER) as u32;
        let listen = || {
            let socket = TcpSocket::bound(SocketAddrV4::new(plan.to, PORT))?;
            set_receiver(&socket, tcp)?;
            socket.listen()?;
            Ok(socket)
        };
        let connect = || {
            let socket = TcpSocket::bound(SocketAddrV4::new(plan.from, 0))?;
            socket.set_tcp(libc::TCP_MAXSEG, segment)?;
            socket.set_tcp(libc::TCP_NOTSENT_LOWAT, UNSENT)?;
            set_sender(&socket, tcp, &plan.law)?;
            Ok(socket)
        };
        let named = |error| Error::system(format!("preparing flow `{}`", plan.name))(error);
        let source = &hosts[plan.source];
        Ok(Self {
            plan,
            source,
            listener: hosts[plan.sink].inside(listen).map_err(named)?,
            connection: source.inside(connect).map_err(named)?,
            state: Mutex::default(),
        })
    }

    /// Connects and sends, from the flow's start to its end or to `stop`.
    pub(super) fn send(&self, clock: Clock, stop: &AtomicBool) {
        if let Err(error) = self.try_send(clock, stop) {
            self.lock().problem = Some(format!("flow `{}` failed: {error}", self.plan.name));
        }
    }

    fn try_send(&self, clock: Clock, stop: &AtomicBool) -> io::Result<()> {
        let config = &self.plan.config;
        let is_over = || stop.load(Ordering::Relaxed);
        while clock.now() < config.start {
            if is_over() {
                return Ok(());
            }
            let left = config.start.since(clock.now()).min(Duration::from_millis(LOOK as u64));
            thread::sleep(std::time::Duration::from_nanos(left.as_nanos()));
        }
        self.connect()?;
        self.lock().opened = Some(config.start);
        while !self.connection.wait(true, LOOK)? {
            if is_over() {
                return Ok(());
            }
        }
        let mut left = config.size.map_or(u64::MAX, |size| size.count());
        while left > 0 {
            let has_stopped = config.stop.is_some_and(|time| clock.now() >= time);
            if has_stopped || is_over() {
                break;
            }
            if self.connection.wait(true, LOOK)? {
                let chunk = left.min(ZEROS.len() as u64) as usize;
                match self.connection.send(&ZEROS[..chunk]) {
                    Ok(sent) if config.size.is_some() => left -= sent as u64,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    _ => {}
                }
            }
        }
        if is_over() {
            return Ok(());
        }
        self.connection.finish_sending()?;
        // The sink closes when it has taken the last byte.
        while !self.connection.wait(false, LOOK)? {
            if is_over() {
                return Ok(());
            }
        }
        let mut state = self.lock();
        (state.closed, state.is_complete) = (Some(clock.now()), left == 0);
        Ok(())
    }

    fn connect(&self) -> io::Result<()> {
        self.source.enter()?;
        connect(&self.connection, &self.plan.config.tcp, SocketAddrV4::new(self.plan.to, PORT))
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
        if !wait(&self.listener)? {
            return Ok(());
        }
        let connection = self.listener.accept()?;
        while wait(&connection)? {
            match connection.discard(1 << 20) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        connection.abort()
    }

    /// Sender's state according to the kernel; `None` before it has begun.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        self.lock().opened?;
        self.connection.info().ok()
    }

    /// Sender's state for the coding layer.
    pub(super) fn sight(&self) -> Sight {
        let info = self.connection.info().unwrap_or_default();
        Sight { cwnd: f64::from(info.cwnd.max(1)), srtt: Duration::from_micros(u64::from(info.srtt_us)) }
    }

    /// Outcome of the flow.
    pub(super) fn state(&self) -> State {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
