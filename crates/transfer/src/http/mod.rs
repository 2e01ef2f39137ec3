//! HTTP/1.1, the part that transfers need: RFC 9110 (semantics) and RFC 9112 (messages).
//!
//! Connections block, each in its own thread. To stop a thread, shut down its socket. Every length that a server can
//! choose is bounded here.

mod address;
mod auth;
mod body;
mod confidential;
mod connection;
mod cookies;
mod dial;
mod error;
mod head;
pub(crate) mod ping;
mod proxy;
mod receive;

pub use address::{Address, masked, without_zone};
pub use auth::{Credentials, Entry, netrc};
pub use body::{Body, Source};
pub(crate) use confidential::confidential;
pub use connection::Connection;
pub use cookies::Jar;
pub use dial::Dialer;
pub use error::Error;
pub use head::{ContentRange, Head};
pub use proxy::{Proxies, Proxy};
pub(crate) use receive::receive;
