//! Lines over a Unix socket, with descriptors beside them, and the ends of processes.

use super::check;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Descriptors that one message may carry.
const MOST: usize = 8;

/// Longest line.
const LONGEST: usize = 64 << 20;

/// Reader of lines, each with the descriptors that came with it.
pub(crate) struct Lines {
    stream: UnixStream,
    bytes: Vec<u8>,
    /// Part of `bytes` that is known to hold no end of a line.
    searched: usize,
    files: Vec<OwnedFd>,
}

impl Lines {
    /// Those of a socket that blocks.
    pub(crate) fn of(stream: UnixStream) -> Self {
        Self { stream, bytes: Vec::new(), searched: 0, files: Vec::new() }
    }

    /// The socket, for answers.
    pub(crate) const fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// The next line, without its end, and its descriptors; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(String, Vec<OwnedFd>)>> {
        loop {
            if let Some(end) = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=self.searched + end).collect();
                self.searched = 0;
                let text = String::from_utf8_lossy(&line[..line.len() - 1]).into_owned();
                return Ok(Some((text, std::mem::take(&mut self.files))));
            }
            self.searched = self.bytes.len();
            if self.searched > LONGEST {
                return Err(io::Error::other("a line is too long"));
            }
            let mut room = [0; 64 << 10];
            let count = receive(&self.stream, &mut room, &mut self.files)?;
            if count == 0 {
                return Ok(None);
            }
            self.bytes.extend_from_slice(&room[..count]);
        }
    }
}

/// Space for the descriptors of a message, aligned as the kernel has it.
#[repr(C, align(8))]
struct Beside([u8; 128]);

/// Receives bytes, and appends the descriptors that come with them.
fn receive(stream: &UnixStream, room: &mut [u8], files: &mut Vec<OwnedFd>) -> io::Result<usize> {
    let mut beside = Beside([0; 128]);
    let mut part = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
    // SAFETY: all buffers live through the call, which gets their lengths; the kernel writes whole headers.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        message.msg_control = (&raw mut beside.0).cast();
        message.msg_controllen = beside.0.len() as _;
        let count = loop {
            let count = libc::recvmsg(stream.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC);
            match check(count as libc::c_int) {
                Ok(count) => break count as usize,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            if ((*header).cmsg_level, (*header).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let length = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let numbers = libc::CMSG_DATA(header).cast::<libc::c_int>();
                for at in 0..length / size_of::<libc::c_int>() {
                    files.push(OwnedFd::from_raw_fd(numbers.add(at).read_unaligned()));
                }
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        Ok(count)
    }
}

/// Sends a line with descriptors beside it.
pub(crate) fn send_with(stream: &UnixStream, line: &str, files: &[&dyn AsRawFd]) -> io::Result<()> {
    let bytes = [line.as_bytes(), b"\n"].concat();
    let mut sent = 0;
    while sent < bytes.len() {
        // The descriptors go with the first bytes.
        let beside = if sent == 0 { files } else { &[] };
        sent += send(stream, &bytes[sent..], beside)?;
    }
    Ok(())
}

fn send(stream: &UnixStream, bytes: &[u8], files: &[&dyn AsRawFd]) -> io::Result<usize> {
    debug_assert!(files.len() <= MOST, "a message carries few descriptors");
    let mut beside = Beside([0; 128]);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let size = (files.len() * size_of::<libc::c_int>()) as u32;
    // SAFETY: all buffers live through the call, which gets their lengths and only reads them.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        if !files.is_empty() {
            message.msg_control = (&raw mut beside.0).cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as _;
            let numbers = libc::CMSG_DATA(header).cast::<libc::c_int>();
            for (at, file) in files.iter().enumerate() {
                numbers.add(at).write_unaligned(file.as_raw_fd());
            }
        }
        loop {
            let count = libc::sendmsg(stream.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL);
            match check(count as libc::c_int) {
                Ok(count) => return Ok(count as usize),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A descriptor that can be read once the process has ended; `None` where the kernel has none (before 5.3), or the
/// process has ended already.
pub(crate) fn process_end(process: u32) -> Option<OwnedFd> {
    // SAFETY: numbers only; the call makes a descriptor without another owner.
    unsafe {
        let number = libc::syscall(libc::SYS_pidfd_open, process as libc::pid_t, 0);
        (number >= 0).then(|| OwnedFd::from_raw_fd(number as libc::c_int))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Seek, Write};

    /// Lines may be cut anywhere; a descriptor belongs to the line with which it came.
    #[test]
    fn lines_come_with_their_descriptors() {
        let (near, far) = UnixStream::pair().unwrap();
        let path = std::env::temp_dir().join(format!("windward-lines-{}", std::process::id()));
        let mut file = File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.write_all(b"inside").unwrap();
        (&near).write_all(b"plain\nhalf").unwrap();
        let mut lines = Lines::of(far);
        let (text, files) = lines.next().unwrap().unwrap();
        assert_eq!((text.as_str(), files.len()), ("plain", 0));
        (&near).write_all(b" and half\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap().0, "half and half");
        send_with(&near, &"long ".repeat(10_000), &[&file, &near]).unwrap();
        let (text, files) = lines.next().unwrap().unwrap();
        assert_eq!((text.len(), files.len()), (50_000, 2));
        let mut copy = File::from(files.into_iter().next().unwrap());
        copy.rewind().unwrap();
        let mut content = String::new();
        copy.read_to_string(&mut content).unwrap();
        assert_eq!(content, "inside");
        drop(near);
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn the_end_of_a_process_can_be_waited_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let end = process_end(child.id());
        child.wait().unwrap();
        if let Some(end) = end {
            let ended = super::super::wait_for(&[&end], windward_units::Duration::from_millis(1000)).unwrap();
            assert_eq!(ended, Some(0));
        }
    }
}
