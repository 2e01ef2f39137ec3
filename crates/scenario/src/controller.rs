//! Reads a flow's `connections` alone, for hosts that are not a flow.

use crate::error::Error;
use crate::format::{Connections, Named};
use crate::problems::Problems;
use crate::read::{self, Tree};
use windward_laws::emultcp::Params;

/// Controller that `text` describes, in JSON, as in a flow's `connections`. It bounds no windows, because such a host
/// does not control any.
///
/// # Errors
/// All problems of the text.
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
