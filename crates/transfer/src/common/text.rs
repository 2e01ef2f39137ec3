//! Characters of names from others.

/// Returns true for a character that turns the direction of text or breaks its line: `gpj.exe` looks like `exe.jpg`
/// behind one.
pub(crate) fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
