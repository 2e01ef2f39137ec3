//! Assertions: the part of Python that scripts use about numbers.

use std::collections::BTreeMap;

/// Outcome of a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All holds.
    Holds,
    /// This does not, with the values of the names in it.
    Fails(String),
    /// A name that nobody knows, or a form that is not read.
    Unknown(String),
}

/// Named numbers of scripts and of the socket.
pub type Names = BTreeMap<String, i64>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Name(String),
    Sign(&'static str),
    Text,
    /// The end of a statement.
    End,
}

/// Counters of accurate ECN's option (RFC 9768 §3.2.3), which the simulator does not have: beside them scripts look at
/// the counter of packets, which it has.
const PASSED_OVER: [&str; 3] = ["tcpi_delivered_ce_bytes", "tcpi_delivered_e0_bytes", "tcpi_delivered_e1_bytes"];

const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "//", "+=", "-=", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", ",", "."];

/// Runs `code`, which may name numbers of its own in `own` besides those of `socket`.
pub fn run(code: &str, own: &mut Names, socket: &Names) -> Outcome {
    let tokens = match tokens(code) {
        Ok(tokens) => tokens,
        Err(what) => return Outcome::Unknown(what),
    };
    for statement in tokens.split(|token| *token == Token::End).filter(|statement| !statement.is_empty()) {
        match run_statement(statement, own, socket) {
            Ok(None) => {}
            Ok(Some(failure)) => return Outcome::Fails(failure),
            Err(what) if PASSED_OVER.contains(&what.as_str()) => {}
            Err(what) => return Outcome::Unknown(what),
        }
    }
    Outcome::Holds
}

fn tokens(code: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let code = code.replace("\\\n", " ");
    let mut rest = code.as_str();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\n' | ';' => {
                tokens.push(Token::End);
                1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            quote @ ('\'' | '"') => {
                tokens.push(Token::Text);
                2 + rest[1..].find(quote).ok_or("a text without an end")?
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ if first.is_ascii_alphanumeric() || first == '_' => {
                let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(word(&rest[..length])?);
                length
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| format!("the sign {first}"))?;
                tokens.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

fn word(word: &str) -> Result<Token, String> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Token::Name(word.to_owned()));
    }
    let number = match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    number.map(Token::Number).map_err(|_| format!("the number {word}"))
}

/// Returns the first assertion that does not hold.
fn run_statement(statement: &[Token], own: &mut Names, socket: &Names) -> Result<Option<String>, String> {
    if let [Token::Name(name), Token::Sign(sign @ ("=" | "+=" | "-=")), value @ ..] = statement {
        let value = Expression { tokens: value, own, socket, seen: Vec::new() }.whole()?;
        let before = own.get(name).copied();
        let base = if *sign == "=" { Some(0) } else { before };
        let base = base.ok_or_else(|| format!("the name {name}"))?;
        own.insert(name.clone(), if *sign == "-=" { base - value } else { base + value });
        return Ok(None);
    }
    match statement {
        // What is printed is not checked.
        [Token::Name(name), ..] if name == "print" => Ok(None),
        [Token::Name(name), rest @ ..] if name == "assert" => {
            let mut expression = Expression { tokens: rest, own, socket, seen: Vec::new() };
            let value = expression.or()?;
            if !matches!(expression.tokens, [] | [Token::Sign(","), ..]) {
                return Err("what follows an assertion".into());
            }
            let seen = expression.seen.iter().map(|(name, value)| format!("{name} = {value}"));
            Ok((value == 0).then(|| seen.collect::<Vec<_>>().join(", ")))
        }
        _ => Err("a statement of its own".into()),
    }
}

/// An expression, read from the left; truth is 1.
struct Expression<'a> {
    tokens: &'a [Token],
    own: &'a Names,
    socket: &'a Names,
    /// The names of the socket's numbers that were met, with their values.
    seen: Vec<(String, i64)>,
}

