//! The served folder, and name lookup beneath it.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use super::refusal::Refusal;

/// An open folder. Names are resolved beneath it even if its own path changes.
pub struct Folder {
    file: File,
}

/// Path components of a folder or file, from the served folder down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names(Vec<OsString>);

impl Names {
    /// Parses the path of a target. Refuses names that begin with a dot: `..` leads out of the folder, and the others
    /// are hidden files of users and uploads.
    pub fn parse(path: &str) -> Result<Self, Refusal> {
        let refusal = || Refusal::new(404, "no such file");
        let path = path.strip_prefix('/').ok_or_else(refusal)?;
        let mut names = Vec::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let name: Vec<u8> = percent_encoding::percent_decode_str(part).collect();
            if name.contains(&0) || name.contains(&b'/') || name.starts_with(b".") {
                return Err(refusal());
            }
            names.push(OsString::from_vec(name));
        }
        Ok(Self(names))
    }

    /// Splits off the last component; `None` for the served folder itself.
    pub fn split_last(&self) -> Option<(Self, &OsStr)> {
        let (last, before) = self.0.split_last()?;
        Some((Self(before.to_vec()), last))
    }

    /// All components, from the served folder down.
    pub fn parts(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().map(OsString::as_os_str)
    }

    /// The last component.
    pub fn last(&self) -> Option<&OsStr> {
        self.0.last().map(OsString::as_os_str)
    }

    /// Removes `end` from the last component; `None` if it does not end so.
    pub fn without_end(&self, end: &str) -> Option<Self> {
        let (Self(mut names), last) = self.split_last()?;
        let name = last.as_bytes().strip_suffix(end.as_bytes()).filter(|name| !name.is_empty())?;
        names.push(OsStr::from_bytes(name).to_owned());
        Some(Self(names))
    }
}

impl Folder {
    /// Opens the folder at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if !file.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { file })
    }

    /// Opens a file or folder beneath for reading. Symbolic links are followed as long as they stay beneath.
    pub fn find(&self, names: &Names) -> io::Result<File> {
        if names.0.is_empty() {
            return self.file.try_clone();
        }
        let path = names.0.join(OsStr::new("/"));
        // Opening a FIFO would block until it has a writer.
        beneath(&self.file, &path, libc::O_RDONLY | libc::O_NONBLOCK)
    }

    /// Opens a folder beneath.
    pub fn folder(&self, names: &Names) -> io::Result<Self> {
        let file = self.find(names)?;
        if !file.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { file })
    }

    /// Opens a file directly in this folder for reading and writing; creates it if it is missing. Refuses symbolic
    /// links.
    pub fn make(&self, name: &OsStr) -> io::Result<File> {
        let name = CString::new(name.as_bytes())?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the descriptor is open, and the name ends with a zero.
        let result = unsafe { libc::openat(self.file.as_raw_fd(), name.as_ptr(), flags, 0o644) };
        file(result)
    }

    /// Renames a file atomically. `replaces`: whether it may replace an existing file.
    pub fn rename(&self, from: &OsStr, to: &OsStr, replaces: bool) -> io::Result<()> {
        let (from, to) = (CString::new(from.as_bytes())?, CString::new(to.as_bytes())?);
        let folder = self.file.as_raw_fd();
        // SAFETY: the descriptor is open, and the names end with a zero.
        let result = unsafe {
            if replaces {
                libc::renameat(folder, from.as_ptr(), folder, to.as_ptr())
            } else {
                libc::renameat2(folder, from.as_ptr(), folder, to.as_ptr(), libc::RENAME_NOREPLACE)
            }
        };
        done(result)?;
        self.file.sync_all()
    }

    /// Removes a file.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        let name = CString::new(name.as_bytes())?;
        // SAFETY: the descriptor is open, and the name ends with a zero.
        done(unsafe { libc::unlinkat(self.file.as_raw_fd(), name.as_ptr(), 0) })
    }

    /// Removes matching hidden files that were last written to more than `age` ago.
    pub fn remove_old(&self, age: Duration, is_meant: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        for entry in std::fs::read_dir(format!("/proc/self/fd/{}", self.file.as_raw_fd()))? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.as_bytes().starts_with(b".") || !is_meant(name.as_bytes()) {
                continue;
            }
            let kind = entry.metadata()?;
            // A time in the future is not old.
            if kind.is_file() && kind.modified()?.elapsed().is_ok_and(|passed| passed > age) {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Lists the folder without hidden files, in order: name, length, and whether it is a folder.
    pub fn list(&self) -> io::Result<Vec<(OsString, u64, bool)>> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(format!("/proc/self/fd/{}", self.file.as_raw_fd()))? {
            let entry = entry?;
            let kind = entry.metadata()?;
            if !entry.file_name().as_bytes().starts_with(b".") {
                all.push((entry.file_name(), kind.len(), kind.is_dir()));
            }
        }
        all.sort();
        Ok(all)
    }
}

/// Opens `path` beneath `folder`. The kernel refuses every escape, by `..` or by a symbolic link, without a race in
/// which the path could be exchanged.
fn beneath(folder: &File, path: &OsStr, flags: libc::c_int) -> io::Result<File> {
    let path = CString::new(path.as_bytes())?;
    // SAFETY: all its fields are integers, for which zero is a value.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (flags | libc::O_CLOEXEC) as u64;
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_MAGICLINKS;
    let size = std::mem::size_of::<libc::open_how>();
    // SAFETY: the descriptor is open, the name ends with a zero, and `how` is as long as `size` says.
    let result = unsafe { libc::syscall(libc::SYS_openat2, folder.as_raw_fd(), path.as_ptr(), &raw const how, size) };
    file(result as libc::c_int)
}

fn file(descriptor: libc::c_int) -> io::Result<File> {
    done(descriptor)?;
    // SAFETY: the kernel has just opened it, for us alone.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
