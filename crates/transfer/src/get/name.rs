//! File name from the server or the address, made harmless, for when the user gives none.

use crate::common::is_turning;
use percent_encoding::percent_decode_str;
use url::Url;

/// Maximum length of a name in bytes; file systems accept it.
const MOST_BYTES: usize = 255;
/// Maximum length of an extension, with its dot, that is kept when a name is cut.
const MOST_END: usize = 16;
/// Name of a file for which the address gives none.
const NAMELESS: &str = "index.html";
/// Device names of Windows, with any suffix.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The name in `Content-Disposition`, or else the last segment of the address; always one harmless path component.
pub(super) fn name(url: &Url, disposition: Option<&str>) -> String {
    let of_server = disposition.and_then(filename).and_then(|name| harmless(&name));
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    let of_url = || harmless(&text(percent_decode_str(last).collect()));
    of_server.or_else(of_url).unwrap_or_else(|| NAMELESS.to_owned())
}

/// The file name in a `Content-Disposition` (RFC 6266); `filename*` takes precedence over `filename`.
fn filename(disposition: &str) -> Option<String> {
    let mut plain = None;
    let mut rest = disposition.split_once(';')?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let (value, after) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_owned(), after)
            }
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "filename*" => {
                if let Some(name) = extended(&value) {
                    return Some(name);
                }
            }
            "filename" => plain = Some(value),
            _ => {}
        }
        rest = after.trim_start().trim_start_matches(';');
        if rest.trim().is_empty() {
            return plain;
        }
    }
}

/// Decodes an extended value, `charset'language'percent-encoded`; `None` if that fails, and the value is ignored (RFC
/// 8187 §3.2.1).
fn extended(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let is_escape =
        |rest: &str| rest.get(..2).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    if !encoded.split('%').skip(1).all(is_escape) {
        return None;
    }
    let bytes: Vec<u8> = percent_decode_str(encoded).collect();
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" | "us-ascii" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(latin_1(&bytes)),
        _ => None,
    }
}

/// Decodes UTF-8, otherwise ISO-8859-1.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| latin_1(error.as_bytes()))
}

fn latin_1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Splits a quoted string, given without its opening quote, into its content and the text after it.
fn unquote(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (text, &quoted[at + 1..]),
            '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => text.push(character),
        }
    }
    (text, "")
}

/// One visible path component that has no special meaning to shells, desktops or Windows.
fn harmless(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |c: &char| !c.is_control() && !is_turning(*c) && *c != char::REPLACEMENT_CHARACTER;
    let name: String = last.chars().filter(is_plain).collect();
    // One byte is reserved for the `_` before a reserved name.
    let name = cut(name.trim().trim_end_matches(['.', ' ']), MOST_BYTES - 1);
    let name = name.trim_end_matches(['.', ' ']);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit()));
    match name {
        "" => None,
        // A hidden file could configure the user's programs; a dash looks like an option.
        _ if name.starts_with(['.', '-', '~']) => Some(format!("_{}", &name[1..])),
        _ if is_reserved => Some(format!("_{name}")),
        _ => Some(name.to_owned()),
    }
}

/// Cuts a name to at most `most` bytes: its beginning, and its extension if that is short.
fn cut(name: &str, most: usize) -> String {
    if name.len() <= most {
        return name.to_owned();
    }
    let end = name.rfind('.').map_or("", |at| &name[at..]);
    let end = if end.len() <= MOST_END { end } else { "" };
    let mut stem = most - end.len();
    while !name.is_char_boundary(stem) {
        stem -= 1;
    }
    format!("{}{end}", &name[..stem])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(url: &str, disposition: Option<&str>) -> String {
        name(&Url::parse(url).unwrap(), disposition)
    }

    #[test]
    fn the_address_names_the_file() {
        assert_eq!(named("http://a.example/b/c%20d.iso?x=/y", None), "c d.iso");
        assert_eq!(named("http://a.example/", None), "index.html");
        assert_eq!(named("http://a.example/b/..%2f..%2fetc%2fpasswd", None), "passwd");
        assert_eq!(named("http://a.example/%2e%2e%2f", None), "index.html");
        assert_eq!(named("http://a.example/.bashrc", None), "_bashrc");
        assert_eq!(named("http://a.example/caf%E9.bin", None), "caf\u{e9}.bin");
    }

    #[test]
    fn the_server_names_the_file() {
        let disposed = |disposition: &str| named("http://a.example/x", Some(disposition));
        assert_eq!(disposed("attachment; filename=\"a \\\"b\\\".txt\""), "a \"b\".txt");
        assert_eq!(disposed("attachment; filename=plain.txt; size=3"), "plain.txt");
        // The example of RFC 6266 §5, with the pound sign encoded in UTF-8 as RFC 8187 requires.
        assert_eq!(disposed("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates"), "€ rates");
        assert_eq!(disposed("inline"), "x");
        // RFC 6266 §4.3: `filename` is ISO-8859-1, which parsing the head has decoded. RFC 8187 §3.2.1: an undecodable
        // value is skipped.
        assert_eq!(disposed("attachment; filename=\"caf\u{e9}.txt\""), "caf\u{e9}.txt");
        assert_eq!(disposed("attachment; filename*=ISO-8859-1'fr'caf%E9.txt"), "caf\u{e9}.txt");
        for value in ["UTF-8''bad%E9.txt", "UTF-8''bad%4.txt", "koi8-r''bad.txt", "bad.txt", "us-ascii''bad%E9.txt"] {
            assert_eq!(disposed(&format!("attachment; filename*={value}; filename=good.txt")), "good.txt", "{value}");
            assert_eq!(disposed(&format!("attachment; filename=good.txt; filename*={value}")), "good.txt", "{value}");
        }
    }

    #[test]
    fn hostile_names_become_harmless() {
        let disposed = |name: &str| named("http://a.example/x", Some(&format!("attachment; filename=\"{name}\"")));
        assert_eq!(disposed("../../.ssh/authorized_keys"), "authorized_keys");
        assert_eq!(disposed("/etc/passwd"), "passwd");
        assert_eq!(disposed("C:\\\\Windows\\\\evil.dll"), "evil.dll");
        assert_eq!(disposed(".."), "x");
        assert_eq!(disposed("a\u{1b}[2Jb\u{7}\u{202e}c"), "a[2Jbc");
        assert_eq!(disposed("NUL.txt"), "_NUL.txt");
        assert_eq!(disposed("com1"), "_com1");
        assert_eq!(disposed("-rf"), "_rf");
        assert!(disposed(&"ä".repeat(300)).len() <= MOST_BYTES);
        assert_eq!(disposed(&format!("con.{}", "a".repeat(300))).len(), MOST_BYTES);
        assert_eq!(disposed(&format!("{}.tar", "a".repeat(300))), format!("{}.tar", "a".repeat(MOST_BYTES - 5)));
        assert_eq!(disposed(&"a".repeat(254)), "a".repeat(254));
    }
}
