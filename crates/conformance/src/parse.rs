//! The language of packetdrill's scripts, as far as it concerns one connection over IPv4.
//!
//! N. Cardwell et al., "packetdrill: Scriptable Network Stack Testing, from Sockets to Packets", USENIX ATC 2013, §3.

use crate::reader::{Reader, Unread};
use crate::script::{Action, Call, Event, Script, Segment, TcpOption, When};

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, Unread> {
    let mut reader = Reader::new(text);
    let mut script = Script::default();
    loop {
        reader.skip_blanks();
        if reader.is_done() {
            return Ok(script);
        }
        if reader.take("--") {
            read_option(&mut reader, &mut script)?;
        } else if script.events.is_empty() && reader.rest().starts_with('`') {
            script.setup.extend(commands(&mut reader)?);
        } else {
            script.events.push(event(&mut reader)?);
        }
    }
}

/// `--name=value`.
fn read_option(reader: &mut Reader, script: &mut Script) -> Result<(), Unread> {
    let place = reader.clone();
    let word = reader.word(|c| !c.is_whitespace());
    match word.split_once('=') {
        Some(("tcp_ts_tick_usecs", "1000")) => {
            script.has_tick = true;
            Ok(())
        }
        // How large the other end's segments are: the handshake says it too. Both versions' TCP is the same.
        Some(("mss", _)) | Some(("ip_version", "ipv4" | "ipv6")) => Ok(()),
        Some(("tolerance_usecs", value)) => {
            script.tolerance = Some(value.parse().map_err(|_| place.unread("no number of microseconds"))?);
            Ok(())
        }
        _ => Err(place.unread("an option of packetdrill that is not known")),
    }
}

/// Commands between backquotes; a backslash at the end of a line joins it to the next.
fn commands(reader: &mut Reader) -> Result<Vec<String>, Unread> {
    reader.need("`")?;
    let text = reader.until("`")?.replace("\\\n", " ");
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect())
}

fn event(reader: &mut Reader) -> Result<Event, Unread> {
    let line = reader.line();
    // Commands that clean up may stand without a time.
    let time = if reader.rest().starts_with('`') { When::After(0) } else { when(reader)? };
    reader.skip_blanks();
    let action = match reader.rest().chars().next() {
        Some('<') => {
            reader.skip(1);
            Action::Inbound(segment(reader)?)
        }
        Some('>') => {
            reader.skip(1);
            Action::Outbound(segment(reader)?)
        }
        Some('%') => {
            reader.need("%{")?;
            Action::Code(reader.until("}%")?.to_owned())
        }
        Some('`') => Action::Commands(commands(reader)?),
        _ => Action::Call(call(reader)?),
    };
    Ok(Event { line, time, action })
}

fn when(reader: &mut Reader) -> Result<When, Unread> {
    if reader.take("*") {
        return Ok(When::Any);
    }
    let place = reader.clone();
    let is_after = reader.take("+");
    let begin = reader.millionths().ok_or_else(|| place.unread("a time is missing"))?;
    if reader.take("~") {
        let is_end_after = reader.take("+");
        let end = reader.millionths().ok_or_else(|| place.unread("a time is missing"))?;
        return match (is_after, is_end_after) {
            (true, true) => Ok(When::AfterBetween(begin, end)),
            (false, false) => Ok(When::AtBetween(begin, end)),
            _ => Err(place.unread("a span between two sorts of times")),
        };
    }
    if reader.take("...") {
        // When a call that blocks returns.
        reader.take("+");
        reader.millionths().ok_or_else(|| place.unread("a time is missing"))?;
    }
    Ok(if is_after { When::After(begin) } else { When::At(begin) })
}

fn segment(reader: &mut Reader) -> Result<Segment, Unread> {
    let mut segment = Segment::default();
    if reader.take("[") {
        segment.ip = Some(reader.until("]")?.trim().to_owned());
    }
    let place = reader.clone();
    segment.flags = reader.word(|c| "SFRPEWAU.0123456789".contains(c)).to_owned();
    if segment.flags.is_empty() || !reader.rest().starts_with([' ', '\t']) {
        return Err(place.unread("no segment of TCP"));
    }
    segment.from = reader.number()?;
    reader.need(":")?;
    segment.to = reader.number()?;
    reader.need("(")?;
    let length = reader.number()?;
    reader.need(")")?;
    if segment.to.wrapping_sub(segment.from) != length {
        return Err(place.unread("a length that the bytes do not have"));
    }
    let mut options = Some(Vec::new());
    loop {
        // What follows on the same line.
        let rest = reader.rest().trim_start_matches([' ', '\t']);
        if rest.starts_with("ack ") {
            reader.take("ack");
            segment.ack = Some(reader.number()?);
        } else if rest.starts_with("win ") {
            reader.take("win");
            segment.window = Some(reader.number()?);
        } else if rest.starts_with('<') {
            options = read_options(reader)?;
        } else if rest.starts_with("urg ") {
            return Err(reader.unread("an urgent pointer"));
        } else {
            break;
        }
    }
    segment.options = options;
    Ok(segment)
}

