//! Applications: requests and videos over two-way TCP connections, and datagrams of games and pings.

use super::written::{parse, text_schema, units};
use super::{Count, Dscp, Law, Name, Named, Number, Positive, Recording, Spread, Tcp, Written, zero};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use windward_sim as sim;
use windward_units::{BitRate, Bytes, Duration};

use super::named::Tagged;

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
        /// Time at which the application starts.
        #[serde(default = "zero")]
        pub start: Written<Duration>,
        /// Time at which it ends, after `start`: requests that have arrived are served, and no further ones arrive.
        /// Default: the end of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub stop: Option<Written<Duration>>,
    } {
        /// A client sends requests to a server, which answers each with a response.
        "requests" Requests {
            /// Congestion control law of both ends; any but `tfrc`.
            law: Law,
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
        /// A player of adaptive video. It asks for one chunk after the other over one connection, and a rule chooses
        /// the bit rate of each.
        "video" Video {
            /// Congestion control law of both ends; any but `tfrc`.
            law: Law,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Rule that chooses the bit rates. The first chunk has the lowest.
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
            /// Congestion control law of both ends; any but `tfrc`.
            law: Law,
            /// TCP options of both ends.
            #[serde(default)]
            tcp: Tcp,
            /// Objects of the page, the page itself first: a file, either `{"objects": […]}` in JSON or a HAR 1.2, or
            /// the list.
            objects: Recording<PageObject>,
            /// Use of connections: "h2" sends all requests of an origin over one connection, and responses in the order
            /// in which they are ready; "http/1.1" has up to `connections` to an origin, each with one request at a
            /// time.
            #[serde(default)]
            protocol: HttpProtocol,
            /// Most connections to an origin with "http/1.1".
            #[serde(default = "six")]
            connections: Count,
            /// Connections that "http/1.1" opens when the first object of an origin is discovered.
            #[serde(default = "one")]
            preconnect: Count,
            /// Time that the first object of an origin waits for its address.
            #[serde(default = "zero")]
            dns: Written<Duration>,
            /// Round trips of TLS after the handshake of TCP: 1 for TLS 1.3, 2 for TLS 1.2, 0 for none.
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
        /// A telephone call: datagrams of speech both ways at a constant rate. The quality of each direction is judged
        /// by the E-model (ITU-T G.107).
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

tagged! {
    /// Rules of adaptive bit rates.
    Rule by "kind", "a rule, such as \"bola\", or a table with a `kind`" {
        /// Throughput: the largest bit rate of at most `safety` times the estimate (dash.js, sabre).
        "throughput" Throughput {
            /// Share of the estimate, above 0.
            #[serde(default = "safety")]
            safety: Number,
            /// Estimate: "harmonic" mean of the last five chunks, or "ewma", the lesser of two averages with half-lives
            /// of 3 s and 8 s.
            #[serde(default)]
            estimate: Estimate,
        }
        /// Buffer, as in Pensieve's "BB". The level is proportional to the buffer above `reservoir`, and the highest
        /// one `cushion` above it.
        "buffer" BufferBased {
            /// Buffer up to which the level is the lowest.
            #[serde(default = "five_s")]
            reservoir: Written<Duration>,
            /// Buffer above it at which the level is the highest.
            #[serde(default = "ten_s")]
            cushion: Positive<Duration>,
        }
        /// BBA-0 (Huang et al. 2014): a bit rate linear in the buffer; the level changes when it crosses the next one.
        "bba" Bba {
            /// Buffer up to which the level is the lowest. Default: 3/8 of the player's `buffer`, 90 s of 240 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reservoir: Option<Written<Duration>>,
            /// Buffer above it from which the level is the highest. Default: 21/40 of the player's `buffer`, 126 s of
            /// 240 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            cushion: Option<Positive<Duration>>,
        }
        /// BOLA-BASIC (Spiteri et al. 2016), by the buffer alone.
        "bola" Bola {
            /// γ times the playing time of a chunk, above 0: weight of the buffer against the quality.
            #[serde(default = "five")]
            gamma: Number,
            /// Buffer that it aims below; longer than a chunk, at most the player's `buffer`.
            #[serde(default = "twenty_five_s")]
            buffer: Positive<Duration>,
        }
        /// Model-predictive control (Yin et al. 2015): the best quality of experience over the next chunks.
        "mpc" Mpc {
            /// Chunks that the search covers: 1 to 8.
            #[serde(default = "five_chunks")]
            horizon: Count,
        }
        /// The robust form of MPC, which divides the expected throughput by one plus its largest recent error.
        "robust-mpc" RobustMpc {
            /// Chunks that the search covers: 1 to 8.
            #[serde(default = "five_chunks")]
            horizon: Count,
        }
    }
}

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
}

/// Protocol of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"h2\" or \"http/1.1\"")]
pub(crate) enum HttpProtocol {
    /// One multiplexed connection to each origin.
    #[default]
    #[serde(rename = "h2")]
    Http2,
    /// Several connections to each origin, each with one request at a time.
    #[serde(rename = "http/1.1")]
    Http1,
}

/// Estimate of the throughput.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"harmonic\" or \"ewma\"")]
pub(crate) enum Estimate {
    /// Harmonic mean of the last five chunks.
    #[default]
    Harmonic,
    /// The lesser of two averages.
    Ewma,
}

/// Formula of the quality of experience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"linear\" or \"log\"")]
pub(crate) enum Qoe {
    /// Bit rates in Mbit/s, and 4.3 for a stalled second.
    #[default]
    Linear,
    /// Logarithms of the bit rates relative to the lowest, and 2.66 for a stalled second.
    Log,
}

impl From<Estimate> for sim::Estimate {
    fn from(estimate: Estimate) -> Self {
        match estimate {
            Estimate::Harmonic => Self::Harmonic,
            Estimate::Ewma => Self::Ewma,
        }
    }
}

impl From<Qoe> for sim::Qoe {
    fn from(qoe: Qoe) -> Self {
        match qoe {
            Qoe::Linear => Self::Linear,
            Qoe::Log => Self::Log,
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
    pub start: Duration,
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
                        start: start.0,
                        stop: stop.map(|stop| stop.0),
                    },)*
                }
            }
        }
    };
}

