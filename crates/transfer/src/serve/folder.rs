//! The folder, and what lies beneath it.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use super::refusal::Refusal;

/// A folder that is open. Names are looked up beneath it whatever happens to the way that led there.
pub struct Folder {
    file: File,
}

/// Names of folders and a file, from the served folder down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names(Vec<OsString>);

impl Names {
    /// The names of a target's path. A name that begins with a dot is nobody's business: `..` leads out, and the others are
    /// what people and uploads hide.
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

    /// The folder's names and the last one; `None` for the served folder itself.
    pub fn split_last(&self) -> Option<(Self, &OsStr)> {
        let (last, before) = self.0.split_last()?;
        Some((Self(before.to_vec()), last))
    }

    /// All of them, from the served folder down.
    pub fn parts(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().map(OsString::as_os_str)
    }

    /// The last name.
    pub fn last(&self) -> Option<&OsStr> {
        self.0.last().map(OsString::as_os_str)
    }

    /// The same but for the end of the last name, which must be `end`.
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

    /// A file or folder beneath, to read. Symbolic links are followed as long as they stay beneath.
    pub fn find(&self, names: &Names) -> io::Result<File> {
        if names.0.is_empty() {
            return self.file.try_clone();
        }
        let path = names.0.join(OsStr::new("/"));
        // A FIFO would wait for a writer.
        beneath(&self.file, &path, libc::O_RDONLY | libc::O_NONBLOCK)
    }

    /// A folder beneath.
    pub fn folder(&self, names: &Names) -> io::Result<Self> {
        let file = self.find(names)?;
        if !file.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { file })
    }

    /// A file directly in this folder, to read and write; made if it is not there. No symbolic link.
    pub fn make(&self, name: &OsStr) -> io::Result<File> {
        let name = CString::new(name.as_bytes())?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the descriptor is open, and the name ends with a zero.
        let result = unsafe { libc::openat(self.file.as_raw_fd(), name.as_ptr(), flags, 0o644) };
        file(result)
    }

    /// Gives a file another name, atomically; whether another file of that name may go for it.
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

    /// Removes the hidden files of these names that nothing was written to for so long.
    pub fn remove_old(&self, age: Duration, is_meant: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        for entry in std::fs::read_dir(format!("/proc/self/fd/{}", self.file.as_raw_fd()))? {
            let entry = entry?;
            let name = entry.file_name();
            if !name.as_bytes().starts_with(b".") || !is_meant(name.as_bytes()) {
                continue;
            }
            let kind = entry.metadata()?;
            // In the future is not old.
            if kind.is_file() && kind.modified()?.elapsed().is_ok_and(|passed| passed > age) {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    /// What is in it, hidden files left out: name, length, and whether it is a folder; in order.
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

/// What is at `path` beneath `folder`: the kernel refuses every way out, by `..` or by a symbolic link, without a moment in
/// which the way could be exchanged.
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
