//! Small local files: certificates, keys, passwords.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size in bytes; a system's trusted certificates take a quarter of a megabyte.
const MOST: u64 = 16_000_000;

/// Reads a regular file. Does not open a device or a named pipe, which may be endless.
///
/// # Errors
/// A system call fails, the path is not a regular file, or the file is too large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    require_file(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "larger than 16 MB"));
    }
    Ok(bytes)
}

/// Refuses anything but a regular file before it is opened, because a named pipe would block until it has a writer.
///
/// # Errors
/// A system call fails, or the path is not a regular file.
pub(crate) fn require_file(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_opened() {
        for path in ["/dev/zero", "/"] {
            assert_eq!(read(Path::new(path)).unwrap_err().to_string(), "not a regular file", "{path}");
        }
        let path = std::env::temp_dir().join(format!("windward-local-{}", std::process::id()));
        File::create(&path).and_then(|file| file.set_len(MOST + 1)).expect("a sparse file");
        assert_eq!(read(&path).unwrap_err().to_string(), "larger than 16 MB");
        fs::write(&path, "text").expect("a file");
        assert_eq!(read(&path).expect("text"), b"text");
        fs::remove_file(&path).expect("the file is ours");
    }
}
