//! Places and bounds that all applications share.

use crate::check::common::place;
use crate::path::Segment;
use crate::problems::Problems;
use windward_units::Bytes;

/// Largest number of requests that one application may be expected to make.
pub const MOST_REQUESTS: f64 = 1e7;
/// Largest size of a response.
pub const MOST_BYTES: u64 = 1_000_000_000_000;

/// Place in the table `at` of applications.
pub fn inside<const N: usize>(at: usize, keys: [Segment; N]) -> Vec<Segment> {
    place("app", at, keys)
}

/// Bytes of a request; reports too many.
pub fn request(size: Bytes, at: usize, problems: &mut Problems) -> Option<Bytes> {
    if size.count() > MOST_BYTES {
        let message = format!("a request of {size} is too large; at most {} are allowed", Bytes::new(MOST_BYTES));
        problems.add(inside(at, ["request".into()]), message, None);
        return None;
    }
    Some(size)
}
