//! Disk space.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Sets a file's length and reserves its disk space, so that a full disk is detected at the start and not at the end.
/// On a file system that cannot reserve space, enough must at least be free.
///
/// # Errors
/// The disk is full, the length exceeds the file system's limit, or the file cannot be written.
pub(crate) fn reserve(file: &File, length: u64) -> io::Result<()> {
    let size = libc::off_t::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    if length > 0 {
        match allocate(file, size) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
                let free = free(file)?;
                if free < length {
                    let message = format!("{length} bytes needed, {free} free");
                    return Err(io::Error::new(io::ErrorKind::StorageFull, message));
                }
            }
            other => other?,
        }
    }
    file.set_len(length)
}

/// Allocates the file's blocks.
#[cfg(target_os = "linux")]
fn allocate(file: &File, length: libc::off_t) -> io::Result<()> {
    // SAFETY: fallocate takes an open descriptor and touches no memory.
    match unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
fn allocate(_file: &File, _length: libc::off_t) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP))
}

/// Bytes still available to users on the file's file system.
fn free(file: &File) -> io::Result<u64> {
    // SAFETY: all its fields are integers, for which zero is a value.
    let mut about: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, and `about` is large enough by its type.
    match unsafe { libc::fstatvfs(file.as_raw_fd(), &raw mut about) } {
        0 => Ok((about.f_bavail as u64).saturating_mul(about.f_frsize as u64)),
        _ => Err(io::Error::last_os_error()),
    }
}
