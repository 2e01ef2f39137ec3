//! The programs at the ends of a link.

use super::ends::{Addresses, Ends, SERVER_VARIABLE};
use super::hosts::Hosts;
use super::names::{self, ResolvConf};
use super::processes::{Processes, own_mounts};
use crate::error::Error;
use crate::remedy::Step;
use crate::sys::Namespace;
use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::{ptr, thread, time};

/// The program and its servers, each on its host. All that they have started ends with this, or with this process,
/// however it ends.
pub(super) struct Children {
    program: Child,
    signals: Signals,
    servers: Servers,
}

/// Servers, and the namespace of all processes; they end when this is dropped.
struct Servers {
    children: Vec<Child>,
    processes: Processes,
}

impl Children {
    /// Starts them. The calling thread can start no other threads afterwards, and must live as long as they do.
    pub(super) fn start(ends: &Ends, hosts: &Hosts) -> Result<Self, Error> {
        let signals = Signals::catch();
        let servers = Servers::start(&ends.servers, hosts)?;
        let (name, arguments) = ends
            .command
            .split_first()
            .ok_or_else(|| Error::Impossible("no command to run behind the link; give it after --".to_owned()))?;
        let mut command = Command::new(name);
        command.args(arguments);
        let program = start_behind(&mut command, hosts)
            .map_err(|source| Error::Command { command: name.to_string_lossy().into_owned(), source })?;
        signals.are_meant_for(&program);
        Ok(Self { program, signals, servers })
    }

    /// Waits for the program, ends the servers, and returns the program's exit code.
    pub(super) fn wait(mut self) -> Result<i32, Error> {
        let status = self.program.wait().map_err(Error::system("waiting for the command"))?;
        drop(self.signals);
        drop(self.servers);
        Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
    }
}

impl Servers {
    /// Starts servers. What the calling thread starts from then on belongs to their PID namespace.
    fn start(lines: &[String], hosts: &Hosts) -> Result<Self, Error> {
        // This process looks up what listens there; each command that starts enters its own namespace.
        hosts.server.enter().map_err(Error::system("entering the server's network namespace"))?;
        let processes = Processes::new().map_err(Error::refused("creating a PID namespace", Step::Namespace))?;
        let mut servers = Self { children: Vec::new(), processes };
        for line in lines {
            let mut command = Command::new("sh");
            // What servers say is not the program's output.
            let log = io::stderr().as_fd().try_clone_to_owned().map_err(cannot_start(line))?;
            command.args(["-c", line]).process_group(0).stdin(Stdio::null()).stdout(log);
            servers.children.push(start(&mut command, &hosts.server, None).map_err(cannot_start(line))?);
        }
        wait_until_listening(&mut servers.children)?;
        Ok(servers)
    }
}

/// Task of the thread that starts programs behind a link.
pub(super) enum Task {
    /// Starts a program, and hands it over.
    Start(Box<Command>, Sender<io::Result<Child>>),
    /// Ends all of them.
    End,
}

/// Starts servers, and then programs, until the end of the tasks. Tells `ready` the PID namespace once the servers
/// listen. The calling thread can start no other threads afterwards.
pub(super) fn attend(servers: &[String], hosts: &Hosts, tasks: &Receiver<Task>, ready: &Sender<Result<File, Error>>) {
    let started = Servers::start(servers, hosts).and_then(|servers| {
        let namespace = servers.processes.namespace().map_err(Error::system("opening the PID namespace"))?;
        Ok((servers, namespace))
    });
    let (_servers, namespace) = match started {
        Ok(started) => started,
        Err(error) => return drop(ready.send(Err(error))),
    };
    let _ = ready.send(Ok(namespace));
    while let Ok(Task::Start(mut command, reply)) = tasks.recv() {
        let _ = reply.send(start_behind(&mut command, hosts));
    }
}

/// Starts a program at the near end of the link.
fn start_behind(command: &mut Command, hosts: &Hosts) -> io::Result<Child> {
    let Addresses { server, client } = hosts.addresses;
    // MAHIMAHI_BASE: scripts that were written for mm-link find their server too.
    let [at_server, at_client] = [server, client].map(|address| address.to_string());
    command.env(SERVER_VARIABLE, &at_server).env("WINDWARD_CLIENT", at_client).env("MAHIMAHI_BASE", at_server);
    let own_names = match names::resolver().filter(|_| !hosts.is_isolated) {
        Some(_) => Some(ResolvConf::new(server)?),
        None => None,
    };
    start(command, &hosts.client, own_names.as_ref())
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.processes.kill();
        for child in &mut self.children {
            let _ = child.wait();
        }
    }
}

fn start(command: &mut Command, host: &Namespace, names: Option<&ResolvConf>) -> io::Result<Child> {
    // SAFETY: what runs between fork and exec makes system calls only and takes no memory.
    unsafe {
        command.pre_exec({
            let host = ptr::from_ref(host) as usize;
            let names = names.map(|names| ptr::from_ref(names) as usize);
            move || {
                // Both outlive this call: the parent waits for exec.
                (*(host as *const Namespace)).enter()?;
                own_mounts()?;
                names.map_or(Ok(()), |names| (*(names as *const ResolvConf)).mount())
            }
        });
    }
    command.spawn()
}

