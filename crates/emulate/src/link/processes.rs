//! The process numbers of a link's programs: a PID namespace, whose end is theirs.

use crate::sys::check;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::fd::AsRawFd;
use std::ptr;

/// A PID namespace with an init that does nothing but be there. When this is dropped, or this process ends, however it
/// does, the init ends, and with it the kernel kills all that has been started in the namespace, daemons included.
pub(super) struct Processes {
    init: libc::pid_t,
    /// The init waits for its other end to be closed.
    #[expect(dead_code, reason = "the kernel closes it where nobody else does")]
    alive: PipeWriter,
}

impl Processes {
    /// Makes the namespace. From here on it is that of whatever the calling thread starts; the thread itself stays
    /// where it is, can start no other threads, and must live as long as what it starts.
    pub fn new() -> io::Result<Self> {
        let (ended, alive) = io::pipe()?;
        // SAFETY: it concerns this thread alone.
        check(unsafe { libc::unshare(libc::CLONE_NEWPID) })?;
        // SAFETY: what the child does until its end are system calls.
        match check(unsafe { libc::fork() })? {
            0 => be_init(ended.as_raw_fd(), alive.as_raw_fd()),
            init => Ok(Self { init, alive }),
        }
    }
}

impl Processes {
    /// The namespace, as a file.
    pub fn namespace(&self) -> io::Result<File> {
        File::open(format!("/proc/{}/ns/pid", self.init))
    }

    /// Kills all of them. Those that this process has started still wait to be waited for.
    pub fn kill(&self) {
        // SAFETY: numbers only. The init is our own child, which nobody has waited for yet.
        unsafe { libc::kill(self.init, libc::SIGKILL) };
    }
}

/// Waits for the init, which waits for all others.
impl Drop for Processes {
    fn drop(&mut self) {
        self.kill();
        // SAFETY: numbers only.
        unsafe { libc::waitpid(self.init, ptr::null_mut(), 0) };
    }
}

/// The life of an init: it ignores the signals that its group is sent, and the ends of its children, which the kernel
/// then buries itself.
fn be_init(ended: libc::c_int, alive: libc::c_int) -> ! {
    // SAFETY: system calls; the byte is our own.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NAME, c"windward-init".as_ptr());
        for signal in [libc::SIGCHLD, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGTSTP] {
            libc::signal(signal, libc::SIG_IGN);
        }
        libc::close(alive);
        // Whoever reads our output shall not wait for us.
        for stream in (0..3).filter(|&stream| stream != ended) {
            libc::close(stream);
        }
        let mut byte = 0_u8;
        // An end that came before PR_SET_PDEATHSIG has closed the pipe.
        while libc::read(ended, ptr::from_mut(&mut byte).cast(), 1) < 0 {}
        libc::_exit(0)
    }
}

/// Gives the calling process mounts of its own, and in them a /proc that shows its own namespace, where that may be
/// mounted. Takes no memory: it may run between fork and exec.
pub(super) fn own_mounts() -> io::Result<()> {
    let none = ptr::null();
    // SAFETY: all strings end with a zero; the calls concern this process alone.
    unsafe {
        check(libc::unshare(libc::CLONE_NEWNS))?;
        check(libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()))?;
        let (proc, flags) = (c"proc".as_ptr(), libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC);
        // In a container that hides parts of /proc the kernel refuses another; then the old one stays.
        libc::mount(proc, c"/proc".as_ptr(), proc, flags, none.cast());
    }
    Ok(())
}
