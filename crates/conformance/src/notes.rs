//! What is known about scripts that was found by looking into them.

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
    ("syscall_bad_arg", "calls with wrong arguments"),
    ("timestamping", "the socket's reports about when bytes were sent"),
    ("user_timeout", "giving a connection up"),
    ("validate", "packetdrill's own check of a machine"),
    ("zerocopy", "sending without copying"),
];

/// Why scripts differ.
pub const WHYS: &[(&str, &str)] = &[
    (
        "fr-4pkt-fack-last-mss",
        "The reordering window is min_rtt/4 = 25 ms and the timer's margin 2 ms; the scripts sack-shift-sacked-7-3-4-8-9-fack and 7-5-6-8-9-fack, which stand in the same \
         situation, expect the segment after these 27 ms",
    ),
    ("cubic-bulk-166k-idle-restart", CUBIC),
    ("cubic-bulk-166k", CUBIC),
    ("cubic-hystart-delay-min-rtt-jumps-downward", CUBIC),
    ("cubic-hystart-delay-rtt-jumps-upward", CUBIC),
    ("cubic-rto-ss-ca-cwnd-bump", CUBIC),
];

const CUBIC: &str = "The simulator's CUBIC is RFC 9438's, in real numbers and with HyStart++; Linux's is in whole packets and has HyStart";
