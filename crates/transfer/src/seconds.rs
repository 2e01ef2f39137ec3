//! Timeouts as users give them.

use crate::error::Error;
use std::time::Duration;

/// A timeout option in seconds, as a duration that sockets accept.
///
/// # Errors
/// The value is not positive, or longer than a day.
pub(crate) fn seconds(option: &str, seconds: f64) -> Result<Duration, Error> {
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(Error::Usage(format!("`{option}`: {seconds} is not between 0.001 and 86400 seconds")))
    }
}
