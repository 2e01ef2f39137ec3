//! Checks of a download's parsers for [`crate::fuzz`].

use std::ffi::OsStr;
use std::path::{Component, Path};
use std::time::SystemTime;

use super::contact;
use super::journal;
use super::memory;
use super::name;
use super::request;
use super::retry;
use super::validator::{Match, Validator};
use crate::http::{Address, Head};

/// The fields that control a download.
pub(crate) fn head(head: &Head) {
    if let Some(validator) = Validator::of(head) {
        assert_eq!(validator.compare(head), Match::Same, "a response is of its own version");
    }
    for range in [None, Some((0, 1)), Some((0, 1 << 20))] {
        if let Ok(contact::Kind::Part { end, length }) = contact::kind(head, range) {
            assert!(0 < end && end <= length && range.is_some_and(|(_, most)| end <= most));
        }
    }
    if let Ok((end, whole)) = contact::part(head, 5, 9, Some(100)) {
        assert!(5 < end && end <= 9 && whole == 100);
    }
    _ = retry::retry_after(head, SystemTime::UNIX_EPOCH);
    if let Ok(from) = Address::parse("https://a.example/b/c?d")
        && let Ok(to) = request::redirected(&from, head)
    {
        assert!(to.is_encrypted() && to.url().has_host());
    }
}

/// A file name is one harmless path component, for any input from the server.
pub(crate) fn name(url: &url::Url, disposition: &str) {
    for disposition in [None, Some(disposition)] {
        let name = name::name(url, disposition);
        let parts: Vec<_> = Path::new(&name).components().collect();
        assert_eq!(parts, [Component::Normal(OsStr::new(&name))], "{name:?}");
        assert!(name.len() <= 255 && !name.contains(char::is_control), "{name:?}");
    }
}

/// A journal is valid up to some point, and its valid lines read the same without the rest. Checked for the text as it
/// is, and with corrected check values of its lines.
pub(crate) fn journal(text: &[u8]) {
    let lines = String::from_utf8_lossy(text);
    let checked: String = lines.lines().map(|line| format!("{line} {}\n", journal::check(line))).collect();
    for text in [text, checked.as_bytes()] {
        let (found, sound) = journal::parse(text);
        assert!(sound <= text.len());
        assert_eq!(journal::parse(&text[..sound]), (found, sound));
    }
}

/// A remembered value is a valid number of connections.
pub(crate) fn memory(text: &str) {
    let host = text.split('"').nth(1).unwrap_or_default();
    let found = memory::recall_in(text.as_bytes(), host, 100);
    assert!(found.is_none_or(|connections| connections.is_finite() && connections >= 1.0));
}
