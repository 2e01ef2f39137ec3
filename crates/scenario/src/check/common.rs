//! Paths, names, limits, buffers and times, for the checks of all tables.

use crate::format::{Buffer, MAX_COUNT, Named, Queue, Starts};
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeSet;
use windward_sim as sim;
use windward_sim::QueueConfig;
use windward_units::{Decibels, Duration};

/// Time for which the changes of a link without an end repeat; the last one then stays.
pub(crate) const REPEATED: Duration = Duration::from_millis(3_600_000);

/// The keys of a list of which each is given or not.
pub(crate) fn given_of<'a>(keys: impl IntoIterator<Item = (&'a str, bool)>) -> impl Iterator<Item = &'a str> {
    keys.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key)
}

/// Path to an entry of a list, or to a part of it.
pub(crate) fn place<const N: usize>(list: &str, at: usize, rest: [Segment; N]) -> Vec<Segment> {
    [list.into(), Segment::Index(at)].into_iter().chain(rest).collect()
}

/// Names of the members that a table makes: NAME, or NAME-1, NAME-2, … if it makes several.
pub(crate) fn member_name(label: &str, is_group: bool, at: u32) -> String {
    if is_group { format!("{label}-{}", at + 1) } else { label.to_owned() }
}

/// Reports duplicate names in one list.
pub(crate) struct Names {
    pub list: &'static str,
    pub taken: BTreeSet<String>,
}

impl Names {
    pub fn new(list: &'static str) -> Self {
        Self { list, taken: BTreeSet::new() }
    }

    /// Takes `name` for the table `at`; returns false, and reports it, if it is taken.
    pub fn take(&mut self, name: &str, at: usize, problems: &mut Problems) -> bool {
        if self.taken.insert(name.to_owned()) {
            return true;
        }
        let message = format!("duplicate name `{name}`: another {} already has it", self.list);
        problems.add(place(self.list, at, ["name".into()]), message, Some("choose another `name`".to_owned()));
        false
    }
}

/// Reports a period or timer of less than `least`: each of its events costs time and memory.
pub(crate) fn check_least(span: Duration, least: Duration, path: Vec<Segment>, problems: &mut Problems) {
    if span < least {
        problems.add(path, format!("{span} is out of range; allowed: from {least}"), None);
    }
}

/// Reports more entities than a scenario can have; `total` includes those of the table `at`.
pub(crate) fn is_within_limit(list: &'static str, total: u64, limit: u64, at: usize, problems: &mut Problems) -> bool {
    if total > limit {
        let message = format!("too many entries of `{list}`: {total}; at most {limit} are allowed");
        problems.add(place(list, at, []), message, None);
    }
    total <= limit
}

/// Buffer of a station. A buffer in time is refused: its drain rate depends on the other stations.
pub(crate) fn station_buffer(Buffer(buffer): Buffer, path: Vec<Segment>, problems: &mut Problems) -> sim::Buffer {
    if matches!(buffer, sim::Buffer::Time(_)) {
        let message = "a station's buffer is given in packets or bytes: its rate is not known in advance";
        problems.add(path, message, None);
    }
    buffer
}

/// Queue discipline at `path`; drop-tail if its values are invalid.
pub(crate) fn discipline(Named(queue): &Named<Queue>, path: &[Segment], problems: &mut Problems) -> QueueConfig {
    queue.config().unwrap_or_else(|(field, why)| {
        let path = path.iter().cloned().chain([field.into()]).collect::<Vec<_>>();
        problems.add(path, format!("`{field}`: {why}"), None);
        QueueConfig::DropTail
    })
}

/// Queue discipline at `path` of an interface that shares a medium; drop-tail if its values are invalid.
pub(crate) fn discipline_on_air(queue: &Named<Queue>, path: &[Segment], problems: &mut Problems) -> QueueConfig {
    let config = discipline(queue, path, problems);
    if matches!(config, QueueConfig::Cake(_)) {
        let hint = Some("\"fq-codel\" here, or `cake` at the wired link before it".to_owned());
        problems.add(path.to_vec(), "`cake` is a discipline of links", hint);
        return QueueConfig::DropTail;
    }
    config
}

/// Ratio of a level in decibels.
pub(crate) fn ratio(decibels: Decibels) -> f64 {
    libm::pow(10.0, decibels.count() / 10.0)
}

/// Maximum number of nodes, of flows and of sources.
pub(crate) const MAX_ENTITIES: u64 = MAX_COUNT as u64;
/// Maximum number of one-way links.
pub(crate) const MAX_LINKS: u64 = 4 * MAX_ENTITIES;

/// Start and stop times of the members of a table.
pub(crate) struct Times<'a> {
    pub starts: &'a Starts,
    pub step: Duration,
    pub spread: Duration,
    pub stop: Option<Duration>,
}

impl Times<'_> {
    /// Start time of the `member`-th, without its spread.
    pub fn start_of(&self, member: u32) -> Duration {
        if let Some(time) = self.starts.list().get(member as usize) {
            return *time;
        }
        let step = self.step.as_nanos().saturating_mul(u64::from(member));
        Duration::from_nanos(self.starts.first().as_nanos().saturating_add(step))
    }

    /// Reports a start of one of `count` members at or after the end of the run, and a stop that is not after it.
    pub fn check(&self, count: u32, list: &'static str, at: usize, span: Duration, problems: &mut Problems) {
        let listed = self.starts.list();
        if !listed.is_empty() && self.step > Duration::ZERO {
            let message = "`start_step` cannot be combined with a list of starts";
            problems.add(place(list, at, ["start_step".into()]), message, Some("leave one of them out".to_owned()));
        }
        let first = listed.iter().min().copied().unwrap_or_else(|| self.starts.first());
        let last = listed.iter().max().copied().unwrap_or_else(|| self.start_of(count.saturating_sub(1)));
        let latest = Duration::from_nanos(last.as_nanos().saturating_add(self.spread.as_nanos()));
        let text = if first == latest { format!("{latest}") } else { format!("{first} to {latest}") };
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
