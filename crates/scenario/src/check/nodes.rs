//! Nodes, groups of nodes, and the pairs of them that tables name.

use super::common::{MAX_ENTITIES, is_within_limit, member_name, place};
use crate::format::{Count, Name, Node, Starts};
use crate::path::Segment;
use crate::problems::Problems;
use crate::suggest;
use std::collections::BTreeMap;
use windward_sim::NodeId;

/// All nodes, and the meanings of names.
pub(crate) struct Nodes {
    pub names: Vec<String>,
    meaning: BTreeMap<String, End>,
    /// Names as the file declares them, for suggestions.
    declared: Vec<String>,
}

/// Meaning of a name: a node or a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    One(NodeId),
    Group { first: NodeId, count: u32 },
}

impl End {
    /// The `at`-th member; a single node is every member.
    pub fn member(self, at: u32) -> NodeId {
        match self {
            Self::One(node) => node,
            Self::Group { first, .. } => first + at,
        }
    }

    /// The number of members of a group.
    pub fn group(self) -> Option<u32> {
        match self {
            Self::One(_) => None,
            Self::Group { count, .. } => Some(count),
        }
    }
}

/// All nodes, also if names are duplicate; `None` if there are too many.
pub(crate) fn expand(nodes: &[Node], problems: &mut Problems) -> Option<Nodes> {
    let mut all = Nodes { names: Vec::new(), meaning: BTreeMap::new(), declared: Vec::new() };
    for (at, Node { name: Name(name), count }) in nodes.iter().enumerate() {
        let size = count.map_or(1, |Count(count)| count);
        let total = all.names.len() as u64 + u64::from(size);
        if !is_within_limit("node", total, MAX_ENTITIES, at, problems) {
            return None;
        }
        let first = all.names.len() as NodeId;
        let end = if count.is_some() { End::Group { first, count: size } } else { End::One(first) };
        let mut is_fresh = take(&mut all.meaning, name, end, None, at, problems);
        if is_fresh {
            all.declared.push(name.clone());
        }
        for member in 0..size {
            let member_name = member_name(name, count.is_some(), member);
            if is_fresh && count.is_some() {
                let end = End::One(first + member);
                is_fresh = take(&mut all.meaning, &member_name, end, Some(name), at, problems);
            }
            all.names.push(member_name);
        }
    }
    Some(all)
}

/// Gives a name its meaning; returns false, and reports it, if it has one.
fn take(
    meaning: &mut BTreeMap<String, End>,
    name: &str,
    end: End,
    group: Option<&String>,
    at: usize,
    problems: &mut Problems,
) -> bool {
    let is_fresh = !meaning.contains_key(name);
    if is_fresh {
        meaning.insert(name.to_owned(), end);
    } else {
        let of = group.map_or(String::new(), |group| format!(" (a member of the group `{group}`)"));
        problems.add(
            place("node", at, ["name".into()]),
            format!("duplicate name `{name}`{of}: another node already has it"),
            None,
        );
    }
    is_fresh
}

impl Nodes {
    /// Meaning of `name`, if it is known.
    pub fn known(&self, Name(name): &Name) -> Option<End> {
        self.meaning.get(name).copied()
    }

    /// Meaning of `name`; reports unknown names at `path`.
    pub fn find(&self, Name(name): &Name, path: Vec<Segment>, problems: &mut Problems) -> Option<End> {
        if let Some(end) = self.meaning.get(name) {
            return Some(*end);
        }
        let group = name.rsplit_once('-').and_then(|(group, _)| Some((group, self.meaning.get(group)?.group()?)));
        let hint = match group {
            Some((group, count)) => Some(format!("the group `{group}` has {group}-1 to {group}-{count}")),
            None if self.declared.is_empty() => Some(format!("declare each node: node = [{{ name = \"{name}\" }}]")),
            None => suggest::nearest(name, self.declared.iter().map(String::as_str)).map(suggest::did_you_mean),
        };
        const SHOWN: usize = 12;
        let known = self.declared.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        let known = match self.declared.len() {
            0 => "there are no nodes".to_owned(),
            1..=SHOWN => format!("nodes: {known}"),
            more => format!("nodes: {known} and {} more", more - SHOWN),
        };
        problems.add(path, format!("unknown node `{name}`; {known}"), hint);
        None
    }

