//! Files over real sockets: as many connections as the path needs, and never a wrong file.
//!
//! [`get`] fetches from any HTTP/1.1 server; [`http`] is the part of the protocol that it needs, and [`tls`] its trust.
pub mod get;
pub mod http;
pub mod tls;
