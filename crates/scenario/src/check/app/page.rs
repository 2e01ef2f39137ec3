//! Pages: their objects and the use of connections.

use super::shared::{MOST_BYTES, inside, request};
use crate::check::common::given_of;
use crate::check::files::{ReadFile, load, path};
use crate::check::har::{self, MOST_OBJECTS};
use crate::format::{HttpProtocol, Page, PageObject, Recording, RequestOrder, Spread, six, thirty_s};
use crate::path::Segment;
use crate::problems::Problems;
use crate::suggest;
use std::collections::BTreeMap;
use windward_sim::traffic::page::{self as traffic, Order, PageConfig, Protocol};
use windward_units::Bytes;

/// Reads the file of the objects; without one the page has its default.
pub fn inline(app: &mut Page, at: usize, read: ReadFile<'_>, problems: &mut Problems) {
    let objects = app.objects.get_or_insert_with(|| Recording::Values(PageObject::browsing()));
    if let Recording::File(name) = objects
        && let Some(har::Read { objects, notes }) = load(name, har::page, path("app", at, &["objects"]), read, problems)
    {
        problems.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        app.objects = Some(Recording::Values(objects));
    }
}

/// Names of the objects of a page.
pub fn names(app: &Page) -> impl Iterator<Item = String> {
    let objects = if let Some(Recording::Values(objects)) = &app.objects { &objects[..] } else { &[] };
    objects.iter().map(|object| object.name.clone())
}

/// Bytes of a request, and the page of the browsers of a table; reports problems.
pub fn config(app: &Page, at: usize, problems: &mut Problems) -> Option<(Bytes, PageConfig)> {
    let before = problems.len();
    let request = request(app.request.0, at, problems);
    let mut refuse = |key: &'static str, why: String| problems.add(inside(at, [key.into()]), why, None);
    let tls = [0, 1, 2].into_iter().find(|trips| f64::from(*trips) == app.tls.0);
    if tls.is_none() {
        refuse("tls", format!("{} is out of range; allowed: 0, 1 or 2 round trips", app.tls.0));
    }
    if app.protocol == HttpProtocol::Http3 && app.tls.0 == 2.0 {
        refuse("tls", "\"h3\" has TLS 1.3: 1 round trip, or 0 with 0-RTT".to_owned());
    }
    if app.protocol != HttpProtocol::Http1 {
        let given = [("connections", app.connections != six()), ("preconnect", app.preconnect.0 != 1)];
        for key in given_of(given) {
            refuse(key, format!("`{key}` is for \"http/1.1\": other protocols have one connection to an origin"));
        }
    }
    if app.visits.is_some_and(|visits| visits.0 == 1) {
        let given =
            [("reading", app.reading != thirty_s()), ("reading_spread", app.reading_spread != Spread::Exponential)];
        for key in given_of(given) {
            refuse(key, format!("`{key}` is the time to the next visit, and there is one visit"));
        }
    }
    if app.preconnect.0 > app.connections.0 {
        let why = format!("{} connections at once; `connections` is {}", app.preconnect.0, app.connections.0);
        refuse("preconnect", why);
    }
    let is_reading_random = match app.reading_spread {
        Spread::Fixed => false,
        Spread::Exponential => true,
        Spread::Pareto(_) => {
            refuse("reading_spread", "a reading time is \"fixed\" or \"exponential\"".to_owned());
            false
        }
    };
    let Some(Recording::Values(given)) = &app.objects else { return None };
    let objects = objects(given, at, problems);
    if problems.len() > before {
        return None;
    }
    let (objects, origins) = objects?;
    let document = document(given, &objects);
    let page = PageConfig {
        objects: objects.into(),
        document,
        origins,
        protocol: match app.protocol {
            HttpProtocol::Http1 => Protocol::Separate(app.connections.0),
            HttpProtocol::Http2 | HttpProtocol::Http3 => Protocol::Multiplexed,
        },
        order: match app.order {
            RequestOrder::Discovery => Order::Discovery,
            RequestOrder::Tight => Order::Tight,
        },
        preconnect: app.preconnect.0,
        dns: app.dns.0,
        tls: if app.protocol == HttpProtocol::Http3 { 0 } else { tls? },
        visits: app.visits.map_or(u32::MAX, |visits| visits.0),
        reading: app.reading.0,
        is_reading_random,
    };
    Some((request?, page))
}

