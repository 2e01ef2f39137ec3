//! Many episodes, stepped together on all threads.

use super::beginning::Beginning;
use super::features::FIGURES;
use super::one::{Ending, Episode, EpisodeSettings, OF_NETWORK};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use windward_sim::Output;
use windward_units::Control;

/// Environments of one form; each is an episode of its own.
pub struct Episodes {
    settings: Arc<EpisodeSettings>,
    threads: usize,
    slots: Vec<Slot>,
}

/// An environment, and the results of its last step.
struct Slot {
    episode: Option<Episode>,
    features: Vec<f32>,
    figures: Vec<f64>,
    of_network: [f64; OF_NETWORK.len()],
    ending: Ending,
}

impl Slot {
    /// Keeps the results of the episode as it is now.
    fn keep(&mut self) {
        if let Some(episode) = &self.episode {
            episode.observe(&mut self.features);
            episode.figures(&mut self.figures);
            self.of_network = *episode.of_network();
            self.ending = episode.ending();
        }
    }
}

/// Results of the last steps, one environment after the other.
#[derive(Default)]
pub struct Results {
    /// Features of the agents.
    pub features: Vec<f32>,
    /// Figures of the agents.
    pub figures: Vec<f64>,
    /// Figures of the networks.
    pub of_network: Vec<f64>,
    /// Endings.
    pub endings: Vec<u8>,
}

impl Episodes {
    /// `count` environments without an episode, on at most `threads` threads.
    pub fn new(count: usize, settings: EpisodeSettings, threads: usize) -> Self {
        let values = settings.agents * settings.history * settings.features.len();
        let figures = settings.agents * FIGURES.len();
        let slot = |_| Slot {
            episode: None,
            features: vec![0.0; values],
            figures: vec![0.0; figures],
            of_network: [0.0; OF_NETWORK.len()],
            ending: Ending::Open,
        };
        Self { settings: Arc::new(settings), threads, slots: (0..count).map(slot).collect() }
    }

    /// Number of environments.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Number of agents of an environment.
    pub fn agents(&self) -> usize {
        self.settings.agents
    }

    /// Begins an episode in each environment that `beginnings` has one for. `look` is called on this thread from time
    /// to time, and may cancel.
    pub fn reset(&mut self, beginnings: &[Option<Beginning<'_>>], control: &Control, look: &dyn Fn()) {
        let settings = Arc::clone(&self.settings);
        self.each(control, look, &|index, slot| {
            if let Some(beginning) = &beginnings[index] {
                slot.episode = Some(Episode::new(beginning, &settings, control));
                slot.keep();
            }
        });
    }

    /// Makes a step in every environment whose mask is not 0, with an action for each agent.
    pub fn step(&mut self, actions: &[f64], mask: &[u8], control: &Control, look: &dyn Fn()) {
        let agents = self.settings.agents;
        self.each(control, look, &|index, slot| {
            if mask[index] == 0 {
                return;
            }
            if let Some(episode) = &mut slot.episode {
                episode.step(&actions[index * agents..][..agents], control);
                slot.keep();
            }
        });
    }

    /// Results of all environments.
    pub fn results(&self) -> Results {
        let mut results = Results::default();
        for slot in &self.slots {
            results.features.extend(&slot.features);
            results.figures.extend(&slot.figures);
            results.of_network.extend(slot.of_network);
            results.endings.push(slot.ending as u8);
        }
        results
    }

    /// Ends the episode of an environment where it is, and returns its output.
    pub fn finish(&mut self, index: usize) -> Option<Output> {
        self.slots[index].episode.take().map(Episode::finish)
    }

    /// Calls `work` for every environment, on all threads. A thread takes the next few that none has taken.
    fn each(&mut self, control: &Control, look: &dyn Fn(), work: &(dyn Fn(usize, &mut Slot) + Sync)) {
        let threads = self.threads.clamp(1, self.slots.len().div_ceil(CHUNK).max(1));
        let queue = Mutex::new(self.slots.chunks_mut(CHUNK).enumerate());
        let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let one = |look: Option<&dyn Fn()>| {
            while let Some((chunk, slots)) = take() {
                look.inspect(|look| look());
                if control.is_cancelled() {
                    break;
                }
                slots.iter_mut().enumerate().for_each(|(at, slot)| work(chunk * CHUNK + at, slot));
            }
        };
        if threads == 1 {
            return one(Some(look));
        }
        let this = thread::current();
        thread::scope(|scope| {
            let other = || {
                one(None);
                this.unpark();
            };
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(other)).collect();
            one(Some(look));
            while others.iter().any(|other| !other.is_finished()) {
                look();
                thread::park_timeout(PAUSE);
            }
        });
    }
}

/// Environments that a thread takes at once.
const CHUNK: usize = 4;

/// Longest time between two looks while others work.
const PAUSE: Duration = Duration::from_millis(1);
