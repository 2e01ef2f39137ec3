//! Findings about single scripts.

/// Folders about what the simulator does not have.
pub const OUTSIDE: &[(&str, &str)] = &[
    ("blocking", "calls that block: the simulator has no sockets"),
    ("close", "closing a connection: the simulator's flows end with their last ACK"),
    ("eor", "records of the application, kept apart in segments"),
    ("epoll", "waiting for sockets"),
    ("fastopen", "data in SYNs (RFC 7413)"),
    ("gro", "segments joined by the receiving device"),
    ("inq", "how much is to be read"),
    ("ioctl", "calls about the socket"),
    ("md5", "signed segments"),
    ("mss", "what the two ends' largest segments follow from"),
    ("mtu_probe", "probing for larger segments"),
    ("nagle", "short segments held back"),
    ("notsent_lowat", "waiting for room to send"),
    ("sendfile", "sending from files"),
    ("shutdown", "closing one direction"),
    ("splice", "reading into pipes"),
    ("syncookies", "handshakes of which nothing is kept"),
    ("syscall_bad_arg", "calls with wrong arguments"),
    ("timestamping", "the socket's reports about when bytes were sent"),
    ("user_timeout", "giving a connection up"),
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
        "The reordering window is min_rtt/4 = 25 ms and the timer's margin 2 ms; the scripts sack-shift-sacked-7-3-4-8-9-fack and 7-5-6-8-9-fack, which stand in the same \
         situation, expect the segment after these 27 ms. Linux 6.18.44, to which packetdrill played the script, sends it after 32 ms, its timers' ticks of 4 ms included",
    ),
    (
        "invalid_ack",
        "Linux dropped what acknowledges bytes that were never sent, and now answers it too, as RFC 9293 §3.10.7.4 has it and the kernel's own script of this name \
         expects; so does the simulator",
    ),
    (
        "sack_space_grab_with_ts",
        "Beside stamps and accurate ECN's option there is room for two blocks; the simulator does not send that option, and has room for three",
    ),
    (
        "tsprogress",
        "An ACK that delivers nothing and counts one more mark. Linux believes it where its stamp is a new one; in the simulator ACKs have no stamps of their own, and \
         the mark is counted with the next ACK that delivers something",
    ),
    ("cubic-bulk-166k-idle-restart", ROUNDS),
    ("cubic-bulk-166k", ROUNDS),
    (
        "cwnd-moderation-ecn-enter-cwr-no-moderation-700",
        "The script has one packet for the one delivered, 3 + 1; Linux's tcp_cwnd_reduction has meanwhile one more where the ACK advances and nothing is newly lost (RFC \
         9937 §6.2), and so has the simulator, 3 + 2. Linux 6.18.44, to which packetdrill played the script, has 5 as well",
    ),
];

const ROUNDS: &str = "HyStart ends slow start at 36 packets; so does Linux 6.18.44, to which packetdrill played the script, paced or not, in pieces of two or of four segments. \
     Until 2025 (commit 25c1a9ca53db) Linux looked for the ends of round trips from a window of 16 on only: the one that ends slow start then began six ACKs later, at 48";
