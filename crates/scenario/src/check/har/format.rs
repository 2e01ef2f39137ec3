//! Fields of HAR 1.2 that are read, and those that browsers and recorders add. All may be missing or null.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Har {
    pub log: Log,
}

#[derive(Deserialize)]
pub(super) struct Log {
    pub entries: Vec<Entry>,
    pub pages: Option<Vec<Page>>,
}

/// Page that entries name by `pageref`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub id: Option<String>,
    pub started_date_time: Option<String>,
    pub page_timings: Option<PageTimings>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageTimings {
    /// Milliseconds from the page's start to the load event; −1 if unknown.
    pub on_load: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub pageref: Option<String>,
    pub started_date_time: Option<String>,
    /// Milliseconds from the start to the last byte.
    pub time: Option<f64>,
    pub request: Option<Asked>,
    pub response: Option<Answer>,
    pub timings: Option<Timings>,
    pub cache: Option<Cache>,
    #[serde(rename = "_initiator")]
    pub initiator: Option<Initiator>,
    /// Chrome's initiator as JSON in a text, as chrome-har writes it.
    #[serde(rename = "_initiator_detail")]
    pub detail: Option<String>,
    #[serde(rename = "_renderBlocking")]
    pub render_blocking: Option<String>,
    /// Destination of the request, in Chromium.
    #[serde(rename = "_resourceType")]
    pub resource_type: Option<String>,
    #[serde(rename = "_priority")]
    pub priority: Option<String>,
    /// Cache that answered, in Chromium.
    #[serde(rename = "_fromCache")]
    pub from_cache: Option<Flag>,
    /// Cache that answered, as chrome-har-capturer writes it.
    #[serde(rename = "_fromDiskCache")]
    pub from_disk_cache: Option<Flag>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    pub url: Option<String>,
    pub http_version: Option<String>,
    /// Bytes that it carries, such as those of a form.
    pub body_size: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    pub status: Option<f64>,
    pub http_version: Option<String>,
    #[serde(rename = "redirectURL")]
    pub redirect_url: Option<String>,
    pub headers: Option<Vec<Header>>,
    pub body_size: Option<f64>,
    pub headers_size: Option<f64>,
    pub content: Option<Content>,
    #[serde(rename = "_transferSize")]
    pub transfer_size: Option<f64>,
    /// Caches that answered, as chrome-har writes them.
    pub from_disk_cache: Option<Flag>,
    pub from_prefetch_cache: Option<Flag>,
    #[serde(rename = "_fetchedViaServiceWorker", alias = "fromServiceWorker")]
    pub via_worker: Option<Flag>,
    /// Origin of a service worker's answer, in Chromium.
    #[serde(rename = "_serviceWorkerResponseSource")]
    pub worker_source: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Header {
    pub name: Option<String>,
    pub value: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    pub size: Option<f64>,
    pub compression: Option<f64>,
    pub mime_type: Option<String>,
}

/// Milliseconds; −1 where a part did not occur.
#[derive(Default, Deserialize)]
pub(super) struct Timings {
    pub blocked: Option<f64>,
    pub dns: Option<f64>,
    pub connect: Option<f64>,
    pub ssl: Option<f64>,
    pub send: Option<f64>,
    pub wait: Option<f64>,
    pub receive: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cache {
    /// State of the cache's entry before the request.
    pub before_request: Option<serde::de::IgnoredAny>,
}

/// Mark that is a boolean in some tools, and a text in others.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Flag {
    Bool(bool),
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl Flag {
    pub fn is_set(flag: Option<&Self>) -> bool {
        match flag {
            None | Some(Self::Bool(false)) => false,
            Some(Self::Text(text)) => !matches!(text.as_str(), "" | "false" | "0"),
            Some(Self::Bool(true) | Self::Other(_)) => true,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Initiator {
    /// Address, in WebPageTest's and chrome-har's recordings.
    Url(String),
    /// Chromium's table.
    Cause(Cause),
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
pub(super) struct Cause {
    pub url: Option<String>,
    pub stack: Option<Stack>,
}

/// Calls that led to a request, the innermost first.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stack {
    pub call_frames: Option<Vec<Frame>>,
    /// Calls that led to an asynchronous one.
    pub parent: Option<Box<Stack>>,
}

#[derive(Deserialize)]
pub(super) struct Frame {
    pub url: Option<String>,
}

impl Cause {
    /// Addresses that it names, the nearest first.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        let stacks = std::iter::successors(self.stack.as_ref(), |stack| stack.parent.as_deref());
        let frames = stacks.flat_map(|stack| stack.call_frames.iter().flatten());
        self.url.iter().chain(frames.filter_map(|frame| frame.url.as_ref())).map(String::as_str)
    }
}

impl Entry {
    pub fn url(&self) -> &str {
        self.request.as_ref().and_then(|request| request.url.as_deref()).unwrap_or_default()
    }

    /// Media type in lower case, without parameters.
    pub fn mime_type(&self) -> String {
        let content = self.response.as_ref().and_then(|response| response.content.as_ref());
        let given = content.and_then(|content| content.mime_type.as_deref()).unwrap_or_default();
        given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// True if nothing is shown before its end: a style sheet, or a script that Chromium calls blocking. A style sheet
    /// for print is called non-blocking, or has the least priority.
    pub fn is_blocking(&self) -> bool {
        let is_style = self.mime_type() == "text/css";
        let called = self.render_blocking.as_deref().map(|text| {
            let letters = text.chars().filter(char::is_ascii_alphabetic);
            letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
        });
        match called.as_deref() {
            Some("blocking") => true,
            Some(text) if text.contains("nonblocking") => false,
            _ => is_style && !matches!(self.priority.as_deref(), Some("VeryLow" | "Lowest")),
        }
    }

    /// Milliseconds from the request to the first byte of the answer.
    pub fn answer(&self) -> f64 {
        let body = self.request.as_ref().and_then(|request| request.body_size).unwrap_or(0.0);
        self.timings.as_ref().map_or(0.0, |timings| timings.answer(body > 0.0))
    }

    /// Address that a redirect leads to, as the response gives it.
    pub fn redirect(&self) -> Option<&str> {
        let response = self.response.as_ref()?;
        if !matches!(response.status? as u32, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let given = response.redirect_url.as_deref().filter(|url| !url.is_empty());
        given.or_else(|| response.header("location"))
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_meant = |header: &&Header| header.name.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(name));
        self.headers.as_ref()?.iter().find(is_meant)?.value.as_deref()
    }
}

impl Timings {
    /// Time from sending a request to its answer. Some recorders count to `send` what the browser's own work delayed; a
    /// request without a body takes no time.
    pub fn answer(&self, has_body: bool) -> f64 {
        let send = self.send.filter(|send| *send > 0.0 && !has_body).unwrap_or(0.0);
        send + self.wait.filter(|wait| *wait > 0.0).unwrap_or(0.0)
    }

    /// Sum of the parts, of which `ssl` is none by HAR 1.2: `connect` contains it.
    pub fn sum(&self) -> f64 {
        let parts = [self.blocked, self.dns, self.connect, self.send, self.wait, self.receive];
        parts.into_iter().flatten().filter(|part| *part > 0.0).sum()
    }
}