ends! { Requests, Video, Page, Game, Call, Ping }

impl App {
    /// Law and options of the connections, if the application has some.
    pub fn tcp(&self) -> Option<(&Law, &Tcp)> {
        match self {
            Self::Requests(app) => Some((&app.law, &app.tcp)),
            Self::Video(app) => Some((&app.law, &app.tcp)),
            Self::Page(app) => Some((&app.law, &app.tcp)),
            Self::Game(_) | Self::Call(_) | Self::Ping(_) => None,
        }
    }

    /// The law of the connections, to be resolved.
    pub fn law_mut(&mut self) -> Option<&mut Law> {
        match self {
            Self::Requests(app) => Some(&mut app.law),
            Self::Video(app) => Some(&mut app.law),
            Self::Page(app) => Some(&mut app.law),
            Self::Game(_) | Self::Call(_) | Self::Ping(_) => None,
        }
    }
}

tagged! {
    /// Arrivals of requests. In an open loop they do not wait for responses; in a closed loop they do.
    Arrivals by "kind", "a table with a `kind`, such as { kind = \"poisson\", load = 0.5 }" {
        /// Open loop: a Poisson process, by `load` or by `rate`.
        "poisson" PoissonArrivals {
            /// Responses with their headers as a share of the slowest link on their way, of all clients of the table
            /// together.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            load: Option<Number>,
            /// Requests per second of each client.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            rate: Option<Number>,
        }
        /// Open loop: one request at the start, and one after every span.
        "periodic" PeriodicArrivals {
            /// Time between two requests of a client.
            every: Positive<Duration>,
        }
        /// Closed loop: each user thinks, sends a request, and waits for the response.
        "closed" ClosedLoop {
            /// Number of users of each client.
            users: Count,
            /// Mean time for which a user thinks.
            think: Written<Duration>,
            /// Distribution of these times.
            #[serde(default = "exponential")]
            think_spread: Spread,
        }
        /// Open loop: given times.
        "csv" ListedArrivals {
            /// A file of comma-separated values with the columns `time_s`, from `start`, and optionally `bytes`, the
            /// size of the response; or a list of the same.
            times: Recording<ArrivalTime>,
        }
    }
}

/// A given arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct ArrivalTime {
    /// Time from `start`, not before that of the arrival above.
    pub time: Written<Duration>,
    /// Size of the response. Default: drawn from `response`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Positive<Bytes>>,
}

tagged! {
    /// Distribution of sizes.
    Sizes by "kind", "a table with a `kind`, such as { kind = \"exponential\", mean = \"20 kB\" }" {
        /// Constant.
        "fixed" FixedSize {
            /// Size.
            size: Positive<Bytes>,
        }
        /// Exponential.
        "exponential" ExponentialSize {
            /// Mean.
            mean: Positive<Bytes>,
        }
        /// Lognormal.
        "lognormal" LognormalSize {
            /// Mean.
            mean: Positive<Bytes>,
            /// Coefficient of variation: standard deviation divided by mean; positive.
            cv: Number,
        }
        /// Pareto between two bounds.
        "pareto" ParetoSize {
            /// Shape, positive.
            shape: Number,
            /// Lower bound.
            min: Positive<Bytes>,
            /// Upper bound.
            max: Positive<Bytes>,
        }
        /// Web search, as in HPCC's and HKUST's traffic generators: mean 1.71 MB, up to 30 MB, linear between 11
        /// points.
        "web-search" WebSearchSize {}
        /// Data mining (VL2), as in HKUST's traffic generator: mean 12.7 MB, up to 1 GB, linear between 12 points.
        "data-mining" DataMiningSize {}
        /// Given points, linear between them.
        "csv" ListedSizes {
            /// A file of comma-separated values with the columns `bytes` and `share`, the share of the responses with
            /// at most so many bytes; or a list of the same. Both increase, and the last share is 1. Sizes below the
            /// first point are that point's.
            points: Recording<SizePoint>,
        }
    }
}

