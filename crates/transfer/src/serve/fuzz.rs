//! Checks of the server's parser for [`crate::fuzz`].

use super::content;
use super::folder::Names;
use super::request::Request;

/// A head parses the same whatever follows it, and not before it is complete.
pub fn request(message: &[u8]) {
    let Ok(Some((request, length))) = Request::parse(message) else { return };
    assert!(0 < length && length <= message.len());
    let again = Request::parse(&message[..length]);
    assert!(again.is_ok_and(|again| again.is_some_and(|(_, again)| again == length)));
    for cut in [1, length / 2, length - 1] {
        assert!(matches!(Request::parse(&message[..cut]), Ok(None)), "cut at {cut}");
    }
    let (path, query) = request.path_and_query();
    assert!(!path.contains('?') && path.len() + query.len() <= request.target.len() + 1);
    if let Ok(names) = Names::parse(path) {
        assert!(names.parts().all(|name| !matches!(name.as_encoded_bytes(), [] | [b'.', ..])));
        assert!(names.parts().all(|name| !name.as_encoded_bytes().iter().any(|byte| matches!(byte, 0 | b'/'))));
        _ = names.without_end(".b3");
    }
    _ = (request.parameter("upload"), request.host(), request.is_last(), request.expects_continue());
    for length in [0, 1, 10_000, u64::MAX] {
        if let Some(Some((from, to))) = request.field("range").and_then(|value| content::range(value, length)) {
            assert!(from < to && to <= length);
        }
    }
}
