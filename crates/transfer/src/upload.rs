//! What both ends of an upload say to each other.

use serde::{Deserialize, Serialize};

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
