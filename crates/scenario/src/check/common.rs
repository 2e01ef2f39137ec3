//! What the checks of all tables share: paths, names, limits, buffers, times.

use crate::format::{Buffer, MAX_COUNT, Named, Queue};
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeSet;
use windward_sim as sim;
use windward_sim::QueueConfig;
use windward_units::{Decibels, Duration};

/// The path to an entry of a list, or to something in it.
pub(crate) fn place<const N: usize>(list: &str, at: usize, rest: [Segment; N]) -> Vec<Segment> {
    [list.into(), Segment::Index(at)].into_iter().chain(rest).collect()
}

/// Names of the things that a table makes: NAME, or NAME-1, NAME-2, … if it makes several.
pub(crate) fn member_name(label: &str, is_group: bool, at: u32) -> String {
    if is_group { format!("{label}-{}", at + 1) } else { label.to_owned() }
}

/// Reports names that stand twice in one list.
pub(crate) struct Names {
    pub list: &'static str,
    pub taken: BTreeSet<String>,
}

impl Names {
    pub fn new(list: &'static str) -> Self {
        Self { list, taken: BTreeSet::new() }
    }

    /// Takes `name` for the table `at`; false, and a report, if it is taken.
    pub fn take(&mut self, name: &str, at: usize, problems: &mut Problems) -> bool {
        if self.taken.insert(name.to_owned()) {
            return true;
        }
        let message = format!("duplicate name `{name}`: another {} already has it", self.list);
        problems.add(place(self.list, at, ["name".into()]), message, Some("choose another `name`".to_owned()));
        false
    }
}

/// Reports more things than a scenario can have; `total` is with those of the table `at`.
pub(crate) fn is_within_limit(list: &'static str, total: u64, limit: u64, at: usize, problems: &mut Problems) -> bool {
    if total > limit {
        let message = format!("too many entries of `{list}`: {total}; at most {limit} are allowed");
        problems.add(place(list, at, []), message, None);
    }
    total <= limit
}

/// The buffer of a station. In time it is refused: how fast it empties depends on the others.
pub(crate) fn station_buffer(Buffer(buffer): Buffer, path: Vec<Segment>, problems: &mut Problems) -> sim::Buffer {
    if matches!(buffer, sim::Buffer::Time(_)) {
        let message = "a station's buffer is given in packets or bytes: its rate is not known in advance";
        problems.add(path, message, None);
    }
    buffer
}

/// The discipline of the queue that stands at `path`, drop-tail where it cannot be what is said.
pub(crate) fn discipline(Named(queue): &Named<Queue>, path: &[Segment], problems: &mut Problems) -> QueueConfig {
    queue.config().unwrap_or_else(|(field, why)| {
        let path = path.iter().cloned().chain([field.into()]).collect::<Vec<_>>();
        problems.add(path, format!("`{field}`: {why}"), None);
        QueueConfig::DropTail
    })
}

/// A level in decibels as a plain ratio.
pub(crate) fn ratio(decibels: Decibels) -> f64 {
    libm::pow(10.0, decibels.count() / 10.0)
}

/// Most nodes, flows and sources.
pub(crate) const MAX_ENTITIES: u64 = MAX_COUNT as u64;
/// Most one-way links.
pub(crate) const MAX_LINKS: u64 = 4 * MAX_ENTITIES;

/// When the things of a table start and stop.
pub(crate) struct Times {
    pub start: Duration,
    pub step: Duration,
    pub spread: Duration,
    pub stop: Option<Duration>,
}

impl Times {
    /// When the `member`-th starts, without its spread.
    pub fn start_of(&self, member: u32) -> Duration {
        let step = self.step.as_nanos().saturating_mul(u64::from(member));
        Duration::from_nanos(self.start.as_nanos().saturating_add(step))
    }

    /// Reports a start of one of `count` things at or after the end of the run, and a stop not after it.
    pub fn check(&self, count: u32, list: &'static str, at: usize, span: Duration, problems: &mut Problems) {
        let last = self.start_of(count.saturating_sub(1)).as_nanos();
        let latest = Duration::from_nanos(last.saturating_add(self.spread.as_nanos()));
        let text = if self.start == latest { format!("{latest}") } else { format!("{} to {latest}", self.start) };
        if latest >= span {
            let message = format!("`start` ({text}) must be before the end of the run ({span})");
            problems.add(place(list, at, ["start".into()]), message, None);
        }
        if let Some(stop) = self.stop.filter(|stop| *stop <= latest) {
            let message = format!("`stop` ({stop}) must be after `start` ({text})");
            problems.add(place(list, at, ["stop".into()]), message, None);
        }
    }
}
