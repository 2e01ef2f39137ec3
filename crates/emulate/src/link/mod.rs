//! One link in front of a program: `windward link`.
//!
//! The program runs in a network namespace whose only way out is the link; at its other end stands a second namespace,
//! with the servers that are to be reached through it and a `gateway` to everything else. All processes are in a PID
//! namespace (`processes`), which ends with this program, however that ends. Without root all belong to a user
//! namespace of our own.

mod children;
mod control;
mod ends;
mod gateway;
mod hosts;
mod names;
mod processes;
mod publish;
mod relay;
mod report;

use crate::error::Error;
use crate::quality::Quality;
use crate::sys::Clock;
use crate::wire::Outcome;
use children::Children;
pub use control::{enter, serve};
pub use ends::Ends;
use hosts::Hosts;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use windward_scenario::Links;
use windward_sim::LinkStats;
use windward_tables::Frames;
use windward_units::Time;

/// Report of a link.
#[derive(Clone, Debug)]
pub struct Report {
    /// The exit code of the program; 128 and the signal's number where a signal ended it.
    pub code: i32,
    /// Ports towards the program and away from it, in the order of its packets.
    pub routes: [Vec<u32>; 2],
    /// Statistics of all ports.
    pub links: Vec<LinkStats>,
    /// Tables of wireless networks.
    pub media: Frames,
    /// Duration in seconds.
    pub seconds: f64,
    /// Timing quality.
    pub quality: Quality,
}

/// Runs `ends` with `links` between them: the servers are at its first node, the program is at the second.
///
/// # Errors
/// Namespaces and devices cannot be made here; the program cannot be started.
pub fn run(links: &Links, seed: u64, ends: &Ends) -> Result<Report, Error> {
    let (hosts, devices) = Hosts::new(ends)?;
    let stop = AtomicBool::new(false);
    let clock = Clock::start();
    let wire = hosts.wire(links, seed, devices, None);
    let (ran, code) = thread::scope(|scope| {
        let emulator = scope.spawn(|| wire.run(|| clock, &stop, Time::NEVER));
        // A thread of its own: from it on, what is started has process numbers of its own.
        let children = scope.spawn(|| Children::start(ends, &hosts).and_then(Children::wait));
        let code = children.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let missed = hosts.missed();
        stop.store(true, Ordering::Relaxed);
        let mut ran = emulator.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        ran.quality.missed = missed;
        Ok::<_, Error>((ran, code?))
    })?;
    let Outcome { fabric, quality, .. } = ran;
    let end = clock.now();
    let output = fabric.finish(end);
    Ok(Report {
        code,
        routes: links.routes().clone(),
        links: output.links,
        media: output.media,
        seconds: end.as_secs(),
        quality,
    })
}
