//! Reception of one response: its head, and the state to read its body.

use super::body::{Body, Source};
use super::error::Error;
use super::head::{Head, MOST_BYTES};

/// Maximum number of interim responses (1xx) before the final one.
const MOST_INTERIM: usize = 8;

/// Reads the head of the next response; skips interim responses. `goes_on` is called after each wait for more
/// bytes, and can end the reading.
///
/// # Errors
/// The connection is lost before the head is complete, the head is malformed, or `goes_on` returns an error.
pub(crate) fn receive(
    source: &mut impl Source,
    is_answer_to_head: bool,
    mut goes_on: impl FnMut() -> Result<(), Error>,
) -> Result<(Head, Body), Error> {
    let mut interim = 0;
    loop {
        let arrived = source.held();
        match Head::parse(&arrived[..arrived.len().min(MOST_BYTES)])? {
            Some((head, length)) => {
                source.take(length);
                if head.status >= 200 {
                    let body = if is_answer_to_head { Body::none() } else { Body::new(head.framing()?) };
                    return Ok((head, body));
                }
                interim += 1;
                if head.status == 101 || interim > MOST_INTERIM {
                    return Err(Error::malformed(format!(
                        "too many interim responses, the last with status {}",
                        head.status
                    )));
                }
            }
            None => source.more()?,
        }
        goes_on()?;
    }
}
