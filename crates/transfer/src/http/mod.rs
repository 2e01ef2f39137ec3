//! HTTP/1.1, the part of it that a download needs: RFC 9110 (semantics) and RFC 9112 (messages).
//!
//! Connections block, each in its own thread: a thread waits for one socket, and whoever wants it to stop shuts that
//! socket down. Everything that a server can make long has a bound here.

mod address;
mod auth;
mod body;
mod connection;
mod dial;
mod error;
mod head;
pub(crate) mod ping;
mod proxy;
mod receive;

pub use address::{Address, masked};
pub use auth::{Credentials, Entry, netrc};
pub use body::{Body, Source};
pub use connection::Connection;
pub use dial::Dialer;
pub use error::Error;
pub use head::{ContentRange, Head};
pub use proxy::{Proxies, Proxy};
pub(crate) use receive::receive;
