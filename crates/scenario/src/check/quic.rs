//! Options of connections over QUIC.

use super::common::{given_of, place};
use super::law;
use super::tcp::{Table, mechanisms, path};
use crate::format::{self, Law, Tcp};
use crate::problems::Problems;
use windward_sim::{EcnMode, LawChoice, LawOf, QuicOptions, TcpOptions, UDP_HEADERS};

/// UDP payload of full datagrams: the least that every path must carry (RFC 9000 §14), and the largest.
const DATAGRAMS: [u64; 2] = [1200, 65_507];

/// Largest initial window, in packets.
const MOST_WINDOW: u32 = 1000;

/// Name of the stack of connections under a law of `of`, and the laws that it has itself.
fn stack(of: LawOf) -> (&'static str, &'static [&'static str]) {
    match of {
        LawOf::Windward | LawOf::Quinn => ("quinn", &["reno", "cubic", "bbr"]),
        LawOf::Noq => ("noq", &["reno", "cubic", "bbr3"]),
    }
}

/// Hint where an option is TCP's.
pub(super) const REMOVE: &str = "remove it, or `transport = \"tcp\"`";

/// Refusal of a key that TCP alone has. `subject` is what is over QUIC.
pub(super) fn needs_tcp(key: &str, subject: &str) -> String {
    format!("`{key}` needs TCP; the {subject} is over QUIC")
}

/// Law of connections over QUIC with these options; refuses the laws and the options that only TCP has. `subject` is
/// what is over QUIC.
pub(super) fn check(
    given: &Tcp,
    tcp: &TcpOptions,
    (law, options): (Option<&LawChoice>, QuicOptions),
    (table, subject): (Table<'_>, &str),
    problems: &mut Problems,
) -> Option<LawChoice> {
    let others = [
        ("stack", given.stack.is_some()),
        ("initial_ssthresh", given.initial_ssthresh.is_some()),
        ("read", given.read.is_some()),
        ("receive_buffer", given.receive_buffer.is_some()),
        ("send_buffer", given.send_buffer.is_some()),
        ("nagle", given.nagle),
        ("idle_restart", given.idle_restart.is_some()),
    ];
    let mut refuse = |key: &'static str, why: String, hint: Option<&str>| {
        problems.add(path(table, &[key]), why, hint.map(str::to_owned));
    };
    for key in given_of(mechanisms(given).into_iter().chain(others)) {
        refuse(key, needs_tcp(key, subject), Some(REMOVE));
    }
    let (of, (stack, own)) = (options.law_of, stack(options.law_of));
    if tcp.ecn == EcnMode::Scalable && given.ecn.is_some() {
        let why = format!("`ecn = \"scalable\"` needs TCP: {stack} sends ECT(0) only");
        refuse("ecn", why, Some("ecn = \"accurate\""));
    }
    let [least, most] = DATAGRAMS;
    let datagram = tcp.wire_bytes().saturating_sub(UDP_HEADERS.into());
    if !(least..=most).contains(&datagram) {
        let why = format!(
            "a full packet of {} B has {datagram} B of UDP payload; QUIC needs {least} B to {most} B",
            tcp.wire_bytes()
        );
        refuse("segment", why, None);
    }
    let window = tcp.initial_window;
    if !(2..=MOST_WINDOW).contains(&window) {
        let why = format!("`initial_window` over QUIC is {window}; allowed: 2 to {MOST_WINDOW}");
        refuse("initial_window", why, None);
    }
    let (list, at, _) = table;
    let mut refuse_law = |why: String, hint: Option<&str>| {
        problems.add(place(list, at, ["law".into()]), why, hint.map(str::to_owned));
        None
    };
    match law? {
        LawChoice::Known(spec) | LawChoice::Quic(spec, _) if spec.needs().counts_marks => refuse_law(
            format!("`{}` counts ECN marks, and {stack} reports only that there were some", spec.name()),
            Some("take a law that does not, such as `cubic`, or `transport = \"tcp\"`"),
        ),
        LawChoice::Known(spec) | LawChoice::Quic(spec, _) if of != LawOf::Windward && !own.contains(&spec.name()) => {
            refuse_law(
                format!("{stack} has no `{}`; it has {}", spec.name(), own.join(", ")),
                Some("leave `law_of` out"),
            )
        }
        LawChoice::Known(spec) | LawChoice::Quic(spec, _) if of != LawOf::Windward && !law::is_default(spec) => {
            refuse_law(format!("the parameters of `{}` are Windward's; {stack}'s has none", spec.name()), None)
        }
        LawChoice::Known(spec) | LawChoice::Quic(spec, _) => Some(LawChoice::Quic(*spec, options)),
        LawChoice::Tfrc(_) => refuse_law("`tfrc` is a transport of its own; QUIC needs a law".to_owned(), None),
        LawChoice::Own(_) => refuse_law(
            "laws in Python do not run over QUIC".to_owned(),
            Some("write it as `law = { name = \"formula\", … }`, or `transport = \"tcp\"`"),
        ),
    }
}

/// Name of a law in the tables of results.
pub(super) fn shown(law: &Law, of: Option<format::LawOf>) -> String {
    match format::LawOf::chosen(of) {
        LawOf::Windward => law.name.clone(),
        theirs => format!("{} of {}", law.name, stack(theirs).0),
    }
}

/// Refuses the options of QUIC over TCP, whose laws are Windward's.
pub(super) fn refuse_options(
    given: Option<format::LawOf>,
    zero_rtt: bool,
    (list, at): (&str, usize),
    problems: &mut Problems,
) {
    if zero_rtt {
        let hint = Some("leave it out".to_owned());
        problems.add(place(list, at, ["zero_rtt".into()]), "`zero_rtt` needs QUIC", hint);
    }
    if given.is_some() {
        let why = "`law_of` needs QUIC: over TCP all laws are Windward's";
        problems.add(place(list, at, ["law_of".into()]), why, Some("leave it out".to_owned()));
    }
}
