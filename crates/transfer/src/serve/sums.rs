//! Checksums of files, computed on request and cached until the file changes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// Maximum number of files with cached sums.
const MOST: usize = 4096;
/// Bytes per read.
const BLOCK: usize = 1 << 20;

/// A digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// BLAKE3, as `b3sum` prints it.
    Blake3,
    /// SHA-256, as `sha256sum` prints it.
    Sha256,
}

impl Kind {
    /// All digests, each with the suffix that requests it.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Blake3, ".b3"), (Self::Sha256, ".sha256")];
}

/// Cached sums. One is computed at a time, so that hashing does not take every core from sending.
#[derive(Default)]
pub struct Sums(Mutex<BTreeMap<(Kind, String), String>>);

impl Sums {
    /// Digest of `file`, whose version is `tag`, in hexadecimal digits.
    pub fn of(&self, kind: Kind, tag: &str, file: &File) -> io::Result<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kind, tag.to_owned());
        if let Some(sum) = known.get(&key) {
            return Ok(sum.clone());
        }
        let sum = match kind {
            Kind::Blake3 => {
                let mut hasher = blake3::Hasher::new();
                read(file, |block| {
                    hasher.update(block);
                })?;
                hasher.finalize().to_hex().to_string()
            }
            Kind::Sha256 => {
                let mut hasher = Sha256::new();
                read(file, |block| hasher.update(block))?;
                hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
            }
        };
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, sum.clone());
        Ok(sum)
    }
}

fn read(file: &File, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    let mut at = 0;
    loop {
        let count = file.read_at(&mut block, at)?;
        if count == 0 {
            return Ok(());
        }
        take(&block[..count]);
        at += count as u64;
    }
}
