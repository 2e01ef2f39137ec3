//! Retry policy.

use std::time::{Duration, SystemTime};

use crate::http::Head;

/// Maximum wait between two tries, unless the server asks for more.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// Maximum `Retry-After` that is honoured; beyond it the download fails.
pub(super) const LONGEST_ASKED: Duration = Duration::from_secs(600);

/// Number of tries, and waits between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    /// Maximum number of tries in a row without progress.
    pub tries: u32,
    /// The first wait.
    pub wait: Duration,
}

impl Retry {
    /// Wait after failure number `failures` (from 1) in a row; `asked` is the server's `Retry-After`. `None`: give up.
    pub fn after(&self, failures: u32, asked: Option<Duration>) -> Option<Duration> {
        if failures >= self.tries || asked.is_some_and(|asked| asked > LONGEST_ASKED) {
            return None;
        }
        let doubled = self.wait.saturating_mul(1 << (failures.max(1) - 1).min(16)).min(LONGEST);
        Some(doubled.max(asked.unwrap_or_default()))
    }
}

/// True if a status may change soon.
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// True if a status signals overload.
pub(super) fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// The `Retry-After` of a response (RFC 9110 §10.2.3): seconds, or a date. A date is compared with the `Date` of the
/// response, because the server's clock may differ from ours.
pub(super) fn retry_after(head: &Head, now: SystemTime) -> Option<Duration> {
    let value = head.field("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    let sent = head.field("date").and_then(date).unwrap_or(now);
    date(value).map(|date| date.duration_since(sent).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_by_the_clock_of_the_server() {
        let after = |fields: &str| {
            let text = format!("HTTP/1.1 503 Busy\r\n{fields}\r\n");
            let now = httpdate::parse_http_date("Thu, 01 Jan 2026 12:00:00 GMT").unwrap();
            retry_after(&Head::of(&text), now).map(|wait| wait.as_secs())
        };
        let wanted = "Retry-After: Thu, 01 Jan 2026 00:01:00 GMT\r\n";
        assert_eq!(after(&format!("Date: Thu, 01 Jan 2026 00:00:30 GMT\r\n{wanted}")), Some(30));
        assert_eq!(after(&format!("Date: Thu, 01 Jan 2026 00:02:00 GMT\r\n{wanted}")), Some(0));
        assert_eq!(after(&format!("Date: yesterday\r\n{wanted}")), Some(0));
        assert_eq!(after("Retry-After: Thu, 01 Jan 2026 12:00:07 GMT\r\n"), Some(7));
        assert_eq!(after("Date: Thu, 01 Jan 2026 00:00:30 GMT\r\nRetry-After: 9\r\n"), Some(9));
        assert_eq!(after("Retry-After: soon\r\n"), None);
    }

    #[test]
    fn waits_double_and_end() {
        let retry = Retry { tries: 9, wait: Duration::from_secs(1) };
        let seconds = |failures, asked| retry.after(failures, asked).map(|wait| wait.as_secs());
        assert_eq!(
            (1..=9).map(|n| seconds(n, None)).collect::<Vec<_>>(),
            [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), Some(60), Some(60), None]
        );
        assert_eq!(seconds(1, Some(Duration::from_secs(30))), Some(30));
        assert_eq!(seconds(1, Some(Duration::from_secs(601))), None);
    }
}
