//! Computations on a thread of their own, while Python's waits: it hears a Ctrl-C at once, however long their steps are.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use windward_sim::Control;

/// How often a Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Progress is told at one look of so many.
const TELL: u32 = 2;

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
    let mut looks = 0;
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
        looks += 1;
        let is_due = looks % TELL == 0;
        let heard = py.check_signals().and_then(|()| if is_due { tell() } else { Ok(()) });
        heard.inspect_err(|_| control.cancel())?;
    }
}
