//! Problems found in a scenario, collected into one error.

use crate::error::{Error, Position, Problem};
use crate::format::Refusal;
use crate::path::{Segment, path_text};
use std::ops::Range;

#[derive(PartialEq)]
struct Found {
    path: Vec<Segment>,
    message: String,
    hint: Option<String>,
}

/// Maximum number of characters of a message; a longer one repeats a text from the input.
const MOST: usize = 1200;

/// Shortens a long text to its beginning and its end.
fn shortened(text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let (head, tail): (String, Vec<char>) =
        (text.chars().take(MOST / 2).collect(), text.chars().rev().take(MOST / 4).collect());
    head + " … " + &tail.into_iter().rev().collect::<String>()
}

/// Problems found so far.
#[derive(Default)]
pub(crate) struct Problems {
    found: Vec<Found>,
    more: usize,
    /// Remarks on what was read: no problems.
    pub notes: Vec<String>,
}

impl Problems {
    const SHOWN: usize = 20;

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn len(&self) -> usize {
        self.found.len() + self.more
    }

    pub fn is_full(&self) -> bool {
        self.found.len() >= Self::SHOWN
    }

    pub fn add(&mut self, path: impl IntoIterator<Item = Segment>, message: impl Into<String>, hint: Option<String>) {
        if self.is_full() {
            self.more += 1;
        } else {
            let (message, hint) = (shortened(message.into()), hint.map(shortened));
            let found = Found { path: path.into_iter().collect(), message, hint };
            // A change of a group is refused for each of its members.
            if !self.found.contains(&found) {
                self.found.push(found);
            }
        }
    }

    /// Returns whether there is a problem at this place or within it: what follows from it says nothing new.
    pub fn has_within(&self, place: &[Segment]) -> bool {
        self.found.iter().any(|found| found.path.starts_with(place))
    }

    /// Adds to the number of problems that are not kept.
    pub fn count(&mut self, more: usize) {
        self.more += more;
    }

    /// Adds the text of a [`Refusal`].
    pub fn add_refusal(&mut self, path: impl IntoIterator<Item = Segment>, text: &str) {
        let (message, hint) = text.split_once(Refusal::HINT).map_or((text, None), |(text, hint)| (text, Some(hint)));
        self.add(path, message, hint.map(str::to_owned));
    }

    /// Makes the error, its problems in the order of the text; `span_of` finds the bytes of a path in it.
    pub fn into_error(
        self,
        origin: &str,
        text: Option<&str>,
        span_of: impl Fn(&[Segment]) -> Option<Range<usize>>,
    ) -> Error {
        let problem = |Found { path, message, hint }: Found| {
            let position = text.and_then(|text| Some(Position::of_span(text, span_of(&path)?)));
            Problem { origin: origin.to_owned(), path: shortened(path_text(&path)), position, message, hint }
        };
        let mut problems: Vec<_> = self.found.into_iter().map(problem).collect();
        problems.sort_by_key(|problem| problem.position.as_ref().map(|at| (at.line, at.column)));
        Error::of(problems, self.more)
    }
}
