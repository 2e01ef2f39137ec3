//! GET and HEAD of files and folders (RFC 9110 §8.8, 13, 14).

use std::fmt::Write;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

use super::answer::{Answer, Body};
use super::folder::{Folder, Names};
use super::refusal::Refusal;
use super::request::Request;
use super::site::Site;
use super::sums::Kind;

/// Characters of a name that are percent-encoded in a link.
const IN_LINKS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'%').add(b'&').add(b'\'').add(b':');

/// Answers GET and HEAD.
pub fn answer(site: &Site, request: &Request) -> Result<Answer, Refusal> {
    let (path, _) = request.path_and_query();
    let names = Names::parse(path)?;
    match site.folder.find(&names) {
        Ok(file) => {
            let kind = file.metadata().map_err(|error| Refusal::of(&error))?;
            match () {
                () if kind.is_dir() && !path.ends_with('/') => Ok(redirect(path)),
                () if kind.is_dir() => listing(site, &names),
                () if kind.is_file() && !path.ends_with('/') => content(request, file, &kind),
                () => Err(Refusal::new(404, "no such file")),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            checksum(site, &names).unwrap_or_else(|| Err(Refusal::of(&error)))
        }
        Err(error) => Err(Refusal::of(&error)),
    }
}

/// The strong validator of a file: a different inode, modification time or length is another version. It does not
/// reflect a write within one tick of the file system's clock (some ms); a transfer during which the file is written to
/// is broken off in any case.
pub fn tag(kind: &Metadata) -> String {
    format!("\"{:x}-{:x}.{:x}-{:x}\"", kind.ino(), kind.mtime(), kind.mtime_nsec(), kind.len())
}

fn content(request: &Request, file: File, kind: &Metadata) -> Result<Answer, Refusal> {
    let (tag, length) = (tag(kind), kind.len());
    let modified = httpdate::fmt_http_date(kind.modified().unwrap_or(SystemTime::UNIX_EPOCH));
    let mut fields = vec![
        ("Content-Type", "application/octet-stream".to_owned()),
        ("ETag", tag.clone()),
        ("Last-Modified", modified.clone()),
        ("Accept-Ranges", "bytes".to_owned()),
        // A cache may store it but must revalidate.
        ("Cache-Control", "no-cache".to_owned()),
    ];
    let answer = |status, fields, part| Answer { status, fields, body: part, reason: None };
    let is_same = |value: &str| value.trim() == "*" || value.split(',').any(|one| one.trim() == tag);
    if request.field("if-match").is_some_and(|value| !is_same(value)) {
        return Err(Refusal::new(412, "the file is another version"));
    }
    let is_known = match (request.field("if-none-match"), request.field("if-modified-since")) {
        (Some(value), _) => {
            value.trim() == "*" || value.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
        }
        (None, Some(value)) => value.trim() == modified,
        (None, None) => false,
    };
    if is_known {
        return Ok(answer(304, fields, Body::Bytes(Vec::new())));
    }
    // A part of another version than the client's would be worse than the whole of this one (RFC 9110 §13.1.5). A date
    // is not a strong validator: a file may change twice within its second.
    let is_wanted = request.field("if-range").is_none_or(|value| value.trim() == tag);
    match request.field("range").filter(|_| is_wanted).and_then(|value| range(value, length)) {
        Some(Some((from, to))) => {
            fields.push(("Content-Range", format!("bytes {from}-{}/{length}", to - 1)));
            Ok(answer(206, fields, Body::Part(Box::new(file), from, to)))
        }
        Some(None) => {
            fields.push(("Content-Range", format!("bytes */{length}")));
            Ok(answer(416, fields, Body::Bytes(Vec::new())))
        }
        None => Ok(answer(200, fields, Body::Part(Box::new(file), 0, length))),
    }
}

/// Parses a `Range`: `Some(None)` if it cannot be satisfied, `None` if the whole file is to be sent. The whole file is
/// valid for everything else, including multiple parts (RFC 9110 §14.2).
pub fn range(value: &str, length: u64) -> Option<Option<(u64, u64)>> {
    let (unit, range) = value.trim().split_once('=')?;
    // The names of range units are case-insensitive (RFC 9110 §14.1).
    let (first, last) = Some(range).filter(|_| unit.eq_ignore_ascii_case("bytes"))?.split_once('-')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number beyond 64 bits means the end.
        is_number.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    if first.is_empty() {
        let last = number(last)?.min(length);
        return Some((last > 0).then_some((length - last, length)));
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    if last < first {
        return None;
    }
    Some((first < length).then(|| (first, last.saturating_add(1).min(length))))
}

/// Answers `NAME.b3` and `NAME.sha256` if there is a file NAME, in the format of b3sum and sha256sum.
fn checksum(site: &Site, names: &Names) -> Option<Result<Answer, Refusal>> {
    let (kind, names) = Kind::ALL.iter().find_map(|(kind, end)| Some((*kind, names.without_end(end)?)))?;
    let file = site.folder.find(&names).ok()?;
    let before = file.metadata().ok().filter(Metadata::is_file)?;
    let sum = site.sums.of(kind, &tag(&before), &file).map_err(|error| Refusal::of(&error));
    let is_same = file.metadata().is_ok_and(|after| tag(&after) == tag(&before));
    Some(sum.and_then(|sum| {
        if !is_same {
            return Err(Refusal::new(503, "the file is being modified"));
        }
        // The tools compare the name's exact bytes.
        let line = [sum.as_bytes(), b"  ", names.last().unwrap_or_default().as_bytes(), b"\n"].concat();
        Ok(Answer { body: Body::Bytes(line), ..Answer::text(200, "text/plain; charset=utf-8", String::new()) })
    }))
}

/// Redirects to the same path with a slash, because links in a listing are relative to it.
fn redirect(path: &str) -> Answer {
    let mut answer = Answer::empty(301);
    // A path that begins with two slashes would name another host.
    answer.fields.push(("Location", format!("/{}/", path.trim_start_matches('/'))));
    answer
}

fn listing(site: &Site, names: &Names) -> Result<Answer, Refusal> {
    let folder: Folder = site.folder.folder(names).map_err(|error| Refusal::of(&error))?;
    let mut page = String::from("<!doctype html>\n<meta charset=\"utf-8\">\n<title>windward</title>\n<pre>\n");
    if names.last().is_some() {
        page.push_str("<a href=\"../\">../</a>\n");
    }
    for (name, length, is_folder) in folder.list().map_err(|error| Refusal::of(&error))? {
        let (slash, size) = if is_folder { ("/", String::new()) } else { ("", length.to_string()) };
        let link = percent_encode(name.as_bytes(), IN_LINKS);
        let shown = escape(&name.to_string_lossy());
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<a href=\"./{link}{slash}\">{shown}{slash}</a>  {size}");
    }
    page.push_str("</pre>\n");
    Ok(Answer::text(200, "text/html; charset=utf-8", page))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9110 §14.1.2: ranges of a file of 10000 bytes.
    #[test]
    fn ranges_as_the_standard_has_them() {
        let part = |from, to| Some(Some((from, to)));
        assert_eq!(range("bytes=0-499", 10_000), part(0, 500));
        assert_eq!(range("Bytes=0-499", 10_000), part(0, 500));
        assert_eq!(range("bytes=500-999", 10_000), part(500, 1000));
        assert_eq!(range("bytes=-500", 10_000), part(9500, 10_000));
        assert_eq!(range("bytes=9500-", 10_000), part(9500, 10_000));
        assert_eq!(range("bytes=-20000", 10_000), part(0, 10_000));
        assert_eq!(range("bytes=9999-99999999999999999999999", 10_000), part(9999, 10_000));
        assert_eq!(range("bytes=10000-", 10_000), Some(None));
        assert_eq!(range("bytes=-0", 10_000), Some(None));
        for whole in ["bytes=5-4", "bytes=0-0,-1", "bytes=a-b", "items=0-1", "bytes=+1-2", "bytes=-", ""] {
            assert_eq!(range(whole, 10_000), None, "{whole}");
        }
    }
}
