//! The runner, by scripts of our own: what they say is worked out from the RFCs.

use std::path::{Path, PathBuf};
use windward_conformance::{Verdict, judge};

fn script(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(name);
    let text = std::fs::read_to_string(&path).expect("the script is there");
    (path, text)
}

/// Verdict on a script with `from` replaced by `to`.
fn with(name: &str, from: &str, to: &str) -> Verdict {
    let (path, text) = script(name);
    assert!(text.contains(from), "{name} has {from}");
    judge(&path, &text.replacen(from, to, 1), &mut |_| ())
}

#[test]
fn the_simulator_does_what_the_scripts_say() {
    for name in [
        "recovery.pkt",
        "overtaken.pkt",
        "probe.pkt",
        "late.pkt",
        "duplicate.pkt",
        "unused.pkt",
        "receiver.pkt",
        "marks.pkt",
        "accurate.pkt",
        "closing.pkt",
        "window.pkt",
        "small.pkt",
    ] {
        let (path, text) = script(name);
        let mut sent = Vec::new();
        let verdict = judge(&path, &text, &mut |line| sent.push(line));
        assert_eq!(verdict, Verdict::Passes { until: None }, "{name}: {sent:#?}");
    }
}

#[test]
fn a_wrong_expectation_is_found_in_its_line() {
    for (name, from, to, line, what) in [
        // Another segment, another time, nothing in time, another ACK, other blocks, another stamp, another window, a
        // codepoint, a flag.
        ("recovery.pkt", "> . 1:501(500) ack 1", "> . 501:1001(500) ack 1", 22, "; got . 1:501(500) ack 1 at 0.162"),
        ("probe.pkt", "+.1~+.103 >", "+.14 >", 15, "; got . 2001:3001(1000) ack 1 at 0.202"),
        ("probe.pkt", "+.1~+.103 >", "+.06 >", 15, "; nothing is sent by then"),
        ("receiver.pkt", "ack 2965 <", "ack 2964 <", 17, "; got . 1:1(0) ack 2965 sack 3953:4941"),
        (
            "receiver.pkt",
            "sack 3953:4941 1977:2965",
            "sack 1977:2965 3953:4941",
            13,
            "; got . 1:1(0) ack 989 sack 3953:4941 1977:2965",
        ),
        ("receiver.pkt", "TS val 130 ecr 710", "TS val 130 ecr 700", 9, "; got . 1:1(0) ack 989"),
        (
            "recovery.pkt",
            "tcpi_snd_ssthresh == 7",
            "tcpi_snd_ssthresh == 5",
            23,
            "asserts otherwise: tcpi_snd_ssthresh = 7",
        ),
        ("marks.pkt", "[ect0] P.", "[noecn] P.", 10, "; got [ect0] . 1:1001(1000) ack 1"),
        ("accurate.pkt", "WA. 10001", "EWA. 10001", 19, "; got .6 10001:10001(0) ack 1001"),
        ("accurate.pkt", "tcpi_delivered_ce == 8", "tcpi_delivered_ce == 0", 17, "tcpi_delivered_ce = 8"),
        ("accurate.pkt", "[ect0] .6 10001", "[noecn] .6 10001", 23, "; got [ect0] .6 10001:11001(1000)"),
        ("marks.pkt", "W. 6001", ". 6001", 14, "; got [ect0] W. 6001:7001(1000) ack 1"),
    ] {
        let verdict = with(name, from, to);
        let Verdict::Differs { line: at, what: found } = &verdict else { panic!("{name}, {to}: {verdict:?}") };
        assert!((*at, found.contains(what)) == (line, true), "{name}, {to}: {verdict:?}");
    }
}

#[test]
fn what_the_simulator_does_not_have_is_said() {
    for (from, to, line, why) in [
        ("tcp_congestion_control=cubic", "tcp_recovery=0", 0, "the setting tcp_recovery = 0"),
        ("sack 1001:1501", "sack 1001:1101", 17, "a SACK of a part of a segment"),
        ("write(4, ..., 6000) = 6000", "sendmsg(4, ..., 0) = 6000", 13, "the call sendmsg"),
        ("tcpi_lost == 2", "tcpi_sndbuf_limited == 2", 23, "asserts about tcpi_sndbuf_limited"),
    ] {
        let verdict = with("recovery.pkt", from, to);
        let Verdict::Inapplicable { line: at, why: found } = &verdict else { panic!("{to}: {verdict:?}") };
        assert!(*at == line && found.starts_with(why), "{to}: {verdict:?}");
    }
    // The handshake is taken as it stands.
    let (path, text) = script("marks.pkt");
    let handshake: String = text.lines().take(8).flat_map(|line| [line, "\n"]).collect();
    let verdict = judge(&path, &handshake, &mut |_| ());
    assert!(
        matches!(&verdict, Verdict::Inapplicable { why, .. } if why.starts_with("only a handshake")),
        "{verdict:?}"
    );
    // As far as that it is played.
    let reset = with("recovery.pkt", " +.08 < . 1:1(0) ack 6001", "   +0 < R. 1:1(0) ack 1\n +.08 < . 1:1(0) ack 6001");
    assert_eq!(reset, Verdict::Passes { until: Some((32, "a reset".into())) });
}
