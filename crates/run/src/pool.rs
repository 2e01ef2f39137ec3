//! Worker threads that accept work at any time.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;
use windward_units::Control;
use windward_units::Time;

/// A piece of work. The control reports its progress and ends it; `None` if it was ended.
pub type Work<T> = Box<dyn FnOnce(&Arc<Control>) -> Option<T> + Send>;

/// Result of a piece of work that panicked, from the text of the panic.
pub type Otherwise<T> = Box<dyn FnOnce(&str) -> T + Send>;

/// Worker threads and their queue. Dropping the pool cancels it.
pub struct Pool<T: Send + 'static> {
    shared: Arc<Shared<T>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared<T> {
    /// Number of results to be fetched at which the workers pause.
    room: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

/// A piece of work in the queue.
struct Piece<T> {
    control: Arc<Control>,
    work: Work<T>,
    otherwise: Otherwise<T>,
}

struct State<T> {
    waiting: VecDeque<Piece<T>>,
    running: Vec<Arc<Control>>,
    finished: Vec<T>,
    /// True if no more work will come.
    is_closed: bool,
    is_cancelled: bool,
}

impl<T: Send + 'static> Pool<T> {
    /// A pool of `threads` workers, at least one.
    pub fn new(threads: usize) -> Self {
        Self::with_room(threads, usize::MAX)
    }

    /// A pool whose workers pause while `room` or more results wait to be fetched.
    pub fn with_room(threads: usize, room: usize) -> Self {
        let (waiting, running, finished) = (VecDeque::new(), Vec::new(), Vec::new());
        let state = State { waiting, running, finished, is_closed: false, is_cancelled: false };
        let shared = Arc::new(Shared { room, state: Mutex::new(state), changed: Condvar::new() });
        let worker = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.work())
        };
        let workers = (0..threads.max(1)).map(worker).collect();
        Self { shared, workers: Mutex::new(workers) }
    }

    /// Adds work at the end of the queue. If it panics, `otherwise` gives its result.
    pub fn submit(&self, work: Work<T>, otherwise: Otherwise<T>) {
        self.submit_controlled(Arc::new(Control::new()), work, otherwise);
    }

    /// Adds work like [`Self::submit`], with a control of the caller's.
    pub fn submit_controlled(&self, control: Arc<Control>, work: Work<T>, otherwise: Otherwise<T>) {
        self.shared.lock().waiting.push_back(Piece { control, work, otherwise });
        self.shared.changed.notify_all();
    }

    /// Declares that no more work will come: the workers end with the queue.
    pub fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }

    /// True if no work is queued or running, and all results have been fetched.
    pub fn is_done(&self) -> bool {
        let state = self.shared.lock();
        state.is_idle() && state.finished.is_empty()
    }

    /// Number of queued pieces of work.
    pub fn waiting(&self) -> usize {
        self.shared.lock().waiting.len()
    }

    /// Simulated time that each running piece of work has reached.
    pub fn progress(&self) -> Vec<Time> {
        self.shared.lock().running.iter().map(|control| control.simulated()).collect()
    }

    /// Waits for at most `timeout` until work has finished. Returns each result once.
    pub fn wait(&self, timeout: Duration) -> Vec<T> {
        let has_nothing = |state: &mut State<T>| state.finished.is_empty() && !state.is_idle();
        let shared = &self.shared;
        let (mut state, _) = shared
            .changed
            .wait_timeout_while(shared.lock(), timeout, has_nothing)
            .unwrap_or_else(PoisonError::into_inner);
        let finished = std::mem::take(&mut state.finished);
        // There is room again.
        shared.changed.notify_all();
        finished
    }

    /// Stops running work and drops queued work, without waiting for the workers.
    pub fn stop(&self) {
        let mut state = self.shared.lock();
        state.is_cancelled = true;
        state.waiting.clear();
        state.running.iter().for_each(|control| control.cancel());
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Threads that have not returned.
    pub fn running(&self) -> Vec<ThreadId> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.iter().filter(|worker| !worker.is_finished()).map(|worker| worker.thread().id()).collect()
    }

    /// Detaches workers that do not return.
    pub fn abandon(&self) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Stops running work, drops queued work and ends the workers. Finished results can still be fetched.
    pub fn cancel(&self) {
        self.stop();
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // Workers catch panics of their work.
            let _ = worker.join();
        }
    }
}

