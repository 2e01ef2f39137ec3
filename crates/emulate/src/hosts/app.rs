//! An application: a client and a server of our own over the kernel's connections. Its requests, players and browsers
//! are the simulator's, so that one seed gives one draw in both.
//!
//! Request and response are counted bytes, as in a simulation: both ends know what the other one sends. One thread has
//! both ends of all connections.

use super::options::connect;
use super::pace::CALL;
use super::plan::AppPlan;
use super::start::Start;
use crate::error::Error;
use crate::quality::Lateness;
use crate::sys::{Clock, Devices, Namespace, Rank, Ready, RunDelay, TcpSocket, Watch, make_realtime};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::io;
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicBool, Ordering};
use windward_sim::{AppTimer, Apps, Client, Opening, SendBuffer, Side, TcpOptions, Timing, Transport, TwoWay};
use windward_units::{Duration, Time};

/// Port of the servers.
const PORT: u16 = 80;

/// Data handed to the kernel at once, at most.
static ZEROS: [u8; 1 << 20] = [0; 1 << 20];

/// The longest wait, after which the run may be over.
const PATIENCE: Duration = Duration::from_millis(20);

/// Time that a closed connection has for its last ACKs.
const FAREWELL: Duration = Duration::from_millis(1000);

/// Number of the listening socket among those that are watched: beyond all ends.
const LISTENER: u32 = u32::MAX;

/// An application before it runs.
pub(super) struct App<'a> {
    plan: &'a AppPlan,
    client: &'a Namespace,
    listener: TcpSocket,
}

impl<'a> App<'a> {
    /// Makes the listening socket of `plan`.
    pub(super) fn prepare(plan: &'a AppPlan, hosts: &'a [Namespace]) -> Result<Self, Error> {
        let listen = || {
            let socket = plan.socket(SocketAddrV4::new(plan.to, PORT))?;
            // Before it listens: an accepted connection that began under another congestion control keeps traces of it.
            // BBR, the default of many machines, leaves pacing switched on (`bbr_init`).
            plan.set_sender(&socket)?;
            socket.listen()?;
            Ok(socket)
        };
        let failed = Error::system(format!("preparing app `{}`", plan.name));
        let listener = hosts[plan.server].inside(listen).map_err(failed)?;
        Ok(Self { plan, client: &hosts[plan.client], listener })
    }

    /// Runs the application from the common start until the end of the run or `stop`. Returns its clients and its
    /// lateness.
    pub(super) fn run(
        &self,
        start: &Start,
        stop: &AtomicBool,
        timing: Timing,
        seed: u64,
    ) -> Result<(Vec<Client>, Lateness), Error> {
        let ready = self.ready(seed);
        let lateness = Lateness::new();
        // Without the right to, the lateness shows it.
        _ = make_realtime(Rank::Application);
        let clock = start.wait();
        let mut lateness = lateness?;
        let clients = ready.and_then(|(kernel, apps)| self.go(kernel, apps, (clock, stop, timing), &mut lateness));
        let clients = clients.map_err(Error::system(format!("app `{}`", self.plan.name)))?;
        Ok((clients, lateness))
    }

    /// Enters the client's namespace, and makes what the run needs.
    fn ready(&self, seed: u64) -> io::Result<(Kernel<'_>, Apps<Kernel<'_>>)> {
        self.client.enter()?;
        let mut kernel = Kernel::new(self.plan)?;
        kernel.sockets.add(&self.listener, LISTENER.into(), Watch::Level)?;
        let mut apps = Apps::new(vec![(self.plan.config.clone(), ())], 0, seed);
        apps.begin(&mut kernel);
        Ok((kernel, apps))
    }

