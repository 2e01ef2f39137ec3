//! Text from files, within bounds: only regular files of limited size.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a recording in bytes.
pub const MAX_RECORDING: u64 = 256_000_000;

/// Reads a text file of at most `most` bytes, without its byte order mark.
///
/// # Errors
/// Errors of the system; files that are not regular, too large, or not UTF-8. Devices and named pipes are not opened.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let refuse = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let irregular = || refuse("not a regular file; devices and pipes are not read".to_owned());
    if !about.is_file() {
        return Err(irregular());
    }
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(irregular());
    }
    let mut bytes = Vec::new();
    if about.len() <= most {
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if about.len() > most || bytes.len() as u64 > most {
        let size = about.len().max(bytes.len() as u64);
        return Err(refuse(format!("{} MB; at most {} MB are read", megabytes(size), megabytes(most))));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let hint = match error.as_bytes() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "\nhint: if it is UTF-16, save it as UTF-8",
            _ => "",
        };
        refuse(format!("not a text file: byte {} is not UTF-8{hint}", error.utf8_error().valid_up_to()))
    })?;
    Ok(match without_mark(&text) {
        rest if rest.len() < text.len() => rest.to_owned(),
        _ => text,
    })
}

/// Removes the byte order mark with which editors and spreadsheets begin a text.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6).trim_end_matches(".0").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &str, most: u64) -> String {
        read_text(Path::new(path), most).unwrap_err().to_string()
    }

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = std::env::temp_dir().join(format!("windward-source-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("text");
        fs::write(&file, "\u{feff}a\n").expect("a file");
        assert_eq!(read_text(&file, 5).expect("text"), "a\n");
        assert_eq!(refusal(&file.to_string_lossy(), 4), "0 MB; at most 0 MB are read");
        fs::write(&file, b"a\xffb").expect("a file");
        assert_eq!(refusal(&file.to_string_lossy(), 9), "not a text file: byte 1 is not UTF-8");
        fs::write(&file, b"\xff\xfea\0").expect("a file");
        assert!(refusal(&file.to_string_lossy(), 9).ends_with("hint: if it is UTF-16, save it as UTF-8"));
        // A sparse file, larger than allowed.
        File::options().write(true).open(&file).and_then(|file| file.set_len(1 << 42)).expect("a sparse file");
        assert_eq!(refusal(&file.to_string_lossy(), 16_000_000), "4398046.5 MB; at most 16 MB are read");
        fs::remove_dir_all(&folder).expect("the folder is ours");
        assert_eq!(refusal("/dev/zero", 9), "not a regular file; devices and pipes are not read");
        assert_eq!(refusal("/", 9), "is a directory");
        // A file of the kernel has no size before it is read.
        assert!(read_text(Path::new("/proc/self/status"), 1 << 20).is_ok() || !cfg!(target_os = "linux"));
    }
}
