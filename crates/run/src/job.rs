//! A pool that processes a fixed list of seeds.

use crate::pool::Pool;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;
use windward_sim::{Series, Shown};
use windward_units::{Control, Time};

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

/// Place and form of what a seed writes of its packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captures {
    /// The folder.
    pub folder: PathBuf,
    /// Form of packet captures, if there are any.
    pub packets: Option<PacketFiles>,
    /// True for a qlog file of each connection over QUIC, in the folder qlog-N.
    pub has_qlog: bool,
}

/// Form of packet captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketFiles {
    /// A file for each seed, seed-N.pcapng.
    Together,
    /// A file for each interface, in a folder for each seed: captures-N/NAME.pcapng.
    Apart,
}

/// A seed to run.
#[derive(Debug)]
pub struct Seed<'a> {
    /// The seed itself.
    pub number: u64,
    /// Reports the progress of the run and ends it.
    pub control: &'a Arc<Control>,
    /// Publishes its recordings before it ends.
    pub shown: Option<&'a Shown>,
    /// Place of its packet capture.
    pub captures: Option<&'a Captures>,
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
    #[error("the engine failed at seed {seed}: {text}\nhint: this is a bug in Windward, please report it")]
    Panicked {
        /// The seed.
        seed: u64,
        /// Text of the panic.
        text: String,
    },
}

/// A job can be started only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the job has been started already")]
pub struct AlreadyStarted;

/// A seed, and the handles on its run.
struct Watched {
    number: u64,
    control: Arc<Control>,
    shown: Arc<Shown>,
}

/// The seeds of one scenario: started once, polled until done. Dropping the job cancels it.
pub struct Job<T: Task> {
    task: Arc<T>,
    seeds: Vec<Watched>,
    threads: usize,
    /// The workers, once started.
    pool: OnceLock<Pool<Outcome<T>>>,
    failure: Mutex<Failure<T::Failure>>,
}

type Outcome<T> = Result<<T as Task>::Output, Error<<T as Task>::Failure>>;

/// The failure that ended a job.
struct Failure<F> {
    is_known: bool,
    /// It waits for the results that finished before it, and is reported once.
    pending: Option<Error<F>>,
}

impl<T: Task> Job<T> {
    /// A job that runs `task` for each of `seeds`, on at most `threads` workers.
    pub fn new(task: T, seeds: impl IntoIterator<Item = u64>, threads: usize) -> Self {
        let watched = |number| Watched { number, control: Arc::default(), shown: Arc::default() };
        let seeds: Vec<_> = seeds.into_iter().map(watched).collect();
        let threads = threads.clamp(1, seeds.len().max(1));
        let failure = Mutex::new(Failure { is_known: false, pending: None });
        Self { task: Arc::new(task), seeds, threads, pool: OnceLock::new(), failure }
    }

    /// Starts the workers. With `captures`, each seed writes its packets, the events of its connections over QUIC, or
    /// both.
    ///
    /// # Errors
    /// The job was started before.
    pub fn start(&self, captures: Option<Captures>) -> Result<(), AlreadyStarted> {
        let mut is_first = false;
        self.pool.get_or_init(|| {
            is_first = true;
            let captures = captures.map(Arc::new);
            let pool = Pool::with_room(self.threads, 2 * self.threads);
            for Watched { number, control, shown } in &self.seeds {
                let (task, captures, number) = (Arc::clone(&self.task), captures.clone(), *number);
                let shown = Arc::clone(shown);
                let work = move |control: &Arc<Control>| {
                    if control.is_cancelled() {
                        return None;
                    }
                    task.run(&Seed { number, control, shown: Some(&shown), captures: captures.as_deref() }).transpose()
                };
                let otherwise = move |text: &str| Err(Error::Panicked { seed: number, text: text.to_owned() });
                pool.submit_controlled(Arc::clone(control), Box::new(work), Box::new(otherwise));
            }
            pool.close();
            pool
        });
        if is_first { Ok(()) } else { Err(AlreadyStarted) }
    }

    /// Waits for at most `timeout` until a seed has finished. Returns each result once.
    ///
    /// # Errors
    /// The failure that ended the job, reported once, after all results that finished before it.
    pub fn wait(&self, timeout: Duration) -> Result<Vec<T::Output>, Error<T::Failure>> {
        let Some(pool) = self.pool.get() else { return Ok(Vec::new()) };
        let is_pending = self.failure().pending.is_some();
        let mut finished = Vec::new();
        for outcome in pool.wait(if is_pending { Duration::ZERO } else { timeout }) {
            match outcome {
                Ok(output) => finished.push(output),
                Err(error) => self.fail(error),
            }
        }
        match self.failure().pending.take_if(|_| finished.is_empty()) {
            Some(error) => Err(error),
            None => Ok(finished),
        }
    }

    /// Keeps the first failure and stops the other seeds.
    fn fail(&self, error: Error<T::Failure>) {
        self.stop();
        let mut failure = self.failure();
        if !failure.is_known {
            *failure = Failure { is_known: true, pending: Some(error) };
        }
    }

    fn failure(&self) -> MutexGuard<'_, Failure<T::Failure>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if all results have been returned.
    pub fn is_done(&self) -> bool {
        self.pool.get().is_none_or(Pool::is_done) && self.failure().pending.is_none()
    }

    /// Simulated time that each seed has reached, in the order given.
    pub fn progress(&self) -> Vec<Time> {
        self.seeds.iter().map(|seed| seed.control.simulated()).collect()
    }

    /// Returns new recordings of the running seeds since the last call, each with its seed, and requests more of them.
    pub fn peek(&self) -> Vec<(u64, Series)> {
        let shown = |seed: &Watched| {
            seed.shown.ask();
            seed.shown.take().map(|series| (seed.number, series))
        };
        self.seeds.iter().filter_map(shown).collect()
    }

    /// Stops all running seeds without waiting for them.
    pub fn stop(&self) {
        self.seeds.iter().for_each(|seed| seed.control.cancel());
        if let Some(pool) = self.pool.get() {
            pool.stop();
        }
    }

    /// Threads that have not returned.
    pub fn running(&self) -> Vec<ThreadId> {
        self.pool.get().map_or_else(Vec::new, Pool::running)
    }

    /// Detaches workers that do not return.
    pub fn abandon(&self) {
        if let Some(pool) = self.pool.get() {
            pool.abandon();
        }
    }

    /// Stops all running seeds and waits for the workers. Results of finished seeds can still be fetched.
    pub fn cancel(&self) {
        self.stop();
        if let Some(pool) = self.pool.get() {
            pool.cancel();
        }
    }
}