    fn go<'k>(
        &self,
        mut kernel: Kernel<'k>,
        mut apps: Apps<Kernel<'k>>,
        (clock, stop, timing): (Clock, &AtomicBool, Timing),
        lateness: &mut Lateness,
    ) -> io::Result<Vec<Client>> {
        let end = timing.duration;
        let mut warmup = Some(timing.warmup);
        let mut delay = RunDelay::of_this_thread();
        loop {
            let wait = kernel.due().min(end).since(clock.now()).min(PATIENCE);
            let is_input = kernel.sockets.wait(wait)?;
            let now = clock.now().min(end);
            let (waited, due) = (delay.lap(), kernel.due());
            if is_input || due <= now {
                lateness.record(waited.max(now.since(due)));
            }
            if let Some(warm) = warmup.filter(|warm| *warm <= now) {
                kernel.fire(&mut apps, warm);
                apps.warm(warm);
                warmup = None;
            }
            kernel.fire(&mut apps, now);
            kernel.now = now;
            if is_input {
                self.read_ready(&mut kernel, &mut apps)?;
                kernel.fire(&mut apps, now);
            }
            kernel.bury();
            if let Some(problem) = kernel.problem.take() {
                return Err(problem);
            }
            if now >= end || stop.load(Ordering::Relaxed) {
                return Ok(apps.finish());
            }
        }
    }

    /// Goes on where the kernel has something.
    fn read_ready<'k>(&self, kernel: &mut Kernel<'k>, apps: &mut Apps<Kernel<'k>>) -> io::Result<()> {
        let mut ready: Vec<u32> = kernel.sockets.ready()?.map(|Ready { device, .. }| device as u32).collect();
        // New connections before their data.
        ready.sort_unstable_by_key(|&number| Reverse(number));
        for number in ready {
            if number == LISTENER {
                self.accept(kernel, apps)?;
            } else if let Some(pair) = apps.link(number) {
                pair.go_on(kernel, Side::of(number))?;
                if pair.is_over() {
                    apps.end_if_closing(kernel, number);
                }
            }
        }
        Ok(())
    }

    fn accept<'k>(&self, kernel: &mut Kernel<'k>, apps: &mut Apps<Kernel<'k>>) -> io::Result<()> {
        loop {
            let socket = match self.listener.accept() {
                Ok(socket) => socket,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            let id = socket.peer_port().ok().and_then(|port| kernel.clients.get(&port).copied());
            match id.and_then(|id| apps.link(id)) {
                Some(pair) => {
                    kernel.sockets.add(&socket, u64::from(pair.id) + 1, Watch::Edge)?;
                    pair.ends[Side::Server as usize].socket = Some(socket);
                }
                // The visit that opened it is over.
                None => socket.abort()?,
            }
        }
    }
}

/// A timer: those of one time go off in the order of their numbers. Then its application or end, and its detail.
type Timer = (Time, u64, AppTimer, u32, u32);

/// The kernel's connections of an application, and its timers.
struct Kernel<'a> {
    plan: &'a AppPlan,
    now: Time,
    timers: BinaryHeap<Reverse<Timer>>,
    scheduled: u64,
    sockets: Devices,
    /// Client's ends by their ports.
    clients: BTreeMap<u16, u32>,
    /// Sockets of closed connections, which their kernels still acknowledge, with the time of their end.
    closed: VecDeque<(Time, TcpSocket)>,
    problem: Option<io::Error>,
}

impl<'a> Kernel<'a> {
    fn new(plan: &'a AppPlan) -> io::Result<Self> {
        Ok(Self {
            plan,
            now: Time::ZERO,
            timers: BinaryHeap::new(),
            scheduled: 0,
            sockets: Devices::new(&[])?,
            clients: BTreeMap::new(),
            closed: VecDeque::new(),
            problem: None,
        })
    }

    /// Time of the next timer.
    fn due(&self) -> Time {
        self.timers.peek().map_or(Time::NEVER, |Reverse((time, ..))| *time)
    }

    /// Lets the timers go off that are due by `now`, each at its own time.
    fn fire(&mut self, apps: &mut Apps<Self>, now: Time) {
        while self.due() <= now
            && let Some(Reverse((time, _, which, index, detail))) = self.timers.pop()
        {
            self.now = self.now.max(time);
            apps.handle(self, which, index, detail);
        }
    }

    /// Drops the sockets of connections that ended some time ago.
    fn bury(&mut self) {
        while self.closed.front().is_some_and(|(time, _)| self.now.since(*time) > FAREWELL) {
            self.closed.pop_front();
        }
    }

    /// Hands to the kernel what an end has written.
    fn hand_over(&mut self, link: &mut Pair, side: Side) {
        if let Err(problem) = link.ends[side as usize].send(link.chunk) {
            self.problem.get_or_insert(problem);
        }
    }

    fn begin(&mut self, id: u32) -> io::Result<TcpSocket> {
        let socket = self.plan.socket(SocketAddrV4::new(self.plan.from, 0))?;
        self.plan.set_sender(&socket)?;
        connect(&socket, &self.plan.config.tcp, SocketAddrV4::new(self.plan.to, PORT))?;
        self.clients.insert(socket.port()?, id);
        // Before it connects, it would count as closed.
        self.sockets.add(&socket, id.into(), Watch::Edge)?;
        Ok(socket)
    }
}

