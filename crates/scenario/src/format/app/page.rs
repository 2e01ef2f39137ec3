//! Pages: their objects and protocol.

use crate::format::{Count, Number, Positive, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Bytes, Duration};

/// Object of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct PageObject {
    /// Name of the object, unique within the page.
    pub name: String,
    /// Bytes of the response, headers included.
    pub size: Positive<Bytes>,
    /// Origin, such as "https://example.org". All origins are at the node `to`. Default: that of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Object that names this one, which is discovered once that has arrived. Default: the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Time from the last byte of the parent to the discovery: parsing, scripts.
    #[serde(default = "zero")]
    pub delay: Written<Duration>,
    /// Time at the server from the last byte of the request to the first of the response.
    #[serde(default = "zero")]
    pub service: Written<Duration>,
    /// True if the browser shows nothing before the object has arrived. The page itself always blocks.
    #[serde(default)]
    pub blocking: bool,
    /// True if the browser goes on to the object whose parent this is: the first byte of a visit is that of the object
    /// at the end.
    #[serde(default)]
    pub redirect: bool,
}

/// Protocol of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"h2\", \"h3\" or \"http/1.1\"")]
pub(crate) enum HttpProtocol {
    /// One multiplexed connection to each origin.
    #[default]
    #[serde(rename = "h2")]
    Http2,
    /// One connection over QUIC to each origin, with a stream for each request.
    #[serde(rename = "h3")]
    Http3,
    /// Several connections to each origin, each with one request at a time.
    #[serde(rename = "http/1.1")]
    Http1,
}

/// Order of a browser's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"discovery\" or \"tight\"")]
pub(crate) enum RequestOrder {
    /// As objects are discovered.
    #[default]
    Discovery,
    /// Objects that block first.
    Tight,
}

impl PageObject {
    /// Means of 3GPP's model of web browsing: the sizes, 5.64 embedded objects, and the time of parsing.
    pub fn browsing() -> Vec<Self> {
        let object = |name: String, size: u64, delay: u64| Self {
            name,
            size: Positive(Bytes::new(size)),
            origin: None,
            parent: None,
            delay: Written(Duration::from_millis(delay)),
            service: zero(),
            blocking: false,
            redirect: false,
        };
        let embedded = (1..=6).map(|at| object(format!("object-{at}"), 7758, 130));
        std::iter::once(object("page".to_owned(), 10_710, 0)).chain(embedded).collect()
    }
}

/// Connections of a browser to an origin.
pub(crate) fn six() -> Count {
    Count(6)
}

pub(super) fn one_trip() -> Number {
    Number(1.0)
}

/// Reading time of a page.
pub(crate) fn thirty_s() -> Written<Duration> {
    Written(Duration::from_millis(30_000))
}