impl Expression<'_> {
    fn whole(&mut self) -> Result<i64, String> {
        let value = self.or()?;
        if self.tokens.is_empty() { Ok(value) } else { Err("what follows an expression".into()) }
    }

    fn take(&mut self, token: &Token) -> bool {
        let comes = self.tokens.first() == Some(token);
        self.tokens = &self.tokens[usize::from(comes)..];
        comes
    }

    fn take_name(&mut self, name: &str) -> bool {
        self.take(&Token::Name(name.to_owned()))
    }

    fn or(&mut self) -> Result<i64, String> {
        let mut value = self.and()?;
        while self.take_name("or") {
            let other = self.and()?;
            value = if value != 0 { value } else { other };
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<i64, String> {
        let mut value = self.comparison()?;
        while self.take_name("and") {
            let other = self.comparison()?;
            value = if value == 0 { value } else { other };
        }
        Ok(value)
    }

    /// Comparisons in a row all have to hold: `1 <= x < 3`.
    fn comparison(&mut self) -> Result<i64, String> {
        if self.take_name("not") {
            return Ok(i64::from(self.comparison()? == 0));
        }
        let mut left = self.sum()?;
        let mut holds = None;
        while let Some(Token::Sign(sign @ ("==" | "!=" | "<=" | ">=" | "<" | ">"))) = self.tokens.first() {
            self.tokens = &self.tokens[1..];
            let right = self.sum()?;
            let is_so = match *sign {
                "==" => left == right,
                "!=" => left != right,
                "<=" => left <= right,
                ">=" => left >= right,
                "<" => left < right,
                _ => left > right,
            };
            holds = Some(holds.unwrap_or(true) && is_so);
            left = right;
        }
        Ok(holds.map_or(left, i64::from))
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            if self.take(&Token::Sign("+")) {
                value += self.product()?;
            } else if self.take(&Token::Sign("-")) {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.atom()?;
        loop {
            if self.take(&Token::Sign("*")) {
                value *= self.atom()?;
            } else if self.take(&Token::Sign("//")) {
                let by = self.atom()?;
                value = value.checked_div_euclid(by).ok_or("a division by zero")?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<i64, String> {
        if self.take(&Token::Sign("-")) {
            return Ok(-self.atom()?);
        }
        if self.take(&Token::Sign("(")) {
            let value = self.or()?;
            return if self.take(&Token::Sign(")")) { Ok(value) } else { Err("a bracket without its other".into()) };
        }
        let Some((first, rest)) = self.tokens.split_first() else { return Err("an expression without an end".into()) };
        self.tokens = rest;
        match first {
            Token::Number(number) => Ok(*number),
            Token::Name(name) => self.name(name),
            _ => Err(format!("{first:?} in an expression")),
        }
    }

    fn name(&mut self, name: &str) -> Result<i64, String> {
        if let Some(value) = self.own.get(name) {
            return Ok(*value);
        }
        let value = *self.socket.get(name).ok_or_else(|| name.to_owned())?;
        if name.starts_with("tcpi_") && self.seen.iter().all(|(seen, _)| seen != name) {
            self.seen.push((name.to_owned(), value));
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str) -> Outcome {
        let socket = Names::from([("tcpi_snd_cwnd".into(), 10), ("TCP_CA_Open".into(), 0)]);
        run(code, &mut Names::new(), &socket)
    }

    #[test]
    fn statements_are_read_as_python_reads_them() {
        for code in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "\nassert 9 <= tcpi_snd_cwnd < 11, 'cwnd=%d; no' % tcpi_snd_cwnd # a note; assert 0\nassert 1; \\\n assert 2",
            "print(tcpi_snd_cwnd); cwnd = 5; cwnd += 0x5; assert cwnd == tcpi_snd_cwnd, \"no\"",
            "assert not (1 == 2 or 2 + 3 * 4 != 14) and -7 // 2 == -4",
        ] {
            assert_eq!(check(code), Outcome::Holds, "{code}");
        }
        assert_eq!(check("x = 2; assert tcpi_snd_cwnd < x"), Outcome::Fails("tcpi_snd_cwnd = 10".into()));
    }

    #[test]
    fn what_is_not_known_is_said() {
        for (code, what) in [
            ("assert tcpi_busy_time == 0", "tcpi_busy_time"),
            ("import os", "a statement of its own"),
            ("assert 1 ! 2", "the sign !"),
            ("assert 1 2", "what follows an assertion"),
        ] {
            assert_eq!(check(code), Outcome::Unknown(what.into()), "{code}");
        }
    }
}
