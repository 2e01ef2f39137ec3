//! Routes: explicit ones, and shortest paths.

use super::common::place;
use super::ground::Network;
use super::link::Links;
use super::natural::natural;
use super::nodes::{End, Nodes, Request};
use super::wifi_plan::WifiPlan;
use crate::format::Name;
use crate::path::Segment;
use crate::problems::Problems;
use windward_sim::NodeId;

/// Table that requests routes: its list and its index.
#[derive(Clone, Copy)]
pub(crate) struct Asker {
    pub list: &'static str,
    pub at: usize,
}

/// The resolved intermediate nodes of a table.
pub(crate) struct Via {
    key: &'static str,
    ends: Vec<End>,
    /// True if the file lists the nodes in reverse.
    is_reversed: bool,
}

impl Via {
    /// Resolves the names of `via`; a group in it needs as many members as there are flows.
    pub fn resolve(
        names: &[Name],
        key: &'static str,
        asker: Asker,
        members: u32,
        nodes: &Nodes,
        problems: &mut Problems,
    ) -> Option<Self> {
        let find = |(i, name): (usize, &Name)| {
            let path: Vec<Segment> = place(asker.list, asker.at, [key.into(), Segment::Index(i)]);
            let end = nodes.find(name, path.clone(), problems)?;
            match end.group() {
                Some(count) if count != members => {
                    let message = format!(
                        "the group `{}` has {count} members, but there are {members} of `{}`",
                        name.0, asker.list
                    );
                    problems.add(path, message, None);
                    None
                }
                _ => Some(end),
            }
        };
        let ends: Vec<_> = names.iter().enumerate().map(find).collect();
        Some(Self { key, ends: ends.into_iter().collect::<Option<_>>()?, is_reversed: false })
    }

    /// Resolves a field that may be left out; `None`, and reports, if a name in it is wrong.
    pub fn of_field(
        names: Option<&Vec<Name>>,
        key: &'static str,
        asker: Asker,
        members: u32,
        nodes: &Nodes,
        problems: &mut Problems,
    ) -> Option<Option<Self>> {
        names.map_or(Some(None), |names| Self::resolve(names, key, asker, members, nodes, problems).map(Some))
    }

    /// The nodes in reverse order.
    pub fn reversed(&self) -> Self {
        Self { key: self.key, ends: self.ends.iter().rev().copied().collect(), is_reversed: true }
    }

    /// Links from `from` through the nodes to `to`; reports nodes without a link between them.
    pub fn route(
        &self,
        Request { from, to }: Request,
        member: u32,
        asker: Asker,
        Network { nodes, links, .. }: Network<'_>,
        problems: &mut Problems,
    ) -> Option<Vec<u32>> {
        let between = self.ends.iter().map(|end| end.member(member));
        let stops: Vec<_> = [from].into_iter().chain(between).chain([to]).collect();
        let hop = |ends: &[NodeId]| links.between.get(&(ends[0], ends[1])).copied().ok_or((ends[0], ends[1]));
        let route: Result<Vec<u32>, _> = stops.windows(2).map(hop).collect();
        let (a, b) = match route {
            Ok(route) => return Some(route),
            Err(ends) => ends,
        };
        let [a, b] = [a, b].map(|node| &nodes.names[node as usize]);
        let hint = if self.is_reversed {
            "ACKs return along `via` in reverse unless `return_via` is given".to_owned()
        } else {
            "consecutive nodes must be linked".to_owned()
        };
        let message = format!("no link from `{a}` to `{b}`");
        problems.add(place(asker.list, asker.at, [self.key.into()]), message, Some(hint));
        None
    }
}

/// Direction of a search.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Direction {
    /// From the source of a flow to its sink, as data goes.
    Forth,
    /// From the source to the sink against the links: ACKs travel this path from its end to its start. The search
    /// starts at the same end as the forward one, so ties are broken alike and ACKs return by the path of the data.
    Back,
}

/// The network as seen by the search for shortest paths.
pub(crate) struct Graph<'a> {
    links: &'a Links,
    direction: Direction,
    /// Links to walk from node n: `out[first[n]..first[n + 1]]`, in the order of the file.
    first: Vec<u32>,
    out: Vec<u32>,
    /// The single neighbour of a node that has only one, linked in both directions. Such a node is on no path between
    /// others, and every route from or to it uses this neighbour.
    anchor: Vec<Option<NodeId>>,
    /// Rank of every node in the natural order of names; empty without wireless networks.
    rank: Vec<u32>,
}

