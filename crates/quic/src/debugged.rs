//! State that a controller of another project shows to a debugger alone.

use std::fmt::{self, Debug, Write};

/// Text that `value` shows before its field `end`.
pub fn before(value: &dyn Debug, end: &'static str) -> String {
    let mut head = Head { text: String::new(), end };
    // The end is an error, so that nothing behind it is written.
    let _ = write!(head, "{value:?}");
    head.text
}

struct Head {
    text: String,
    end: &'static str,
}

impl Write for Head {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if part == self.end {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// The value of the first field `name` in a text.
pub fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let starts = text.match_indices(name).filter(|&(at, _)| text[..at].ends_with([' ', '{']));
    let mut values = starts.filter_map(|(at, _)| text[at + name.len()..].strip_prefix(": "));
    values.next().map(|rest| &rest[..rest.find([',', ' ', '}']).unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::{before, field};

    #[derive(Debug)]
    #[expect(dead_code, reason = "shown")]
    struct Shown {
        undo_rate: f64,
        rate: f64,
        state: Option<u8>,
        packets: Vec<u8>,
        last: u8,
    }

    #[test]
    fn fields_are_found_by_their_whole_names() {
        let shown = Shown { undo_rate: 1.0, rate: 2.5, state: Some(1), packets: vec![1], last: 7 };
        let text = format!("{shown:?}");
        let found = ["rate", "state", "last", "acks"].map(|name| field(&text, name));
        assert_eq!(found, [Some("2.5"), Some("Some(1)"), Some("7"), None]);
        assert_eq!(before(&shown, "packets"), "Shown { undo_rate: 1.0, rate: 2.5, state: Some(1), ");
    }
}
