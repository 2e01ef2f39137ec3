//! Every law against what was not written here: its paper's equilibrium and response, the promises of the interface,
//! and its own past (snapshots of windows).

mod backlog;
mod conformance;
mod exp_delay;
mod fluid;
mod formula;
mod host;
mod marks;
mod rates;
mod response;
mod trajectory;
