//! Applications, expanded and routed.

mod arrivals;
mod datagrams;
mod page;
mod requests;
mod session;
mod shared;
mod sizes;
mod video;

use super::common::{Names, Times, member_name, place};
use super::files::ReadFile;
use super::ground::Network;
use super::key::key;
use super::nodes::{Request, Senders, ends, label};
use super::route::{Asker, Direction, Graph, Via};
use super::source::{Sources, ends_before_regions, goes_by_backlog};
use super::{quic, tcp};
use crate::format::{App, DataDirection, Ends, Law, LawOf, Stack};
use crate::names::{FlowName, SourceName};
use crate::problems::Problems;
use arrivals::Place;
use datagrams::Datagrams;
use requests::Clients;
use session::Transfers;
use shared::inside;
use std::sync::Arc;
use windward_sim::traffic::page::PageConfig;
use windward_sim::traffic::video::VideoConfig;
use windward_sim::{AppConfig, AppKind, Ideal, LawChoice, QuicOptions, TcpOptions};
use windward_units::{BitRate, Bytes, Duration, Time};

/// All applications and their names.
#[derive(Default)]
pub(crate) struct Apps {
    pub configs: Vec<AppConfig>,
    pub names: Vec<FlowName>,
    /// True if the file gives the route there, and back.
    pub is_fixed: Vec<[bool; 2]>,
    /// Names of the objects of all pages, those of each page together.
    pub objects: Vec<String>,
    /// Sources of the applications that send datagrams.
    pub sources: Sources,
}

/// Traffic of an application between any two nodes.
enum Traffic<'a> {
    Connections(Box<Connections<'a>>),
    Datagrams(Datagrams),
}

/// Two-way connections of a table.
struct Connections<'a> {
    law: LawChoice,
    tcp: TcpOptions,
    stop: Option<Time>,
    /// Bytes of a request.
    request: Bytes,
    kind: Kind<'a>,
}

/// Kind of the clients of a table; arrivals of requests and transfers depend on the path.
enum Kind<'a> {
    Requests(Clients<'a>),
    Session(Transfers<'a>),
    Video(Arc<VideoConfig>),
    Page(Arc<PageConfig>),
}

impl Kind<'_> {
    /// Kind of the client at `place`; reports problems.
    fn config(&self, place: Place<'_>, at: usize, problems: &mut Problems) -> Option<AppKind> {
        match self {
            Self::Requests(clients) => clients.config(place, at, problems).map(AppKind::Requests),
            Self::Session(transfers) => transfers.config(place, at, problems).map(AppKind::Session),
            Self::Video(video) => Some(AppKind::Video(Arc::clone(video))),
            Self::Page(page) => Some(AppKind::Page(Arc::clone(page))),
        }
    }
}

/// Reads the files that an application names.
pub(crate) fn inline(app: &mut App, at: usize, read: ReadFile<'_>, problems: &mut Problems) {
    match app {
        App::Requests(app) => {
            sizes::inline((&mut app.arrivals, Some(&mut app.response)), "response", at, read, problems);
        }
        App::Session(app) => sizes::inline((&mut app.arrivals, app.size.as_mut()), "size", at, read, problems),
        App::Video(app) => video::inline(app, at, read, problems),
        App::Page(app) => page::inline(app, at, read, problems),
        App::Game(_) | App::Call(_) | App::Ping(_) => {}
    }
}

