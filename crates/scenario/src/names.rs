//! Names of flows, applications, links and sources.

/// Names of a flow, or of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowName {
    /// Unique name of the flow.
    pub name: String,
    /// Name of the table that made the flow, shared by the flows of a group.
    pub label: String,
    /// Name of the flow's law.
    pub law: String,
    /// Node that sends the data; of an application, the client's.
    pub from: String,
    /// Node that receives the data; of an application, the server's.
    pub to: String,
}

/// Names of a one-way link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// Unique name of the link.
    pub name: String,
    /// Node at the start of the link.
    pub from: String,
    /// Node at the end of the link.
    pub to: String,
}

/// Names of a background source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceName {
    /// Unique name of the source.
    pub name: String,
    /// Name of the table that made the source.
    pub label: String,
    /// Node that sends.
    pub from: String,
    /// Node that receives.
    pub to: String,
}