/// Text of the panic with this payload.
pub fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text")
}

impl<T: Send + 'static> Drop for Pool<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl<T> State<T> {
    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes work until the pool is cancelled, or closed and empty.
    fn work(&self) {
        loop {
            let is_idle = |state: &mut State<T>| state.waiting.is_empty() && !state.is_closed && !state.is_cancelled;
            let mut state = self.changed.wait_while(self.lock(), is_idle).unwrap_or_else(PoisonError::into_inner);
            let Some(Piece { control, work, otherwise }) = state.waiting.pop_front() else { return };
            state.running.push(Arc::clone(&control));
            drop(state);
            let made = catch_unwind(AssertUnwindSafe(|| work(&control)))
                .unwrap_or_else(|payload| Some(otherwise(panic_text(&*payload))));
            let mut state = self.lock();
            state.running.retain(|other| !Arc::ptr_eq(other, &control));
            state.finished.extend(made);
            // One condition variable for work, results and room: with a thread a core, waking all costs little.
            self.changed.notify_all();
            let is_full = |state: &mut State<T>| state.finished.len() >= self.room && !state.is_cancelled;
            drop(self.changed.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;
    use std::thread;
    use std::time::Duration;

    const SOON: Duration = Duration::from_secs(60);

    fn never(text: &str) -> u32 {
        unreachable!("{text}");
    }

    fn all(pool: &Pool<u32>, count: usize) -> Vec<u32> {
        let mut made = Vec::new();
        while made.len() < count {
            made.extend(pool.wait(SOON));
        }
        made.sort_unstable();
        made
    }

    #[test]
    fn all_work_is_done_once() {
        let pool = Pool::new(3);
        for number in 0..100 {
            pool.submit(Box::new(move |_| Some(number)), Box::new(never));
        }
        assert_eq!(all(&pool, 100), (0..100).collect::<Vec<_>>());
        assert_eq!(pool.waiting(), 0);
        assert_eq!(pool.wait(Duration::ZERO), Vec::<u32>::new());
    }

    #[test]
    fn what_panics_does_not_end_the_others() {
        let pool = Pool::new(2);
        let length = |text: &str| text.len() as u32;
        pool.submit(Box::new(|_| panic!("on purpose")), Box::new(length));
        pool.submit(Box::new(|_| panic!("number {}", 1)), Box::new(length));
        pool.submit(Box::new(|_| Some(9)), Box::new(never));
        assert_eq!(all(&pool, 3), [8, 9, 10]);
    }

    #[test]
    fn cancelling_ends_what_runs_and_keeps_what_has_finished() {
        let pool = Pool::new(1);
        pool.submit(Box::new(|_| Some(1)), Box::new(never));
        pool.submit(
            Box::new(|control| {
                while !control.is_cancelled() {
                    thread::yield_now();
                }
                None
            }),
            Box::new(never),
        );
        pool.submit(Box::new(|_| Some(3)), Box::new(never));
        while pool.waiting() > 1 {
            thread::yield_now();
        }
        pool.cancel();
        assert_eq!(pool.wait(Duration::ZERO), [1]);
    }

    #[test]
    fn the_workers_of_a_closed_pool_end_with_the_queue() {
        let pool = Pool::with_room(2, 1);
        for number in 0..10 {
            pool.submit(Box::new(move |_| Some(number)), Box::new(never));
        }
        pool.close();
        assert!(!pool.is_done());
        assert_eq!(all(&pool, 10), (0..10).collect::<Vec<_>>());
        assert!(pool.is_done());
        while !pool.running().is_empty() {
            thread::yield_now();
        }
    }
}
