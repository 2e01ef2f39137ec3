//! Supervision of the connections: their number, and the flushing of received bytes to the disk.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use windward_laws::emultcp::Controller;

use super::job::{End, Job, Observer, TICK, notice, tell};
use super::meter::Meter;
use super::pace::Need;
use super::worker::{self, First};
use super::workers::Workers;
use super::{Event, memory, retry};
use crate::error::Error;
use crate::http;

/// Interval between samples for the user.
const SAMPLE: Duration = Duration::from_millis(250);
/// Interval between flushes of received bytes to the disk.
const SYNC: Duration = Duration::from_secs(1);
/// Timeout of a silent connection while others are idle; doubled each time.
const TAIL: Duration = Duration::from_secs(1);
/// Time that connections have to record their bytes when the download is stopped.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Shorter downloads are not cached: they do not show how many connections the host needs.
const MEMORABLE: Duration = Duration::from_secs(5);

/// Supervises the connections of a download.
pub(super) struct Supervisor<'a> {
    job: &'a Job<'a>,
    workers: Arc<Workers>,
    there: u64,
    controller: Controller,
    pub meter: Meter,
    need: Need,
    begun: Instant,
    /// Number of silent connections closed because others were idle.
    impatience: u32,
    syncer: Syncer,
}

impl<'a> Supervisor<'a> {
    pub fn new(job: &'a Job<'a>, workers: Arc<Workers>, there: u64, now: Instant) -> Self {
        let (is_proxied, host) = {
            let state = workers.lock();
            (workers.requests.dialer.proxy(state.url.url()).is_some(), state.url.host().to_owned())
        };
        if job.options.forget {
            memory::forget(&host);
        }
        let controller = Controller::new(job.law, memory::recall(&host));
        let syncer = Syncer::start(&workers);
        let meter = Meter::new(now, is_proxied, job.options.probes);
        Self { job, workers, there, controller, meter, need: Need::new(now), begun: now, impatience: 0, syncer }
    }

    /// Runs until the file is complete.
    pub fn run(&mut self, first: Option<First>, observer: &mut Observer<'_>) -> Result<(), End> {
        if first.is_some() {
            worker::start(&self.workers, first);
        }
        let wanted = if self.workers.pace.is_some() { 1 } else { self.controller.wanted() };
        self.staff(wanted, Instant::now());
        let period = Duration::from_secs_f64(self.controller.period()).min(TICK);
        let (mut sampled, mut shown) = (Instant::now(), Instant::now());
        loop {
            let now = Instant::now();
            let (notices, is_done) = {
                let mut state = self.workers.lock();
                if let Some(error) = state.error.take() {
                    let can_start_again = !self.workers.has_ranges && is_passing(&error);
                    return Err(End { error, can_start_again });
                }
                state.forgive(now);
                (std::mem::take(&mut state.notices), state.plan.left() == 0 && !state.plan.is_leased())
            };
            for text in notices {
                notice(observer, text)?;
            }
            if is_done {
                self.remember();
                return Ok(());
            }
            if now.saturating_duration_since(sampled) >= period {
                sampled = now;
                self.control(now);
                if let Some(text) = self.meter.notice.take() {
                    notice(observer, text)?;
                }
            }
            if now.saturating_duration_since(shown) >= SAMPLE {
                shown = now;
                tell(observer, &Event::Sample(self.meter.snapshot(&self.workers, self.there, &self.controller)))?;
            }
            self.workers.wait(period);
        }
    }

    /// Adjusts the number of connections to the controller.
    fn control(&mut self, now: Instant) {
        let sample = self.meter.read(&self.workers, now, self.controller.params().settle);
        if std::mem::take(&mut self.meter.is_new_route) {
            self.controller.forget_path();
        }
        let law = self.controller.update(sample);
        let needed = self.workers.pace.as_ref().map(|pace| self.need.most(sample.connections, pace.rest(), now));
        self.staff(needed.map_or(law, |needed| law.min(needed)), now);
        if self.job.options.connections.is_none() {
            self.workers.bound(self.controller.window());
        }
        self.hurry(now, sample.rtt_min);
    }