/// `<mss 1000,sackOK,...>`; `None` for `<...>`: any.
fn read_options(reader: &mut Reader) -> Result<Option<Vec<TcpOption>>, Unread> {
    reader.need("<")?;
    if reader.take("...") {
        reader.need(">")?;
        return Ok(None);
    }
    let mut options = Vec::new();
    loop {
        let place = reader.clone();
        let option = match reader.word(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            "nop" => TcpOption::Nop,
            "sackOK" => TcpOption::SackOk,
            "mss" => TcpOption::Mss(reader.number()?),
            "wscale" => TcpOption::Scale(reader.number()?),
            "TS" => {
                reader.need("val")?;
                let own = reader.number()?;
                reader.need("ecr")?;
                TcpOption::Stamps(own, reader.number()?)
            }
            "sack" => TcpOption::Sack(blocks(reader)?),
            "ECN" => {
                // Counters of bytes, by codepoint.
                while ["e0b", "ceb", "e1b"].iter().any(|counter| reader.take(counter)) {
                    reader.number()?;
                }
                TcpOption::Ecn
            }
            _ => return Err(place.unread("an option of TCP that the simulator does not have")),
        };
        options.push(option);
        if !reader.take(",") {
            break;
        }
    }
    reader.need(">")?;
    Ok(Some(options))
}

fn blocks(reader: &mut Reader) -> Result<Vec<(u32, u32)>, Unread> {
    let mut blocks = Vec::new();
    loop {
        let from = reader.number()?;
        reader.need(":")?;
        blocks.push((from, reader.number()?));
        reader.skip_blanks();
        if !reader.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(blocks);
        }
    }
}

fn call(reader: &mut Reader) -> Result<Call, Unread> {
    let place = reader.clone();
    let name = reader.word(|c| c.is_ascii_alphanumeric() || c == '_').to_owned();
    if name.is_empty() || !reader.take("(") {
        return Err(place.unread("neither a segment nor a call"));
    }
    let arguments = arguments(reader)?;
    let result = if reader.take("=") { reader.word(|c| !c.is_whitespace()).to_owned() } else { String::new() };
    // The rest of the line names errors and flags: `EINPROGRESS (Operation now in progress)`.
    let rest = reader.rest();
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    reader.skip(line.find("//").unwrap_or(line.len()));
    Ok(Call { name, arguments, result })
}

/// The arguments of a call, as they stand, up to its closing bracket.
fn arguments(reader: &mut Reader) -> Result<Vec<String>, Unread> {
    let place = reader.clone();
    let (mut depth, mut length) = (0usize, None);
    let mut arguments = vec![String::new()];
    for (at, character) in reader.rest().char_indices() {
        match character {
            ')' if depth == 0 => {
                length = Some(at + 1);
                break;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        arguments.last_mut().expect("there is one").push(character);
    }
    reader.skip(length.ok_or_else(|| place.unread("a call without an end"))?);
    Ok(arguments.iter().map(|argument| argument.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_line_is_read() {
        let script = parse(
            "// Says what it is for.\n--tolerance_usecs=20000\n`./defaults.sh\nsysctl -q a=1 \\\n  b=2\n# a note\n`\n\
             0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\
             +0...0.010 connect(3, {sa_family = AF_INET, x(1)}, ...) = -1 EINPROGRESS (Operation now in progress)\n\
             +.1 < [ce] SEW 0:0(0) win 100 <mss 1000,sackOK,TS val 7 ecr 0,nop,wscale 7>\n\
             +0 > . 1:1001(1000) ack 1 <nop,nop,sack 3:4 5:6> // more\n\
             * > S. 0:0(0) ack 1 <...>\n\
             +.3~+.303 > F. 1:1(0) ack 1\n+0 %{ assert 1 == 1\n}% /* end */\n",
        )
        .expect("it is a script");
        assert_eq!(
            (script.tolerance, script.setup),
            (Some(20_000), vec!["./defaults.sh".into(), "sysctl -q a=1 b=2".into()])
        );
        let times: Vec<_> = script.events.iter().map(|event| (event.line, event.time)).collect();
        let spans = [When::At(0), When::After(0), When::After(100_000), When::After(0), When::Any];
        assert_eq!(times[..5], [(8, spans[0]), (9, spans[1]), (10, spans[2]), (11, spans[3]), (12, spans[4])]);
        assert_eq!(times[5..], [(13, When::AfterBetween(300_000, 303_000)), (14, When::After(0))]);
        let Action::Call(call) = &script.events[1].action else { panic!("a call") };
        assert_eq!((call.arguments.len(), call.result.as_str()), (3, "-1"));
        let Action::Inbound(syn) = &script.events[2].action else { panic!("a segment that arrives") };
        assert_eq!(
            (syn.ip.as_deref(), syn.stamps(), syn.has('W'), syn.window),
            (Some("ce"), Some((7, 0)), true, Some(100))
        );
        let Action::Outbound(data) = &script.events[3].action else { panic!("a segment that is sent") };
        assert_eq!((data.sack(), data.to, data.ack), (vec![(3, 4), (5, 6)], 1001, Some(1)));
        let Action::Outbound(answer) = &script.events[4].action else { panic!("a segment that is sent") };
        assert_eq!(answer.options, None);
    }

    #[test]
    fn what_it_does_not_know_is_named_with_its_line() {
        for (text, line, what) in [
            ("\n+0 > . 1:2(3) ack 1", 2, "a length that the bytes do not have"),
            ("0 < S 0:0(0) win 1 <FO abcd>", 1, "an option of TCP that the simulator does not have"),
            ("\n\n+0 < icmp unreachable", 3, "no segment of TCP"),
            ("+x < . 1:1(0)", 1, "a time is missing"),
            ("--wait=1", 1, "an option of packetdrill"),
            ("0 `true", 1, "\"`\" is missing"),
        ] {
            let unread = parse(text).expect_err(text);
            assert!(unread.line == line && unread.what.starts_with(what), "{text}: {unread:?}");
        }
    }
}
