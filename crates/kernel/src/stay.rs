//! Laws that outlive the tool: links pinned in a file system of our own under /run, which comes with the first and goes
//! with the last.

use crate::{Error, sys};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folder of the pins.
const FOLDER: &str = "/run/windward/bpf";

/// Before the law's name in a pin's: the kernel puts files of its own beside them.
const PREFIX: &str = "law-";

/// The pin of the law loaded as `name`.
fn pin(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{PREFIX}{name}"))
}

/// True if the law loaded as `name` is pinned.
pub(crate) fn is_kept(name: &str) -> bool {
    is_mounted() && pin(name).exists()
}

/// Pins `link` as `name`.
pub(crate) fn keep(link: &OwnedFd, name: &str) -> Result<(), Error> {
    let folder = Path::new(FOLDER);
    fs::create_dir_all(folder).map_err(Error::system(format!("making {FOLDER}")))?;
    if !is_mounted() {
        sys::mount_bpf_fs(folder).map_err(Error::system(format!("mounting a bpf file system on {FOLDER}")))?;
    }
    sys::pin(link, &pin(name)).map_err(|e| {
        let error = Error::system(format!("pinning the law in {FOLDER}"))(e);
        // An empty file system is not left behind.
        tidy().err().unwrap_or(error)
    })
}

/// Takes away the pin `name`, if there is one.
pub(crate) fn release(name: &str) -> Result<(), Error> {
    if !is_mounted() {
        return Ok(());
    }
    unpin(name)?;
    tidy()
}

/// The laws that are pinned.
pub(crate) fn names() -> Result<Vec<String>, Error> {
    if is_mounted() { kept() } else { Ok(Vec::new()) }
}

/// Takes away all pins; returns the laws' names.
pub(crate) fn release_all() -> Result<Vec<String>, Error> {
    if !is_mounted() {
        return Ok(Vec::new());
    }
    let names = kept()?;
    names.iter().try_for_each(|name| unpin(name))?;
    tidy()?;
    Ok(names)
}

fn unpin(name: &str) -> Result<(), Error> {
    match fs::remove_file(pin(name)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(Error::system(format!("removing {name} from {FOLDER}"))(e))
        }
        _ => Ok(()),
    }
}

/// The names of all laws that are pinned.
fn kept() -> Result<Vec<String>, Error> {
    let read = || {
        let names = fs::read_dir(FOLDER)?.map(|entry| entry.map(|entry| entry.file_name().into_string()));
        names.collect::<io::Result<Vec<_>>>()
    };
    let files = read().map_err(Error::system(format!("reading {FOLDER}")))?;
    let mut names: Vec<String> =
        files.iter().flatten().filter_map(|file| file.strip_prefix(PREFIX)).map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

/// Takes the file system away once nothing is in it.
fn tidy() -> Result<(), Error> {
    if kept()?.is_empty() {
        sys::unmount(Path::new(FOLDER)).map_err(Error::system(format!("unmounting {FOLDER}")))?;
        // The emulator may keep something of its own beside it.
        let _ = fs::remove_dir(FOLDER);
        let _ = fs::remove_dir("/run/windward");
    }
    Ok(())
}

fn is_mounted() -> bool {
    sys::is_bpf_fs(Path::new(FOLDER)).unwrap_or(false)
}
