//! Network namespaces without names: they go with the last descriptor and process, however these end.

use super::check;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::thread;

/// A network namespace.
#[derive(Debug)]
pub(crate) struct Namespace(File);

impl Namespace {
    /// A new one, with nothing in it but a loopback device that is down.
    pub(crate) fn new() -> io::Result<Self> {
        let make = || {
            // SAFETY: it concerns this thread alone, which has been started for it.
            check(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
            File::open("/proc/thread-self/ns/net").map(Self)
        };
        thread::scope(|scope| scope.spawn(make).join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))))
    }

    /// Moves the calling thread into it for good.
    pub(crate) fn enter(&self) -> io::Result<()> {
        // SAFETY: the descriptor is open, and the call concerns this thread alone.
        check(unsafe { libc::setns(self.0.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
    }

    /// Does `work` in it, on a thread of its own.
    pub(crate) fn inside<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let enter_and_work = || self.enter().and_then(|()| work());
        thread::scope(|scope| {
            let thread = scope.spawn(enter_and_work);
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl AsRawFd for Namespace {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// True if this process may make network namespaces and devices in them without a user namespace of its own.
pub(crate) fn has_rights() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("CapEff:")?.trim(), 16).ok());
    // CAP_NET_ADMIN and CAP_SYS_ADMIN, linux/capability.h.
    effective.is_some_and(|set| [12, 21].iter().all(|right| set >> right & 1 == 1))
}

/// Moves the calling process, which must have one thread, into the namespaces of a link: the user namespace, if it has
/// one of its own, and the network. What the process starts from then on is in its PID namespace.
pub(crate) fn enter(user: Option<libc::c_int>, network: libc::c_int, processes: libc::c_int) -> io::Result<()> {
    let kinds =
        [(user, libc::CLONE_NEWUSER), (Some(network), libc::CLONE_NEWNET), (Some(processes), libc::CLONE_NEWPID)];
    for (number, kind) in kinds {
        if let Some(number) = number {
            // SAFETY: numbers only.
            check(unsafe { libc::setns(number, kind) })?;
        }
    }
    // A change of rights forgets it.
    // SAFETY: numbers only.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }).map(drop)
}

/// Makes this process root of a user namespace of its own, in which it may make network namespaces. The process must
/// have one thread.
pub(crate) fn own_user_namespace() -> io::Result<()> {
    // SAFETY: these calls read numbers.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    // SAFETY: no memory is concerned.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

/// Writes a setting of the network namespace that this thread is in; `name` is its path below /proc/sys/net.
pub(crate) fn write_setting(name: &str, value: &str) -> io::Result<()> {
    fs::write(format!("/proc/sys/net/{name}"), value)
        .map_err(|error| io::Error::new(error.kind(), format!("setting {name} to {value}: {error}")))
}
