//! Links without flows.

use crate::check::{self, LinksPlan};
use crate::error::Error;
use crate::problems::Problems;
use crate::read;
use crate::scenario::json_tree;
use std::io;
use windward_sim::{SourceConfig, Topology};

/// A network between two nodes, without flows and without an end: what `windward link` puts in front of a program.
#[derive(Clone, Debug)]
pub struct Links {
    plan: LinksPlan,
}

impl Links {
    /// Reads the lists `node`, `link`, `wifi`, `change` and `background` of a scenario in JSON; `read` returns a
    /// recording by its name. Other keys are ignored.
    ///
    /// # Errors
    /// All problems of the text, each with its path.
    pub fn from_json_with(text: &str, origin: &str, read: &dyn Fn(&str) -> io::Result<String>) -> Result<Self, Error> {
        let tree = json_tree(text, origin)?;
        let mut problems = Problems::default();
        let lists = read::links(&tree, &mut problems);
        match lists.and_then(|lists| check::plan_links(lists, read, &mut problems)) {
            Some(plan) => Ok(Self { plan }),
            None => Err(problems.into_error(origin, None, |path| tree.span_of(path))),
        }
    }

    /// The network of the links.
    pub const fn topology(&self) -> &Topology {
        &self.plan.topology
    }

    /// Ports from the first node to the second, and back.
    pub const fn routes(&self) -> &[Vec<u32>; 2] {
        &self.plan.routes
    }

    /// Background sources.
    pub fn sources(&self) -> &[SourceConfig] {
        &self.plan.sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_sim::wifi::edca::Category;
    use windward_sim::{MediumConfig, PortKind};

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
        assert_eq!(links.routes(), &[vec![0], vec![1]]);
    }

    /// An hour of 60 s each; the second direction has changes of its own.
    #[test]
    fn changes_repeat_for_an_hour() {
        let link =
            r#"{ "name": "ab", "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms", "buffer": "9 packets" }"#;
        let steps = r#"[{ "at": "10 s", "up": false }, { "at": "12 s", "up": true }]"#;
        let change = format!(
            r#"{{ "link": "ab", "every": "60 s", "steps": {steps} }}, {{ "link": "ab-reverse", "leo": {{ "capacity": "1 Mbit/s" }} }}"#
        );
        let links = read(&format!(r#"{{ {NODES}, "link": [{link}], "change": [{change}] }}"#)).unwrap();
        let steps = |port: usize| match &links.topology().ports[port].kind {
            PortKind::Link(link) => link.steps.iter().map(|step| step.at.as_secs()).collect::<Vec<_>>(),
            PortKind::Shared { .. } => Vec::new(),
        };
        assert_eq!((steps(0).len(), steps(0)[1], steps(0)[2], steps(0)[119]), (120, 12.0, 70.0, 3552.0));
        assert!(steps(1).len() > 3600 && steps(1).iter().all(|&at| at < 3600.0), "{}", steps(1).len());
    }

    #[test]
    fn problems_have_their_places() {
        let link =
            r#"{ "name": "ab", "from": "a", "to": "c", "rate": "1 Mbit", "delay": "1 ms", "buffer": "9 packets" }"#;
        let error = read(&format!(r#"{{ {NODES}, "link": [{link}] }}"#)).unwrap_err().to_string();
        assert!(error.contains("link[0].rate"), "{error}");
        assert!(read("{").is_err());
        assert!(read("{}").unwrap_err().to_string().contains("a link needs two nodes"));
        let error = read(&format!("{{ {NODES} }}")).unwrap_err().to_string();
        assert!(error.contains("no route from `a` to `b`"), "{error}");
    }

    /// A wire to the access point, whose station is the second node; another station sends without an end.
    #[test]
    fn wifi_follows_a_wire() {
        let text = r#"{
            "node": [{ "name": "server" }, { "name": "client" }, { "name": "AP" }, { "name": "other" }],
            "link": [{ "from": "server", "to": "AP", "rate": "1 Gbit/s", "delay": "10 ms" }],
            "wifi": [{ "name": "home", "standard": "802.11ac", "access_point": "AP", "station": [
                { "node": "AP", "at": ["0 m", "0 m"] }, { "node": "client", "at": ["5 m", "0 m"] },
                { "node": "other", "at": ["0 m", "5 m"] }
            ] }],
            "background": [{ "from": "other", "to": "AP", "pattern": { "kind": "cbr", "rate": "1 Mbit/s" },
                "packet": "1500 B", "dscp": "EF" }]
        }"#;
        let links = read(text).unwrap();
        let ends = |port: &u32| {
            let port = &links.topology().ports[*port as usize];
            (port.from, port.to)
        };
        let [down, up] = links.routes();
        assert_eq!(down.iter().map(ends).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
        assert_eq!(up.iter().map(ends).collect::<Vec<_>>(), [(1, 2), (2, 0)]);
        assert_eq!(links.sources().len(), 1);
        let [MediumConfig::Edca(network)] = &links.topology().media[..] else { panic!("{:?}", links.topology().media) };
        assert_eq!(network.flows, Category::ALL.map(|category| [category; 2]));
        assert_eq!(network.sources, [Category::Voice]);
        assert!(network.motion.is_none());
        let error = read(&text.replace("802.11ac\"", "802.11ac\", \"width\": \"30 MHz\"")).unwrap_err().to_string();
        assert!(error.contains("wifi[0].width"), "{error}");
        // A station that jumps moves, as in a simulation.
        let jump = r#""change": [{ "station": "client", "at": "1 s", "position": ["40 m", "0 m"] }], "background""#;
        let links = read(&text.replacen("\"background\"", jump, 1)).unwrap();
        assert!(matches!(&links.topology().media[..], [MediumConfig::Edca(network)] if network.motion.is_some()));
    }
}
