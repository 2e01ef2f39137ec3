//! The engines for WebAssembly: one question in, one answer out.
//!
//! A question is JSON, mostly about one scenario. An answer is a header in JSON, and after it the bytes of the columns
//! that it refers to: the numbers of the tables as the engine has them. The page that asks runs one instance for each
//! seed, and ends a run by ending its worker. [`ask()`] does not depend on WebAssembly and is tested natively; `module`
//! is the interface of the module.

mod answer;
mod ask;
mod describe;
mod fluid;
#[cfg(target_arch = "wasm32")]
mod module;
mod optimum;
mod simulate;
mod watch;

pub use ask::ask;
pub use watch::Watch;
