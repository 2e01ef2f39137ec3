//! Interface of the module: a buffer for the question, a buffer for the answer, and three functions of the page.
#![expect(unsafe_code, reason = "exported functions, and those that the page gives")]

use crate::{Watch, ask};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use windward_sim::Control;

#[link(wasm_import_module = "windward")]
unsafe extern "C" {
    /// Reports the simulated time in seconds. Returns 0 to go on, 1 to cancel, 2 to ask for the samples so far.
    safe fn look(simulated_s: f64) -> u32;
    /// Takes the samples so far.
    safe fn show(bytes: *const u8, size: usize);
    /// Takes the message of a panic; the module cannot be used after it.
    safe fn fail(text: *const u8, size: usize);
}

static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn locked(buffer: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

const WATCH: Watch = Watch { look: seen, show: |bytes| show(bytes.as_ptr(), bytes.len()) };

/// Tells the page the time, and hears what it wants.
fn seen(control: &Control) {
    WATCH.publish(control);
    match look(control.simulated().as_secs()) {
        0 => {}
        1 => control.cancel(),
        _ => WATCH.request(),
    }
}

/// Makes room for a question of `size` bytes, and returns the place.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn question(size: usize) -> *mut u8 {
    let mut buffer = locked(&QUESTION);
    buffer.clear();
    buffer.resize(size, 0);
    buffer.as_mut_ptr()
}

/// Answers the question, and returns the number of bytes of the answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        panic::set_hook(Box::new(|about| {
            let text = about.to_string();
            fail(text.as_ptr(), text.len());
        }));
    });
    let question = std::mem::take(&mut *locked(&QUESTION));
    let answered = ask(&question, WATCH);
    let size = answered.len();
    *locked(&ANSWER) = answered;
    size
}

/// Place of the answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    locked(&ANSWER).as_ptr()
}