impl Transport for Kernel<'_> {
    type App = ();
    type Link = Pair;

    fn now(&self) -> Time {
        self.now
    }

    fn schedule(&mut self, at: Time, which: AppTimer, index: u32, detail: u32) {
        self.scheduled += 1;
        self.timers.push(Reverse((at, self.scheduled, which, index, detail)));
    }

    fn open(&mut self, (): &(), opening: Opening<'_>, _: Option<&mut Pair>) -> Option<Pair> {
        let id = opening.id;
        let TcpOptions { segment, send_buffer, .. } = &opening.config.tcp;
        let whole = ZEROS.len() as u64 / segment.count() * segment.count();
        // The size of the calls decides about the rate of a send buffer of fixed size.
        let chunk = if matches!(send_buffer, Some(SendBuffer::Fixed(_))) { CALL } else { whole.max(1) };
        let mut pair = Pair { id, chunk: chunk as usize, is_open: false, ends: Default::default() };
        match self.begin(id) {
            Ok(socket) => pair.ends[0].socket = Some(socket),
            Err(problem) => _ = self.problem.get_or_insert(problem),
        }
        Some(pair)
    }

    fn write(&mut self, link: &mut Pair, side: Side, _number: u32, bytes: u64, is_last: bool) {
        let end = &mut link.ends[side as usize];
        end.written += bytes;
        end.is_last |= is_last;
        self.hand_over(link, side);
    }

    fn cut(&mut self, link: &mut Pair, side: Side) {
        let end = &mut link.ends[side as usize];
        end.written = end.sent;
        end.is_last = true;
        self.hand_over(link, side);
    }

    fn end(&mut self, link: &mut Pair) {
        for socket in link.ends.iter_mut().filter_map(|end| end.socket.take()) {
            if let Ok(port) = socket.port() {
                self.clients.remove(&port);
            }
            // Where it is closed already, there is nothing to say.
            _ = socket.finish_sending();
            _ = socket.abort();
            self.closed.push_back((self.now, socket));
        }
    }
}

/// A connection, with both its ends.
struct Pair {
    /// Number of the client's end.
    id: u32,
    /// Most bytes handed to the kernel at once.
    chunk: usize,
    is_open: bool,
    ends: [End; 2],
}

/// An end of a connection.
struct End {
    /// None of a server before it has accepted, and of a connection that has ended.
    socket: Option<TcpSocket>,
    /// Bytes that the application has written, and those of them that the kernel has taken.
    written: u64,
    sent: u64,
    arrived: u64,
    /// Bytes of which the application wants to hear.
    watch: u64,
    /// True if nothing follows.
    is_last: bool,
    is_shut: bool,
    /// The other end has closed its direction.
    is_over: bool,
}

impl Default for End {
    fn default() -> Self {
        Self {
            socket: None,
            written: 0,
            sent: 0,
            arrived: 0,
            watch: u64::MAX,
            is_last: false,
            is_shut: false,
            is_over: false,
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // The network is gone: see `Flow`.
        self.socket.iter().for_each(|socket| _ = socket.abort());
    }
}

impl End {
    /// Hands to the kernel what it takes.
    fn send(&mut self, chunk: usize) -> io::Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        while self.sent < self.written {
            let length = (self.written - self.sent).min(chunk as u64) as usize;
            match socket.send(&ZEROS[..length]) {
                Ok(sent) => self.sent += sent as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if self.is_last && !self.is_shut {
            self.is_shut = true;
            socket.finish_sending()?;
        }
        Ok(())
    }

    /// Takes in what has arrived.
    fn receive(&mut self) -> io::Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        while !self.is_over {
            match socket.discard(ZEROS.len()) {
                Ok(0) => self.is_over = true,
                Ok(count) => self.arrived += count as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Pair {
    /// Goes on at `side`, whose socket has something.
    fn go_on(&mut self, kernel: &mut Kernel<'_>, side: Side) -> io::Result<()> {
        let number = self.id + side as u32;
        let Self { chunk, is_open, ends, .. } = self;
        let end = &mut ends[side as usize];
        if side == Side::Client && !*is_open {
            let Some(socket) = &end.socket else { return Ok(()) };
            socket.take_error()?;
            *is_open = socket.peer_port().is_ok();
            if !*is_open {
                return Ok(());
            }
            kernel.schedule(kernel.now, AppTimer::Heard, number, 0);
        }
        end.receive()?;
        if end.arrived >= end.watch {
            end.watch = u64::MAX;
            kernel.schedule(kernel.now, AppTimer::Heard, number, 0);
        }
        // A client has no more to say than its server.
        end.is_last |= end.is_over && side == Side::Client;
        end.send(*chunk)
    }

    /// True if both ends have closed their directions.
    fn is_over(&self) -> bool {
        self.ends[Side::Server as usize].is_over
    }
}

impl TwoWay for Pair {
    fn written(&self, side: Side) -> u64 {
        self.ends[side as usize].written
    }

    fn arrived(&self, side: Side) -> u64 {
        self.ends[side as usize].arrived
    }

    fn watch(&mut self, side: Side, bytes: u64) {
        self.ends[side as usize].watch = bytes;
    }

    fn repairs(&self) -> [u64; 2] {
        let infos = self.ends.iter().filter_map(|end| end.socket.as_ref()?.info().ok());
        infos.fold([0; 2], |[retransmits, timeouts], info| [retransmits + info.retransmits, timeouts + info.timeouts])
    }
}
