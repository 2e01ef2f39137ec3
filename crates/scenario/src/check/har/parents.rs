//! The object that names another one.

use super::address::{resolve, without_fragment};
use super::format::{Cause, Entry, Initiator};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An entry between its start and its end, in milliseconds.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub start: f64,
    pub end: f64,
    pub entry: &'a Entry,
}

/// Milliseconds in their order.
#[derive(PartialEq)]
struct Millis(f64);

impl Eq for Millis {}

impl PartialOrd for Millis {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Millis {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Parents of the objects of a recording.
pub(super) struct Parents {
    /// Parent of each object.
    pub of: Vec<Option<usize>>,
    /// Objects that send the browser on to another one.
    pub is_redirect: Vec<bool>,
    /// The page itself, which the first redirects lead to.
    pub page: usize,
}

/// The objects so far, as the next one of a recording sees them.
#[derive(Default)]
struct Before<'a> {
    /// Objects by their address.
    known: BTreeMap<&'a str, usize>,
    /// Redirects whose target has not been seen, by its address.
    open: BTreeMap<String, usize>,
    /// Target of each redirect.
    target: BTreeMap<usize, usize>,
    /// Objects on their way, by their end.
    on_way: BinaryHeap<Reverse<(Millis, usize)>>,
    /// The object that ended last.
    last: Option<usize>,
    /// The blocking one that ended last.
    last_blocking: Option<usize>,
}

/// Finds the parents of `spans`, which are in the order of their starts. The parent of an object is, in this order:
///
/// * the redirect that led to it
/// * its initiator. The parser of the page waits for blocking objects, so what the page asks for after the end of one
///   has that as its parent
/// * the object whose end was the latest before its start
pub(super) fn parents(spans: &[Span]) -> Parents {
    let mut before = Before::default();
    let mut found = Parents { of: Vec::with_capacity(spans.len()), is_redirect: vec![false; spans.len()], page: 0 };
    for (place, span) in spans.iter().enumerate() {
        before.advance(span.start, spans);
        let redirect = before.open.remove(without_fragment(span.entry.url()));
        if let Some(redirect) = redirect {
            before.target.insert(redirect, place);
            found.is_redirect[redirect] = true;
        }
        let parent = if place == 0 { None } else { Some(redirect.unwrap_or_else(|| before.parent(span.entry))) };
        found.of.push(parent);
        before.add(place, span);
    }
    found.page = before.after_redirects(0);
    found
}

impl<'a> Before<'a> {
    /// Notes what had ended by `now`.
    fn advance(&mut self, now: f64, spans: &[Span]) {
        while self.on_way.peek().is_some_and(|Reverse((end, _))| end.0 <= now) {
            let Some(Reverse((_, place))) = self.on_way.pop() else { break };
            self.last = Some(place);
            if spans[place].entry.is_blocking() {
                self.last_blocking = Some(place);
            }
        }
    }

    fn add(&mut self, place: usize, span: &Span<'a>) {
        let entry = span.entry;
        self.known.entry(without_fragment(entry.url())).or_insert(place);
        self.on_way.push(Reverse((Millis(span.end), place)));
        if let Some(target) = entry.redirect() {
            self.open.insert(resolve(entry.url(), target), place);
        }
    }

    /// The object that an address meant: after redirects.
    fn meant(&self, url: &str) -> Option<usize> {
        self.known.get(without_fragment(url)).map(|&place| self.after_redirects(place))
    }

    fn after_redirects(&self, mut place: usize) -> usize {
        // A target comes after its redirect, so this ends.
        while let Some(&target) = self.target.get(&place) {
            place = target;
        }
        place
    }

    fn parent(&self, entry: &Entry) -> usize {
        let page = self.after_redirects(0);
        match self.initiator(entry) {
            Some(place) if place == page => self.last_blocking.unwrap_or(page),
            Some(place) => place,
            None => self.last.unwrap_or(page),
        }
    }

    /// The first object that the recording names as initiator.
    fn initiator(&self, entry: &Entry) -> Option<usize> {
        let of = |cause: &Cause| cause.urls().find_map(|url| self.meant(url));
        let own = match &entry.initiator {
            Some(Initiator::Url(url)) => self.meant(url),
            Some(Initiator::Cause(cause)) => of(cause),
            Some(Initiator::Other(_)) | None => None,
        };
        own.or_else(|| of(&serde_json::from_str::<Cause>(entry.detail.as_deref()?).ok()?))
    }
}
