//! Computations on a thread of their own, while Python's waits: it hears a Ctrl-C at once, however long their steps are.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use windward_sim::Control;

/// How often a Ctrl-C is looked for, and how often progress is told.
const LOOK: Duration = Duration::from_millis(50);
const TELL: Duration = Duration::from_millis(100);

/// What `work` returns, without the interpreter's lock. Meanwhile `tell` is called now and then. Where a signal's handler or `tell`
/// raises, `control` is cancelled and the exception returned; the work ends by itself, and nobody waits for it.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    control: &Arc<Control>,
    work: impl FnOnce() -> T + Send + 'static,
    tell: impl Fn() -> PyResult<()>,
) -> PyResult<T> {
    let (done, mut answers) = channel();
    // It ends by sending, or by dropping the sender where it panics.
    thread::spawn(move || done.send(work()));
    let mut told = Instant::now();
    loop {
        let heard;
        // A receiver is not shared: it goes along and comes back.
        (answers, heard) = py.detach(move || {
            let heard = answers.recv_timeout(LOOK);
            (answers, heard)
        });
        match heard {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the engine failed: this is a bug in Windward, please report it"));
            }
        }
        let is_due = told.elapsed() >= TELL;
        let heard = py.check_signals().and_then(|()| if is_due { tell() } else { Ok(()) });
        if is_due {
            told = Instant::now();
        }
        heard.inspect_err(|_| control.cancel())?;
    }
}
