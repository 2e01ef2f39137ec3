//! Every law against what was not written here: its paper's equilibrium and response, the promises of the interface, and
//! its own past (snapshots of windows).

mod backlog;
mod conformance;
mod fluid;
mod host;
mod rates;
mod marks;
mod response;
mod trajectory;
