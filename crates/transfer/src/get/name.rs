//! The name of the file, when the user gives none: what the server proposes, made harmless.

use percent_encoding::percent_decode_str;
use url::Url;

/// Longest name in bytes: file systems take 255, and `.part.windward` must follow it.
const MOST_BYTES: usize = 240;
/// The name of a file without any.
const NAMELESS: &str = "index.html";
/// Device names of Windows, with any suffix.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The name that `Content-Disposition` gives, or the last part of the address; always one harmless path component.
pub(super) fn name(url: &Url, disposition: Option<&str>) -> String {
    let of_server = disposition.and_then(filename).and_then(|name| harmless(&name));
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    let of_url = || harmless(&percent_decode_str(last).decode_utf8_lossy());
    of_server.or_else(of_url).unwrap_or_else(|| NAMELESS.to_owned())
}

/// The file name in a `Content-Disposition` (RFC 6266); `filename*` counts before `filename`.
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
            // RFC 8187: charset'language'percent-encoded; only UTF-8 must be known.
            "filename*" => {
                let mut parts = value.splitn(3, '\'');
                let is_utf8 = parts.next().is_some_and(|charset| charset.eq_ignore_ascii_case("utf-8"));
                if let (true, Some(text)) = (is_utf8, parts.nth(1)) {
                    return Some(percent_decode_str(text).decode_utf8_lossy().into_owned());
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

/// A quoted string without its opening quote: its content, and what follows it.
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

/// One path component, visible, and nothing that a shell, a desktop or Windows takes for something else.
fn harmless(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    // Marks that turn the direction of writing make `gpj.exe` look like `exe.jpg`.
    let is_turning = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_plain = |c: &char| !c.is_control() && !is_turning(*c) && *c != char::REPLACEMENT_CHARACTER;
    let mut name: String = last.chars().filter(is_plain).collect();
    // One byte is left for the `_` before a name that is reserved.
    while name.len() >= MOST_BYTES {
        name.pop();
    }
    let name = name.trim().trim_end_matches(['.', ' ']);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit()));
    match name {
        "" => None,
        // A hidden file would be a server's word in the user's configuration; a dash looks like an option.
        _ if name.starts_with(['.', '-', '~']) => Some(format!("_{}", &name[1..])),
        _ if is_reserved => Some(format!("_{name}")),
        _ => Some(name.to_owned()),
    }
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
    }

    #[test]
    fn the_server_names_the_file() {
        let disposed = |disposition| named("http://a.example/x", Some(disposition));
        assert_eq!(disposed("attachment; filename=\"a \\\"b\\\".txt\""), "a \"b\".txt");
        assert_eq!(disposed("attachment; filename=plain.txt; size=3"), "plain.txt");
        // RFC 6266 §5's own example, but for the pound sign's encoding being UTF-8 as RFC 8187 wants.
        assert_eq!(disposed("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates"), "€ rates");
        assert_eq!(disposed("inline"), "x");
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
    }
}