    /// Number of pairs that two ends make, and true if they make a group; reports groups of different sizes.
    pub fn pairs(
        &self,
        from: (&Name, End),
        to: (&Name, End),
        path: Vec<Segment>,
        problems: &mut Problems,
    ) -> Option<Pairs> {
        match (from.1.group(), to.1.group()) {
            (Some(a), Some(b)) if a != b => {
                let message = format!(
                    "the group `{}` has {a} members and `{}` has {b}; groups are paired member by member and must \
                     have the same size",
                    from.0.0, to.0.0
                );
                problems.add(path, message, None);
                None
            }
            (Some(count), _) | (None, Some(count)) => Some(Pairs { count, is_group: true }),
            (None, None) => Some(Pairs { count: 1, is_group: false }),
        }
    }
}

/// The pairs that two ends make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs {
    pub count: u32,
    pub is_group: bool,
}

/// Request for a route.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub from: NodeId,
    pub to: NodeId,
}

/// Name of a table: its own, or that of its ends.
pub(crate) fn label(name: Option<&Name>, Name(from): &Name, Name(to): &Name) -> String {
    name.map_or_else(|| format!("{from}->{to}"), |Name(name)| name.clone())
}

/// The senders and receivers of a table of flows or sources.
pub(crate) struct Senders<'a> {
    /// List that has the table, and the table's index in it.
    pub list: &'static str,
    pub at: usize,
    pub from: &'a Name,
    pub to: &'a Name,
    pub count: Option<Count>,
    /// Starts of the members; two single nodes have as many pairs as the list has times.
    pub starts: &'a Starts,
    /// Number of members of the tables above it.
    pub before: usize,
}

/// Ends of all members of a table of flows or sources; reports problems.
pub(crate) fn ends(table: &Senders, nodes: &Nodes, problems: &mut Problems) -> Option<(Pairs, Vec<Request>)> {
    let &Senders { list, at, from, to, count, starts, before } = table;
    let from_end = nodes.find(from, place(list, at, ["from".into()]), problems);
    let to_end = nodes.find(to, place(list, at, ["to".into()]), problems);
    let (from_end, to_end) = (from_end?, to_end?);
    let pairs = nodes.pairs((from, from_end), (to, to_end), place(list, at, ["to".into()]), problems)?;
    let pairs = match count {
        Some(_) if pairs.is_group => {
            let message =
                format!("`count` requires two single nodes; the groups here already make {} of `{list}`", pairs.count);
            problems.add(place(list, at, ["count".into()]), message, None);
            return None;
        }
        Some(Count(count)) => Pairs { count, is_group: true },
        None if !pairs.is_group && !starts.list().is_empty() => {
            Pairs { count: starts.list().len() as u32, is_group: true }
        }
        None => pairs,
    };
    let given = starts.list().len() as u64;
    if given > 0 && given != u64::from(pairs.count) {
        let message = format!("`start` has {given} times; the table makes {} of `{list}`", pairs.count);
        problems.add(
            place(list, at, ["start".into()]),
            message,
            Some("give a time for each, or one for all".to_owned()),
        );
        return None;
    }
    if !is_within_limit(list, before as u64 + u64::from(pairs.count), MAX_ENTITIES, at, problems) {
        return None;
    }
    let request = |member| Request { from: from_end.member(member), to: to_end.member(member) };
    let requests: Vec<Request> = (0..pairs.count).map(request).collect();
    if let Some(looped) = requests.iter().find(|request| request.from == request.to) {
        let message = format!("the {list} goes from `{}` to itself", nodes.names[looped.from as usize]);
        problems.add(place(list, at, ["to".into()]), message, None);
        return None;
    }
    Some((pairs, requests))
}
