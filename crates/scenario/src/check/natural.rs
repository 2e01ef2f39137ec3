//! Natural order of names: numbers in them count as numbers, so that N-2 comes before N-10.

use std::cmp::Ordering;

/// A run of digits or of other characters; numbers come before words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece<'a> {
    /// Digits without leading zeros: the longer number is the larger one.
    Number(usize, &'a str),
    Word(&'a str),
}

fn pieces(name: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let is_digit = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        if !is_digit {
            return Some(Piece::Word(piece));
        }
        let digits = piece.trim_start_matches('0');
        Some(Piece::Number(digits.len(), digits))
    })
}

/// Compares names in natural order; those that differ only in leading zeros, character by character.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    pieces(a).cmp(pieces(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count() {
        let mut names = ["N-10", "N-2", "AP", "N-1", "N-02", "N", "10", "9", "n-1", "N-2-b", "N-1x12", "N-1x3"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["9", "10", "AP", "N", "N-1", "N-1x3", "N-1x12", "N-02", "N-2", "N-2-b", "N-10", "n-1"]);
    }
}
