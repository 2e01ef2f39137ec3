//! A flow's `connections` by itself, for hosts that are no flow.

use crate::error::Error;
use crate::format::{Connections, Named};
use crate::problems::Problems;
use crate::read::{self, Tree};
use windward_laws::emultcp::Params;

/// The controller that `text` describes, which is what a flow's `connections` may be, in JSON. It bounds no windows, as such a
/// host has none in hand.
///
/// # Errors
/// All that is wrong with it.
pub fn controller(text: &str) -> Result<Params, Error> {
    let origin = "connections";
    let tree: Tree =
        serde_json::from_str(text).map_err(|error| Error::single(origin, None, error.to_string(), None))?;
    let mut problems = Problems::default();
    let params = read::table(tree, &[], &mut problems)
        .map(|named: Named<Connections>| Params { bound: false, ..named.0.params() });
    if let Some(Err((field, why))) = params.map(|params| params.check()) {
        problems.add([field.into()], format!("`{field}`: {why}"), None);
    }
    params.filter(|_| problems.is_empty()).ok_or_else(|| problems.into_error(origin, None, |_| None))
}
