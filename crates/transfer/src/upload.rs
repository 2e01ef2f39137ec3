//! The upload protocol between client and server.

use crate::common::is_turning;
use serde::{Deserialize, Serialize};

use crate::tree::PIECE;

/// Media type of a posted tree. Web forms cannot send it, so no web page can post a tree unnoticed.
pub const TREE: &str = "application/vnd.windward.tree";

/// Field with the file's length in bytes.
pub const LENGTH: &str = "Windward-Length";

/// Field with the file's BLAKE3 hash, hexadecimal.
pub const HASH: &str = "Windward-Blake3";

/// The pieces that the server lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Bytes per piece; both ends must use the same.
    pub piece_bytes: u64,
    /// True if the file is there under its name.
    pub is_there: bool,
    /// Runs of missing pieces: the first piece, and the one after the last.
    pub missing: Vec<(u64, u64)>,
}

impl Missing {
    /// True if the runs are valid for a file of `count` pieces: in order and without overlap, so that no server can
    /// request a piece again and again.
    pub fn is_sane(&self, count: u64) -> bool {
        let mut end = 0;
        let are_apart = self.missing.iter().all(|&(from, to)| {
            let is_next = end <= from && from < to && to <= count;
            end = to;
            is_next
        });
        are_apart && self.piece_bytes == PIECE && (self.is_there || !self.missing.is_empty())
    }
}

/// Returns whether this is a valid name for an upload: no control characters, those of direction among them, no leading
/// dot, and nothing that commands take for an option.
pub fn is_fit(name: &[u8]) -> bool {
    let has_control = match std::str::from_utf8(name) {
        Ok(text) => text.contains(|c: char| c.is_control() || is_turning(c)),
        Err(_) => name.iter().any(u8::is_ascii_control),
    };
    !name.is_empty() && !has_control && !name.starts_with(b".") && !name.starts_with(b"-") && !name.contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_harmless() {
        for name in ["a", "a b.txt", "ä-", "~"] {
            assert!(is_fit(name.as_bytes()), "{name}");
        }
        assert!(is_fit(b"lat\xe8"));
        for name in ["", ".a", "-rf", "a/b", "a\nb", "a\u{7f}", "\u{9b}2J", "\0", "a\u{202e}gpj.exe", "a\u{2028}b"] {
            assert!(!is_fit(name.as_bytes()), "{name:?}");
        }
        assert!(!is_fit(b"\xe8\x1b[2J"));
    }

    #[test]
    fn runs_are_in_order_and_apart() {
        let is_sane = |missing: &[(u64, u64)]| {
            Missing { piece_bytes: PIECE, is_there: false, missing: missing.to_vec() }.is_sane(9)
        };
        assert!(is_sane(&[(0, 2), (2, 3), (8, 9)]));
        for wrong in [&[][..], &[(2, 2)], &[(0, 10)], &[(0, 9), (0, 9)], &[(5, 6), (1, 2)]] {
            assert!(!is_sane(wrong), "{wrong:?}");
        }
        assert!(Missing { piece_bytes: PIECE, is_there: true, missing: Vec::new() }.is_sane(1));
    }
}
