//! What both ends of an upload say to each other.

use serde::{Deserialize, Serialize};

use crate::tree::PIECE;

/// The type of a posted tree. No form of a web page sends it, so no page can post one behind its reader's back.
pub const TREE: &str = "application/vnd.windward.tree";

/// Bytes of the file.
pub const LENGTH: &str = "Windward-Length";

/// BLAKE3 of the file, hexadecimal.
pub const HASH: &str = "Windward-Blake3";

/// What is still to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Bytes of a piece, which both must mean alike.
    pub piece_bytes: u64,
    /// Whether the file is there under its name.
    pub is_there: bool,
    /// Runs of missing pieces: from the first to before the second.
    pub missing: Vec<(u64, u64)>,
}

impl Missing {
    /// Whether it can be said of a file of `count` pieces: the runs are in order and do not overlap, so that no server can
    /// have a piece sent again and again.
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

/// Returns whether a file may be uploaded by this name: no control characters, nothing hidden, and nothing that a command takes for an option.
pub fn is_fit(name: &[u8]) -> bool {
    let has_control = match std::str::from_utf8(name) {
        Ok(text) => text.contains(char::is_control),
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
        for name in ["", ".a", "-rf", "a/b", "a\nb", "a\u{7f}", "\u{9b}2J", "\0"] {
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
