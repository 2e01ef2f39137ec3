//! Applications: requests and videos over two-way TCP connections, and datagrams of games and pings.

mod call;
mod datagrams;
mod page;
mod requests;
mod video;

pub(crate) use call::CallVideo;
pub(crate) use page::{HttpProtocol, PageObject, RequestOrder, six, thirty_s};
pub(crate) use requests::{ArrivalTime, Arrivals, DataDirection, Response, Reuse, SizePoint, Sizes};
pub(crate) use video::{Mpc, Qoe, RobustMpc, Rule};

use super::{
    Count, Dscp, Law, LawOf, Name, Named, Number, Positive, Recording, Spread, Starts, Tcp, Transport, Written, zero,
};
use datagrams::{echo, every, no_impairment, playout, robustness, speech, twenty_ms};
use page::one_trip;
use requests::{exponential, request};
use video::{bola, chunk, ladder, sixty_s};
use windward_units::{BitRate, Bytes, Duration};

tagged! {
    /// An application between a client and a server. Groups work as for flows: each pair of client and server has
    /// arrivals and connections of its own.
    App by "kind", "a table with a `kind`, such as \"requests\"" with {
        /// Name of the application; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub name: Option<Name>,
        /// Node or group of the clients, which open connections and send requests: browsers, players.
        pub from: Name,
        /// Node or group of the servers.
        pub to: Name,
        /// Number of pairs of client and server between two single nodes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<Count>,
        /// Nodes between `from` and `to` on the route to the server, in order. Default: the shortest path, as for
        /// flows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub via: Option<Vec<Name>>,
        /// Nodes between `to` and `from` on the route to the client. Default: `via` reversed, or the shortest path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub return_via: Option<Vec<Name>>,
        /// Time at which the application starts. A list has a time for each pair of client and server: between two
        /// single nodes it makes as many.
        #[serde(default)]
        pub start: Starts,
        /// Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        /// Default: the end of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub stop: Option<Written<Duration>>,
    } {
        /// A client sends requests to a server, which answers each with a response.
        "requests" Requests {
            /// Congestion control law of both ends; any but `tfrc`.
            law: Law,
            /// Transport of the connections: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose ends both run
            /// the law. Options in `tcp` that name TCP's mechanisms are refused with "quic". Default: "tcp".
            #[serde(default, skip_serializing_if = "Option::is_none")]
            transport: Option<Transport>,
            /// Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
            /// (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of
            /// noq-proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
            #[serde(default, skip_serializing_if = "Option::is_none")]
            law_of: Option<LawOf>,
            /// Resumes a session over QUIC, whose requests leave with the first flight (0-RTT), and whose handshake has
            /// no certificate. Default: false.
            #[serde(default)]
            zero_rtt: bool,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Arrivals of requests.
            arrivals: Arrivals,
            /// Size of a request. The default is that of 3GPP's model of web browsing.
            #[serde(default = "request")]
            request: Positive<Bytes>,
            /// Size of a response, or its distribution.
            response: Response,
            /// Time at the server from the last byte of a request to the first of its response.
            #[serde(default = "zero")]
            service: Written<Duration>,
            /// Use of connections, each of which carries one request at a time: "new" opens one for each request, which
            /// the server closes after the response; "pool" keeps connections and opens another one if none is idle; a
            /// number is the most that are kept, and requests wait while all are in use.
            #[serde(default)]
            connections: Reuse,
            /// Time after which a response counts as late. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            deadline: Option<Positive<Duration>>,
        }
        /// Bulk transfers that come and go, each over a connection of its own, of a given `size` or for a given time
        /// (`on`). The end that receives asks for a transfer with one byte. With arrivals of the kind `closed` a user
        /// transfers, pauses, and transfers again.
        "session" Session {
            /// Congestion control law of both ends; any but `tfrc`.
            law: Law,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Arrivals of transfers.
            arrivals: Arrivals,
            /// Size of a transfer, or its distribution.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            size: Option<Response>,
            /// Mean time for which a transfer has data, in the place of a `size`. What is in flight then still arrives.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            on: Option<Positive<Duration>>,
            /// Distribution of these times. Default: exponential.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            on_spread: Option<Spread>,
            /// Direction of the data: "down", from the server to the client, or "up".
            #[serde(default)]
            direction: DataDirection,
        }
        /// A player of adaptive video. It asks for one chunk after the other over one connection, and a rule chooses
        /// the bit rate of each.
        "video" Video {
            /// Congestion control law of both ends; any but `tfrc`. Default: CUBIC.
            #[serde(default = "cubic")]
            law: Law,
            /// Transport of the connections: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose ends both run
            /// the law. Options in `tcp` that name TCP's mechanisms are refused with "quic". Default: "tcp".
            #[serde(default, skip_serializing_if = "Option::is_none")]
            transport: Option<Transport>,
            /// Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
            /// (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of
            /// noq-proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
            #[serde(default, skip_serializing_if = "Option::is_none")]
            law_of: Option<LawOf>,
            /// Resumes a session over QUIC, whose requests leave with the first flight (0-RTT), and whose handshake has
            /// no certificate. Default: false.
            #[serde(default)]
            zero_rtt: bool,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Rule that chooses the bit rates. The first chunk has the lowest. Default: BOLA.
            #[serde(default = "bola")]
            rule: Named<Rule>,
            /// Bit rates of the levels, increasing. Default: 300, 750, 1200, 1850, 2850 and 4300 kbit/s (Pensieve).
            #[serde(default = "ladder")]
            ladder: Vec<Positive<BitRate>>,
            /// Playing time of a chunk.
            #[serde(default = "chunk")]
            chunk: Positive<Duration>,
            /// Number of chunks. Default: that of `sizes`, or as many as the run takes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            chunks: Option<Count>,
            /// A file of comma-separated values with the bytes of every chunk: a line for each chunk, a column for each
            /// level, and a header that begins each column with `level`; or a list of lists. Default: bit rate times
            /// `chunk`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            sizes: Option<Recording<Vec<Positive<Bytes>>>>,
            /// Playing time for which the player has room: it asks for a chunk once the chunk has room too.
            #[serde(default = "sixty_s")]
            buffer: Positive<Duration>,
            /// Chunks that arrive before playback starts, and before it resumes after a stall.
            #[serde(default = "one")]
            start_after: Count,
            /// Size of a request.
            #[serde(default = "request")]
            request: Positive<Bytes>,
            /// Formula of the quality of experience (Pensieve): "linear" or "log".
            #[serde(default)]
            qoe: Qoe,
        }
        /// A browser that visits a web page. It discovers objects by what has arrived, and asks for them over HTTP.
        /// Each visit begins without connections, addresses or a cache.
        "page" Page {
            /// Congestion control law of both ends; any but `tfrc`. Default: CUBIC.
            #[serde(default = "cubic")]
            law: Law,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Objects of the page, the page itself first: a file, either `{"objects": […]}` in JSON or a HAR 1.2, or
            /// the list. Default: the means of 3GPP's model of web browsing, a page of 10 710 B that names 6 objects of
            /// 7758 B after 130 ms.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            objects: Option<Recording<PageObject>>,
            /// Use of connections: "h2" sends all requests of an origin over one connection, and responses in the order
            /// in which they are ready; "h3" has one connection over QUIC to each origin, as `transport` of other
            /// applications, with a stream for each request; "http/1.1" has up to `connections` to an origin, each
            /// with one request at a time.
            #[serde(default)]
            protocol: HttpProtocol,
            /// Implementation of the law with "h3": "windward", "quinn" for the controller that quinn has by this name
            /// (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of
            /// noq-proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
            #[serde(default, skip_serializing_if = "Option::is_none")]
            law_of: Option<LawOf>,
            /// Order of the requests: "discovery" sends each once its object is discovered; "tight" is Chromium's tight
            /// mode: until all objects with `blocking` have arrived, it asks for another one only while fewer than two
            /// are on their way.
            #[serde(default)]
            order: RequestOrder,
            /// Most connections to an origin with "http/1.1".
            #[serde(default = "six")]
            connections: Count,
            /// Connections that "http/1.1" opens when the first object of an origin is discovered.
            #[serde(default = "one")]
            preconnect: Count,
            /// Time that the first object of an origin waits for its address.
            #[serde(default = "zero")]
            dns: Written<Duration>,
            /// Round trips of TLS after the handshake of TCP: 1 for TLS 1.3, 2 for TLS 1.2, 0 for none. With "h3",
            /// whose handshake contains TLS: 1, or 0 for a resumed session whose requests leave with the first flight
            /// (0-RTT).
            #[serde(default = "one_trip")]
            tls: Number,
            /// Size of a request. The default is that of 3GPP's model of web browsing.
            #[serde(default = "request")]
            request: Positive<Bytes>,
            /// Number of visits. Default: as many as the run takes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            visits: Option<Count>,
            /// Mean time from the last byte of a page to the next visit. The default is that of 3GPP's model.
            #[serde(default = "thirty_s")]
            reading: Written<Duration>,
            /// Distribution of these times: "fixed" or "exponential".
            #[serde(default = "exponential")]
            reading_spread: Spread,
        }
        /// A game: small datagrams both ways. Gaps and sizes have extreme-value distributions (IEEE 802.11's report on
        /// real-time applications). From the client one every 18.3 ms with 40 B on average, from the server
        /// one every 15.1 ms with 56 B, and 28 B of headers each.
        "game" Game {
            /// Code point of the datagrams, which decides their access category on 802.11n, ac and ax: a number, or a
            /// name such as `"EF"`. Default: best effort.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            dscp: Option<Dscp>,
        }
        /// A telephone call: datagrams of speech both ways at a constant rate, and video if `video` is given. The
        /// quality of the speech in each direction is judged by the E-model (ITU-T G.107).
        "call" Call {
            /// Size of a datagram on the wire, headers included: 28 B to 65 535 B. Default: Opus at 32 kbit/s, 80 B
            /// with 40 B of RTP, UDP and IPv4.
            #[serde(default = "speech")]
            packet: Written<Bytes>,
            /// Playing time of a datagram.
            #[serde(default = "twenty_ms")]
            every: Positive<Duration>,
            /// Time that the receiver waits beyond the shortest delay before it plays a datagram; later ones are lost
            /// to it.
            #[serde(default = "playout")]
            playout: Written<Duration>,
            /// Impairment Ie of the codec, 0 to 95. There is none for Opus: 0 is chosen. G.711: 0; G.729A: 11.
            #[serde(default = "no_impairment")]
            impairment: Number,
            /// Robustness Bpl of the codec against loss, above 0. There is none for Opus: 25 is chosen. G.711 with
            /// concealment: 25.1; G.729A: 19.
            #[serde(default = "robustness")]
            robustness: Number,
            /// Video in each direction: the law of its bit rate, or a table. Default: none.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            video: Option<Named<CallVideo>>,
            /// Code point of the datagrams. Default: best effort.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            dscp: Option<Dscp>,
        }
        /// A ping: the server answers each datagram of the client with one of the same size. The delays are round
        /// trips.
        "ping" Ping {
            /// Time between two datagrams.
            #[serde(default = "every")]
            every: Positive<Duration>,
            /// Size of a datagram on the wire, headers included: 28 B to 65 535 B. The default is that of `ping`.
            #[serde(default = "echo")]
            packet: Written<Bytes>,
            /// Code point of the datagrams and of the answers. Default: best effort.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            dscp: Option<Dscp>,
        }
    }
}

