//! The programs at the ends of a link.

use super::ends::{CLIENT, Ends, SERVER};
use super::names::{self, ResolvConf};
use crate::error::Error;
use crate::sys::Namespace;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::{ptr, thread, time};

/// The program and its servers, each in its namespace. They are killed with this process, however it ends.
pub(super) struct Children {
    program: Child,
    signals: Signals,
    #[expect(dead_code, reason = "they end when this is dropped")]
    servers: Servers,
}

impl Children {
    pub(super) fn start(ends: &Ends, client: &Namespace, server: &Namespace) -> Result<Self, Error> {
        let signals = Signals::catch();
        let mut servers = Servers(Vec::new());
        for line in &ends.servers {
            let mut command = Command::new("sh");
            // What servers say is not the program's output.
            let log = io::stderr().as_fd().try_clone_to_owned().map_err(cannot_start(line))?;
            command.args(["-c", line]).process_group(0).stdin(Stdio::null()).stdout(log);
            servers.0.push(start(&mut command, server, None).map_err(cannot_start(line))?);
        }
        wait_until_listening(server, &mut servers.0)?;
        let (name, arguments) = ends
            .command
            .split_first()
            .ok_or_else(|| Error::Impossible("no command to run behind the link; give it after --".to_owned()))?;
        let mut command = Command::new(name);
        command.args(arguments);
        // MAHIMAHI_BASE: scripts that were written for mm-link find their server too.
        command.env("WINDWARD_SERVER", SERVER.to_string()).env("WINDWARD_CLIENT", CLIENT.to_string());
        command.env("MAHIMAHI_BASE", SERVER.to_string());
        let own_names = match names::resolver().filter(|_| !ends.is_isolated) {
            Some(_) => Some(ResolvConf::new().map_err(Error::system("writing a resolv.conf"))?),
            None => None,
        };
        let program = start(&mut command, client, own_names.as_ref());
        let program = program.map_err(cannot_start(&name.to_string_lossy()))?;
        signals.are_meant_for(&program);
        Ok(Self { program, signals, servers })
    }

    /// Waits for the program, ends the servers, and returns the program's exit code.
    pub(super) fn wait(mut self) -> Result<i32, Error> {
        let status = self.program.wait().map_err(Error::system("waiting for the command"))?;
        drop(self.signals);
        Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
    }
}

/// Processes that end, with all that they have started, when this is dropped.
struct Servers(Vec<Child>);

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // SAFETY: numbers only; the group is the child's own.
            unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
            let _ = child.wait();
        }
    }
}

fn start(command: &mut Command, host: &Namespace, names: Option<&ResolvConf>) -> io::Result<Child> {
    let parent = std::process::id() as libc::pid_t;
    // SAFETY: what runs between fork and exec makes system calls only and takes no memory.
    unsafe {
        command.pre_exec({
            let host = ptr::from_ref(host) as usize;
            let names = names.map(|names| ptr::from_ref(names) as usize);
            move || {
                // Both outlive this call: the parent waits for exec.
                (*(host as *const Namespace)).enter()?;
                names.map_or(Ok(()), |names| (*(names as *const ResolvConf)).mount())?;
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // A parent that died before that has been replaced already.
                if libc::getppid() == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
            }
        });
    }
    command.spawn()
}

/// Gives servers the time to open their sockets: until one of the namespace's ports listens for each, but a second at most.
fn wait_until_listening(host: &Namespace, servers: &mut [Child]) -> Result<(), Error> {
    let listening = || {
        let table: String = ["tcp", "tcp6", "udp", "udp6"].map(read_or_nothing).concat();
        // State 0A: a listening TCP socket; 07: an open UDP one.
        Ok(table.lines().filter(|line| matches!(line.split_whitespace().nth(3), Some("0A" | "07"))).count())
    };
    for _ in 0..100 {
        let count = host.inside(listening).map_err(Error::system("looking for the servers' listening ports"))?;
        if count >= servers.len() {
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

/// Ctrl-C reaches the program through the terminal: we wait for it. Who ends us by name means the program too. Dropped, it
/// puts back what was before.
struct Signals([(libc::c_int, libc::sighandler_t); 4]);

/// The program, for the signals that are meant for it; 0 for none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// A signal that came before there was a program; 0 for none.
static EARLY: AtomicI32 = AtomicI32::new(0);

impl Signals {
    /// From now on; handlers, unlike signals that are ignored, are not handed on to the program.
    fn catch() -> Self {
        extern "C" fn forward(signal: libc::c_int) {
            let program = PROGRAM.load(Ordering::SeqCst);
            if program == 0 {
                EARLY.store(signal, Ordering::SeqCst);
            } else {
                // SAFETY: kill(2) may be called from a signal handler.
                unsafe { libc::kill(program, signal) };
            }
        }
        extern "C" fn leave(_: libc::c_int) {}
        let forward = forward as *const () as libc::sighandler_t;
        let leave = leave as *const () as libc::sighandler_t;
        EARLY.store(0, Ordering::SeqCst);
        let wanted = [(libc::SIGINT, leave), (libc::SIGQUIT, leave), (libc::SIGTERM, forward), (libc::SIGHUP, forward)];
        // SAFETY: each handler is a function that makes one allowed call, or none.
        Self(wanted.map(|(signal, action)| (signal, unsafe { libc::signal(signal, action) })))
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
        for (signal, before) in self.0 {
            // SAFETY: what stood there before is a valid action.
            unsafe { libc::signal(signal, before) };
        }
    }
}

/// What could not be started.
fn cannot_start(what: &str) -> impl FnOnce(io::Error) -> Error {
    Error::system(format!("starting {what}"))
}
