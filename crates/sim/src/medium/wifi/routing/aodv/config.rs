//! Numbers of the protocol.

use windward_units::Duration;

/// Numbers of the protocol (RFC 3561 §10, where their names are).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AodvConfig {
    /// A route that is used lives so much longer; positive. ACTIVE_ROUTE_TIMEOUT.
    pub active_route: Duration,
    /// How long a station promises the route to itself. MY_ROUTE_TIMEOUT.
    pub my_route: Duration,
    /// How long the way back of a request lives; `None`: as long as the search may take, less what it has taken (§6.5).
    pub reverse_route: Option<Duration>,
    /// What one hop is expected to take; positive. NODE_TRAVERSAL_TIME.
    pub node_traversal: Duration,
    /// Most hops across the network; at least 1. NET_DIAMETER.
    pub net_diameter: u8,
    /// Reach of the first request, in hops; at least 1. TTL_START.
    pub ttl_start: u8,
    /// By how much the reach grows from request to request; at least 1. TTL_INCREMENT.
    pub ttl_increment: u8,
    /// Beyond this reach the whole network is asked. TTL_THRESHOLD.
    pub ttl_threshold: u8,
    /// Hops that an answer may take longer than expected. TIMEOUT_BUFFER.
    pub timeout_buffer: u8,
    /// How often the whole network is asked again. RREQ_RETRIES.
    pub retries: u32,
    /// Largest span of a search's answer; `None`: it doubles from one to the next. ns-2's MAX_RREQ_TIMEOUT.
    pub longest_wait: Option<Duration>,
    /// Most requests that a station originates in a second, and as many errors. RREQ_RATELIMIT, RERR_RATELIMIT.
    pub rate_limit: u32,
    /// Distance of hello messages; `None`: the link layer alone notices broken links. HELLO_INTERVAL.
    pub hello: Option<Duration>,
    /// So many hello messages are missed before a neighbour is gone. ALLOWED_HELLO_LOSS.
    pub missed: u32,
    /// Whether a packet that the MAC gave up breaks the link.
    pub asks_mac: bool,
    /// Whether a station in the middle of a broken route seeks another one itself (§6.12).
    pub repairs: bool,
    /// Whether stations with a fresh route answer for the destination, and tell it so (§6.6.3).
    pub answers_for_others: bool,
    /// A message for all waits for a random time up to this, lest neighbours that pass it on collide.
    pub jitter: Duration,
    /// Packets of a station that wait for routes.
    pub waiting: u32,
    /// How long a packet waits for a route.
    pub patience: Duration,
}

impl AodvConfig {
    /// The numbers of RFC 3561, with the link layer's word in place of hello messages; packets wait as in ns-3.
    pub const STANDARD: Self = Self {
        active_route: Duration::from_millis(3000),
        my_route: Duration::from_millis(6000),
        reverse_route: None,
        node_traversal: Duration::from_millis(40),
        net_diameter: 35,
        ttl_start: 1,
        ttl_increment: 2,
        ttl_threshold: 7,
        timeout_buffer: 2,
        retries: 2,
        longest_wait: None,
        rate_limit: 10,
        hello: None,
        missed: 2,
        asks_mac: true,
        repairs: true,
        answers_for_others: true,
        jitter: Duration::from_millis(10),
        waiting: 64,
        patience: Duration::from_millis(30_000),
    };

    /// The numbers of ns-2.35 (aodv/aodv.h).
    pub const NS2: Self = Self {
        active_route: Duration::from_millis(10_000),
        my_route: Duration::from_millis(10_000),
        reverse_route: Some(Duration::from_millis(6000)),
        node_traversal: Duration::from_millis(30),
        net_diameter: 30,
        ttl_start: 5,
        timeout_buffer: 0,
        retries: 3,
        longest_wait: Some(Duration::from_millis(10_000)),
        missed: 3,
        ..Self::STANDARD
    };

    /// NET_TRAVERSAL_TIME.
    pub(super) fn net_traversal(&self) -> Duration {
        self.node_traversal * 2 * u64::from(self.net_diameter)
    }

    /// PATH_DISCOVERY_TIME: a request that comes again within it is an echo.
    pub(super) fn path_discovery(&self) -> Duration {
        self.net_traversal() * 2
    }

    /// How long an answer to a request of that reach takes at most, the `again`-th time that the whole network is asked.
    pub(super) fn wait(&self, ttl: u8, again: u32) -> Duration {
        let once = match ttl < self.net_diameter {
            true => self.node_traversal * 2 * (u64::from(ttl) + u64::from(self.timeout_buffer)),
            false => self.net_traversal(),
        };
        let wait = once * (1 << again.min(16));
        self.longest_wait.map_or(wait, |longest| wait.min(longest))
    }

    /// How long a broken route is remembered. DELETE_PERIOD.
    pub(super) fn deletion(&self) -> Duration {
        self.active_route.max(self.hello.unwrap_or(Duration::ZERO)) * 5
    }
}