/// A point of a distribution of sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct SizePoint {
    /// Size.
    pub bytes: Positive<Bytes>,
    /// Share of the responses of at most this size; at most 1.
    pub share: Number,
}

/// Size of a response: a size, the name of a distribution, or a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response(pub Sizes);

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTable;
        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Sizes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a size with its unit, such as \"20 kB\", \"web-search\", \"data-mining\", or a table with a \
                     `kind`",
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Sizes, E> {
                if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
                    return Sizes::from_table(MapDeserializer::new(std::iter::once((Sizes::TAG, text))));
                }
                match parse::<Bytes>(text).map_err(E::custom)? {
                    size if size.count() == 0 => Err(E::custom("a response has at least 1 B")),
                    size => Ok(Sizes::FixedSize(FixedSize { size: Positive(size) })),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Sizes, A::Error> {
                Sizes::from_table(map)
            }
        }
        deserializer.deserialize_any(TextOrTable).map(Self)
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Response {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Response".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = text_schema(&units::<Bytes>().collect::<Vec<_>>(), &["web-search", "data-mining"], &["20 kB"]);
        json_schema!({ "anyOf": [text, generator.subschema_for::<Sizes>()] })
    }
}

/// Use of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Reuse {
    /// One for each request.
    #[default]
    New,
    /// Kept, as many as needed.
    Pool,
    /// Kept, up to a number.
    Most(Count),
}

struct ReuseVisitor;

impl Visitor<'_> for ReuseVisitor {
    type Value = Reuse;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"new\", \"pool\" or a number of connections")
    }
    fn visit_str<E: de::Error>(self, word: &str) -> Result<Reuse, E> {
        match word {
            "new" => Ok(Reuse::New),
            "pool" => Ok(Reuse::Pool),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
    fn visit_i64<E: de::Error>(self, count: i64) -> Result<Reuse, E> {
        Count::deserialize(de::IntoDeserializer::into_deserializer(count)).map(Reuse::Most)
    }
    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Reuse, E> {
        Count::deserialize(de::IntoDeserializer::into_deserializer(count)).map(Reuse::Most)
    }
}

impl Serialize for Reuse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::New => serializer.serialize_str("new"),
            Self::Pool => serializer.serialize_str("pool"),
            Self::Most(count) => count.serialize(serializer),
        }
    }
}

read_and_describe! {
    Reuse by ReuseVisitor => |reuse| reuse, json_schema!({ "anyOf": [
        { "enum": ["new", "pool"] },
        { "type": "integer", "minimum": 1, "maximum": super::MAX_COUNT },
    ] });
}

fn request() -> Positive<Bytes> {
    Positive(Bytes::new(328))
}

fn exponential() -> Spread {
    Spread::Exponential
}

fn every() -> Positive<Duration> {
    Positive(Duration::from_millis(200))
}

fn speech() -> Written<Bytes> {
    Written(Bytes::new(120))
}

fn twenty_ms() -> Positive<Duration> {
    Positive(Duration::from_millis(20))
}

fn playout() -> Written<Duration> {
    Written(Duration::from_millis(60))
}

fn no_impairment() -> Number {
    Number(0.0)
}

fn robustness() -> Number {
    Number(25.0)
}

fn echo() -> Written<Bytes> {
    Written(Bytes::new(84))
}

fn six() -> Count {
    Count(6)
}

fn one_trip() -> Number {
    Number(1.0)
}

fn thirty_s() -> Written<Duration> {
    Written(Duration::from_millis(30_000))
}

fn ladder() -> Vec<Positive<BitRate>> {
    [300, 750, 1200, 1850, 2850, 4300].map(|kbps| Positive(BitRate::bits_per_sec(1000 * kbps))).to_vec()
}

fn chunk() -> Positive<Duration> {
    Positive(Duration::from_millis(4000))
}

fn sixty_s() -> Positive<Duration> {
    Positive(Duration::from_millis(60_000))
}

fn twenty_five_s() -> Positive<Duration> {
    Positive(Duration::from_millis(25_000))
}

fn ten_s() -> Positive<Duration> {
    Positive(Duration::from_millis(10_000))
}

fn five_s() -> Written<Duration> {
    Written(Duration::from_millis(5000))
}

fn one() -> Count {
    Count(1)
}

fn five_chunks() -> Count {
    Count(5)
}

fn five() -> Number {
    Number(5.0)
}

fn safety() -> Number {
    Number(0.9)
}