/// All applications; `None`, and reports, if one is wrong. `taken` has the names of other sources.
pub(crate) fn expand(
    apps: &[App],
    laws: Vec<Option<LawChoice>>,
    taken: &[SourceName],
    (network, span, stack): (Network<'_>, Duration, Stack),
    problems: &mut Problems,
) -> Option<Apps> {
    let before = problems.len();
    let graphs = [Direction::Forth, Direction::Back].map(|way| Graph::new(network.nodes, network.links, way));
    let mut all = Apps::default();
    let mut names = Names::new("app");
    names.taken.extend(taken.iter().map(|source| source.name.clone()));
    for ((at, app), law) in apps.iter().enumerate().zip(laws) {
        let own = app.ends();
        let Ends { from, to, count, start: starts, .. } = own;
        let senders = all.configs.len() + all.sources.configs.len();
        let made =
            ends(&Senders { list: "app", at, from, to, count, starts, before: senders }, network.nodes, problems);
        let times = Times { starts, step: Duration::ZERO, spread: Duration::ZERO, stop: own.stop };
        times.check(1, "app", at, span, problems);
        let traffic = match app {
            App::Requests(_) | App::Session(_) | App::Video(_) | App::Page(_) => {
                connections(app, law, (span, stack), at, problems).map(|own| Traffic::Connections(Box::new(own)))
            }
            App::Game(game) => Some(Traffic::Datagrams(datagrams::game(game.dscp))),
            App::Call(call) => datagrams::call(call, at, problems).map(Traffic::Datagrams),
            App::Ping(ping) => datagrams::ping(ping, at, problems).map(Traffic::Datagrams),
        };
        let (Some(traffic), Some((pairs, requests))) = (traffic, made) else { continue };
        // Missing routes would only repeat the problem that made the network incomplete.
        if !network.is_whole {
            continue;
        }
        let Some(routes) = routes(own, at, &requests, network, &graphs, problems) else { continue };
        if !is_passable(&routes, at, network, problems) {
            continue;
        }
        let asker = Asker { list: "app", at };
        if matches!(traffic, Traffic::Datagrams(_))
            && !ends_before_regions(routes.iter().flatten(), ["datagrams", "them"], asker, network.links, problems)
        {
            continue;
        }
        let stop = times.stop.map_or(span, |stop| stop.min(span));
        let label = label(own.name, from, to);
        for ((member, ends), [forward, backward]) in (0..).zip(requests).zip(routes) {
            let name = member_name(&label, pairs.is_group, member);
            // One report for a table: the names of its other members would clash as well.
            if !names.take(&name, at, problems) {
                break;
            }
            let [from, to] = [ends.from, ends.to].map(|node| network.nodes.names[node as usize].clone());
            let start = times.start_of(member);
            let window = stop.saturating_sub(start);
            let law = match &traffic {
                Traffic::Connections(common) => {
                    // The end that receives asks.
                    let is_upload = matches!(app, App::Session(session) if session.direction == DataDirection::Up);
                    let (client, server, forward, backward) = if is_upload {
                        (ends.to, ends.from, backward, forward)
                    } else {
                        (ends.from, ends.to, forward, backward)
                    };
                    // Without `return_via` the way back is `via` reversed.
                    let fixed = [own.via.is_some(), own.via.is_some() || own.return_via.is_some()];
                    all.is_fixed.push(if is_upload { [fixed[1], fixed[0]] } else { fixed });
                    let ideal = ideal(&forward, &backward, network);
                    let Connections { law, tcp, stop, request, kind } = &**common;
                    let place = Place { tcp, ideal, count: pairs.count, window };
                    let Some(kind) = kind.config(place, at, problems) else { break };
                    // Each client has its own objects in the list, in the order of `configs`.
                    if let App::Page(page) = app {
                        all.objects.extend(page::names(page));
                    }
                    all.configs.push(AppConfig {
                        key: key("app", &name),
                        client,
                        server,
                        start: Time::from_nanos(start.as_nanos()),
                        forward: forward.into(),
                        backward: backward.into(),
                        law: *law,
                        tcp: tcp.clone(),
                        stop: *stop,
                        request: *request,
                        ideal,
                        kind,
                    });
                    app.tcp().map_or_else(String::new, |(law, _)| quic::shown(law, app.law_of()))
                }
                Traffic::Datagrams(datagrams) => {
                    let member = datagrams::Member { name: &name, label: &label, nodes: [ends.from, ends.to] };
                    let span = (start, own.stop);
                    datagrams.add(member, [&from, &to], [&forward, &backward], span, &mut all.sources);
                    continue;
                }
            };
            all.names.push(FlowName { name, label: label.clone(), law, from, to });
        }
    }
    (network.is_whole && problems.len() == before).then_some(all)
}

/// Connections of the clients of a table; reports problems. `None` for datagrams.
fn connections<'a>(
    app: &'a App,
    law: Option<LawChoice>,
    (span, stack): (Duration, Stack),
    at: usize,
    problems: &mut Problems,
) -> Option<Connections<'a>> {
    let (own, options) = app.tcp()?;
    let before = problems.len();
    let tcp = tcp::options(options, options.stack.unwrap_or(stack), law.as_ref(), false);
    let table = ("app", at, &["tcp"][..]);
    tcp::check_sizes(&tcp, table, problems);
    tcp::check(options, &tcp, law.as_ref(), table, problems);
    if own.name == Law::TFRC && !app.is_over_quic() {
        let hint = Some("choose a law of TCP".to_owned());
        problems.add(place("app", at, ["law".into()]), "TFRC carries no requests", hint);
    }
    let law = if app.is_over_quic() {
        let quic = QuicOptions { law_of: LawOf::chosen(app.law_of()), zero_rtt: app.has_zero_rtt() };
        quic::check(options, &tcp, (law.as_ref(), quic), (table, "application"), problems)
    } else {
        let is_page = matches!(app, App::Page(_));
        quic::refuse_options(app.law_of(), app.has_zero_rtt() && !is_page, ("app", at), problems);
        law
    };
    let law = law.filter(|_| problems.len() == before)?;
    let stop = app.ends().stop.map(|stop| Time::from_nanos(stop.as_nanos()));
    let (request, kind) = match app {
        App::Requests(app) => {
            let (request, clients) = requests::clients(app, at, problems)?;
            (request, Kind::Requests(clients))
        }
        App::Session(app) => (Bytes::new(1), Kind::Session(session::transfers(app, at, problems)?)),
        App::Video(app) => {
            let (request, video) = video::config(app, span, at, problems)?;
            (request, Kind::Video(Arc::new(video)))
        }
        App::Page(app) => {
            let (request, page) = page::config(app, at, problems)?;
            (request, Kind::Page(Arc::new(page)))
        }
        App::Game(_) | App::Call(_) | App::Ping(_) => return None,
    };
    Some(Connections { law, tcp, stop, request, kind })
}

