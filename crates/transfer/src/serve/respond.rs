//! Authorization of requests, and dispatch to the answers.

use std::net::IpAddr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::answer::Answer;
use super::content;
use super::refusal::Refusal;
use super::request::{Bring, Request};
use super::site::Site;

/// The client of a request.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The address.
    pub address: IpAddr,
    /// True if the connection has already shown the token.
    pub is_known: bool,
}

/// Answers a request; `body` reads its content.
pub fn answer(site: &Site, client: &mut Client, request: &Request, body: &mut Bring<'_>) -> Answer {
    respond(site, client, request, body).unwrap_or_else(Answer::from)
}

fn respond(site: &Site, client: &mut Client, request: &Request, body: &mut Bring<'_>) -> Result<Answer, Refusal> {
    authorize(site, client, request)?;
    match request.method.as_str() {
        "GET" | "HEAD" if request.content_length()? > 0 => Err(Refusal::new(400, "unexpected request body")),
        "HEAD" if request.is_ping() => Ok(Answer::empty(204)),
        "GET" | "HEAD" => content::answer(site, request),
        "POST" | "PUT" => match &site.uploads {
            Some(uploads) => uploads.answer(&site.folder, client.address, request, body),
            None => Err(Refusal::new(403, "nothing is uploaded here: the server was started without `--upload`")),
        },
        method => Err(Refusal::new(501, format!("unknown method {}", method.escape_default()))),
    }
}

/// Checks the token. Without a token only this machine can connect, and the `Host` field is checked: otherwise a web
/// page could make a local browser read the folder (DNS rebinding). That needs a name that resolves to two addresses:
/// an address in numbers, as behind an emulated link, is served.
fn authorize(site: &Site, client: &mut Client, request: &Request) -> Result<(), Refusal> {
    let host = request.host()?;
    let Some(token) = site.token else {
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
        return match address {
            Ok(_) => Ok(()),
            _ if is_here => Ok(()),
            _ => Err(Refusal::new(
                421,
                format!(
                    "the host {:?} is not served: without a token only localhost and addresses in numbers are\nhint: ask by one of \
                     these, or start the server with `--token` (and `--bind`, `--cert`, `--key` for other machines)",
                    host.escape_debug().to_string()
                ),
            )),
        };
    };
    let given = request.field("authorization").and_then(|value| value.split_once(' ')).and_then(|(scheme, value)| {
        if scheme.eq_ignore_ascii_case("bearer") {
            Some(value.trim().as_bytes().to_vec())
        } else if scheme.eq_ignore_ascii_case("basic") {
            let decoded = BASE64_STANDARD.decode(value.trim()).ok()?;
            let colon = decoded.iter().position(|byte| *byte == b':')?;
            Some(decoded[colon + 1..].to_vec())
        } else {
            None
        }
    });
    let Some(given) = given else { return Err(Refusal::new(401, "a token is required")) };
    if !client.is_known {
        site.guard.turn(client.address).map_err(|seconds| {
            Refusal::new(429, format!("too many wrong tokens from this address; try again in {seconds} s"))
        })?;
    }
    if blake3::hash(&given) == token {
        if !client.is_known {
            site.guard.forgive(client.address);
        }
        client.is_known = true;
        return Ok(());
    }
    client.is_known = false;
    site.guard.blame(client.address);
    Err(Refusal::new(401, "wrong token"))
}