/// Fields that every application has.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'a> {
    pub name: Option<&'a Name>,
    pub from: &'a Name,
    pub to: &'a Name,
    pub count: Option<Count>,
    pub via: Option<&'a Vec<Name>>,
    pub return_via: Option<&'a Vec<Name>>,
    pub start: &'a Starts,
    pub stop: Option<Duration>,
}

/// The common fields of each kind.
macro_rules! ends {
    ($($kind:ident),*) => {
        impl App {
            /// Fields that every application has.
            pub fn ends(&self) -> Ends<'_> {
                match self {
                    $(Self::$kind($kind { name, from, to, count, via, return_via, start, stop, .. }) => Ends {
                        name: name.as_ref(),
                        from,
                        to,
                        count: *count,
                        via: via.as_ref(),
                        return_via: return_via.as_ref(),
                        start,
                        stop: stop.map(|stop| stop.0),
                    },)*
                }
            }
        }
    };
}

ends! { Requests, Session, Video, Page, Game, Call, Ping }

impl App {
    /// Law and options of the connections, if the application has some.
    pub fn tcp(&self) -> Option<(&Law, &Tcp)> {
        match self {
            Self::Requests(app) => Some((&app.law, &app.tcp)),
            Self::Session(app) => Some((&app.law, &app.tcp)),
            Self::Video(app) => Some((&app.law, &app.tcp)),
            Self::Page(app) => Some((&app.law, &app.tcp)),
            Self::Game(_) | Self::Call(_) | Self::Ping(_) => None,
        }
    }