/// The path without other traffic.
fn ideal(forward: &[u32], backward: &[u32], network: Network<'_>) -> Ideal {
    let topology = &network.links.topology;
    let delay = |route: &[u32]| route.iter().map(|&port| topology.delay(port).as_nanos()).sum::<u64>();
    let rate = backward.iter().map(|&port| topology.nominal_rate(port)).min().unwrap_or(0);
    Ideal { rate: BitRate::bits_per_sec(rate), rtt: Duration::from_nanos(delay(forward) + delay(backward)) }
}

/// The routes of every pair of a table, there and back; reports missing ones.
fn routes(
    app: Ends<'_>,
    at: usize,
    requests: &[Request],
    network: Network<'_>,
    graphs: &[Graph<'_>; 2],
    problems: &mut Problems,
) -> Option<Vec<[Vec<u32>; 2]>> {
    let asker = Asker { list: "app", at };
    let resolve = |names, key, problems: &mut Problems| {
        Via::of_field(names, key, asker, requests.len() as u32, network.nodes, problems)
    };
    let forth = resolve(app.via, "via", problems)?;
    let back = resolve(app.return_via, "return_via", problems)?;
    let back = back.or_else(|| forth.as_ref().map(Via::reversed));
    let forward = graphs[0].routes(forth.as_ref(), requests, asker, network, problems)?;
    let backward = graphs[1].routes(back.as_ref(), requests, asker, network, problems)?;
    Some(forward.into_iter().zip(backward).map(|(forward, backward)| [forward, backward]).collect())
}

/// False, and a report, if a route crosses a network that applications do not support.
fn is_passable(routes: &[[Vec<u32>; 2]], at: usize, network: Network<'_>, problems: &mut Problems) -> bool {
    let crosses = routes.iter().flatten().flatten().any(|&link| goes_by_backlog(link, network.links));
    if crosses {
        let message = "applications cannot cross stations that forward by backlog";
        problems.add(inside(at, ["to".into()]), message, Some("use another `routing` in the [[wifi]]".to_owned()));
    }
    !crosses
}
