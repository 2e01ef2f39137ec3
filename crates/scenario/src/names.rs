//! What flows, links and sources are called.

/// What a flow is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowName {
    /// Its own name, different from all others.
    pub name: String,
    /// The name of the table that made it, the same for the flows of a group.
    pub label: String,
    /// The name of its law.
    pub law: String,
    /// Node that sends the data.
    pub from: String,
    /// Node that receives it.
    pub to: String,
}

/// What a one-way link is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// Its own name, different from all others.
    pub name: String,
    /// Node at its beginning.
    pub from: String,
    /// Node at its end.
    pub to: String,
}

/// What a background source is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceName {
    /// Its own name, different from all others.
    pub name: String,
    /// The name of the table that made it.
    pub label: String,
    /// Node that sends.
    pub from: String,
    /// Node that receives.
    pub to: String,
}
