//! Tests of the network as a library: what a transport of one's own sees.

mod paths;
mod times;
