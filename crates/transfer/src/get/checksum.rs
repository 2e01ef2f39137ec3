//! Comparison of a file with the user's digest.

use std::fs::File;
use std::io::Read;

use sha2::{Digest, Sha256, Sha512};

use crate::error::Error;

/// Bytes per read.
const READ: usize = 128 << 10;

/// The expected digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checksum {
    algorithm: Algorithm,
    wanted: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Sha256,
    Sha512,
}

impl Checksum {
    /// Parses `sha-256=HEX` or `sha-512=HEX`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |reason: &str| Error::Usage(format!("`checksum` {text:?} {reason}"));
        let (name, digits) = text.split_once('=').ok_or_else(|| wrong("is not ALGORITHM=HEX"))?;
        let (algorithm, length) = match name.to_ascii_lowercase().as_str() {
            "sha-256" | "sha256" => (Algorithm::Sha256, 64),
            "sha-512" | "sha512" => (Algorithm::Sha512, 128),
            _ => return Err(wrong("must start with sha-256= or sha-512=")),
        };
        if digits.len() != length || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong(&format!("must have {length} hexadecimal digits")));
        }
        Ok(Self { algorithm, wanted: digits.to_ascii_lowercase() })
    }

    /// Hashes the whole file. `goes_on` is called between reads.
    ///
    /// # Errors
    /// The digest differs, the file cannot be read, or `goes_on` returns false.
    pub fn check(&self, file: &mut File, mut goes_on: impl FnMut() -> bool) -> Result<(), Error> {
        let (name, found) = match self.algorithm {
            Algorithm::Sha256 => ("sha-256", digest::<Sha256>(file, &mut goes_on)?),
            Algorithm::Sha512 => ("sha-512", digest::<Sha512>(file, &mut goes_on)?),
        };
        if found == self.wanted {
            return Ok(());
        }
        Err(Error::Checksum { algorithm: name, found, wanted: self.wanted.clone(), kept: None })
    }
}

fn digest<D: Digest>(file: &mut File, goes_on: &mut impl FnMut() -> bool) -> Result<String, Error> {
    let mut digest = D::new();
    let mut buffer = vec![0; READ];
    loop {
        if !goes_on() {
            return Err(Error::Interrupted);
        }
        match file.read(&mut buffer).map_err(|error| Error::file("reading the file back", &error))? {
            0 => return Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            count => digest.update(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_digests_of_known_kinds_are_taken() {
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(Checksum::parse(&format!("sha-256={sha256}")).is_ok());
        assert!(Checksum::parse(&format!("SHA256={}", sha256.to_uppercase())).is_ok());
        for wrong in [sha256.to_owned(), format!("md5={sha256}"), format!("sha-256={}", &sha256[1..])] {
            assert!(Checksum::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
