//! Episodes of a scenario in which agents set the windows or rates of flows, interval by interval.
//!
//! The flows of agents have a law without a response of its own. What a flow hears between two steps is summed up in a
//! few features. An episode shares nothing with another, so that any number of threads gives the same.

mod beginning;
mod features;
mod one;
mod shares;
mod vector;

pub use beginning::Beginning;
pub use features::{FEATURES, FIGURES};
pub use one::{Action, Ending, Episode, EpisodeSettings, Every, OF_NETWORK};
pub use shares::Piece;
pub use vector::{Episodes, Results};