    /// Implementation of the law over QUIC.
    pub fn law_of(&self) -> Option<LawOf> {
        match self {
            Self::Requests(app) => app.law_of,
            Self::Video(app) => app.law_of,
            Self::Page(app) => app.law_of,
            Self::Session(_) | Self::Game(_) | Self::Call(_) | Self::Ping(_) => None,
        }
    }

    /// True if the connections resume a session over QUIC.
    pub fn has_zero_rtt(&self) -> bool {
        match self {
            Self::Requests(app) => app.zero_rtt,
            Self::Video(app) => app.zero_rtt,
            Self::Page(app) => app.tls.0 == 0.0,
            Self::Session(_) | Self::Game(_) | Self::Call(_) | Self::Ping(_) => false,
        }
    }

    /// True if the connections are over QUIC.
    pub fn is_over_quic(&self) -> bool {
        match self {
            Self::Requests(app) => app.transport == Some(Transport::Quic),
            Self::Video(app) => app.transport == Some(Transport::Quic),
            Self::Page(app) => app.protocol == HttpProtocol::Http3,
            Self::Session(_) | Self::Game(_) | Self::Call(_) | Self::Ping(_) => false,
        }
    }

    /// The law of the connections, to be resolved.
    pub fn law_mut(&mut self) -> Option<&mut Law> {
        match self {
            Self::Requests(app) => Some(&mut app.law),
            Self::Session(app) => Some(&mut app.law),
            Self::Video(app) => Some(&mut app.law),
            Self::Page(app) => Some(&mut app.law),
            Self::Game(_) | Self::Call(_) | Self::Ping(_) => None,
        }
    }
}

fn one() -> Count {
    Count(1)
}

fn cubic() -> Law {
    Law { name: "cubic".to_owned(), params: serde_json::Map::new() }
}