/// Best known path to a node.
#[derive(Clone, Copy)]
struct Reach {
    hops: u32,
    delay: u64,
    /// Last link of the path; [`NOWHERE`] at the source.
    link: u32,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Graph<'a> {
    pub fn new(Nodes { names, .. }: &Nodes, links: &'a Links, direction: Direction) -> Self {
        let nodes = names.len();
        let count = links.topology.ports.len() as u32;
        let ends = |link: u32| walk(links.ends(link), direction);
        let mut first = vec![0; nodes + 1];
        for link in 0..count {
            first[ends(link).0 as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut out = vec![0; count as usize];
        let mut arrivals = vec![0_u32; nodes];
        for link in 0..count {
            let (from, to) = ends(link);
            out[free[from as usize] as usize] = link;
            free[from as usize] += 1;
            arrivals[to as usize] += 1;
        }
        let mut graph = Self { links, direction, first, out, anchor: vec![None; nodes], rank: Vec::new() };
        if !links.wireless.is_empty() {
            let mut sorted: Vec<usize> = (0..nodes).collect();
            sorted.sort_by(|&a, &b| natural(&names[a], &names[b]));
            graph.rank = vec![0; nodes];
            (0..).zip(sorted).for_each(|(rank, node)| graph.rank[node] = rank);
        }
        let leaf = |node: NodeId| match graph.leaving(node) {
            [link] if arrivals[node as usize] == 1 => {
                let neighbour = ends(*link).1;
                let back = walk((neighbour, node), direction);
                (links.between.contains_key(&back) && graph.leaving(neighbour).len() > 1).then_some(neighbour)
            }
            _ => None,
        };
        graph.anchor = (0..nodes as NodeId).map(leaf).collect();
        graph
    }

    /// Start and end of a step along `link`.
    fn ends(&self, link: u32) -> (NodeId, NodeId) {
        walk(self.links.ends(link), self.direction)
    }

    fn leaving(&self, node: NodeId) -> &[u32] {
        &self.out[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Tie-breaker between paths of equal length and delay: the order of the links in the file; in a wireless network,
    /// after them, the name of the previous node.
    fn tie(&self, link: u32) -> (bool, u32) {
        match WifiPlan::of(&self.links.wireless, link) {
            None => (false, link),
            Some(_) => (true, self.rank[self.ends(link).0 as usize]),
        }
    }

    /// The shortest path for each request: fewest links, then least delay, then, compared from the sink, the order of
    /// [`Self::tie`]; `None` if there is none. One search serves each distinct source, and all leaves of one node.
    pub fn shortest(&self, requests: &[Request]) -> Vec<Option<Vec<u32>>> {
        let trunk = |node: NodeId| self.anchor[node as usize].unwrap_or(node);
        let mut order: Vec<usize> = (0..requests.len()).collect();
        order.sort_by_key(|&at| trunk(requests[at].from));
        let mut routes = vec![None; requests.len()];
        let mut searched: Option<(NodeId, Vec<Option<Reach>>)> = None;
        for at in order {
            let Request { from, to } = requests[at];
            let source = trunk(from);
            if searched.as_ref().is_none_or(|(node, _)| *node != source) {
                searched = Some((source, self.search(source)));
            }
            let reached = searched.as_ref().map_or(&[][..], |(_, reached)| reached);
            routes[at] = self.trace(reached, source, to).map(|mut route| {
                if from != source {
                    // A leaf's route to its neighbour and beyond begins with its only link.
                    route.insert(0, self.leaving(from)[0]);
                }
                if self.direction == Direction::Back {
                    route.reverse();
                }
                route
            });
        }
        routes
    }

    /// The route of every request of a table: through `via`, or the shortest. Reports missing ones.
    pub fn routes(
        &self,
        via: Option<&Via>,
        requests: &[Request],
        asker: Asker,
        network: Network<'_>,
        problems: &mut Problems,
    ) -> Option<Vec<Vec<u32>>> {
        let ends = |&Request { from, to }: &Request| walk((from, to), self.direction);
        if let Some(via) = via {
            let route = |(member, request): (u32, &Request)| {
                let (from, to) = ends(request);
                via.route(Request { from, to }, member, asker, network, problems)
            };
            return (0..).zip(requests).map(route).collect();
        }
        let routes = self.shortest(requests);
        if let Some((request, _)) = requests.iter().zip(&routes).find(|(_, route)| route.is_none()) {
            let [from, to] = <[NodeId; 2]>::from(ends(request)).map(|node| &network.nodes.names[node as usize]);
            let path = place(asker.list, asker.at, ["to".into()]);
            problems.add(path, format!("no route from `{from}` to `{to}`"), None);
        }
        routes.into_iter().collect()
    }

    /// The links from `source` to `to`, walked backwards.
    fn trace(&self, reached: &[Option<Reach>], source: NodeId, to: NodeId) -> Option<Vec<u32>> {
        let mut route = Vec::new();
        let mut node = to;
        while node != source {
            let link = reached[node as usize]?.link;
            route.push(link);
            node = self.ends(link).0;
        }
        route.reverse();
        Some(route)
    }

    /// Breadth-first search from `source`. A level is complete before the next begins, so the least delay over the
    /// fewest links is known when a node passes it on.
    fn search(&self, source: NodeId) -> Vec<Option<Reach>> {
        let mut reached: Vec<Option<Reach>> = vec![None; self.anchor.len()];
        reached[source as usize] = Some(Reach { hops: 0, delay: 0, link: NOWHERE });
        let mut level = vec![source];
        for hops in 1.. {
            let mut next = Vec::new();
            for &node in &level {
                let so_far = reached[node as usize].map_or(0, |reach| reach.delay);
                for &link in self.leaving(node) {
                    let to = self.ends(link).1;
                    let delay = so_far.saturating_add(self.links.topology.delay(link).as_nanos());
                    let reach = Reach { hops, delay, link };
                    match &mut reached[to as usize] {
                        seen @ None => {
                            *seen = Some(reach);
                            next.push(to);
                        }
                        Some(seen) if seen.hops == hops => {
                            let order = delay.cmp(&seen.delay);
                            if order.then_with(|| self.tie(link).cmp(&self.tie(seen.link))).is_lt() {
                                *seen = reach;
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        reached
    }
}

fn walk((from, to): (NodeId, NodeId), direction: Direction) -> (NodeId, NodeId) {
    match direction {
        Direction::Forth => (from, to),
        Direction::Back => (to, from),
    }
}
