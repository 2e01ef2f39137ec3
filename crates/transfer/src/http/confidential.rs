//! Destinations that passwords and tokens may go to.

use super::Address;

/// Refuses to send a password or token where the network could read it.
///
/// # Errors
/// The address is plain `http` and names another machine.
pub(crate) fn confidential(to: &Address) -> Result<(), String> {
    if to.is_encrypted() || to.is_here() {
        return Ok(());
    }
    Err(format!(
        "a password or token would go to {} over plain http, where the network can read it\nhint: use https://, or \
         `insecure` if you trust the network",
        to.host()
    ))
}
