//! User names and passwords, from the address or from the user's `.netrc`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// A user name and its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: Option<String>,
}

impl Credentials {
    /// Credentials of a user, with a password if there is one.
    pub fn new(user: String, password: Option<String>) -> Self {
        Self { user, password }
    }

    /// The user.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns whether there is a password, and so a secret.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The value of an `Authorization` field (RFC 7617).
    pub fn basic(&self) -> String {
        let password = self.password.as_deref().unwrap_or_default();
        format!("Basic {}", BASE64_STANDARD.encode(format!("{}:{password}", self.user)))
    }
}

/// The entry of a host in a `.netrc` file.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// User and password.
    pub credentials: Credentials,
    /// True if it names the host, false for the `default` entry.
    pub is_named: bool,
}

/// Looks up the entry for `host` (and `user`, if given) in a `.netrc` file: the first with a password, else the first.
/// The file is parsed as curl does. Words may be in double quotes, with `\"`, `\\`, `\n`, `\r` and `\t`. A word that
/// begins with `#` starts a comment; a macro ends at an empty line. Parsing stops at an unterminated quote, and an
/// entry that is incomplete by then is ignored.
pub fn netrc(text: &str, host: &str, user: Option<&str>) -> Option<Entry> {
    let (words, is_sound) = words(text);
    let mut words = words.iter().map(String::as_str);
    let mut entries: Vec<(bool, Option<&str>, Option<&str>)> = Vec::new();
    let mut is_ours = false;
    while let Some(word) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "machine" => {
                is_ours = words.next().is_some_and(|name| name.eq_ignore_ascii_case(host));
                entries.extend(is_ours.then_some((true, None, None)));
            }
            "default" => {
                is_ours = true;
                entries.push((false, None, None));
            }
            key @ ("login" | "password" | "account") => {
                let value = words.next();
                // An entry that has both is complete.
                let open = entries
                    .last_mut()
                    .filter(|(_, login, password)| is_ours && !(login.is_some() && password.is_some()));
                if let Some((_, login, password)) = open {
                    match key {
                        "login" => *login = value,
                        "password" => *password = value,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    entries.retain(|(_, login, _)| user.is_none_or(|user| *login == Some(user)));
    let whole = entries.iter().find(|(_, _, password)| password.is_some());
    let &(is_named, login, password) = whole.or(entries.first())?;
    if !is_sound && (login.is_none() || password.is_none()) {
        return None;
    }
    let credentials = Credentials::new(login.unwrap_or_default().to_owned(), password.map(str::to_owned));
    Some(Entry { credentials, is_named })
}

/// The words of the file, up to an unterminated quote, without comments and macros. Returns also whether all quotes are
/// terminated.
fn words(text: &str) -> (Vec<String>, bool) {
    let mut words: Vec<String> = Vec::new();
    let mut is_macro = false;
    for line in text.lines() {
        if is_macro {
            is_macro = !line.trim().is_empty();
            continue;
        }
        let mut rest = line.trim_start();
        while !rest.is_empty() && !rest.starts_with('#') {
            let (word, after) = match rest.strip_prefix('"') {
                Some(quoted) => match unquote(quoted) {
                    Some(found) => found,
                    None => return (words, false),
                },
                None => {
                    let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
                    (word.to_owned(), after)
                }
            };
            // The value of a key may be the same word.
            let is_value = words.last().is_some_and(|last| is_key(last));
            if !is_value && word.eq_ignore_ascii_case("macdef") {
                is_macro = true;
                break;
            }
            words.push(word);
            rest = after.trim_start();
        }
    }
    (words, true)
}

fn is_key(word: &str) -> bool {
    ["machine", "login", "password", "account"].iter().any(|key| word.eq_ignore_ascii_case(key))
}

/// Splits a quoted word, given without its opening quote, from the text after its closing quote.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((word, &quoted[at + 1..])),
            '\\' => word.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            other => word.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::Address;
    use super::*;

    const FILE: &str = "# mine\nmachine a.example login ann password p1\nmacdef init\nmachine b.example login x\n\n\
                        machine b.example\n  login bob\n  account c\n  password p2\ndefault login any password p3\n";

    fn of(text: &str, host: &str, user: Option<&str>) -> Option<(String, Option<String>)> {
        netrc(text, host, user).map(|Entry { credentials: Credentials { user, password }, .. }| (user, password))
    }

    fn pair(user: &str, password: &str) -> Option<(String, Option<String>)> {
        Some((user.to_owned(), Some(password.to_owned())))
    }

    #[test]
    fn netrc_is_read_as_ftp_reads_it() {
        let basic = |host| netrc(FILE, host, None).unwrap().credentials.basic();
        // `printf ann:p1 | base64` and so on.
        assert_eq!(basic("a.example"), "Basic YW5uOnAx");
        assert_eq!(basic("B.example"), "Basic Ym9iOnAy");
        assert_eq!(basic("c.example"), "Basic YW55OnAz");
        assert!(netrc("machine a.example login x password y", "b.example", None).is_none());
        assert!(netrc(FILE, "a.example", None).unwrap().is_named && !netrc(FILE, "c.example", None).unwrap().is_named);
    }

    /// Expected values: curl 7.88.
    #[test]
    fn netrc_is_read_as_curl_reads_it() {
        let h = |text, user| of(text, "h", user);
        assert_eq!(h("machine h login user password \"super secret\"\n", None), pair("user", "super secret"));
        assert_eq!(h(r#"machine h login "a b" password "q\"\\\t\x""#, None), pair("a b", "q\"\\\tx"));
        assert_eq!(h("machine h login u password p # no more\nlogin v", None), pair("u", "p"));
        assert_eq!(h("MACHINE h LOGIN u PassWord p", None), pair("u", "p"));
        assert_eq!(h("machine h password p login u", None), pair("u", "p"));
        assert_eq!(h("machine h login u password p\r\nmachine i login v password q\r\n", None), pair("u", "p"));
        assert_eq!(h("machine h login macdef password machine", None), pair("macdef", "machine"));
        assert_eq!(h("machine h login u\nmachine h login v password q", None), pair("v", "q"));
        assert_eq!(h("machine h login u password #p", None), Some(("u".to_owned(), None)));
        // An unterminated quote, after a complete entry and before one.
        assert_eq!(h("machine h login u password p\nmachine i login \"v", None), pair("u", "p"));
        assert_eq!(h("machine i login \"v\nmachine h login u password p", None), None);
        assert_eq!(h("machine h login u password \"p", None), None);
    }

    #[test]
    fn the_user_of_the_address_picks_the_entry() {
        let file = "machine h login u password p\nmachine h login v password q\nmachine i login v password r\n\
                    default login w password s\n";
        assert_eq!(of(file, "h", None), pair("u", "p"));
        assert_eq!(of(file, "h", Some("v")), pair("v", "q"));
        assert_eq!(of(file, "i", Some("v")), pair("v", "r"));
        assert_eq!(of(file, "h", Some("w")), pair("w", "s"));
        assert_eq!(of(file, "h", Some("x")), None);
        assert_eq!(of("machine h password q login v", "h", Some("v")), pair("v", "q"));
    }

    #[test]
    fn addresses_carry_credentials() {
        let url = Address::parse("http://Aladdin:open%20sesame@a.example/").unwrap();
        // The example of RFC 7617 §2.
        assert_eq!(url.credentials().unwrap().basic(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(Address::parse("http://a.example/").unwrap().credentials().is_none());
    }
}
