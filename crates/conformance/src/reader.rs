//! Reads characters, and knows the line.

/// Syntax error: the line, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// From 1.
    pub line: usize,
    /// Text found there.
    pub what: String,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line of the next character, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Rest of the text.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_done(&self) -> bool {
        self.rest().is_empty()
    }

    /// Goes on by `bytes`.
    pub fn skip(&mut self, bytes: usize) -> &'a str {
        let passed = &self.rest()[..bytes];
        self.line += passed.matches('\n').count();
        self.at += bytes;
        passed
    }

    /// Passes blanks, ends of lines and comments.
    pub fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let comment = match rest[blanks..].get(..2) {
                Some("//") => rest[blanks..].find('\n').unwrap_or(rest.len() - blanks),
                Some("/*") => rest[blanks..].find("*/").map_or(rest.len() - blanks, |end| end + 2),
                _ => 0,
            };
            if blanks + comment == 0 {
                return;
            }
            self.skip(blanks + comment);
        }
    }

    /// Passes `what`, after blanks, if it comes next.
    pub fn take(&mut self, what: &str) -> bool {
        self.skip_blanks();
        let comes = self.rest().starts_with(what);
        if comes {
            self.skip(what.len());
        }
        comes
    }

    /// Passes `what`, which must come next.
    pub fn need(&mut self, what: &str) -> Result<(), Unread> {
        if self.take(what) { Ok(()) } else { Err(self.unread(&format!("{what:?} is missing"))) }
    }

    /// Passes the characters of which `belongs` holds, after blanks.
    pub fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        self.skip(rest.find(|c| !belongs(c)).unwrap_or(rest.len()))
    }

    /// Passes everything up to `end`, and that.
    pub fn until(&mut self, end: &str) -> Result<&'a str, Unread> {
        let Some(length) = self.rest().find(end) else { return Err(self.unread(&format!("{end:?} is missing"))) };
        let passed = self.skip(length);
        self.skip(end.len());
        Ok(passed)
    }

    /// A number of a whole sort.
    pub fn number(&mut self) -> Result<u32, Unread> {
        let word = self.word(|c| c.is_ascii_digit());
        word.parse().map_err(|_| self.unread("a number is missing"))
    }

    /// A number with decimals, in millionths.
    pub fn millionths(&mut self) -> Option<u64> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        // Three dots lead to a second time.
        let word = self.skip(rest[..length].find("...").unwrap_or(length));
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        if word.is_empty() || decimals.len() > 6 || decimals.contains('.') {
            return None;
        }
        let part = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
        Some(part(whole)? * 1_000_000 + part(decimals)? * 10u64.pow(6 - decimals.len() as u32))
    }

    /// Syntax error at the current place, with the text found there.
    pub fn unread(&self, why: &str) -> Unread {
        let here: String = self.rest().chars().take_while(|c| *c != '\n').take(40).collect();
        Unread { line: self.line, what: format!("{why} before \"{}\"", here.trim()) }
    }
}
