//! BLAKE3 tree of a file: its pieces are verified one by one, and combine to the file's hash.
//!
//! BLAKE3 hashes chunks of 1 KiB and joins the results in pairs. A piece of 256 KiB is a complete subtree with its own
//! chaining value. The chaining values therefore determine the hash that `b3sum` prints, and given that hash every
//! piece can be verified as soon as it arrives.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use blake3::Hasher;
use blake3::hazmat::{ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};

/// Bytes per piece: a power of two times 1 KiB, as a subtree requires. The last piece of a file may be shorter.
pub const PIECE: u64 = 1 << 18;

/// The pieces of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    length: u64,
    /// Chaining values of the pieces. A file of at most one piece has no subtrees: the value is its hash.
    pieces: Vec<ChainingValue>,
    root: [u8; 32],
}

impl Tree {
    /// Hashes the first `length` bytes of `file`. `progress` receives the number of bytes read so far.
    ///
    /// # Errors
    /// The file cannot be read or is shorter, or `progress` returns an error.
    pub fn of(file: &File, length: u64, mut progress: impl FnMut(u64) -> io::Result<()>) -> io::Result<Self> {
        let mut buffer = vec![0; length.min(PIECE) as usize];
        let mut pieces = Vec::new();
        for index in 0..count(length) {
            let bytes = &mut buffer[..piece_length(length, index) as usize];
            file.read_exact_at(bytes, index * PIECE)?;
            pieces.push(value(length, index, bytes));
            progress((index + 1).saturating_mul(PIECE).min(length))?;
        }
        let root = root(length, &pieces);
        Ok(Self { length, pieces, root })
    }

    /// The tree of these chaining values, 32 bytes each, for a file of `length` bytes; `None` if their number does not
    /// match.
    pub fn from_bytes(length: u64, bytes: &[u8]) -> Option<Self> {
        let (values, rest) = bytes.as_chunks::<32>();
        let is_whole = rest.is_empty() && values.len() as u64 == count(length);
        is_whole.then(|| Self { length, pieces: values.to_vec(), root: root(length, values) })
    }

    /// The chaining values, 32 bytes each.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// Length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The file's BLAKE3 hash, as `b3sum` prints it.
    pub fn hash(&self) -> blake3::Hash {
        self.root.into()
    }

    /// Number of pieces, at least one.
    pub fn count(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// Length of a piece in bytes.
    pub fn piece_length(&self, index: u64) -> u64 {
        piece_length(self.length, index)
    }

    /// True if `bytes` are the piece `index`, which is below [`Self::count`].
    pub fn holds(&self, index: u64, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.piece_length(index)
            && self.pieces[index as usize] == value(self.length, index, bytes)
    }
}

/// Number of pieces of a file; an empty file has one empty piece.
fn count(length: u64) -> u64 {
    length.div_ceil(PIECE).max(1)
}

fn piece_length(length: u64, index: u64) -> u64 {
    (length - index * PIECE).min(PIECE)
}

fn value(length: u64, index: u64, bytes: &[u8]) -> ChainingValue {
    let mut hasher = Hasher::new();
    if count(length) == 1 {
        return *hasher.update(bytes).finalize().as_bytes();
    }
    hasher.set_input_offset(index * PIECE).update(bytes).finalize_non_root()
}

fn root(length: u64, pieces: &[ChainingValue]) -> [u8; 32] {
    if let [only] = pieces {
        return *only;
    }
    let (left, right) = halves(length, pieces);
    *merge_subtrees_root(&left, &right, Mode::Hash).as_bytes()
}

/// Chaining values of a tree's two halves. The left half is the largest power of two of KiB that leaves a non-empty
/// right half.
fn halves(length: u64, pieces: &[ChainingValue]) -> (ChainingValue, ChainingValue) {
    let left = left_subtree_len(length);
    let (before, after) = pieces.split_at((left / PIECE) as usize);
    (subtree(left, before), subtree(length - left, after))
}

fn subtree(length: u64, pieces: &[ChainingValue]) -> ChainingValue {
    if let [only] = pieces {
        return *only;
    }
    let (left, right) = halves(length, pieces);
    merge_subtrees_non_root(&left, &right, Mode::Hash)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Bytes without a repeating pattern that two pieces could share.
    fn bytes(length: u64) -> Vec<u8> {
        let mut out = vec![0; length as usize];
        Hasher::new().update(&length.to_le_bytes()).finalize_xof().fill(&mut out);
        out
    }

    /// Compares with BLAKE3's hash of the whole.
    #[test]
    fn pieces_add_up_to_the_files_hash() {
        for length in [0, 1, 1024, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 5 * PIECE + 7, 8 * PIECE] {
            let content = bytes(length);
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            let tree = Tree::of(&file, length, |_| Ok(())).unwrap();
            assert_eq!(tree.hash(), blake3::hash(&content), "{length}");
            assert_eq!(Tree::from_bytes(length, &tree.to_bytes()), Some(tree.clone()));
            assert_eq!(Tree::from_bytes(length + 2 * PIECE, &tree.to_bytes()), None);
            let pieces = (0..tree.count()).map(|index| tree.piece_length(index)).sum::<u64>();
            assert_eq!(pieces, length);
        }
    }

    #[test]
    fn a_piece_is_known_from_any_other() {
        let content = bytes(3 * PIECE + 5);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let tree = Tree::of(&file, 3 * PIECE + 5, |_| Ok(())).unwrap();
        let piece = |index: u64| &content[(index * PIECE) as usize..][..tree.piece_length(index) as usize];
        for index in 0..4 {
            assert!(tree.holds(index, piece(index)));
            assert!(!tree.holds((index + 1) % 3, piece(index)));
        }
        let mut damaged = piece(3).to_vec();
        damaged[2] ^= 1;
        assert!(!tree.holds(3, &damaged) && !tree.holds(3, &damaged[..4]));
    }
}
