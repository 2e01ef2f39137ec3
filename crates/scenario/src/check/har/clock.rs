//! Times of a HAR: ISO 8601.

/// Largest time of a HAR in milliseconds that is read, a day.
pub(super) const MOST_MS: f64 = 86_400_000.0;

/// Milliseconds since 1970 of an ISO 8601 time, such as 2026-01-31T12:00:00.123Z or with +01:00. A time without a zone
/// counts as UTC: only differences matter.
pub(super) fn millis(text: &str) -> Option<f64> {
    let (date, time) = text.split_once('T')?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let offset = match zone {
        "" | "Z" => 0.0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':').or_else(|| zone[1..].split_at_checked(2))?;
            let minutes = hours.parse::<f64>().ok()? * 60.0 + minutes.parse::<f64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let mut parts = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    // Days of the Gregorian calendar, by years that begin in March.
    let (shifted, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * month + 2) / 5 + day - 719_469;
    let minutes = days as f64 * 1440.0 + hour * 60.0 + minute - offset;
    Some(minutes * 60_000.0 + second * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(millis("1970-01-01T00:00:00.000Z"), Some(0.0));
        // `date -ud 2026-03-01T12:30:15Z +%s`
        assert_eq!(millis("2026-03-01T12:30:15.25Z"), Some(1_772_368_215_250.0));
        assert_eq!(millis("2026-03-01T13:30:15.25+01:00"), millis("2026-03-01T12:30:15.25Z"));
        assert_eq!(millis("2026-03-01T07:00:15.25-0530"), millis("2026-03-01T12:30:15.25Z"));
        assert_eq!(millis("2026-03-01T12:30:15.25"), millis("2026-03-01T12:30:15.25Z"));
        assert_eq!(millis("2024-02-29T00:00:00Z"), Some(1_709_164_800_000.0));
        assert_eq!([millis("today"), millis("2026-13-01T00:00:00Z"), millis("2026-01-01")], [None; 3]);
    }
}
