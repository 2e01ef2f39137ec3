//! Places in a file: the path of keys and indices to a value.

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// The value of a key.
    Key(String),
    /// The key itself.
    OwnKey(String),
    /// An item of a list, from 0.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path as text: `flow[2].to`.
pub(crate) fn path_text(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Index(at) => text.push_str(&format!("[{at}]")),
            Segment::Key(key) | Segment::OwnKey(key) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(key);
            }
        }
    }
    text
}
