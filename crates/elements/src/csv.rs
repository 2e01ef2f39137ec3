//! Lines of comma-separated values (RFC 4180).

use std::borrow::Cow;

/// Returns the cells of a line, trimmed of blanks. A quoted cell may contain commas; a doubled quote stands for one.
pub fn cells(line: &str) -> Vec<Cow<'_, str>> {
    let mut cells = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (cell, after) = match text.trim_start().strip_prefix('"').and_then(quoted) {
            Some(found) => found,
            None => match text.split_once(',') {
                Some((cell, after)) => (cell.trim().into(), Some(after)),
                None => (text.trim().into(), None),
            },
        };
        cells.push(cell);
        rest = after;
    }
    cells
}

/// Splits off a cell after its opening quote. Returns the cell and the text after its comma; `None` if the quotes do
/// not close before the comma.
fn quoted(text: &str) -> Option<(Cow<'_, str>, Option<&str>)> {
    let mut from = 0;
    let end = loop {
        let at = from + text[from..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            break at;
        }
        from = at + 2;
    };
    let after = text[end + 1..].trim_start();
    let after = if after.is_empty() { None } else { Some(after.strip_prefix(',')?) };
    Some((text[..end].replace("\"\"", "\"").trim().to_owned().into(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_with_quotes_and_without() {
        assert_eq!(cells("a, b ,c"), ["a", "b", "c"]);
        assert_eq!(cells("\"time_s\",\"rate_bps\""), ["time_s", "rate_bps"]);
        assert_eq!(cells(" \"1.5\" ,\"2\", 3,"), ["1.5", "2", "3", ""]);
        assert_eq!(cells("\"a,b\",\"say \"\"x\"\"\",\"\""), ["a,b", "say \"x\"", ""]);
        assert_eq!(cells(""), [""]);
        // An unclosed quote is taken literally.
        assert_eq!(cells("\"a,b"), ["\"a", "b"]);
        assert_eq!(cells("\"a\"b,c"), ["\"a\"b", "c"]);
    }
}
