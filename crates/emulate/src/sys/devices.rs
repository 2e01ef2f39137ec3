//! Waiting for packets at many devices, or for sockets.

use super::check;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use windward_units::Duration;

/// Sockets that are looked at together.
const SOCKETS: usize = 64;

/// Devices or sockets that can be waited for at a cost that does not grow with their number.
#[derive(Debug)]
pub(crate) struct Devices {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

/// Condition under which a device or socket is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// As long as it can be read.
    Level,
    /// Once at each change of what can be done with it.
    Edge,
}

/// A device or socket that can be read, or has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    /// Its place among the files, or its number.
    pub device: usize,
    /// It failed.
    pub is_gone: bool,
}

impl Devices {
    /// Watches `files`.
    pub(crate) fn new(files: &[File]) -> io::Result<Self> {
        // SAFETY: the call makes a descriptor that nobody else knows.
        let epoll = unsafe { OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?) };
        let devices = Self { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; files.len().max(SOCKETS)] };
        (0..).zip(files).try_for_each(|(device, file)| devices.add(file, device, Watch::Level))?;
        Ok(devices)
    }

    /// Watches one more until it is closed.
    pub(crate) fn add(&self, file: &impl AsRawFd, number: u64, watch: Watch) -> io::Result<()> {
        let events = match watch {
            Watch::Level => libc::EPOLLIN,
            Watch::Edge => libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLET,
        };
        let mut event = libc::epoll_event { events: events as u32, u64: number };
        // SAFETY: the event lives through the call.
        check(unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, file.as_raw_fd(), &raw mut event) })
            .map(drop)
    }

    /// Waits until one of them can be read, but not longer than `limit`. Returns whether one can.
    pub(crate) fn wait(&self, limit: Duration) -> io::Result<bool> {
        // To the nanosecond, which epoll_wait(2) is not.
        let mut poll = libc::pollfd { fd: self.epoll.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        wait(std::slice::from_mut(&mut poll), limit)
    }

    /// Those that can be read now.
    pub(crate) fn ready(&mut self) -> io::Result<impl Iterator<Item = Ready>> {
        let (room, count) = (self.events.as_mut_ptr(), self.events.len() as libc::c_int);
        // SAFETY: the array lives through the call, which gets its length.
        let count = check(unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), room, count, 0) })?;
        Ok(self.events[..count as usize].iter().map(|event| Ready {
            device: event.u64 as usize,
            is_gone: event.events & (libc::EPOLLERR | libc::EPOLLHUP) as u32 != 0,
        }))
    }
}

/// Waits until one of `files` can be read or has ended, but not longer than `limit`. Returns its place.
pub(crate) fn wait_for(files: &[&dyn AsRawFd], limit: Duration) -> io::Result<Option<usize>> {
    let poll = |file: &&dyn AsRawFd| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polls: Vec<_> = files.iter().map(poll).collect();
    wait(&mut polls, limit)?;
    Ok(polls.iter().position(|poll| poll.revents != 0))
}

/// Sleeps for a time.
pub(crate) fn rest(limit: Duration) -> io::Result<()> {
    wait(&mut [], limit).map(drop)
}

/// Waits for the events of `polls`, but not longer than `limit`. Returns true if there is one.
pub(super) fn wait(polls: &mut [libc::pollfd], limit: Duration) -> io::Result<bool> {
    let limit = libc::timespec {
        tv_sec: (limit.as_nanos() / 1_000_000_000) as libc::time_t,
        tv_nsec: (limit.as_nanos() % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: the array and the time live through the call, which gets the array's length.
    let answer =
        unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, &raw const limit, std::ptr::null()) };
    match check(answer) {
        Ok(count) => Ok(count > 0),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(error) => Err(error),
    }
}