/// Gives servers the time to open their sockets: until one of the ports of this thread's network namespace listens for
/// each, but a second at most.
fn wait_until_listening(servers: &mut [Child]) -> Result<(), Error> {
    let listening = || {
        let table: String = ["tcp", "tcp6", "udp", "udp6"].map(read_or_nothing).concat();
        // State 0A: a listening TCP socket; 07: an open UDP one.
        table.lines().filter(|line| matches!(line.split_whitespace().nth(3), Some("0A" | "07"))).count()
    };
    for _ in 0..100 {
        if listening() >= servers.len() {
            break;
        }
        for server in servers.iter_mut() {
            if let Ok(Some(status)) = server.try_wait()
                && !status.success()
            {
                return Err(Error::Impossible(format!("a server exited before the command started: {status}")));
            }
        }
        thread::sleep(time::Duration::from_millis(10));
    }
    Ok(())
}

fn read_or_nothing(protocol: &str) -> String {
    std::fs::read_to_string(format!("/proc/thread-self/net/{protocol}")).unwrap_or_default()
}

/// Ctrl-C reaches the program and its children through the terminal: we wait for it. A signal that is sent to this
/// process alone is meant for the program too, and Ctrl-C's for all that a terminal would have sent it to: a shell
/// waits for its child before it ends. Dropped, it puts back what was before.
struct Signals {
    before: Vec<(libc::c_int, libc::sigaction)>,
    /// Its other end is that of the thread that passes interrupts on.
    interrupts: Option<PipeWriter>,
}

/// The program, for the signals that are meant for it; 0 for none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// A signal that came before there was a program; 0 for none.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Descriptor to which interrupts are written; −1 for none.
static INTERRUPTS: AtomicI32 = AtomicI32::new(-1);

impl Signals {
    /// From now on; handlers, unlike signals that are ignored, are not handed on to the program.
    fn catch() -> Self {
        extern "C" fn forward(signal: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
            // The terminal's own signals come from the kernel, and to the program as well.
            // SAFETY: the kernel gives SA_SIGINFO's handlers a valid pointer.
            if matches!(signal, libc::SIGINT | libc::SIGQUIT) && unsafe { (*about).si_code } > 0 {
                return;
            }
            let program = PROGRAM.load(Ordering::SeqCst);
            if program == 0 {
                EARLY.store(signal, Ordering::SeqCst);
                return;
            }
            let byte = signal as u8;
            // SAFETY: kill(2) and write(2) may be called from a signal handler; the byte is our own.
            unsafe {
                libc::kill(program, signal);
                if matches!(signal, libc::SIGINT | libc::SIGQUIT) {
                    libc::write(INTERRUPTS.load(Ordering::SeqCst), ptr::from_ref(&byte).cast(), 1);
                }
            }
        }
        EARLY.store(0, Ordering::SeqCst);
        let catch = |signal| {
            // SAFETY: all zeros are an action without flags, and the handler makes one allowed call, or none.
            unsafe {
                let (mut action, mut before): (libc::sigaction, libc::sigaction) =
                    (std::mem::zeroed(), std::mem::zeroed());
                action.sa_sigaction = forward as *const () as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                libc::sigaction(signal, &raw const action, &raw mut before);
                (signal, before)
            }
        };
        let interrupts = io::pipe().ok().map(|(orders, interrupts)| {
            INTERRUPTS.store(interrupts.as_raw_fd(), Ordering::SeqCst);
            thread::spawn(move || pass_interrupts_on(orders));
            interrupts
        });
        Self { before: [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP].map(catch).into(), interrupts }
    }

    /// They are meant for `program`, those that have come already as well.
    fn are_meant_for(&self, program: &Child) {
        PROGRAM.store(program.id() as i32, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if early != 0 {
            // SAFETY: numbers only.
            unsafe { libc::kill(program.id() as i32, early) };
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        PROGRAM.store(0, Ordering::SeqCst);
        for (signal, before) in &self.before {
            // SAFETY: what stood there before is a valid action.
            unsafe { libc::sigaction(*signal, before, ptr::null_mut()) };
        }
        INTERRUPTS.store(-1, Ordering::SeqCst);
        self.interrupts = None;
    }
}

/// Sends interrupts to the other processes of the program: those of our process group that are in its PID namespace.
fn pass_interrupts_on(mut orders: PipeReader) {
    let mut signal = [0];
    while orders.read_exact(&mut signal).is_ok() {
        let program = PROGRAM.load(Ordering::SeqCst);
        let namespace = |process: i32| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
        let Some(own) = namespace(program) else { continue };
        let Ok(entries) = fs::read_dir("/proc") else { continue };
        for process in entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
            // SAFETY: numbers only.
            let is_of_group = unsafe { libc::getpgid(process) == libc::getpgrp() };
            if process != program && is_of_group && namespace(process).as_ref() == Some(&own) {
                // SAFETY: numbers only.
                unsafe { libc::kill(process, signal[0].into()) };
            }
        }
    }
}

/// Program that could not be started.
fn cannot_start(what: &str) -> impl FnOnce(io::Error) -> Error {
    Error::system(format!("starting {what}"))
}
