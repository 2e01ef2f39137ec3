//! Links without flows.

use crate::check;
use crate::error::Error;
use crate::problems::Problems;
use crate::read;
use crate::scenario::json_tree;
use std::io;
use windward_sim::Topology;

/// Links and their changes, without flows and without an end: what `windward link` puts in front of a program.
#[derive(Clone, Debug)]
pub struct Links {
    topology: Topology,
}

impl Links {
    /// Reads the lists `node`, `link` and `change` of a scenario in JSON; `read` returns a recording by its name. Other
    /// keys are ignored.
    ///
    /// # Errors
    /// All problems of the text, each with its path.
    pub fn from_json_with(text: &str, origin: &str, read: &dyn Fn(&str) -> io::Result<String>) -> Result<Self, Error> {
        let tree = json_tree(text, origin)?;
        let mut problems = Problems::default();
        let lists = read::links(&tree, &mut problems);
        match lists.and_then(|lists| check::plan_links(lists, read, &mut problems)) {
            Some(topology) => Ok(Self { topology }),
            None => Err(problems.into_error(origin, None, |path| tree.span_of(path))),
        }
    }

    /// The network of the links.
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Links, Error> {
        Links::from_json_with(text, "links", &|name| Err(io::Error::other(name.to_owned())))
    }

    const NODES: &str = r#""node": [{ "name": "a" }, { "name": "b" }]"#;

    #[test]
    fn links_need_no_flow_and_no_end() {
        let link =
            r#"{ "name": "ab", "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms", "buffer": "9 packets" }"#;
        let change = r#"{ "link": "ab", "at": "30000000 s", "up": false }"#;
        let links = read(&format!(r#"{{ {NODES}, "link": [{link}], "change": [{change}] }}"#)).unwrap();
        assert_eq!(links.topology().ports.len(), 2, "links lead both ways");
    }

    #[test]
    fn problems_have_their_places() {
        let link =
            r#"{ "name": "ab", "from": "a", "to": "c", "rate": "1 Mbit", "delay": "1 ms", "buffer": "9 packets" }"#;
        let error = read(&format!(r#"{{ {NODES}, "link": [{link}] }}"#)).unwrap_err().to_string();
        assert!(error.contains("link[0].rate"), "{error}");
        assert!(read("{").is_err());
    }
}
