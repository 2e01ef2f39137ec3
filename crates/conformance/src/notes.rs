//! Findings about single scripts.

/// Folders about what the simulator does not have.
pub const OUTSIDE: &[(&str, &str)] = &[
    ("blocking", "calls that block: the simulator has no sockets"),
    ("eor", "records of the application, kept apart in segments"),
    ("epoll", "waiting for sockets"),
    ("fastopen", "data in SYNs (RFC 7413)"),
    ("gro", "segments joined by the receiving device"),
    ("inq", "the number of bytes to read"),
    ("ioctl", "calls about the socket"),
    ("md5", "signed segments"),
    ("mss", "the derivation of the two ends' largest segments"),
    ("mtu_probe", "probing for larger segments"),
    ("notsent_lowat", "waiting for room to send"),
    ("sendfile", "sending from files"),
    ("splice", "reading into pipes"),
    ("syncookies", "handshakes without stored state"),
    ("syscall_bad_arg", "calls with wrong arguments"),
    ("timestamping", "the socket's reports about when bytes were sent"),
    ("user_timeout", "a timeout for the connection"),
    ("validate", "packetdrill's own check of a machine"),
    ("zerocopy", "sending without copying"),
];

/// Folders that the names of Linux's own scripts begin with, besides those above.
pub const TOPICS: &[&str] = &[
    "accecn",
    "ecn",
    "fast_recovery",
    "limited_transmit",
    "sack",
    "slow_start",
    "tcp_info",
    "ts_recent",
    "rcv",
    "rfc5961",
];

/// Why scripts differ.
pub const WHYS: &[(&str, &str)] = &[
    (
        "fr-4pkt-fack-last-mss",
        "The reordering window is min_rtt/4 = 25 ms and the timer's margin 2 ms. In the same situation the scripts sack-shift-sacked-7-3-4-8-9-fack and \
         7-5-6-8-9-fack expect the segment after these 27 ms. Under packetdrill Linux 6.18.44 sends it after 32 ms, including its timer ticks of 4 ms",
    ),
    (
        "invalid_ack",
        "Linux formerly dropped an ACK of bytes that were never sent. It now answers it, as RFC 9293 §3.10.7.4 and the kernel's own script of this name require, and \
         so does the simulator",
    ),
    (
        "sack_space_grab_with_ts",
        "Timestamps and accurate ECN's option leave room for two blocks. The simulator does not send that option, and has room for three",
    ),
    (
        "tsprogress",
        "An ACK without new data counts one more mark. Linux accepts it if its timestamp is new. In the simulator ACKs have no timestamps of their own, and the mark \
         is counted with the next ACK of new data",
    ),
    (
        "shutdown-rdwr-write-queue-close",
        "Linux sends a FIN without data regardless of the window (tcp_cwnd_test). In the simulator it waits for room in it",
    ),
    ("cubic-bulk-166k-idle-restart", ROUNDS),
    ("cubic-bulk-166k", ROUNDS),
    (
        "cwnd-moderation-ecn-enter-cwr-no-moderation-700",
        "The script expects one packet for the one delivered, 3 + 1. Linux's tcp_cwnd_reduction now allows one more if the ACK advances and no loss is new (RFC 9937 \
         §6.2), and so does the simulator, 3 + 2. Under packetdrill Linux 6.18.44 has 5 as well",
    ),
];

const ROUNDS: &str = "HyStart ends slow start at 36 packets. So does Linux 6.18.44 under packetdrill, with and without pacing, in pieces of two or of four segments. Until 2025 \
     (commit 25c1a9ca53db) Linux detected the ends of round trips only from a window of 16 on. The one that ends slow start then began six ACKs later, at 48";
