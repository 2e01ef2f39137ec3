//! What is answered to whom.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::answer::Answer;
use super::content;
use super::refusal::Refusal;
use super::request::Request;
use super::site::Site;

/// Answers a request; `body` brings its content.
pub fn answer(site: &Site, request: &Request, body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>) -> Answer {
    respond(site, request, body).unwrap_or_else(Answer::from)
}

fn respond(
    site: &Site,
    request: &Request,
    body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>,
) -> Result<Answer, Refusal> {
    authorize(site, request)?;
    match request.method.as_str() {
        "GET" | "HEAD" if request.content_length()? > 0 => Err(Refusal::new(400, "unexpected request body")),
        "HEAD" if request.is_ping() => Ok(Answer::empty(204)),
        "GET" | "HEAD" => content::answer(site, request),
        "POST" | "PUT" => match &site.uploads {
            Some(uploads) => uploads.answer(&site.folder, request, body),
            None => Err(Refusal::new(403, "uploads are not allowed here")),
        },
        method => Err(Refusal::new(501, format!("unknown method {}", method.escape_default()))),
    }
}

/// Lets in who has the token. Without one only this machine can ask, and a browser here must not be led to ask for others:
/// the name of the host tells (DNS rebinding).
fn authorize(site: &Site, request: &Request) -> Result<(), Refusal> {
    let host = request.host()?;
    let Some(token) = site.token else {
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
        return match address {
            Ok(address) if address.is_loopback() => Ok(()),
            _ if is_here => Ok(()),
            _ => Err(Refusal::new(421, "this server accepts local requests only")),
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
    match given {
        Some(given) if blake3::hash(&given) == token => Ok(()),
        _ => Err(Refusal::new(401, "missing or wrong token")),
    }
}
