//! Parameters of AODV.

use windward_units::Duration;

/// Parameters of AODV, with their names in RFC 3561 §10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AodvConfig {
    /// ACTIVE_ROUTE_TIMEOUT: lifetime of a route after its last use; positive.
    pub active_route: Duration,
    /// MY_ROUTE_TIMEOUT: lifetime that a destination gives to routes to itself.
    pub my_route: Duration,
    /// Lifetime of the reverse route of a request; `None`: the longest time of the search, less the time that it has
    /// taken (§6.5).
    pub reverse_route: Option<Duration>,
    /// NODE_TRAVERSAL_TIME: expected time of one hop; positive.
    pub node_traversal: Duration,
    /// NET_DIAMETER: largest number of hops in the network; at least 1.
    pub net_diameter: u8,
    /// TTL_START: range of the first request, in hops; at least 1.
    pub ttl_start: u8,
    /// TTL_INCREMENT: growth of the range from request to request; at least 1.
    pub ttl_increment: u8,
    /// TTL_THRESHOLD: range beyond which a request covers the whole network.
    pub ttl_threshold: u8,
    /// TIMEOUT_BUFFER: extra hops in the time allowed for a reply.
    pub timeout_buffer: u8,
    /// RREQ_RETRIES: repeated requests to the whole network.
    pub retries: u32,
    /// MAX_RREQ_TIMEOUT of ns-2: longest wait for a reply; `None`: unlimited, doubled with each repetition.
    pub longest_wait: Option<Duration>,
    /// RREQ_RATELIMIT and RERR_RATELIMIT: requests that a station originates in a second, and errors that it sends.
    pub rate_limit: u32,
    /// HELLO_INTERVAL; `None`: no hello messages, only the link layer detects broken links.
    pub hello: Option<Duration>,
    /// ALLOWED_HELLO_LOSS: missed hello messages after which a neighbour is lost.
    pub missed: u32,
    /// True if a packet that the MAC gives up breaks the link.
    pub asks_mac: bool,
    /// True if a station within a broken route repairs it (§6.12).
    pub repairs: bool,
    /// True if stations with a fresh route reply for the destination and send it a gratuitous reply (§6.6.3).
    pub answers_for_others: bool,
    /// Largest random delay of a broadcast, against collisions between neighbours that forward it.
    pub jitter: Duration,
    /// Packets of a station that can wait for routes.
    pub waiting: u32,
    /// Longest wait of a packet for a route.
    pub patience: Duration,
}

impl AodvConfig {
    /// Parameters of RFC 3561, with link-layer detection instead of hello messages; packets wait as in ns-3.
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

    /// Parameters of ns-2.35 (aodv/aodv.h).
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
    pub(in crate::wifi) fn net_traversal(&self) -> Duration {
        self.node_traversal * 2 * u64::from(self.net_diameter)
    }

    /// PATH_DISCOVERY_TIME: a request that returns within it is a duplicate.
    pub(in crate::wifi) fn path_discovery(&self) -> Duration {
        self.net_traversal() * 2
    }

    /// Wait for a reply to a request of range `ttl`, `again` counting the repeated requests to the whole network.
    pub(in crate::wifi) fn wait(&self, ttl: u8, again: u32) -> Duration {
        let once = match ttl < self.net_diameter {
            true => self.node_traversal * 2 * (u64::from(ttl) + u64::from(self.timeout_buffer)),
            false => self.net_traversal(),
        };
        let wait = once * (1 << again.min(16));
        self.longest_wait.map_or(wait, |longest| wait.min(longest))
    }

    /// DELETE_PERIOD: time for which a broken route is remembered.
    pub(in crate::wifi) fn deletion(&self) -> Duration {
        self.active_route.max(self.hello.unwrap_or(Duration::ZERO)) * 5
    }
}
