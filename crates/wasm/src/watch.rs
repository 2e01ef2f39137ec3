//! Progress of a run, for the page that waits for it.

use crate::answer::Answer;
use serde_json::Map;
use windward_sim::{Control, Series, Shown};
use windward_tables::Frame;

thread_local! {
    /// The samples so far of the run on this thread.
    pub(crate) static SHOWN: Shown = Shown::default();
}

/// Callbacks of the page during a run.
#[derive(Clone, Copy)]
pub struct Watch {
    /// Called at each check of a run; may cancel it by means of the control.
    pub look: fn(&Control),
    /// Receives the samples so far, as an answer.
    pub show: fn(&[u8]),
}

impl Watch {
    /// Requests the samples so far, for the next check.
    pub fn request(&self) {
        SHOWN.with(Shown::ask);
    }

    /// Publishes the samples so far, if they were requested.
    pub fn publish(&self, control: &Control) {
        let Some(Series { flows, links }) = SHOWN.with(Shown::take) else { return };
        let mut answer = Answer::of("until", control.simulated().as_secs());
        let mut tables = Map::new();
        for frame in [Frame::of_series(flows), Frame::of_series(links)] {
            tables.insert(frame.table.name.to_owned(), answer.frame(frame));
        }
        answer.set("tables", tables);
        (self.show)(&answer.finish());
    }
}
