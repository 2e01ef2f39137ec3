//! Addresses of objects.

/// True if the address is of HTTP: requests for others (data:, blob:, extensions, files) do not leave the browser, and
/// the load event does not wait for WebSockets.
pub(super) fn is_http(url: &str) -> bool {
    let scheme = url.split("://").next().unwrap_or_default();
    scheme.len() < url.len() && (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// Scheme and host of an address.
pub(super) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    &url[..end]
}

/// An address without its fragment, which is not sent.
pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

/// The address that a redirect of `base` to `target` leads to, RFC 3986 §5.2, without its fragment. Segments of dots
/// remain, as they are rare in redirects.
pub(super) fn resolve(base: &str, target: &str) -> String {
    let target = without_fragment(target);
    let own = origin(base);
    if target.contains("://") {
        // An address without a path has that of the root.
        let root = if target.len() == origin(target).len() { "/" } else { "" };
        format!("{target}{root}")
    } else if target.starts_with("//") {
        format!("{}{target}", own.split("//").next().unwrap_or_default())
    } else if target.starts_with('/') {
        format!("{own}{target}")
    } else {
        let path = base.split(['?', '#']).next().unwrap_or_default();
        let folder = path.rfind('/').filter(|at| *at >= own.len()).map_or(path, |at| &path[..at]);
        format!("{folder}/{target}")
    }
}

/// A name for an object: its number and the end of its path.
pub(super) fn short(url: &str, place: usize) -> String {
    const LONGEST: usize = 40;
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let begin = last.chars().count().saturating_sub(LONGEST);
    format!("{place}:{}", last.chars().skip(begin).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_to_addresses() {
        let base = "https://a.org/b/c?d";
        assert_eq!(resolve(base, "https://e.org"), "https://e.org/");
        assert_eq!(resolve(base, "//e.org/f#g"), "https://e.org/f");
        assert_eq!(resolve(base, "/f"), "https://a.org/f");
        assert_eq!(resolve(base, "f"), "https://a.org/b/f");
        assert_eq!(resolve("https://a.org", "f"), "https://a.org/f");
    }

    #[test]
    fn only_http_leaves_the_browser() {
        assert!(is_http("http://a.org/") && is_http("HTTPS://a.org"));
        let others = ["data:image/png;base64,AA==", "blob:https://a.org/1", "chrome-extension://x/y.js", "about:blank"];
        assert!(!others.into_iter().chain(["ws://a.org/", "file:///a", "http", ""]).any(is_http));
    }
}
