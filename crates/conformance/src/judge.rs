//! A script's verdict.

use crate::parse;
use crate::play::{self, Verdict};
use std::path::Path;

/// Plays the script at `path`, whose text is `text`. `trace` hears what the simulator sends.
pub fn judge(path: &Path, text: &str, trace: &mut dyn FnMut(String)) -> Verdict {
    match parse::parse(text) {
        Ok(script) => play::play(&script, path.parent().unwrap_or(Path::new(".")), trace),
        Err(unread) => Verdict::Inapplicable { line: unread.line, why: unread.what },
    }
}
