//! Worker threads that process a fixed list of seeds.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;
use windward_sim::{Control, Series};
use windward_units::Time;

/// The work that a job does for each of its seeds.
pub trait Task: Send + Sync + 'static {
    /// Result of a seed.
    type Output: Send + 'static;
    /// Reason why a seed fails.
    type Failure: Send + 'static;

    /// Runs a seed; `None` if it was cancelled.
    ///
    /// # Errors
    /// A failure that ends the whole job.
    fn run(&self, seed: &Seed<'_>) -> Result<Option<Self::Output>, Error<Self::Failure>>;
}

/// A seed to run.
#[derive(Debug)]
pub struct Seed<'a> {
    /// The seed itself.
    pub number: u64,
    /// Reports the progress of the run and ends it.
    pub control: &'a Arc<Control>,
    /// Folder for its packet capture.
    pub captures: Option<&'a Path>,
}

/// Reason why a job ended before its last seed.
#[derive(Debug, thiserror::Error)]
pub enum Error<F> {
    /// A seed failed.
    #[error("{0}")]
    Failed(F),
    /// Packets cannot be captured.
    #[error("{}: {source}", .path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A worker panicked.
    #[error("the engine failed: this is a bug in Windward, please report it")]
    Panicked,
}

/// A job can be started only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the job has been started already")]
pub struct AlreadyStarted;

/// The seeds of one scenario: started once, polled until done. Dropping the job cancels it.
pub struct Job<T: Task> {
    shared: Arc<Shared<T>>,
    threads: usize,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

/// State shared by the workers.
struct Shared<T: Task> {
    task: T,
    seeds: Vec<(u64, Arc<Control>)>,
    /// Most outputs that may wait to be fetched before the workers pause.
    room: usize,
    /// Index of the next seed to take.
    next: AtomicUsize,
    is_cancelled: AtomicBool,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T: Task> {
    is_started: bool,
    finished: Vec<T::Output>,
    error: Option<Error<T::Failure>>,
    /// Workers that have not returned.
    working: usize,
}

impl<T: Task> Job<T> {
    /// A job that runs `task` for each of `seeds`, on at most `threads` workers.
    pub fn new(task: T, seeds: impl IntoIterator<Item = u64>, threads: usize) -> Self {
        let seeds: Vec<_> = seeds.into_iter().map(|seed| (seed, Arc::new(Control::new()))).collect();
        let threads = threads.clamp(1, seeds.len().max(1));
        let shared = Shared {
            task,
            seeds,
            room: 2 * threads,
            next: AtomicUsize::new(0),
            is_cancelled: AtomicBool::new(false),
            state: Mutex::new(State { is_started: false, finished: Vec::new(), error: None, working: 0 }),
            changed: Condvar::new(),
        };
        Self { shared: Arc::new(shared), threads, workers: Mutex::default() }
    }

    /// Starts the workers. With `captures`, each seed writes its packets to seed-N.pcapng in that folder.
    ///
    /// # Errors
    /// The job was started before.
    pub fn start(&self, captures: Option<&Path>) -> Result<(), AlreadyStarted> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.shared.lock();
        if std::mem::replace(&mut state.is_started, true) {
            return Err(AlreadyStarted);
        }
        state.working = self.threads;
        for _ in 0..self.threads {
            let shared = Arc::clone(&self.shared);
            let captures = captures.map(Path::to_owned);
            workers.push(thread::spawn(move || {
                let _leaving = Leaving(&shared);
                shared.work(captures.as_deref());
            }));
        }
        Ok(())
    }

    /// Waits for at most `timeout` until a seed has finished. Returns each result once.
    ///
    /// # Errors
    /// The failure that ended the job, reported once, after all results that finished before it.
    pub fn wait(&self, timeout: Duration) -> Result<Vec<T::Output>, Error<T::Failure>> {
        let shared = &self.shared;
        let is_idle = |state: &mut State<T>| state.finished.is_empty() && state.error.is_none() && state.working > 0;
        let (mut state, _) =
            shared.changed.wait_timeout_while(shared.lock(), timeout, is_idle).unwrap_or_else(PoisonError::into_inner);
        let finished = std::mem::take(&mut state.finished);
        // There is room again.
        shared.changed.notify_all();
        match state.error.take_if(|_| finished.is_empty()) {
            Some(error) => Err(error),
            None => Ok(finished),
        }
    }

    /// True if all results have been returned.
    pub fn is_done(&self) -> bool {
        let state = self.shared.lock();
        state.working == 0 && state.finished.is_empty() && state.error.is_none()
    }

    /// Simulated time that each seed has reached, in the order given.
    pub fn progress(&self) -> Vec<Time> {
        self.shared.seeds.iter().map(|(_, control)| control.simulated()).collect()
    }

    /// Returns new recordings of the running seeds since the last call, each with its seed, and requests more of them.
    pub fn peek(&self) -> Vec<(u64, Series)> {
        let shown = |(seed, control): &(u64, Arc<Control>)| {
            control.ask();
            control.take_shown().map(|series| (*seed, series))
        };
        self.shared.seeds.iter().filter_map(shown).collect()
    }

    /// Stops all running seeds without waiting for them.
    pub fn stop(&self) {
        self.shared.cancel();
    }

    /// Threads that have not returned.
    pub fn running(&self) -> Vec<ThreadId> {
        running(&self.workers)
    }

    /// Detaches workers that do not return.
    pub fn abandon(&self) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Stops all running seeds and waits for the workers. Results of finished seeds can still be fetched.
    pub fn cancel(&self) {
        self.stop();
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // A worker that panicked has already recorded its error.
            let _ = worker.join();
        }
    }
}

/// Threads of `workers` that have not returned.
pub(crate) fn running(workers: &Mutex<Vec<JoinHandle<()>>>) -> Vec<ThreadId> {
    let workers = workers.lock().unwrap_or_else(PoisonError::into_inner);
    workers.iter().filter(|worker| !worker.is_finished()).map(|worker| worker.thread().id()).collect()
}

impl<T: Task> Drop for Job<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Deregisters its worker, whether it returned or panicked.
struct Leaving<'a, T: Task>(&'a Shared<T>);

impl<T: Task> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(Error::Panicked);
        }
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl<T: Task> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        for (_, control) in &self.seeds {
            control.cancel();
        }
        // A worker that has checked but does not wait yet would miss the notification.
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Keeps the first error and stops the other seeds.
    fn fail(&self, error: Error<T::Failure>) {
        self.lock().error.get_or_insert(error);
        self.cancel();
    }

    /// Queues an output to be fetched; returns once there is room for the next.
    fn hand_over(&self, output: T::Output) {
        let mut state = self.lock();
        state.finished.push(output);
        self.changed.notify_all();
        let is_full =
            |state: &mut State<T>| state.finished.len() >= self.room && !self.is_cancelled.load(Ordering::Relaxed);
        drop(self.changed.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes seeds until none are left.
    fn work(&self, captures: Option<&Path>) {
        while !self.is_cancelled.load(Ordering::Relaxed) {
            let Some((number, control)) = self.seeds.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            match self.task.run(&Seed { number: *number, control, captures }) {
                Ok(Some(output)) => self.hand_over(output),
                Ok(None) => {}
                Err(error) => self.fail(error),
            }
        }
    }
}
