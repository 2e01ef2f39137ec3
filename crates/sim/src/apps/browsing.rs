//! Browsers over two-way connections: visits, and the connections of each.

use super::client::Client;
use super::host::{Apps, Talk, Work};
use super::http::Http;
use super::page::VISIT;
use super::request::Request;
use super::transport::{Transport, TwoWay};
use windward_elements::engine::AppTimer;
use windward_traffic::page::{Browser, Discovery};

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
