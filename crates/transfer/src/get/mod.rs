//! One file from one server over several connections.
