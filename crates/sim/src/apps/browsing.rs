//! Browsers over two-way connections: visits, and the connections of each.

use super::client::{AnyKind, Client};
use super::host::{Apps, Talk, Work};
use super::http::Http;
use super::page::VISIT;
use super::request::{Pool, Request};
use super::transport::{Transport, TwoWay};
use windward_elements::engine::AppTimer;
use windward_traffic::page::{Browser, Discovery, Protocol};
use windward_units::Time;

impl Client {
    /// Begins the next visit of a page now; returns the time at which the request of the page itself may leave.
    pub fn begin_visit(&mut self, now: Time) -> Option<Time> {
        let AnyKind::Page(page) = &mut self.kind else { return None };
        let discovery = page.browser.visit(now);
        self.pools.iter_mut().for_each(|pool| *pool = Pool::default());
        Some(discovery.ready)
    }

    /// Takes an object of a page that is complete now, as `Page::take`.
    pub fn next_of_page(&mut self, now: Time, object: u32, found: &mut Vec<Discovery>) -> Option<Time> {
        let AnyKind::Page(page) = &mut self.kind else { return None };
        page.take(now, object, found).and_then(|at| self.within(at))
    }

    /// Number of the visit of a page; zero for others.
    pub fn visit(&self) -> u32 {
        self.browser().map_or(0, Browser::number)
    }

    /// Browser of a page.
    pub fn browser(&self) -> Option<&Browser> {
        if let AnyKind::Page(page) = &self.kind { Some(&page.browser) } else { None }
    }

    /// True if all requests of a pool share a connection.
    pub fn is_multiplexed(&self) -> bool {
        self.browser().is_some_and(|browser| browser.page().protocol == Protocol::Multiplexed)
    }

    /// Lets a request for an object leave, or holds it back; returns true if it leaves.
    pub fn admit(&mut self, request: Request) -> bool {
        if let AnyKind::Page(page) = &mut self.kind { page.admit(request) } else { true }
    }

    /// Takes the first request that the browser held back and that may leave now.
    pub fn release(&mut self) -> Option<Request> {
        if let AnyKind::Page(page) = &mut self.kind { page.release() } else { None }
    }
}

impl<T: Transport> Apps<T> {
    /// Begins a visit of a page; the connections of the last one have ended.
    pub(super) fn visit(&mut self, net: &mut T, index: u32) {
        let app = &mut self.apps[index as usize];
        let old: Vec<u32> = app.pools.iter_mut().flat_map(|pool| pool.ready.drain(..)).collect();
        let ready = app.begin_visit(net.now());
        for slot in old {
            self.release(net, self.talks[slot as usize].id);
        }
        if let Some(ready) = ready {
            net.schedule(ready, AppTimer::Arrival, index, 0);
        }
    }

    /// Takes the request for a discovered object, which leaves in its turn.
    pub(super) fn load(&mut self, net: &mut T, index: u32, request: Request) {
        if self.apps[index as usize].admit(request) {
            self.assign(net, index, request);
        }
    }

    /// Gives the request for an object to a connection that is ready, or lets it wait for the first that is.
    fn assign(&mut self, net: &mut T, index: u32, request: Request) {
        let app = &mut self.apps[index as usize];
        if let Some(slot) = app.take_ready(request.pool as usize) {
            return self.talks[slot as usize].load(net, app, request);
        }
        let (most, visit) = (app.most(), app.visit());
        let Some((preconnect, tls)) = app.browser().map(Browser::page).map(|page| (page.preconnect, page.tls)) else {
            return;
        };
        let pool = &mut app.pools[request.pool as usize];
        pool.waiting.push_back(request);
        // Any connection that becomes ready takes the first waiting request; for each of them one opens.
        let wanted = if pool.open == 0 { preconnect.max(1) } else { 0 };
        let wanted = wanted.max((pool.waiting.len() as u32).saturating_sub(pool.opening)).min(most - pool.open);
        pool.open += wanted;
        pool.opening += wanted;
        for _ in 0..wanted {
            self.open(net, index, Work::Page(Box::new(Http::new(visit, request.pool, tls))));
        }
    }

    /// Continues a connection of a page.
    pub(super) fn proceed_page(&mut self, net: &mut T, which: AppTimer, flow: u32, (slot, object): (u32, u32)) {
        let talk = &mut self.talks[slot as usize];
        let (index, connection, id) = (talk.app, talk.connection, talk.id);
        let Work::Page(http) = &mut talk.work else { return };
        if which == AppTimer::Serve {
            return http.answer(net, &mut talk.link, object);
        }
        let app = &mut self.apps[index as usize];
        let is_ready = http.hear(net, (&mut talk.link, flow), |request| app.service(request), &mut self.done);
        let (visit, pool) = (http.visit, http.pool as usize);
        if visit != app.visit() {
            // The visit for which it opened was complete without it.
            if is_ready {
                self.release(net, id);
            }
            return;
        }
        if is_ready {
            app.pools[pool].opening -= 1;
            app.pools[pool].ready.push(slot);
        }
        let after = talk.link.repairs();
        let mut next = None;
        if !self.done.is_empty() {
            http.count_from(after);
        }
        for (earlier, mut served) in self.done.drain(..).enumerate() {
            if earlier > 0 {
                served.before = after;
            }
            app.finish(net.now(), &served, connection, after);
            next = app.next_of_page(net.now(), served.request.user, &mut self.found).or(next);
            if !app.is_multiplexed() {
                app.pools[pool].ready.push(slot);
            }
        }
        // Waiting requests go first. Those of discoveries arrive as events of this time.
        while let Some(request) = app.pools[pool].waiting.front().copied()
            && let Some(ready) = app.take_ready(pool)
        {
            app.pools[pool].waiting.pop_front();
            self.talks[ready as usize].load(net, app, request);
        }
        while let Some(request) = self.apps[index as usize].release() {
            self.assign(net, index, request);
        }
        for Discovery { object, ready } in self.found.drain(..) {
            net.schedule(ready, AppTimer::Arrival, index, object);
        }
        if let Some(at) = next {
            net.schedule(at, AppTimer::Arrival, index, VISIT);
        }
    }
}

impl<L: TwoWay> Talk<L> {
    /// Sends the request for an object of a page.
    pub(super) fn load<T: Transport<Link = L>>(&mut self, net: &mut T, app: &Client, request: Request) {
        let before = self.link.repairs();
        if let Work::Page(http) = &mut self.work {
            http.ask(net, &mut self.link, app.config.request.count(), request, before);
        }
    }
}
