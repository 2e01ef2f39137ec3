//! A single run: handles events in order until the end time.

use crate::makers::Makers;
use crate::net::Tap;
use crate::network::Network;
use crate::output::{Output, Series};
use crate::record::{Capture, Destination};
use crate::world::World;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fmt, io};
use windward_units::Control;

/// Events between two checks of the control.
const EVENTS_PER_LOOK: u64 = 16_384;

/// Recordings of a run in progress, for other threads.
#[derive(Debug, Default)]
pub struct Shown {
    is_asked: AtomicBool,
    series: Mutex<Option<Series>>,
}

impl Shown {
    /// Requests the recordings so far. The run publishes a copy soon, and goes on.
    pub fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// Takes the recordings published since the last call.
    pub fn take(&self) -> Option<Series> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Publishes the result of `series` if it was requested.
    fn publish(&self, series: impl FnOnce() -> Series) {
        if self.is_asked.swap(false, Ordering::Relaxed) {
            *self.series.lock().unwrap_or_else(PoisonError::into_inner) = Some(series());
        }
    }
}

/// Reason why a run has no output.
#[derive(Debug)]
pub enum RunError {
    /// The run was cancelled.
    Interrupted,
    /// The capture could not be written.
    Capture(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the run was interrupted"),
            Self::Capture(error) => write!(f, "the packet capture cannot be written: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// Simulates `network` with the random streams of `seed`. `makers` makes the laws and schedulers that the network
/// refers to by index. With `capture`, the packets of all flows are written to it as pcapng.
///
/// # Errors
/// [`RunError::Interrupted`] after [`Control::cancel`]; [`RunError::Capture`] if writing to `capture` fails.
pub fn run(
    network: &Network,
    makers: &Makers,
    seed: u64,
    control: &Control,
    capture: Option<Destination>,
) -> Result<Output, RunError> {
    run_shown(network, makers, seed, control, None, capture)
}

/// Simulates `network` as [`run`] does, and publishes the recordings so far whenever `shown` asks for them.
///
/// # Errors
/// As [`run`].
pub fn run_shown(
    network: &Network,
    makers: &Makers,
    seed: u64,
    control: &Control,
    shown: Option<&Shown>,
    capture: Option<Destination>,
) -> Result<Output, RunError> {
    let tap = capture.map(|out| Box::new(Capture::new(out, network)) as Box<dyn Tap + Send>);
    let mut world = World::new(network, makers, seed, tap);
    world.look_ahead(network);
    let mut next_look = 0;
    while let Some(event) = world.next(network.timing.duration) {
        world.handle(event);
        if world.events >= next_look {
            next_look = world.events + EVENTS_PER_LOOK;
            control.set_simulated(event.time());
            if control.is_cancelled() {
                return Err(RunError::Interrupted);
            }
            if let Some(shown) = shown {
                shown.publish(|| world.series());
            }
            world.tidy();
        }
    }
    control.set_simulated(network.timing.duration);
    world.finish_tap().map_err(RunError::Capture)?;
    Ok(world.finish(network.timing.duration))
}