/// The objects of a page with parents and origins as numbers, and the number of origins; reports problems.
fn objects(given: &[PageObject], at: usize, problems: &mut Problems) -> Option<(Vec<traffic::PageObject>, u32)> {
    let before = problems.len();
    let mut refuse = |index: usize, key: &'static str, why: String, hint: Option<String>| {
        problems.add(inside(at, ["objects".into(), Segment::Index(index), key.into()]), why, hint);
    };
    if given.is_empty() || given.len() > MOST_OBJECTS {
        let why = format!("a page has 1 to {MOST_OBJECTS} objects, not {}", given.len());
        problems.add(inside(at, ["objects".into()]), why, None);
        return None;
    }
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, object) in given.iter().enumerate() {
        if numbers.insert(&object.name, index as u32).is_some() {
            refuse(index, "name", format!("duplicate name `{}`: another object already has it", object.name), None);
        }
        if object.size.0.count() > MOST_BYTES {
            let [size, most] = [object.size.0, Bytes::new(MOST_BYTES)];
            refuse(index, "size", format!("an object of {size} is too large; at most {most} are allowed"), None);
        }
    }
    // A second pass: an object may name a later one as its parent.
    let mut origins: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all = Vec::new();
    for (index, object) in given.iter().enumerate() {
        // An object without an origin comes from that of the page.
        let origin = object.origin.as_deref().or(given[0].origin.as_deref()).unwrap_or_default();
        let next = origins.len() as u32;
        let parent = match (&object.parent, index) {
            (Some(name), 0) => {
                refuse(0, "parent", format!("the first object is the page itself; `{name}` cannot name it"), None);
                None
            }
            (None, 0) => None,
            (None, _) => Some(0),
            (Some(name), _) => {
                let found = numbers.get(name.as_str()).copied();
                if found.is_none() {
                    let hint = suggest::nearest(name, numbers.keys().copied()).map(suggest::did_you_mean);
                    refuse(index, "parent", format!("unknown object `{name}`"), hint);
                }
                found
            }
        };
        all.push(traffic::PageObject {
            size: object.size.0.count(),
            origin: *origins.entry(origin).or_insert(next),
            parent,
            delay: object.delay.0,
            service: object.service.0,
            is_blocking: object.blocking || index == 0,
        });
    }
    if let Some(circle) = circle(&all) {
        let names: Vec<&str> = circle.iter().map(|&index| given[index as usize].name.as_str()).collect();
        let why = format!("these objects name each other: {}", names.join(" → "));
        refuse(circle[0] as usize, "parent", why, None);
    }
    (problems.len() == before).then_some((all, origins.len() as u32))
}

/// The object that the redirects of a page lead to.
fn document(given: &[PageObject], objects: &[traffic::PageObject]) -> u32 {
    let mut document = 0;
    // Parents are no circles, so this ends.
    while given[document as usize].redirect
        && let Some(next) = (0..).zip(objects).find(|(_, object)| object.parent == Some(document))
    {
        document = next.0;
    }
    document
}

/// Objects that name each other in a circle, the first again at its end.
fn circle(objects: &[traffic::PageObject]) -> Option<Vec<u32>> {
    // Objects whose chain of parents ends at the page.
    let mut is_reached = vec![false; objects.len()];
    is_reached[0] = true;
    for start in 0..objects.len() as u32 {
        let mut chain = vec![start];
        let mut at = start;
        while !is_reached[at as usize] {
            // A missing parent is reported elsewhere.
            let Some(parent) = objects[at as usize].parent else { break };
            if let Some(begin) = chain.iter().position(|&seen| seen == parent) {
                let mut circle = chain.split_off(begin);
                circle.push(parent);
                circle.reverse();
                return Some(circle);
            }
            chain.push(parent);
            at = parent;
        }
        chain.iter().for_each(|&seen| is_reached[seen as usize] = true);
    }
    None
}
