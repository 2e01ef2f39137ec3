//! Recordings that a scenario names: files are read into it, so that it is self-contained.

use super::common::place;
use super::files::{ReadFile, load, path, replace};
use super::{app, steps};
use crate::format::cell::Fading;
use crate::format::{AnyCell, Change, Delay, File, Link, Number, Positive, Rate, Recording};
use crate::path::Segment;
use crate::problems::Problems;
use windward_sim::cell::channel::SnrTrace;
use windward_sim::{DelayTrace, Opportunities};

/// Replaces the names of files by their content. Reports problems of a file and keeps its name.
pub(crate) fn inline(file: &mut File, read: ReadFile<'_>, problems: &mut Problems) {
    inline_links(&mut file.link, &mut file.change, read, problems);
    for (at, app) in file.app.iter_mut().enumerate() {
        app::inline(app, at, read, problems);
    }
    for (at, cell) in file.cell.iter_mut().enumerate() {
        let (of_cell, of_stations): (_, Vec<_>) = match cell {
            AnyCell::Slotted(cell) => {
                (Some(&mut cell.fading), cell.station.iter_mut().map(|station| station.fading.as_mut()).collect())
            }
            AnyCell::Ran(cell) => {
                (cell.fading.as_mut(), cell.station.iter_mut().map(|station| station.fading.as_mut()).collect())
            }
        };
        if let Some(fading) = of_cell {
            inline_fading(&mut fading.0, path("cell", at, &["fading"]), read, problems);
        }
        for (index, fading) in of_stations.into_iter().enumerate() {
            if let Some(fading) = fading {
                let inside = place("cell", at, ["station".into(), Segment::Index(index), "fading".into()]);
                inline_fading(&mut fading.0, inside, read, problems);
            }
        }
    }
}

/// Reads the recordings of links and their changes alone.
pub(crate) fn inline_links(links: &mut [Link], changes: &mut [Change], read: ReadFile<'_>, problems: &mut Problems) {
    for (at, link) in links.iter_mut().enumerate() {
        if let Some(rate) = &mut link.rate {
            inline_rate(rate, path("link", at, &["rate", "trace"]), read, problems);
        }
        inline_delay(&mut link.delay, path("link", at, &["delay", "trace"]), read, problems);
        let Some(reverse) = &mut link.reverse else { continue };
        if let Some(rate) = &mut reverse.rate {
            inline_rate(rate, path("link", at, &["reverse", "rate", "trace"]), read, problems);
        }
        if let Some(delay) = &mut reverse.delay {
            inline_delay(delay, path("link", at, &["reverse", "delay", "trace"]), read, problems);
        }
    }
    for (at, change) in changes.iter_mut().enumerate() {
        if let Some(rate) = &mut change.rate {
            inline_rate(rate, path("change", at, &["rate", "trace"]), read, problems);
        }
        if let Some(delay) = &mut change.delay {
            inline_delay(delay, path("change", at, &["delay", "trace"]), read, problems);
        }
        if let Some(steps) = &mut change.steps {
            replace(steps, steps::from_csv, path("change", at, &["steps"]), read, problems);
        }
        if let Some(Recording::Values(steps)) = &mut change.steps {
            for (index, step) in steps.iter_mut().enumerate() {
                let inside = |key: &str| {
                    place("change", at, ["steps".into(), Segment::Index(index), key.into(), "trace".into()])
                };
                if let Some(rate) = &mut step.rate {
                    inline_rate(rate, inside("rate"), read, problems);
                }
                if let Some(delay) = &mut step.delay {
                    inline_delay(delay, inside("delay"), read, problems);
                }
            }
        }
    }
}

fn inline_rate(rate: &mut Rate, path: Vec<Segment>, read: ReadFile<'_>, problems: &mut Problems) {
    if let Rate::Recorded(recorded) = rate {
        let times = |text: &str| Opportunities::from_mahimahi(text).map(|trace| trace.millis().collect());
        replace(&mut recorded.trace, times, path, read, problems);
    }
}

fn inline_delay(delay: &mut Delay, path: Vec<Segment>, read: ReadFile<'_>, problems: &mut Problems) {
    if let Delay::Recorded(recorded) = delay {
        let delays = |text: &str| DelayTrace::millis_of(text).map(|millis| millis.into_iter().map(Number).collect());
        replace(&mut recorded.trace, delays, path, read, problems);
    }
}

fn inline_fading(fading: &mut Fading, inside: Vec<Segment>, read: ReadFile<'_>, problems: &mut Problems) {
    let Fading::Trace(trace) = fading else { return };
    let at = |key: &str| [&inside[..], &[key.into()]].concat();
    match (&trace.samples, trace.interval) {
        (Recording::File(_), Some(_)) => {
            problems.add(at("interval"), "`interval` is for a list of samples; the file has time stamps", None);
        }
        (Recording::File(name), None) => {
            if let Some(read) = load(name, SnrTrace::from_csv, at("samples"), read, problems) {
                trace.interval = Some(Positive(read.interval));
                trace.samples = Recording::Values(read.samples.into_iter().map(Number).collect());
            }
        }
        (Recording::Values(_), None) => {
            let message = "`interval` is missing: a list of samples has no time stamps";
            problems.add(inside, message, None);
        }
        (Recording::Values(_), Some(_)) => {}
    }
}
