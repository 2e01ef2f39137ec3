//! One response: its head, and what is needed to read its body.

use super::body::{Body, Source};
use super::error::Error;
use super::head::{Head, MOST_BYTES};

/// Most interim responses (1xx) before the one that counts.
const MOST_INTERIM: usize = 8;

/// Reads the head of the next response; interim responses are passed over. `goes_on` is asked before each wait for more.
///
/// # Errors
/// The connection is lost before the head is whole, it is no head, or `goes_on` says no.
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
