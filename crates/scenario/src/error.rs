//! Errors of a scenario: the problems and their places.

use std::fmt;
use std::ops::Range;

/// A scenario was refused: problems, places and allowed values. `Display` gives the whole text, one block for each
/// problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    problems: Vec<Problem>,
    /// Number of problems found but not kept.
    more: usize,
}

/// A single problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name of the file, as given.
    pub origin: String,
    /// Path of keys and indices (from 0) to the problem: `flow[2].to`; empty for the file as a whole.
    pub path: String,
    /// Position in the text, if the text is known.
    pub position: Option<Position>,
    /// The problem and the allowed values.
    pub message: String,
    /// Suggestion of the probable intention.
    pub hint: Option<String>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of wrong characters, at least 1.
    pub width: usize,
    /// The line itself, or the part of a long one around the column.
    pub text: String,
    /// Number of characters of the line before `text`.
    pub skipped: usize,
}

/// Number of characters of a long line shown before the column, and in all.
const BEFORE: usize = 60;
const SHOWN: usize = 160;

impl Error {
    /// The problems, at most 20.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Makes an error of problems and the number of those found but not kept.
    pub(crate) fn of(problems: Vec<Problem>, more: usize) -> Self {
        Self { problems, more }
    }

    /// Makes an error of a single problem with the file as a whole, or with the place given.
    pub(crate) fn single(origin: &str, position: Option<Position>, message: String, hint: Option<String>) -> Self {
        let problem = Problem { origin: origin.to_owned(), path: String::new(), position, message, hint };
        Self { problems: vec![problem], more: 0 }
    }
}

impl Position {
    /// Position of a range of bytes; of several lines, the part on the first.
    pub(crate) fn of_span(text: &str, span: Range<usize>) -> Self {
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let start = boundary(span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = boundary(span.end.clamp(start, line_end));
        Self {
            line: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end].trim_end().chars().count().max(1),
            text: String::new(),
            skipped: 0,
        }
        .with(text[line_start..line_end].trim_end_matches('\r'))
    }

    /// Position of a line and a column, both from 1.
    pub(crate) fn of_line(text: &str, line: usize, column: usize) -> Option<Self> {
        let text = text.lines().nth(line.checked_sub(1)?)?;
        Some(Self { line, column: column.max(1), width: 1, text: String::new(), skipped: 0 }.with(text))
    }

    /// Returns the position with the shown part of its line.
    fn with(self, line: &str) -> Self {
        let skipped = if line.chars().nth(SHOWN).is_some() { self.column.saturating_sub(BEFORE + 1) } else { 0 };
        Self { text: line.chars().skip(skipped).take(SHOWN).collect(), skipped, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, path, position, message, hint } = self;
        match position {
            Some(Position { line, column, width, text, skipped }) => {
                let margin = " ".repeat(line.to_string().len());
                let (cut, blank) = if *skipped > 0 { ("…", " ") } else { ("", "") };
                let rest = if text.chars().count() == SHOWN { "…" } else { "" };
                // Tabs stay tabs, so that the caret is below its character for any tab width.
                let before = text.chars().take(column - 1 - skipped).map(|c| if c == '\t' { c } else { ' ' });
                let before: String = before.collect();
                let width = (*width).min(SHOWN - before.chars().count().min(SHOWN - 1));
                writeln!(f, "{origin}:{line}:{column}: {message}")?;
                writeln!(f, "{margin} |\n{line} | {cut}{text}{rest}")?;
                write!(f, "{margin} | {blank}{before}{}", "^".repeat(width))?;
            }
            None if path.is_empty() => write!(f, "{origin}: {message}")?,
            None => write!(f, "{origin}: {path}: {message}")?,
        }
        hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Vec<_> = self.problems.iter().map(ToString::to_string).collect();
        f.write_str(&text.join("\n\n"))?;
        let total = self.problems.len() + self.more;
        match self.more {
            0 if total == 1 => Ok(()),
            0 => write!(f, "\n\n{total} problems"),
            more => write!(f, "\n\n{total} problems, {more} of them not shown"),
        }
    }
}