    /// Opens or ends connections until their number is that of the law, unless the user or the server sets another.
    fn staff(&self, law: u32, now: Instant) {
        let wanted = self.job.options.connections.unwrap_or(law);
        let (missing, surplus) = {
            let state = self.workers.lock();
            let wanted = usize::try_from(wanted.min(state.cap).max(1)).unwrap_or(usize::MAX);
            let count = state.slots.values().filter(|slot| !slot.is_retired).count();
            let can_open = self.workers.has_ranges && now >= state.opens_at && state.plan.unassigned() > 0;
            let missing = if can_open { wanted.saturating_sub(count) } else { 0 };
            // The youngest connections have the least to lose.
            let surplus = state.slots.iter().rev().filter(|(_, slot)| !slot.is_retired).map(|(owner, _)| *owner);
            (missing, surplus.take(count.saturating_sub(wanted)).collect::<Vec<_>>())
        };
        surplus.into_iter().for_each(|owner| self.workers.retire(owner));
        (0..missing).for_each(|_| worker::start(&self.workers, None));
    }

    /// End game: everything is leased, some connections are idle, and another one is silent. That one is closed, and
    /// the idle ones take its rest.
    fn hurry(&mut self, now: Instant, rtt_min: f64) {
        let rtt = if rtt_min.is_finite() { rtt_min } else { 0.0 };
        let patience = TAIL.max(Duration::from_secs_f64(4.0 * rtt)) * (1 << self.impatience.min(8));
        let silent = {
            let state = self.workers.lock();
            if state.plan.unassigned() > 0 || !state.slots.values().any(|slot| slot.is_idle) {
                return;
            }
            let mut slots = state.slots.iter();
            let is_silent = |heard| now.saturating_duration_since(heard) > patience;
            slots.find(|(_, slot)| !slot.is_idle && !slot.is_retired && is_silent(slot.heard)).map(|(owner, _)| *owner)
        };
        if let Some(owner) = silent {
            self.impatience += 1;
            self.workers.retire(owner);
        }
    }

    fn remember(&self) {
        // A limited download measures the limit and not the path.
        let is_telling = self.workers.has_ranges && self.workers.pace.is_none() && self.begun.elapsed() >= MEMORABLE;
        if self.job.options.connections.is_none() && is_telling {
            memory::remember(self.workers.lock().url.host(), self.controller.connections());
        }
    }

    /// Lets the connections record their received bytes, and flushes them. No connection writes after it.
    pub fn last_words(&mut self) -> Result<(), Error> {
        let until = Instant::now() + LAST_WORDS;
        while self.workers.lock().plan.is_leased() {
            if Instant::now() >= until {
                return Err(Error::File("a connection did not release the file".to_owned()));
            }
            self.workers.wait(TICK);
        }
        self.syncer.stop();
        self.workers.part.sync()
    }
}

/// True if a retry may help.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Http(http::Error::Stalled(_) | http::Error::Lost(_) | http::Error::Connect { .. }) => true,
        Error::Refused { status, .. } => retry::is_transient(*status),
        _ => false,
    }
}

/// Flushes received bytes to the disk in a separate thread, so that a slow disk blocks no connection.
struct Syncer {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    fn start(workers: &Arc<Workers>) -> Self {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (workers, told) = (Arc::clone(workers), Arc::clone(&stop));
        let sync = move || {
            let (lock, changed) = &*told;
            let mut is_over = lock.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_over {
                is_over = changed.wait_timeout(is_over, SYNC).unwrap_or_else(PoisonError::into_inner).0;
                if let Err(error) = workers.part.sync() {
                    workers.lock().error = Some(error);
                    return;
                }
            }
        };
        // Without the thread, the disk is flushed only at the end.
        let thread = thread::Builder::new().name("sync".to_owned()).stack_size(64 << 10).spawn(sync).ok();
        Self { stop, thread }
    }

    fn stop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // The final sync reports any failure again.
            _ = thread.join();
        }
    }
}
